#include "fuzz_input.h"
#include "message_round_trip.h"
#include "protocol/auth_challenge.h"
#include "protocol/auth_success.h"
#include "protocol/authenticate.h"
#include "protocol/error.h"
#include "protocol/event.h"
#include "protocol/ready.h"
#include "protocol/result.h"
#include "protocol/rows.h"
#include "protocol/supported.h"

// The bodies of all responses, and the cells of rows as each getter reads them.
namespace cqlperf::protocol {
namespace {

void visit_cells(const RowsView& view) {
  size_t bytes = 0;
  for (const RowView row : view) {
    for (const Cell cell : row) bytes += cell ? cell->size() : 0;
  }
  CQLPERF_CHECK(bytes <= view.body().size(), "cells are in the body");
}

void visit_getters(const Rows& rows) {
  if (rows.empty()) return;
  for (const ColumnSpec& column : rows.metadata().columns) {
    static_cast<void>(rows.text(0, column.name));
    static_cast<void>(rows.integer(0, column.name));
    static_cast<void>(rows.bigint(0, column.name));
    static_cast<void>(rows.boolean(0, column.name));
    static_cast<void>(rows.uuid(0, column.name));
    static_cast<void>(rows.inet(0, column.name));
    static_cast<void>(rows.text_list(0, column.name));
    static_cast<void>(rows.text_map(0, column.name));
  }
}

void check_result(Version version, ByteView body) {
  fuzz::check_body<ResultMessage>(version, body);
  const auto result = ResultMessage::decode_body(version, body);
  if (!result) return;
  CQLPERF_CHECK(peek_result_kind(body) == result->kind(), "the kind is what it seemed");
  if (const auto* rows = result->as<RowsView>()) {
    visit_cells(*rows);
    visit_getters(Rows(*rows));
  }
}

void check_error(Version version, ByteView body) {
  fuzz::check_body<ErrorMessage>(version, body);
  const auto error = ErrorMessage::decode_body(version, body);
  if (!error) return;
  const auto head = peek_error(body);
  CQLPERF_CHECK(head && head->code == error->code && head->message == error->message,
                "an error is what it seemed");
  CQLPERF_CHECK(!error->describe().empty(), "an error can be shown");
}

}  // namespace
}  // namespace cqlperf::protocol

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace cqlperf::protocol;
  using cqlperf::fuzz::check_body;
  cqlperf::fuzz::FuzzInput input(data, size);
  const auto version = static_cast<Version>(3 + input.take_below(3));
  const size_t kind = input.take_below(8);
  const ByteView body = input.take_rest();
  switch (kind) {
    case 0:
      check_error(version, body);
      break;
    case 1:
      check_body<Ready>(version, body);
      break;
    case 2:
      check_body<Authenticate>(version, body);
      break;
    case 3:
      check_body<Supported>(version, body);
      break;
    case 4:
      check_result(version, body);
      break;
    case 5:
      check_body<Event>(version, body);
      break;
    case 6:
      check_body<AuthChallenge>(version, body);
      break;
    default:
      check_body<AuthSuccess>(version, body);
      break;
  }
  return 0;
}

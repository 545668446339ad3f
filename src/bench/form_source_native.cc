#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "bench/form_source.h"
#include "protocol/envelope.h"
#include "protocol/error.h"
#include "protocol/result.h"
#include "protocol/rows.h"
#include "protocol/values.h"

namespace cqlperf::bench {
namespace {

using measure::Form;
using workload::FormStatement;

// What a server says that has met something unexpected, which may be after it has written.
const std::string_view kServerError =
    protocol::error_name(static_cast<int32_t>(protocol::ErrorCode::kServerError));

// The one statement of a cell. The columns of an answer are told again only where the statement is
// not known to the client: so drivers do it.
client::StatementSpec spec(Form form, const FormWorkload& workload,
                           protocol::Consistency consistency) {
  const auto& statements = *workload.statements;
  client::StatementSpec spec{.cql = {}, .settings = {.consistency = consistency}};
  switch (form) {
    case Form::kCql:
      spec.kind = client::StatementKind::kTextQuery;
      break;
    case Form::kCqlBound:
      spec.kind = client::StatementKind::kBoundQuery;
      spec.cql = statements.bound_cql(workload.statement);
      spec.values = static_cast<uint16_t>(statements.markers(workload.statement));
      break;
    case Form::kPreparedStrings:
      spec.cql = statements.json_cql();
      spec.settings.skip_metadata = true;
      break;
    default:
      spec.cql = statements.bound_cql(workload.statement);
      spec.settings.skip_metadata = true;
  }
  return spec;
}

client::SessionOptions with_statement(client::SessionOptions options, client::StatementSpec spec) {
  options.statements = {std::move(spec)};
  return options;
}

class NativeFormSource final : public FormSource, private client::SessionClient {
 public:
  NativeFormSource(net::EventLoop& loop, Form form, const FormWorkload& workload, uint32_t window,
                   client::SessionOptions options, protocol::Consistency consistency)
      : FormSource(workload, window),
        form_(form),
        session_(loop, *this,
                 with_statement(std::move(options), spec(form, workload, consistency))) {}

  void start_to_connect() override { session_.start(); }
  core::Status wait_until_ready(int64_t deadline_ns) override {
    return session_.wait_until_ready(deadline_ns);
  }
  net::TcpStream::Counters counters() const override { return session_.counters(); }

  executor::StartResult start(const executor::Operation& operation) override {
    task().take(operation.slot, operation.index);
    return session_.execute(0, token_of(operation.slot)) == client::ExecuteStatus::kSent
               ? executor::StartResult::kStarted
               : executor::StartResult::kNotReady;
  }
  void flush() override { session_.flush(); }
  bool ready() override { return session_.ready_connections() > 0; }

 private:
  void write_values(uint16_t, uint32_t token, core::Buffer& out) override;
  void write_query(uint16_t, uint32_t token, core::Buffer& out) override;
  void on_success(uint32_t token, const protocol::Frame& frame, int64_t received_ns) override;
  void on_failure(uint32_t token, const client::RequestFailure& failure,
                  int64_t received_ns) override;
  void finish_read(uint32_t slot, const protocol::Frame& frame, protocol::ByteView body,
                   int64_t received_ns);

  const Form form_;
  client::Session session_;
};

void NativeFormSource::write_values(uint16_t, uint32_t token, core::Buffer& out) {
  const FormWorkload& workload = task().workload();
  const workload::FormRow& row = task().row(slot_of(token));
  if (form_ != Form::kPreparedStrings)
    return workload.statements->append_values(workload.statement, row, out);
  const size_t start = protocol::begin_value(out);
  workload.statements->json().append_to(out, row.items());
  protocol::end_value(out, start);
}

void NativeFormSource::write_query(uint16_t, uint32_t token, core::Buffer& out) {
  const FormWorkload& workload = task().workload();
  workload.statements->text(workload.statement).append_to(out, task().row(slot_of(token)).items());
}

void NativeFormSource::on_success(uint32_t token, const protocol::Frame& frame,
                                  int64_t received_ns) {
  if (!is_current(token)) return;
  const uint32_t slot = slot_of(token);
  protocol::ByteView body = frame.body;
  if (frame.header.flags != 0) [[unlikely]] {
    const auto envelope = protocol::split_response(frame);
    if (!envelope)
      return fail(slot, {.kind = "ProtocolError", .message = envelope.error().message}, true,
                  received_ns);
    body = envelope->body;
  }
  if (task().reads()) return finish_read(slot, frame, body, received_ns);
  if (protocol::peek_result_kind(body) == protocol::ResultKind::kVoid) [[likely]]
    return succeed(slot, received_ns);
  fail(slot, {.kind = "UnexpectedResult", .message = "a write was answered by a result with rows"},
       true, received_ns);
}

void NativeFormSource::finish_read(uint32_t slot, const protocol::Frame& frame,
                                   protocol::ByteView body, int64_t received_ns) {
  const auto rows = protocol::RowsView::decode(frame.header.version, body);
  if (!rows) [[unlikely]]
    return fail(slot, {.kind = "UnexpectedResult", .message = rows.error().message}, true,
                received_ns);
  const workload::FormRow& expected = task().expected(slot);
  bool right = rows->row_count() == 1 &&
               static_cast<size_t>(rows->column_count()) + 1 == expected.items().size();
  uint32_t column = 0;
  if (right)
    for (const protocol::Cell cell : *rows->begin())
      right &= cell && std::ranges::equal(*cell, expected.value(column++));
  if (right) [[likely]]
    return succeed(slot, received_ns);
  fail_read(slot, static_cast<size_t>(rows->row_count()), received_ns);
}

void NativeFormSource::on_failure(uint32_t token, const client::RequestFailure& failure,
                                  int64_t received_ns) {
  if (!is_current(token)) return;
  fail(slot_of(token),
       {.kind = failure.kind,
        .message = failure.message,
        .overloaded = failure.overloaded,
        .answered = failure.frame != nullptr},
       failure.in_doubt || failure.kind == kServerError, received_ns);
}

}  // namespace

void FormSource::fail_read(uint32_t slot, size_t rows, int64_t received_ns) {
  const std::string message =
      rows == 0
          ? fmt::format("the row of key {} is not there", task_.key(slot))
          : fmt::format("the row of key {} has other values than were written", task_.key(slot));
  fail(slot, {.kind = rows == 0 ? "MissingRow" : "WrongRow", .message = message}, true,
       received_ns);
}

std::unique_ptr<FormSource> native_form_source(net::EventLoop& loop, Form form,
                                               const FormWorkload& workload, uint32_t window,
                                               client::SessionOptions options,
                                               protocol::Consistency consistency) {
  return std::make_unique<NativeFormSource>(loop, form, workload, window, std::move(options),
                                            consistency);
}

}  // namespace cqlperf::bench

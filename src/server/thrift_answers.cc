#include <utility>

#include "core/check.h"
#include "protocol/result.h"
#include "server/thrift_cells.h"
#include "server/thrift_connection.h"
#include "server/thrift_host.h"
#include "server/thrift_session.h"
#include "server/thrift_types.h"
#include "server/worker.h"

namespace cqlperf::server {
namespace {

using thrift::Call;

constexpr auto kVersion = protocol::Version::kV4;

// The reader and the writer have made these bytes.
protocol::RowsView decode_rows(protocol::ByteView body) {
  auto rows = protocol::RowsView::decode(kVersion, body);
  CQLPERF_CHECK(rows.has_value(), "a result of our own cannot be read");
  return std::move(*rows);
}

}  // namespace

void ThriftSession::answer(protocol::Opcode opcode, protocol::ByteView body) {
  if (opcode == protocol::Opcode::kError) {
    const auto error = protocol::ErrorMessage::decode_body(kVersion, body);
    CQLPERF_CHECK(error.has_value(), "an error of our own cannot be read");
    return fail(*error);
  }
  const bool has_rows = protocol::peek_result_kind(body) == protocol::ResultKind::kRows;
  switch (call_) {
    case Call::kGetSlice:
      return answer_slice(body);
    case Call::kSystemAddColumnFamily:
    case Call::kSystemDropColumnFamily:
    case Call::kSystemAddKeyspace:
    case Call::kSystemDropKeyspace:
      return answer_text(worker_.schema()->version.to_string());
    case Call::kExecuteCql3Query:
    case Call::kExecutePreparedCql3Query:
      if (has_rows) return answer_rows(body);
      host_.replies().cql_void(call_, seqid_, connection_.output());
      return connection_.end_answer();
    default:
      return answer_nothing();
  }
}

void ThriftSession::answer_slice(protocol::ByteView body) {
  const protocol::RowsView rows = decode_rows(body);
  cells_.clear();
  for (const protocol::RowView row : rows) append_cells(*table_, row, columns_, count_max_, cells_);
  host_.replies().cells(seqid_, cells_, connection_.output());
  connection_.end_answer();
}

// [applied] and what comes with it is not in the statement's metadata: then the answer has its own.
void ThriftSession::answer_rows(protocol::ByteView body) {
  const protocol::RowsView rows = decode_rows(body);
  const bool is_described = !rows.metadata().columns.empty();
  const auto& described = is_described ? rows.metadata().columns : selected_->result.columns;
  if (is_described) selected_columns_.clear();
  if (selected_columns_.empty())
    for (const protocol::ColumnSpec& column : described)
      selected_columns_.push_back({column.name, type_class(column.type)});
  thrift::ReplyWriter& replies = host_.replies();
  replies.begin_rows(call_, seqid_, static_cast<size_t>(rows.row_count()), connection_.output());
  std::vector<std::optional<thrift::ByteView>> values;
  for (const protocol::RowView row : rows) {
    values.clear();
    for (const protocol::Cell& cell : row) values.push_back(cell);
    replies.append_row(selected_columns_, values);
  }
  replies.end_rows(selected_columns_);
  if (is_described) selected_columns_.clear();
  connection_.end_answer();
}

void ThriftSession::answer_nothing() {
  host_.replies().nothing(call_, seqid_, connection_.output());
  connection_.end_answer();
}

void ThriftSession::answer_text(std::string_view text) {
  host_.replies().text(call_, seqid_, text, connection_.output());
  connection_.end_answer();
}

void ThriftSession::fail(const thrift::Exception& exception) {
  host_.replies().exception(call_, seqid_, exception, connection_.output());
  connection_.end_answer();
}

void ThriftSession::fail(const protocol::ErrorMessage& error) { fail(to_exception(error)); }
void ThriftSession::fail(std::string why) { fail(invalid_request(std::move(why))); }

}  // namespace cqlperf::server

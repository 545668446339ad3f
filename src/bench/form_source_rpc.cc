#include <algorithm>
#include <utility>
#include <vector>

#include "bench/form_source.h"
#include "core/clock.h"
#include "thrift/call_writer.h"
#include "thrift/reply_reader.h"

namespace cqlperf::bench {
namespace {

using measure::Form;
using workload::FormStatement;

thrift::Consistency thrift_consistency(protocol::Consistency level) {
  using protocol::Consistency;
  switch (level) {
    case Consistency::kAny:
      return thrift::Consistency::kAny;
    case Consistency::kTwo:
      return thrift::Consistency::kTwo;
    case Consistency::kThree:
      return thrift::Consistency::kThree;
    case Consistency::kQuorum:
      return thrift::Consistency::kQuorum;
    case Consistency::kAll:
      return thrift::Consistency::kAll;
    case Consistency::kLocalQuorum:
      return thrift::Consistency::kLocalQuorum;
    case Consistency::kEachQuorum:
      return thrift::Consistency::kEachQuorum;
    case Consistency::kSerial:
      return thrift::Consistency::kSerial;
    case Consistency::kLocalSerial:
      return thrift::Consistency::kLocalSerial;
    case Consistency::kLocalOne:
      return thrift::Consistency::kLocalOne;
    case Consistency::kOne:
      break;
  }
  return thrift::Consistency::kOne;
}

thrift::Call call_of(Form form, FormStatement statement) {
  if (form == Form::kRpcCql) return thrift::Call::kExecuteCql3Query;
  if (form != Form::kRpc) return thrift::Call::kExecutePreparedCql3Query;
  return statement == FormStatement::kRead ? thrift::Call::kGetSlice : thrift::Call::kBatchMutate;
}

client::RpcSessionOptions with_call(client::RpcSessionOptions options, Form form,
                                    const FormWorkload& workload) {
  options.call = call_of(form, workload.statement);
  if (form == Form::kRpcPrepared)
    options.prepare = workload.statements->bound_cql(workload.statement);
  if (form == Form::kRpcPreparedStrings) options.prepare = workload.statements->json_cql();
  return options;
}

class RpcFormSource final : public FormSource, private client::RpcClient {
 public:
  RpcFormSource(net::EventLoop& loop, Form form, const FormWorkload& workload, uint32_t window,
                client::RpcSessionOptions options, std::string table,
                protocol::Consistency consistency)
      : FormSource(workload, window),
        form_(form),
        table_(std::move(table)),
        consistency_(thrift_consistency(consistency)),
        session_(loop, *this, with_call(std::move(options), form, workload)) {
    for (const std::string& name : workload.rows->column_names()) {
      columns_.push_back({.name = protocol::as_bytes(name)});
      counters_.push_back({.name = protocol::as_bytes(name), .delta = 1});
    }
  }

  void start_to_connect() override { session_.start(); }
  core::Status wait_until_ready(int64_t deadline_ns) override {
    return session_.wait_until_ready(deadline_ns);
  }
  net::TcpStream::Counters counters() const override { return session_.counters(); }

  executor::StartResult start(const executor::Operation& operation) override {
    task().take(operation.slot, operation.index);
    return session_.execute(token_of(operation.slot)) == client::ExecuteStatus::kSent
               ? executor::StartResult::kStarted
               : executor::StartResult::kNotReady;
  }
  void flush() override { session_.flush(); }
  bool ready() override { return session_.ready_connections() > session_.in_flight(); }

 private:
  void write_call(uint32_t token, int32_t seqid, int32_t item_id, thrift::CallWriter& writer,
                  core::Buffer& out) override;
  void write_rpc(const workload::FormRow& row, int32_t seqid, thrift::CallWriter& writer,
                 core::Buffer& out);
  void on_reply(uint32_t token, const thrift::ReplyReader& reply, int64_t received_ns) override;
  void on_failure(uint32_t token, const client::RequestFailure& failure, bool answered,
                  int64_t received_ns) override;
  bool is_right(const workload::FormRow& expected, const thrift::ReplyReader& reply) const;
  std::string_view text(const workload::HexText& text, const workload::FormRow& row) {
    text_.clear();
    text.append_to(text_, row.items());
    return {reinterpret_cast<const char*>(text_.data()), text_.size()};
  }

  const Form form_;
  const std::string table_;
  const thrift::Consistency consistency_;
  std::vector<thrift::ColumnWrite> columns_;
  std::vector<thrift::CounterWrite> counters_;
  std::vector<protocol::ByteView> values_;
  core::Buffer text_;
  client::RpcSession session_;
};

void RpcFormSource::write_call(uint32_t token, int32_t seqid, int32_t item_id,
                               thrift::CallWriter& writer, core::Buffer& out) {
  const FormWorkload& workload = task().workload();
  const workload::FormStatements& statements = *workload.statements;
  const workload::FormRow& row = task().row(slot_of(token));
  switch (form_) {
    case Form::kRpc:
      return write_rpc(row, seqid, writer, out);
    case Form::kRpcCql:
      return writer.execute_cql3_query(seqid, text(statements.text(workload.statement), row),
                                       consistency_, out);
    case Form::kRpcPreparedStrings:
      values_ = {protocol::as_bytes(text(statements.json(), row))};
      break;
    default:
      statements.bind(workload.statement, row, values_);
  }
  writer.execute_prepared_cql3_query(seqid, item_id, values_, consistency_, out);
}

void RpcFormSource::write_rpc(const workload::FormRow& row, int32_t seqid,
                              thrift::CallWriter& writer, core::Buffer& out) {
  const auto statement = task().workload().statement;
  if (statement == FormStatement::kRead) {
    const auto count = static_cast<int32_t>(columns_.size());
    return writer.get_slice(seqid, row.key(), table_, {.count = count}, consistency_, out);
  }
  thrift::RowWrite write{.key = row.key(), .column_family = table_};
  if (statement == FormStatement::kCounter) {
    write.counters = counters_;
  } else {
    // Thrift has no timestamps of the server's.
    const int64_t now_us = core::wall_clock_ns() / 1000;
    for (uint32_t column = 0; column < columns_.size(); ++column) {
      columns_[column].value = row.value(column);
      columns_[column].timestamp_us = now_us;
    }
    write.columns = columns_;
  }
  writer.batch_mutate(seqid, {&write, 1}, consistency_, out);
}

bool RpcFormSource::is_right(const workload::FormRow& expected,
                             const thrift::ReplyReader& reply) const {
  const auto same = [](const auto& cell, thrift::ByteView value) {
    return std::ranges::equal(cell.value, value);
  };
  uint32_t column = 0;
  if (form_ == Form::kRpc) {
    if (reply.cells().size() != columns_.size()) return false;
    return std::ranges::all_of(reply.cells(), [&](const thrift::Cell& cell) {
      return same(cell, expected.value(column++));
    });
  }
  if (reply.row_count() != 1 || reply.row(0).size() != columns_.size()) return false;
  return std::ranges::all_of(reply.row(0), [&](const thrift::CqlCell& cell) {
    return !cell.is_null && same(cell, expected.value(column++));
  });
}

void RpcFormSource::on_reply(uint32_t token, const thrift::ReplyReader& reply,
                             int64_t received_ns) {
  if (!is_current(token)) return;
  const uint32_t slot = slot_of(token);
  if (!task().reads() || is_right(task().expected(slot), reply)) [[likely]]
    return succeed(slot, received_ns);
  fail_read(slot, form_ == Form::kRpc ? reply.cells().size() : reply.row_count(), received_ns);
}

void RpcFormSource::on_failure(uint32_t token, const client::RequestFailure& failure, bool answered,
                               int64_t received_ns) {
  if (!is_current(token)) return;
  fail(slot_of(token),
       {.kind = failure.kind,
        .message = failure.message,
        .overloaded = failure.overloaded,
        .answered = answered},
       failure.in_doubt, received_ns);
}

}  // namespace

std::unique_ptr<FormSource> rpc_form_source(net::EventLoop& loop, Form form,
                                            const FormWorkload& workload, uint32_t window,
                                            client::RpcSessionOptions options, std::string table,
                                            protocol::Consistency consistency) {
  return std::make_unique<RpcFormSource>(loop, form, workload, window, std::move(options),
                                         std::move(table), consistency);
}

}  // namespace cqlperf::bench

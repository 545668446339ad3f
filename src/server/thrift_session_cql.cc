#include <utility>

#include <fmt/format.h>

#include "core/text.h"
#include "protocol/values.h"
#include "server/thrift_connection.h"
#include "server/thrift_host.h"
#include "server/thrift_items.h"
#include "server/thrift_session.h"
#include "server/thrift_types.h"
#include "server/worker.h"
#include "thrift/frame.h"
#include "thrift/inflate.h"

namespace cqlperf::server {

using protocol::ErrorCode;
using protocol::ErrorMessage;

std::optional<std::string> ThriftSession::text_of(const thrift::CallMessage& message) {
  if (message.compression == thrift::Compression::kNone)
    return std::string(reinterpret_cast<const char*>(message.query.data()), message.query.size());
  auto text = thrift::inflate(message.query, thrift::kFrameBytesMax);
  if (text) return std::move(*text);
  fail(text.error().message);
  return std::nullopt;
}

void ThriftSession::query(const thrift::CallMessage& message) {
  const auto text = text_of(message);
  if (!text) return;
  const auto compiled = compile_text(*text, keyspace_, worker_.schema());
  if (!compiled) return fail(compiled.error());
  if ((*compiled)->marker_count() != 0) return fail("Invalid amount of bind variables");
  run(*compiled, {}, native_consistency(message.consistency), keyspace_);
}

void ThriftSession::prepare(const thrift::CallMessage& message) {
  const auto text = text_of(message);
  if (!text) return;
  const SchemaPtr& schema = worker_.schema();
  const auto statement = worker_.database().prepared().prepare(*text, keyspace_, schema);
  if (!statement) return fail(statement.error());
  const auto compiled = (*statement)->compiled(schema);
  if (!compiled) return fail(compiled.error());
  const int32_t id = ThriftItems::id_of(keyspace_ + *text);
  worker_.database().thrift_items().add(id, *statement);
  std::vector<thrift::ReplyWriter::CqlColumn> variables;
  for (const protocol::ColumnSpec& column : (*compiled)->bind.columns)
    variables.push_back({column.name, type_class(column.type)});
  host_.replies().prepared(call_, seqid_, id, variables, connection_.output());
  connection_.end_answer();
}

void ThriftSession::execute(const thrift::CallMessage& message) {
  const PreparedPtr statement = worker_.database().thrift_items().find(message.item_id);
  cql::Result<const PreparedView::Entry*> entry = nullptr;
  if (statement) entry = worker_.prepared().find(statement->id(), worker_.schema());
  if (!entry) return fail(entry.error());
  if (*entry == nullptr)
    return fail(
        fmt::format("Prepared query with ID {} not found (either the query was not prepared "
                    "on this host (maybe the host has been restarted?) or you have prepared "
                    "too many queries and it has been evicted from the internal cache)",
                    message.item_id));
  const CompiledPtr compiled = (*entry)->compiled;
  if (message.values.size() != compiled->marker_count())
    return fail(fmt::format("there were {} markers(?) in CQL but {} bound variables",
                            compiled->marker_count(), message.values.size()));
  values_.clear();
  for (const thrift::ByteView value : message.values) values_.push_back(protocol::Value::of(value));
  run(compiled, values_, native_consistency(message.consistency), statement->keyspace());
}

Arguments ThriftSession::arguments_of(protocol::Consistency consistency) {
  Arguments arguments;
  arguments.consistency = consistency;
  arguments.now_us = worker_.now_us();
  arguments.timestamp_us = worker_.database().next_timestamp_us(arguments.now_us);
  arguments.metadata = MetadataForm::kNone;
  return arguments;
}

void ThriftSession::run(const CompiledPtr& compiled, std::span<const protocol::Value> values,
                        protocol::Consistency consistency, const std::string& keyspace) {
  Arguments arguments = arguments_of(consistency);
  arguments.values = values;
  const auto& action = compiled->action;
  if (const auto* write = std::get_if<WritePlanPtr>(&action)) return run_write(**write, arguments);
  if (const auto* select = std::get_if<SelectPlanPtr>(&action)) {
    if (consistency == protocol::Consistency::kAny)
      return fail("ANY ConsistencyLevel is only supported for writes");
    if (selected_ != compiled) selected_columns_.clear();
    selected_ = compiled;
    return worker_.reader().execute(*select, arguments, to());
  }
  if (const auto* batch = std::get_if<BatchPlan>(&action)) return run_batch(*batch, arguments);
  if (const auto* use = std::get_if<cql::Use>(&action)) {
    if (worker_.schema()->find_keyspace(use->keyspace) == nullptr)
      return fail(fmt::format("Keyspace '{}' does not exist", use->keyspace));
    keyspace_ = use->keyspace;
    host_.replies().cql_void(call_, seqid_, connection_.output());
    return connection_.end_answer();
  }
  change_schema({std::get<SchemaStatement>(action).statement}, keyspace);
}

void ThriftSession::run_write(const WritePlan& plan, Arguments& arguments) {
  if (protocol::is_serial(arguments.consistency) && !plan.is_conditional())
    return fail("You must use conditional updates for serializable writes");
  worker_.writer().execute(plan, arguments, to());
}

void ThriftSession::run_batch(const BatchPlan& batch, Arguments& arguments) {
  if (batch.timestamp) {
    cql::Arena arena;
    const auto value = batch.timestamp->evaluate({arguments.values, arguments.now_us, &arena});
    if (!value) return fail(value.error());
    if (value->kind == protocol::Value::Kind::kBytes)
      if (const auto timestamp = protocol::decode_bigint(value->bytes))
        arguments.timestamp_us = *timestamp;
  }
  std::vector<Writer::BatchItem> items;
  items.reserve(batch.plans.size());
  for (const WritePlanPtr& plan : batch.plans) items.push_back({plan.get(), arguments.values});
  worker_.writer().execute_batch(batch.kind, items, arguments, to());
}

}  // namespace cqlperf::server

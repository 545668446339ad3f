#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "protocol/batch.h"
#include "protocol/values.h"
#include "server/connection.h"
#include "server/session.h"

namespace cqlperf::server {
namespace {

using protocol::ErrorCode;
using protocol::ErrorMessage;

cql::Batch::Kind kind_of(protocol::BatchType type) {
  switch (type) {
    case protocol::BatchType::kUnlogged:
      return cql::Batch::Kind::kUnlogged;
    case protocol::BatchType::kCounter:
      return cql::Batch::Kind::kCounter;
    case protocol::BatchType::kLogged:
      break;
  }
  return cql::Batch::Kind::kLogged;
}

}  // namespace

void Session::batch(protocol::ByteView body) {
  const auto message = protocol::Batch::decode_body(connection_.version(), body);
  if (!message) return malformed(message.error());
  const std::string keyspace(message->keyspace.value_or(keyspace_));
  std::vector<CompiledPtr> plans;  // keeps what the items point at
  std::vector<Writer::BatchItem> items;
  plans.reserve(message->statements.size());
  items.reserve(message->statements.size());
  for (const protocol::BatchStatement& statement : message->statements) {
    CompiledPtr compiled = batch_statement(statement, keyspace);
    if (!compiled) return;
    items.push_back({std::get<WritePlanPtr>(compiled->action).get(), statement.values});
    plans.push_back(std::move(compiled));
  }
  Arguments arguments;
  arguments.consistency = message->consistency;
  set_time(arguments, message->default_timestamp_us, message->now_seconds);
  give_timestamp(arguments);
  worker_.writer().execute_batch(kind_of(message->type), items, arguments, to());
}

// nullptr when an error was answered.
CompiledPtr Session::batch_statement(const protocol::BatchStatement& statement,
                                     const std::string& keyspace) {
  CompiledPtr compiled;
  if (const auto* id = std::get_if<protocol::ByteView>(&statement.query_or_id)) {
    const PreparedView::Entry* entry = find_prepared(*id);
    if (entry == nullptr) return nullptr;
    compiled = entry->compiled;
  } else {
    auto made =
        compile_text(std::get<std::string_view>(statement.query_or_id), keyspace, worker_.schema());
    if (!made) return error(made.error()), nullptr;
    compiled = std::move(*made);
  }
  if (!std::holds_alternative<WritePlanPtr>(compiled->action))
    return error(ErrorMessage::of(
               ErrorCode::kInvalid,
               "Invalid statement in batch: only UPDATE, INSERT and DELETE statements are "
               "allowed.")),
           nullptr;
  if (statement.values.size() != compiled->marker_count())
    return error(ErrorMessage::of(
               ErrorCode::kInvalid,
               fmt::format("There were {} markers(?) in CQL but {} bound variables",
                           compiled->marker_count(), statement.values.size()))),
           nullptr;
  return compiled;
}

// BEGIN … APPLY BATCH as a text: the values are shared by all its statements.
void Session::run_batch_text(const BatchPlan& batch, Arguments& arguments) {
  if (batch.timestamp) {
    cql::Arena arena;
    const auto value = batch.timestamp->evaluate({arguments.values, arguments.now_us, &arena});
    if (!value) return error(value.error());
    if (value->kind == protocol::Value::Kind::kNull)
      return error(ErrorMessage::of(ErrorCode::kInvalid, "Invalid null value of timestamp"));
    if (value->kind == protocol::Value::Kind::kBytes)
      if (const auto timestamp = protocol::decode_bigint(value->bytes))
        arguments.timestamp_us = *timestamp;
  }
  give_timestamp(arguments);
  std::vector<Writer::BatchItem> items;
  items.reserve(batch.plans.size());
  for (const WritePlanPtr& plan : batch.plans) items.push_back({plan.get(), arguments.values});
  worker_.writer().execute_batch(batch.kind, items, arguments, to());
}

}  // namespace cqlperf::server

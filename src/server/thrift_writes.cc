#include "server/thrift_writes.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "cql/values.h"
#include "server/row_key.h"
#include "server/thrift_cells.h"
#include "server/write_attributes.h"

namespace cqlperf::server {
namespace {

using thrift::Mutation;

constexpr size_t kKeptItems = 1024;

cql::Status check_key(protocol::ByteView key) {
  if (key.empty()) return cql::invalid("Key may not be empty");
  if (key.size() <= kKeySizeMax) return {};
  return cql::invalid(
      fmt::format("Key length of {} is longer than maximum of {}", key.size(), kKeySizeMax));
}

cql::Status check_ttl(const Mutation& mutation) {
  if (!mutation.has_ttl) return {};
  if (mutation.ttl_s < 0) return cql::invalid("ttl must be greater or equal to 0");
  if (mutation.ttl_s <= kTtlMax_s) return {};
  return cql::invalid(
      fmt::format("ttl is too large. requested ({}) maximum ({})", mutation.ttl_s, kTtlMax_s));
}

}  // namespace

void ThriftWrites::clear() {
  const bool is_large = statements_.size() > kKeptItems || numbers_.size() > kKeptItems;
  statements_.clear();
  numbers_.clear();
  items_.clear();
  assigned_.clear();
  has_group_ = false;
  counters_ = others_ = 0;
  if (!is_large) return;
  items_.shrink_to_fit();
  assigned_.shrink_to_fit();
}

cql::Status ThriftWrites::make(const thrift::CallMessage& message, std::string_view keyspace,
                               const SchemaPtr& schema) {
  clear();
  for (const thrift::RowMutations& row : message.rows) {
    auto plans = plans_.find(keyspace, row.column_family, schema);
    if (!plans) return std::unexpected(std::move(plans.error()));
    if (auto status = add_row(message, row, **plans, schema); !status) return status;
  }
  if (message.has_super_column) return cql::invalid("this server has no super columns");
  if (!message.invalid.empty()) return cql::invalid(message.invalid);
  if (counters_ > 0 && others_ > 0)
    return cql::invalid("counters and other columns in one batch: send them apart");
  for (const Statement& statement : statements_)
    items_.push_back({std::get<WritePlanPtr>(statement.compiled->action).get(), statement.values});
  return {};
}

cql::Status ThriftWrites::add_row(const thrift::CallMessage& message,
                                  const thrift::RowMutations& row, ThriftPlans::TablePlans& plans,
                                  const SchemaPtr& schema) {
  if (auto status = check_key(row.key); !status) return status;
  key_ = row.key;
  for (uint32_t i = row.first; i < row.first + row.count; ++i)
    if (auto status = add(message, message.mutations[i], plans, schema); !status) return status;
  return finish(plans, schema);
}

cql::Status ThriftWrites::add(const thrift::CallMessage& message, const Mutation& mutation,
                              ThriftPlans::TablePlans& plans, const SchemaPtr& schema) {
  switch (mutation.kind) {
    case Mutation::Kind::kColumn:
      return add_column(mutation, plans, schema);
    case Mutation::Kind::kCounter:
      return add_counter(mutation, plans, schema);
    case Mutation::Kind::kDeletion:
      break;
  }
  return add_deletion(message, mutation, plans, schema);
}

cql::Status ThriftWrites::add_column(const Mutation& mutation, ThriftPlans::TablePlans& plans,
                                     const SchemaPtr& schema) {
  if (plans.table->is_counter)
    return cql::invalid(
        fmt::format("invalid operation for commutative table {}", plans.table->name));
  auto column = find_thrift_column(*plans.table, mutation.name);
  if (!column) return std::unexpected(std::move(column.error()));
  if (auto status = check_ttl(mutation); !status) return status;
  if (!mutation.has_value) return cql::invalid("Column value is required");
  if (!mutation.has_timestamp) return cql::invalid("Column timestamp is required");
  const Column& written = plans.table->regular_columns()[*column];
  if (auto valid = cql::check_value(written.type, mutation.value, written.name); !valid)
    return cql::invalid(fmt::format("({}) [{}][{}][{}] failed validation", valid.error().message,
                                    plans.table->keyspace, plans.table->name, written.name));
  return assign({Action::kSet, mutation.timestamp_us, mutation.has_ttl ? mutation.ttl_s : kNoTtl},
                *column, protocol::Value::of(mutation.value), plans, schema);
}

cql::Status ThriftWrites::add_counter(const Mutation& mutation, ThriftPlans::TablePlans& plans,
                                      const SchemaPtr& schema) {
  if (!plans.table->is_counter)
    return cql::invalid(
        fmt::format("invalid operation for non commutative table {}", plans.table->name));
  auto column = find_thrift_column(*plans.table, mutation.name);
  if (!column) return std::unexpected(std::move(column.error()));
  return assign({.action = Action::kAdd}, *column, number(mutation.counter, 8), plans, schema);
}

cql::Status ThriftWrites::add_deletion(const thrift::CallMessage& message, const Mutation& mutation,
                                       ThriftPlans::TablePlans& plans, const SchemaPtr& schema) {
  const bool is_counter = plans.table->is_counter;
  if (!is_counter && !mutation.has_timestamp)
    return cql::invalid(fmt::format(
        "Deletion timestamp is not optional for non commutative table {}", plans.table->name));
  const Group group = {is_counter ? Action::kDeleteCounters : Action::kDelete,
                       is_counter ? 0 : mutation.timestamp_us, kNoTtl};
  if (!mutation.has_predicate) {
    if (auto status = finish(plans, schema); !status) return status;
    group_ = group;
    has_group_ = true;
    return finish(plans, schema);
  }
  auto columns = select_columns(*plans.table, message.predicates[mutation.predicate]);
  if (!columns) return std::unexpected(std::move(columns.error()));
  for (const uint16_t column : *columns)
    if (auto status = assign(group, column, {}, plans, schema); !status) return status;
  return {};
}

cql::Status ThriftWrites::assign(const Group& group, uint16_t column, const protocol::Value& value,
                                 ThriftPlans::TablePlans& plans, const SchemaPtr& schema) {
  const bool is_again = std::ranges::find(assigned_, column, &Assigned::column) != assigned_.end();
  if (!has_group_ || group != group_ || is_again)
    if (auto status = finish(plans, schema); !status) return status;
  group_ = group;
  has_group_ = true;
  assigned_.push_back({column, value});
  return {};
}

cql::Status ThriftWrites::finish(ThriftPlans::TablePlans& plans, const SchemaPtr& schema) {
  if (!std::exchange(has_group_, false)) return {};
  std::ranges::sort(assigned_, {}, &Assigned::column);
  ThriftPlans::Columns columns;
  for (const Assigned& one : assigned_) columns.push_back(one.column);
  auto compiled = plans_.write(plans, group_.action, columns, schema);
  if (!compiled) return std::unexpected(std::move(compiled.error()));
  Statement& statement = statements_.emplace_back(std::move(*compiled));
  const bool has_time = group_.action == Action::kSet || group_.action == Action::kDelete;
  if (has_time) statement.values.push_back(number(group_.timestamp_us, 8));
  if (group_.action == Action::kSet)
    statement.values.push_back(group_.ttl_s == kNoTtl ? protocol::Value::unset()
                                                      : number(group_.ttl_s, 4));
  const bool has_values = group_.action == Action::kSet || group_.action == Action::kAdd;
  if (has_values)
    for (const Assigned& one : assigned_) statement.values.push_back(one.value);
  statement.values.push_back(protocol::Value::of(key_));
  assigned_.clear();
  ++(plans.table->is_counter ? counters_ : others_);
  return {};
}

// Big-endian, of 4 or 8 bytes.
protocol::Value ThriftWrites::number(int64_t value, size_t size) {
  std::array<uint8_t, 8>& bytes = numbers_.emplace_back();
  for (size_t i = 0; i < size; ++i)
    bytes[i] = static_cast<uint8_t>(static_cast<uint64_t>(value) >> (8 * (size - 1 - i)));
  return protocol::Value::of(std::span(bytes).first(size));
}

}  // namespace cqlperf::server

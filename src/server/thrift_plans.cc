#include "server/thrift_plans.h"

#include <fmt/format.h>

#include "protocol/identifiers.h"

namespace cqlperf::server {
namespace {

std::string quoted(const Column& column) { return protocol::identifier_to_cql(column.name); }

std::string slice_text(const ThriftPlans::TablePlans& plans) {
  const Table& table = *plans.table;
  std::string columns;
  for (const Column& column : table.regular_columns()) {
    if (!columns.empty()) columns += ", ";
    const std::string name = quoted(column);
    columns += table.is_counter ? name : fmt::format("{0}, WRITETIME({0}), TTL({0})", name);
  }
  return fmt::format("SELECT {} FROM {} WHERE {} = ?", columns, plans.name,
                     quoted(table.columns.front()));
}

std::string write_text(const ThriftPlans::TablePlans& plans, ThriftPlans::Action action,
                       const ThriftPlans::Columns& columns) {
  using Action = ThriftPlans::Action;
  const bool is_deletion = action == Action::kDelete || action == Action::kDeleteCounters;
  std::string list;
  for (const uint16_t index : columns) {
    if (!list.empty()) list += ", ";
    const std::string name = quoted(plans.table->regular_columns()[index]);
    list += name;
    if (action == Action::kSet) list += " = ?";
    if (action == Action::kAdd) list += fmt::format(" = {} + ?", name);
  }
  const std::string key = quoted(plans.table->columns.front());
  if (is_deletion)
    return fmt::format("DELETE {} FROM {}{} WHERE {} = ?", list, plans.name,
                       action == Action::kDelete ? " USING TIMESTAMP ?" : "", key);
  return fmt::format("UPDATE {}{} SET {} WHERE {} = ?", plans.name,
                     action == Action::kSet ? " USING TIMESTAMP ? AND TTL ?" : "", list, key);
}

}  // namespace

cql::Result<ThriftPlans::TablePlans*> ThriftPlans::find(std::string_view keyspace,
                                                        std::string_view column_family,
                                                        const SchemaPtr& schema) {
  if (keyspace.empty())
    return cql::invalid(
        "No keyspace has been specified. USE a keyspace, or explicitly specify keyspace.tablename");
  if (generation_ != schema->generation) tables_.clear();
  generation_ = schema->generation;
  std::pair<std::string, std::string> name(keyspace, column_family);
  if (const auto found = tables_.find(name); found != tables_.end()) return &found->second;
  TablePtr table = schema->find_table(keyspace, column_family);
  if (table == nullptr || !table->is_compact)
    return cql::invalid(fmt::format("unconfigured table {}", column_family));
  TablePlans plans;
  plans.name = protocol::table_to_cql(keyspace, column_family);
  plans.table = std::move(table);
  return &tables_.emplace(std::move(name), std::move(plans)).first->second;
}

cql::Result<CompiledPtr> ThriftPlans::slice(TablePlans& plans, const SchemaPtr& schema) {
  if (plans.slice) return plans.slice;
  auto compiled = compile_text(slice_text(plans), {}, schema);
  if (compiled) plans.slice = *compiled;
  return compiled;
}

cql::Result<CompiledPtr> ThriftPlans::write(TablePlans& plans, Action action,
                                            const Columns& columns, const SchemaPtr& schema) {
  std::pair<Action, Columns> wanted(action, columns);
  if (const auto found = plans.writes.find(wanted); found != plans.writes.end())
    return found->second;
  auto compiled = compile_text(write_text(plans, action, columns), {}, schema);
  if (!compiled) return compiled;
  if (plans.writes.size() >= kWritesMax) plans.writes.clear();
  plans.writes.emplace(std::move(wanted), *compiled);
  return compiled;
}

}  // namespace cqlperf::server

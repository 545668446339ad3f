#include "server/statements.h"

#include <algorithm>
#include <utility>

#include "cql/parser.h"
#include "server/prepared_id.h"
#include "server/write_batch.h"

namespace cqlperf::server {
namespace {

using cql::Result;

template <class... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};

const cql::TableName& table_of(const cql::Modification& modification) {
  return std::visit([](const auto& one) -> const cql::TableName& { return one.table; },
                    modification);
}

// What compile() needs at each step.
struct Compiler {
  const std::string& keyspace;
  const SchemaPtr& schema;
  cql::MarkerSpecs markers;
  CompiledStatement compiled = {};

  cql::Status operator()(cql::Select& statement) {
    auto plan = SelectPlan::make(statement, schema, keyspace, markers);
    if (!plan) return std::unexpected(std::move(plan.error()));
    compiled.result = (*plan)->metadata();
    compiled.bind.partition_key_indexes = (*plan)->partition_key_markers();
    compiled.action = std::move(*plan);
    return {};
  }

  cql::Status modify(cql::Modification modification) {
    auto plan = WritePlan::make(modification, *schema, keyspace, markers);
    if (!plan) return std::unexpected(std::move(plan.error()));
    compiled.bind.partition_key_indexes = (*plan)->partition_key_markers();
    compiled.action = std::move(*plan);
    return {};
  }
  cql::Status operator()(cql::Insert& statement) { return modify(std::move(statement)); }
  cql::Status operator()(cql::Update& statement) { return modify(std::move(statement)); }
  cql::Status operator()(cql::Delete& statement) { return modify(std::move(statement)); }

  cql::Status operator()(cql::Batch& statement) {
    BatchPlan batch;
    batch.kind = statement.kind;
    if (auto bound = bind_timestamp(statement, batch); !bound) return bound;
    std::vector<const WritePlan*> plans;
    for (const cql::Modification& modification : statement.statements) {
      auto plan = WritePlan::make(modification, *schema, keyspace, markers);
      if (!plan) return std::unexpected(std::move(plan.error()));
      plans.push_back(plan->get());
      batch.plans.push_back(std::move(*plan));
    }
    if (auto status = check_batch(batch.kind, plans, batch.timestamp.has_value()); !status)
      return status;
    const auto is_of_another = [&](const WritePlan* plan) {
      return plan->table() != plans.front()->table();
    };
    if (!plans.empty() && std::ranges::none_of(plans, is_of_another))
      compiled.bind.partition_key_indexes = plans.front()->partition_key_markers();
    compiled.action = std::move(batch);
    return {};
  }

  cql::Status bind_timestamp(const cql::Batch& statement, BatchPlan& batch) {
    if (statement.attributes.ttl)
      return cql::invalid("Global TTL on the BATCH statement is not supported.");
    if (!statement.attributes.timestamp) return {};
    const protocol::ColumnSpec spec{"[batch]", "[batch]", "[timestamp]",
                                    protocol::ColumnType::of(protocol::TypeId::kBigint)};
    auto term = cql::TypedTerm::bind(*statement.attributes.timestamp, spec, markers);
    if (!term) return std::unexpected(std::move(term.error()));
    batch.timestamp = std::move(*term);
    return {};
  }

  cql::Status operator()(cql::Use& statement) {
    compiled.action = std::move(statement);
    return {};
  }
  template <class Change>
  cql::Status operator()(Change& statement) {
    compiled.action = SchemaStatement{std::move(statement)};
    return {};
  }
};

}  // namespace

bool is_qualified(const cql::Statement& statement) {
  const auto has_keyspace = [](const cql::Modification& one) {
    return !table_of(one).keyspace.empty();
  };
  return std::visit(Overloaded{[](const cql::Select& one) { return !one.table.keyspace.empty(); },
                               [](const cql::Insert& one) { return !one.table.keyspace.empty(); },
                               [](const cql::Update& one) { return !one.table.keyspace.empty(); },
                               [](const cql::Delete& one) { return !one.table.keyspace.empty(); },
                               [&](const cql::Batch& one) {
                                 return std::ranges::all_of(one.statements, has_keyspace);
                               },
                               [](const auto&) { return false; }},
                    statement);
}

Result<CompiledPtr> compile(cql::ParsedStatement parsed, const std::string& keyspace,
                            const SchemaPtr& schema) {
  Compiler compiler{keyspace, schema, cql::MarkerSpecs(parsed.markers)};
  if (auto status = std::visit(compiler, parsed.statement); !status)
    return std::unexpected(std::move(status.error()));
  CompiledStatement& compiled = compiler.compiled;
  compiled.bind.columns = compiler.markers.specs();
  compiled.result_id = metadata_id(compiled.result);
  compiled.generation = schema->generation;
  return std::make_shared<const CompiledStatement>(std::move(compiled));
}

Result<CompiledPtr> compile_text(std::string_view text, const std::string& keyspace,
                                 const SchemaPtr& schema) {
  auto parsed = cql::parse_statement(text);
  if (!parsed) return std::unexpected(std::move(parsed.error()));
  return compile(std::move(*parsed), keyspace, schema);
}

protocol::Bytes metadata_id(const protocol::RowsMetadata& metadata) {
  std::string text;
  for (const protocol::ColumnSpec& column : metadata.columns) {
    text += column.name;
    text += '\0';
    text += column.type.cql_name();
    text += '\0';
  }
  const StableId id = stable_id(text);
  return {id.begin(), id.end()};
}

}  // namespace cqlperf::server

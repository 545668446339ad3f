#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "cql/error.h"
#include "cql/statement.h"
#include "cql/typed_term.h"
#include "protocol/metadata.h"
#include "server/schema.h"
#include "server/select_plan.h"
#include "server/write_plan.h"

namespace cqlperf::server {

using SelectPlanPtr = std::shared_ptr<const SelectPlan>;
using WritePlanPtr = std::shared_ptr<const WritePlan>;

// BEGIN … APPLY BATCH as one text: all its statements share one row of bind markers.
struct BatchPlan {
  cql::Batch::Kind kind = cql::Batch::Kind::kLogged;
  std::vector<WritePlanPtr> plans = {};
  std::optional<cql::TypedTerm> timestamp = {};  // USING TIMESTAMP of the whole batch
};

// CREATE, ALTER, DROP and TRUNCATE: checked when they are executed.
struct SchemaStatement {
  cql::Statement statement;
};

// A statement that was checked against one schema and can be executed with it. Immutable; threads
// may share it.
struct CompiledStatement {
  std::variant<SelectPlanPtr, WritePlanPtr, BatchPlan, SchemaStatement, cql::Use> action;
  // The bind markers, and what the rows of a SELECT look like.
  protocol::BindMetadata bind = {};
  protocol::RowsMetadata result = {};
  protocol::Bytes result_id = {};  // v5: names `result`; the same for equal metadata, always
  uint64_t generation = 0;         // of the schema

  size_t marker_count() const { return bind.columns.size(); }
};
using CompiledPtr = std::shared_ptr<const CompiledStatement>;

// True when every table in it is written with its keyspace, so that the connection's is of no
// account.
bool is_qualified(const cql::Statement& statement);

// Checks a statement against the schema; `keyspace` is the connection's. Errors are the client's.
cql::Result<CompiledPtr> compile(cql::ParsedStatement parsed, const std::string& keyspace,
                                 const SchemaPtr& schema);
// The same from the text.
cql::Result<CompiledPtr> compile_text(std::string_view text, const std::string& keyspace,
                                      const SchemaPtr& schema);

// 16 bytes that depend on the columns' names and types only.
protocol::Bytes metadata_id(const protocol::RowsMetadata& metadata);

}  // namespace cqlperf::server

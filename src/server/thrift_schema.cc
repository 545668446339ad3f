#include "server/thrift_schema.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "cql/parser.h"
#include "protocol/identifiers.h"
#include "protocol/types.h"
#include "server/thrift_types.h"

namespace cqlperf::server {
namespace {

constexpr std::string_view kPackage = "org.apache.cassandra.db.marshal.";
constexpr std::string_view kDefaultKeyAlias = "key";

// 'text', as CQL writes it.
std::string literal(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) {
    quoted += c;
    if (c == '\'') quoted += c;
  }
  return quoted + "'";
}

cql::Status check_form(const thrift::TableDef& table) {
  if (table.column_type != "Standard" && !table.column_type.empty())
    return cql::invalid(
        fmt::format("{} column families are not supported by this server: Standard ones are",
                    table.column_type));
  const auto comparator = type_of_class(table.comparator);
  const bool has_texts = comparator && (comparator->id == protocol::TypeId::kAscii ||
                                        comparator->id == protocol::TypeId::kVarchar);
  if (!has_texts)
    return cql::invalid(
        fmt::format("the comparator {} is not supported by this server: it has AsciiType and "
                    "UTF8Type",
                    table.comparator));
  if (!table.columns.empty()) return {};
  return cql::invalid(
      "column families without column_metadata are not supported by this server: name the columns");
}

cql::Result<protocol::ColumnType> type_or(std::string_view name, protocol::TypeId otherwise) {
  if (name.empty()) return protocol::ColumnType::of(otherwise);
  auto type = type_of_class(name);
  if (type) return *type;
  return cql::invalid(fmt::format("Unable to find abstract-type class '{}'", name));
}

std::string table_options(const thrift::TableDef& table) {
  std::string options = "COMPACT STORAGE";
  if (!table.comment.empty()) options += " AND comment = " + literal(table.comment);
  if (table.gc_grace_seconds)
    options += fmt::format(" AND gc_grace_seconds = {}", *table.gc_grace_seconds);
  if (table.default_ttl_s)
    options += fmt::format(" AND default_time_to_live = {}", *table.default_ttl_s);
  return options;
}

cql::Status append_statement(const std::string& text, std::vector<cql::Statement>& statements) {
  auto parsed = cql::parse_statement(text);
  if (!parsed) return std::unexpected(std::move(parsed.error()));
  statements.push_back(std::move(parsed->statement));
  return {};
}

// The statement's text, from names that may be anything: each is quoted.
cql::Result<std::string> create_table_text(const thrift::TableDef& table, const std::string& name) {
  auto key_type = type_or(table.key_validation_class, protocol::TypeId::kBlob);
  if (!key_type) return std::unexpected(std::move(key_type.error()));
  const std::string key = protocol::identifier_to_cql(
      table.key_alias.empty() ? kDefaultKeyAlias : std::string_view(table.key_alias));
  std::string columns = fmt::format("{} {} PRIMARY KEY", key, key_type->cql_name());
  for (const thrift::ColumnDef& column : table.columns) {
    auto type = type_or(column.validation_class, protocol::TypeId::kBlob);
    if (!type) return std::unexpected(std::move(type.error()));
    columns += fmt::format(", {} {}", protocol::identifier_to_cql(column.name), type->cql_name());
  }
  return fmt::format("CREATE TABLE {} ({}) WITH {}", name, columns, table_options(table));
}

std::string create_index_text(const thrift::ColumnDef& column, const std::string& table) {
  const std::string index =
      column.index_name.empty() ? "" : protocol::identifier_to_cql(column.index_name) + " ";
  return fmt::format("CREATE INDEX {}ON {} ({})", index, table,
                     protocol::identifier_to_cql(column.name));
}

std::string create_keyspace_text(const thrift::KeyspaceDef& keyspace) {
  std::string replication = fmt::format("'class': {}", literal(keyspace.strategy_class));
  for (const auto& [name, value] : keyspace.strategy_options)
    replication += fmt::format(", {}: {}", literal(name), literal(value));
  return fmt::format("CREATE KEYSPACE {} WITH replication = {{{}}} AND durable_writes = {}",
                     protocol::identifier_to_cql(keyspace.name), replication,
                     keyspace.durable_writes);
}

thrift::TableDef describe(const Table& table) {
  const Column& key = table.columns.front();
  thrift::TableDef described = {
      .keyspace = table.keyspace,
      .name = table.name,
      .comparator = std::string(kPackage) + "UTF8Type",
      .default_validation_class =
          std::string(kPackage) + (table.is_counter ? "CounterColumnType" : "BytesType"),
      .key_validation_class = type_class(key.type),
      .key_alias = key.name,
      .comment = table.options.comment};
  described.default_ttl_s = table.options.default_ttl_s;
  for (const Column& column : table.regular_columns()) {
    thrift::ColumnDef one = {.name = column.name, .validation_class = type_class(column.type)};
    const auto index = std::ranges::find(table.indexes, column.name, &Index::column);
    one.is_indexed = index != table.indexes.end();
    if (one.is_indexed) one.index_name = index->name;
    described.columns.push_back(std::move(one));
  }
  return described;
}

}  // namespace

cql::Result<std::vector<cql::Statement>> statements_of(const thrift::TableDef& table,
                                                       const std::string& keyspace) {
  if (auto status = check_form(table); !status) return std::unexpected(std::move(status.error()));
  const std::string name = protocol::table_to_cql(keyspace, table.name);
  auto text = create_table_text(table, name);
  if (!text) return std::unexpected(std::move(text.error()));
  std::vector<cql::Statement> statements;
  cql::Status status = append_statement(*text, statements);
  for (const thrift::ColumnDef& column : table.columns)
    if (status && column.is_indexed)
      status = append_statement(create_index_text(column, name), statements);
  if (!status) return std::unexpected(std::move(status.error()));
  return statements;
}

cql::Result<std::vector<cql::Statement>> statements_of(const thrift::KeyspaceDef& keyspace) {
  std::vector<cql::Statement> statements;
  if (auto status = append_statement(create_keyspace_text(keyspace), statements); !status)
    return std::unexpected(std::move(status.error()));
  for (const thrift::TableDef& table : keyspace.tables) {
    if (table.keyspace != keyspace.name)
      return cql::invalid(
          fmt::format("CfDef ({}) had a keyspace definition that did not match KsDef", table.name));
    auto of_table = statements_of(table, keyspace.name);
    if (!of_table) return of_table;
    std::ranges::move(*of_table, std::back_inserter(statements));
  }
  return statements;
}

thrift::KeyspaceDef describe(const Keyspace& keyspace) {
  thrift::KeyspaceDef described = {.name = keyspace.name,
                                   .durable_writes = keyspace.durable_writes};
  for (const auto& [name, value] : keyspace.replication) {
    if (name == "class")
      described.strategy_class = value;
    else
      described.strategy_options[name] = value;
  }
  for (const auto& [name, table] : keyspace.tables)
    if (table->is_compact) described.tables.push_back(describe(*table));
  return described;
}

}  // namespace cqlperf::server

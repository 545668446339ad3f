#include "thrift/schema_wire.h"

#include <utility>

#include <Cassandra.h>

namespace cqlperf::thrift {
namespace {

ColumnDef from_idl(idl::ColumnDef& given) {
  return {.name = std::move(given.name),
          .validation_class = std::move(given.validation_class),
          .is_indexed = given.__isset.index_type,
          .is_keys_index = given.index_type == idl::IndexType::KEYS,
          .index_name = std::move(given.index_name)};
}

TableDef from_idl(idl::CfDef& given) {
  TableDef table = {.keyspace = std::move(given.keyspace),
                    .name = std::move(given.name),
                    .column_type = std::move(given.column_type),
                    .comparator = std::move(given.comparator_type),
                    .default_validation_class = std::move(given.default_validation_class),
                    .key_validation_class = std::move(given.key_validation_class),
                    .key_alias = std::move(given.key_alias),
                    .comment = std::move(given.comment)};
  if (given.__isset.gc_grace_seconds) table.gc_grace_seconds = given.gc_grace_seconds;
  if (given.__isset.default_time_to_live) table.default_ttl_s = given.default_time_to_live;
  for (idl::ColumnDef& column : given.column_metadata) table.columns.push_back(from_idl(column));
  return table;
}

idl::ColumnDef to_idl(const ColumnDef& column) {
  idl::ColumnDef made;
  made.__set_name(column.name);
  made.__set_validation_class(column.validation_class);
  if (column.is_indexed) {
    made.__set_index_type(column.is_keys_index ? idl::IndexType::KEYS : idl::IndexType::CUSTOM);
    made.__set_index_name(column.index_name);
  }
  return made;
}

idl::CfDef to_idl(const TableDef& table) {
  idl::CfDef made;
  made.__set_keyspace(table.keyspace);
  made.__set_name(table.name);
  made.__set_column_type(table.column_type);
  made.__set_comparator_type(table.comparator);
  made.__set_default_validation_class(table.default_validation_class);
  made.__set_key_validation_class(table.key_validation_class);
  made.__set_key_alias(table.key_alias);
  made.__set_comment(table.comment);
  if (table.gc_grace_seconds) made.__set_gc_grace_seconds(*table.gc_grace_seconds);
  if (table.default_ttl_s) made.__set_default_time_to_live(*table.default_ttl_s);
  std::vector<idl::ColumnDef> columns;
  for (const ColumnDef& column : table.columns) columns.push_back(to_idl(column));
  made.__set_column_metadata(columns);
  return made;
}

idl::KsDef to_idl(const KeyspaceDef& keyspace) {
  idl::KsDef made;
  made.__set_name(keyspace.name);
  made.__set_strategy_class(keyspace.strategy_class);
  made.__set_strategy_options(keyspace.strategy_options);
  made.__set_durable_writes(keyspace.durable_writes);
  for (const TableDef& table : keyspace.tables) made.cf_defs.push_back(to_idl(table));
  return made;
}

}  // namespace

void read_table_call(ReadProtocol& in, TableDef& table) {
  idl::Cassandra_system_add_column_family_args arguments;
  arguments.read(&in);
  table = from_idl(arguments.cf_def);
}

void read_keyspace_call(ReadProtocol& in, KeyspaceDef& keyspace) {
  idl::Cassandra_system_add_keyspace_args arguments;
  arguments.read(&in);
  idl::KsDef& given = arguments.ks_def;
  keyspace = {.name = std::move(given.name),
              .strategy_class = std::move(given.strategy_class),
              .strategy_options = std::move(given.strategy_options),
              .durable_writes = given.durable_writes};
  for (idl::CfDef& table : given.cf_defs) keyspace.tables.push_back(from_idl(table));
}

void write_keyspace_result(WriteProtocol& out, const KeyspaceDef& keyspace) {
  idl::Cassandra_describe_keyspace_result result;
  result.success = to_idl(keyspace);
  result.__isset.success = true;
  result.write(&out);
}

void write_keyspaces_result(WriteProtocol& out, std::span<const KeyspaceDef> keyspaces) {
  idl::Cassandra_describe_keyspaces_result result;
  std::vector<idl::KsDef> made;
  for (const KeyspaceDef& keyspace : keyspaces) made.push_back(to_idl(keyspace));
  result.success = made;
  result.__isset.success = true;
  result.write(&out);
}

}  // namespace cqlperf::thrift

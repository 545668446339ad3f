#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace cqlperf::thrift {

// Keyspaces and column families as Thrift's schema calls have them (ColumnDef, CfDef, KsDef).
// Classes are Cassandra's, with or without their package: `BytesType`.

struct ColumnDef {
  std::string name = {};  // bytes
  std::string validation_class = {};
  bool is_indexed = false;
  bool is_keys_index = true;  // else CUSTOM or COMPOSITES
  std::string index_name = {};
};

struct TableDef {
  std::string keyspace = {};
  std::string name = {};
  std::string column_type = "Standard";  // or Super
  std::string comparator = "BytesType";
  std::string default_validation_class = {};
  std::string key_validation_class = {};
  std::string key_alias = {};
  std::string comment = {};
  std::optional<int32_t> gc_grace_seconds = {};
  std::optional<int32_t> default_ttl_s = {};
  std::vector<ColumnDef> columns = {};
};

struct KeyspaceDef {
  std::string name = {};
  std::string strategy_class = {};
  std::map<std::string, std::string> strategy_options = {};
  bool durable_writes = true;
  std::vector<TableDef> tables = {};
};

}  // namespace cqlperf::thrift

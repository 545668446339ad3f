#include "server/schema.h"

#include <algorithm>

namespace cqlperf::server {

std::string_view column_kind_name(ColumnKind kind) {
  switch (kind) {
    case ColumnKind::kPartitionKey:
      return "partition_key";
    case ColumnKind::kClustering:
      return "clustering";
    case ColumnKind::kRegular:
      break;
  }
  return "regular";
}

const Column* Table::find(std::string_view column) const {
  const auto found = std::ranges::find(columns, column, &Column::name);
  return found == columns.end() ? nullptr : &*found;
}

const Keyspace* Schema::find_keyspace(std::string_view keyspace) const {
  const auto found = keyspaces.find(std::string(keyspace));
  return found == keyspaces.end() ? nullptr : found->second.get();
}

TablePtr Schema::find_table(std::string_view keyspace, std::string_view table) const {
  const Keyspace* in = find_keyspace(keyspace);
  if (in == nullptr) return nullptr;
  const auto found = in->tables.find(std::string(table));
  return found == in->tables.end() ? nullptr : found->second;
}

}  // namespace cqlperf::server

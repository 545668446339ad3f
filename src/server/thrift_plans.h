#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cql/error.h"
#include "server/schema.h"
#include "server/statements.h"

namespace cqlperf::server {

// What Thrift's calls on data come to as statements, compiled once for each table and set of
// columns. One owner thread; valid for one schema, and made anew with the next.
class ThriftPlans {
 public:
  enum class Action : uint8_t {
    kSet,             // UPDATE with a timestamp and a TTL
    kAdd,             // UPDATE of counters
    kDelete,          // DELETE of columns; without any, of the row
    kDeleteCounters,  // the same without a timestamp
  };
  // Of the table's regular columns, by their index; in their order.
  using Columns = std::vector<uint16_t>;

  struct TablePlans {
    TablePtr table;
    std::string name;   // for CQL: `keyspace.table`
    CompiledPtr slice;  // SELECT of all regular columns, made when it is first wanted
    std::map<std::pair<Action, Columns>, CompiledPtr> writes;
  };

  // The table as Thrift sees it; 0x2200, in Cassandra's words, when there is none, or it was not
  // made WITH COMPACT STORAGE. Valid until the next find().
  cql::Result<TablePlans*> find(std::string_view keyspace, std::string_view column_family,
                                const SchemaPtr& schema);

  // SELECT of each regular column, of others than counters with its WRITETIME and TTL, by the key.
  cql::Result<CompiledPtr> slice(TablePlans& plans, const SchemaPtr& schema);
  // The values of its markers: timestamp (not of counters), TTL (of kSet), those of the columns
  // (not when they are deleted), the key.
  cql::Result<CompiledPtr> write(TablePlans& plans, Action action, const Columns& columns,
                                 const SchemaPtr& schema);

 private:
  // More sets of columns than this are no pattern of use.
  static constexpr size_t kWritesMax = 1024;

  uint64_t generation_ = 0;
  std::map<std::pair<std::string, std::string>, TablePlans, std::less<>> tables_;
};

}  // namespace cqlperf::server

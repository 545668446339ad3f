#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/result.h"

namespace cqlperf::workload {

// The comment of every table that this program makes starts with this: it is how a keyspace of its
// own is told from one that was there before, which is never dropped or written to unasked.
inline constexpr std::string_view kOwnershipMark = "made by cqlperf";

// The CQL text of a replication map. `text` is a factor from 1 to 1000 for SimpleStrategy (`3`), or
// a map literal, which is taken as it is: {'class': 'NetworkTopologyStrategy', 'dc1': 3}. kUsage
// when it is neither.
core::Result<std::string> replication_map(std::string_view text);

// The keyspace and the one table of a workload: the CQL texts that make, find and drop them.
// Names are exact (`MyKs` is not `myks`) and quoted where CQL needs it.
class Schema {
 public:
  // `columns` are CQL, as in `id int PRIMARY KEY, va int`; so are `options`, which may be empty, as
  // in `gc_grace_seconds = 0 AND ...`. kUsage for names or a replication that no server takes.
  static core::Result<Schema> create(std::string_view keyspace, std::string_view table,
                                     std::string_view replication, std::string_view columns,
                                     std::string_view options = {});

  const std::string& keyspace() const { return keyspace_; }
  const std::string& table() const { return table_; }
  // `keyspace.table`, quoted.
  std::string qualified_table() const;

  std::string create_keyspace_cql() const;
  // With table_comment() as its comment. The second form is refused when the table is there.
  std::string create_table_cql() const;
  std::string create_new_table_cql() const;
  // The comment that it gets: the ownership mark, and what that means.
  std::string table_comment() const;
  std::string drop_keyspace_cql() const;
  std::string drop_table_cql() const;

  // One row (keyspace_name) when the keyspace exists, else none.
  std::string find_keyspace_cql() const;
  // A row (table_name, comment) for each of its tables; see is_ours().
  std::string find_tables_cql() const;

 private:
  Schema() = default;
  std::string create_table(std::string_view condition) const;

  std::string keyspace_;
  std::string table_;
  std::string replication_;
  std::string columns_;
  std::string options_;
};

// Whether this program made a keyspace, judged by the comments of its tables: there is at least
// one, and every one bears the mark. A table that someone added makes it theirs too.
bool is_ours(std::span<const std::string> table_comments);

}  // namespace cqlperf::workload

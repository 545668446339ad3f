#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cql/error.h"
#include "cql/statement.h"
#include "cql/typed_term.h"
#include "protocol/metadata.h"
#include "server/schema.h"

namespace cqlperf::server {

// An INSERT, UPDATE or DELETE checked against the schema: what is left to an execution is to
// evaluate terms and to write. Immutable; threads may share it. Valid for the schema that it was
// made with.
class WritePlan {
 public:
  // `keyspace` is the connection's. Errors as Cassandra's.
  static cql::Result<std::shared_ptr<const WritePlan>> make(const cql::Modification& statement,
                                                            const Schema& schema,
                                                            const std::string& keyspace,
                                                            cql::MarkerSpecs& markers);

  const TablePtr& table() const { return table_; }
  // For each partition key column the marker that binds it; empty when not all are bound alone.
  const std::vector<uint16_t>& partition_key_markers() const { return partition_key_markers_; }
  bool is_conditional() const { return condition_ != cql::Condition::kNone; }

 private:
  friend class Writer;
  TablePtr table_;
  std::vector<uint16_t> partition_key_markers_;
  cql::Condition condition_ = cql::Condition::kNone;
};

}  // namespace cqlperf::server

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cql/error.h"
#include "cql/statement.h"
#include "cql/typed_term.h"
#include "protocol/metadata.h"
#include "server/schema.h"

namespace cqlperf::server {

// A SELECT checked against the schema. Immutable; threads may share it. Valid for the schema that
// it was made with.
class SelectPlan {
 public:
  // `keyspace` is the connection's. Errors as Cassandra's; 0x2200 for what is not there yet.
  static cql::Result<std::shared_ptr<const SelectPlan>> make(const cql::Select& statement,
                                                             SchemaPtr schema,
                                                             const std::string& keyspace,
                                                             cql::MarkerSpecs& markers);

  const TablePtr& table() const { return table_; }
  const protocol::RowsMetadata& metadata() const { return metadata_; }
  const std::vector<uint16_t>& partition_key_markers() const { return partition_key_markers_; }

 private:
  friend class Reader;
  TablePtr table_;
  protocol::RowsMetadata metadata_;
  std::vector<uint16_t> partition_key_markers_;
};

}  // namespace cqlperf::server

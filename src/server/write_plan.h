#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cql/error.h"
#include "cql/statement.h"
#include "cql/typed_term.h"
#include "protocol/metadata.h"
#include "server/key_values.h"
#include "server/schema.h"
#include "server/write_attributes.h"
#include "storage/key.h"

namespace cqlperf::server {

// An INSERT, UPDATE or DELETE checked against the schema: what is left to an execution is to
// evaluate terms and to write. Immutable; threads may share it. Valid for the schema that it was
// made with.
class WritePlan {
 public:
  // `keyspace` is the connection's. Errors as Cassandra's; 0x2100 for system tables.
  static cql::Result<std::shared_ptr<const WritePlan>> make(const cql::Modification& statement,
                                                            const Schema& schema,
                                                            const std::string& keyspace,
                                                            cql::MarkerSpecs& markers);

  const TablePtr& table() const { return table_; }
  // For each partition key column the marker that binds it; empty when not all are bound alone.
  const std::vector<uint16_t>& partition_key_markers() const { return partition_key_markers_; }
  bool is_conditional() const { return condition_ != cql::Condition::kNone; }
  bool is_counter() const { return table_->is_counter; }
  // Whether it has USING TIMESTAMP of its own.
  bool has_timestamp() const { return attributes_.has_timestamp(); }

 private:
  friend class WritePlanner;  // makes it
  friend class WriteEncoder;  // turns an execution into updates of the store
  friend class Writer;

  enum class Action : uint8_t { kInsert, kUpdate, kDeleteCells, kDeleteRows };

  // One column of an UPDATE, INSERT or DELETE.
  struct CellWrite {
    enum class Kind : uint8_t { kSet, kDelete, kAdd, kSubtract };

    uint16_t storage_id = 0;
    Kind kind = Kind::kSet;
    const Column* column = nullptr;
    cql::TypedTerm term = {};  // not for kDelete
  };
  // Where the value for an entry of an index comes from.
  struct IndexWrite {
    const Index* index = nullptr;
    storage::ClusteringColumn column = {};
    ColumnKind source = ColumnKind::kRegular;
    size_t position = 0;  // into cells_, or among the columns of the key
  };

  // The same statement with the values of the JSON row that json_ gives.
  cql::Result<WritePlan> with_json_row(const cql::Evaluation& evaluation) const;

  TablePtr table_;
  Action action_ = Action::kInsert;
  cql::Condition condition_ = cql::Condition::kNone;
  WriteAttributes attributes_ = {};
  std::vector<uint16_t> partition_key_markers_ = {};

  // When the statement names one row (or with kDeleteRows one partition: then clustering_terms_ is
  // empty) by a term for each column. The way of nearly all writes.
  bool is_direct_ = false;
  std::vector<cql::TypedTerm> partition_terms_ = {};
  std::vector<cql::TypedTerm> clustering_terms_ = {};
  // All other WHEREs.
  PartitionKeyRestrictions partition_ = {};
  ClusteringRestrictions clustering_ = {};

  std::vector<storage::ClusteringColumn> clustering_columns_ = {};
  std::vector<CellWrite> cells_ = {};  // by storage_id; the parser lets only counters come twice
  std::vector<IndexWrite> index_writes_ = {};

  std::optional<cql::TypedTerm> json_ = {};  // INSERT JSON ?: the terms come with the text
  bool json_keeps_missing_ = false;          // DEFAULT UNSET
};

}  // namespace cqlperf::server

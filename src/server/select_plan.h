#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/buffer.h"
#include "cql/error.h"
#include "cql/statement.h"
#include "cql/typed_term.h"
#include "protocol/metadata.h"
#include "protocol/version.h"
#include "server/request.h"
#include "server/row_source_stored.h"
#include "server/schema.h"
#include "server/select_order.h"
#include "server/select_where.h"
#include "server/selection.h"

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

  // For the reader.

  const Selection& selection() const { return *selection_; }
  const SelectWhere& where() const { return *where_; }
  const SelectOrder& order() const { return order_; }
  const RowLayout& layout() const { return layout_; }
  // What the selection and the filters look at.
  const RowParts& parts() const { return parts_; }
  bool is_distinct() const { return is_distinct_; }
  // Of the statement's shape: what it reads and in which order, not its values.
  uint64_t fingerprint() const { return fingerprint_; }

  // The terms of all key columns, in their order, when one row is read by its key and nothing has
  // to be computed; else empty.
  const std::vector<cql::TypedTerm>& point_terms() const { return point_terms_; }

  // LIMIT and PER PARTITION LIMIT (1 with DISTINCT); std::nullopt: none. 0x2200 for null and for
  // what is not above 0.
  cql::Result<std::optional<uint64_t>> evaluate_limit(const cql::Evaluation& evaluation) const;
  cql::Result<std::optional<uint64_t>> evaluate_partition_limit(
      const cql::Evaluation& evaluation) const;

  // Appends a Rows result up to the number of its rows. `metadata_id` is for kChanged.
  void append_head(core::Buffer& out, protocol::Version version, MetadataForm form,
                   protocol::ByteView metadata_id,
                   std::optional<protocol::ByteView> paging_state) const;

 private:
  SelectPlan(TablePtr table, const cql::Select& statement);

  cql::Status bind(const cql::Select& statement, const Schema& schema, cql::MarkerSpecs& markers);
  cql::Status bind_limits(const cql::Select& statement, cql::MarkerSpecs& markers);
  cql::Status check_distinct() const;
  void find_parts();
  void find_point_terms();
  void encode_metadata();
  uint64_t make_fingerprint(const cql::Select& statement) const;

  TablePtr table_;
  RowLayout layout_;
  protocol::RowsMetadata metadata_ = {};
  std::vector<uint16_t> partition_key_markers_ = {};
  std::optional<Selection> selection_ = {};
  std::optional<SelectWhere> where_ = {};
  SelectOrder order_ = {};
  RowParts parts_ = {};
  bool is_distinct_ = false;
  std::optional<cql::TypedTerm> limit_ = {};
  std::optional<cql::TypedTerm> partition_limit_ = {};
  std::vector<cql::TypedTerm> point_terms_ = {};
  uint64_t fingerprint_ = 0;
  // The part of the metadata that is the same in all results, by version from v3 on.
  std::array<protocol::Bytes, 3> encoded_columns_ = {};
};

}  // namespace cqlperf::server

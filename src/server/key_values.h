#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cql/error.h"
#include "cql/statement.h"
#include "cql/typed_term.h"
#include "protocol/strings.h"
#include "server/row_key.h"
#include "server/schema.h"
#include "storage/key.h"

namespace cqlperf::server {

// WHERE on key columns: bound once, evaluated into partition keys and ranges of encoded clustering
// values at each execution. SELECT, UPDATE and DELETE share it.

// More partitions, rows or ranges than this in one statement are refused (0x2200).
inline constexpr size_t kKeyCombinationsMax = 65'536;

using Relations = std::vector<const cql::Relation*>;

// The relations of a WHERE by what they concern. Views the statement.
struct SplitWhere {
  Relations partition_key = {};
  Relations clustering = {};
  Relations others = {};  // on regular columns, and token(…)
};
// 0x2200 for columns that the table has not, and for tuples of other than clustering columns.
cql::Result<SplitWhere> split_where(const Table& table, std::span<const cql::Relation> where);

// The alternatives that one relation gives for columns that follow each other in their key: one for
// =, any number for IN. Each alternative has a term for each column.
class KeyChoice {
 public:
  // `columns` are those of the relation, whose operator is = or IN.
  static cql::Result<KeyChoice> bind(const Table& table, std::span<const Column> columns,
                                     const cql::Relation& relation, cql::MarkerSpecs& markers);

  size_t column_count() const { return columns_.size(); }
  // True for =.
  bool is_single() const { return is_single_; }
  // The term of a column when is_single() and no tuple is bound by one marker; else nullptr.
  const cql::TypedTerm* single_term(size_t column) const;

  // For each alternative column_count() values in a row, appended to `out`. 0x2200 for null and
  // unset.
  cql::Status evaluate(const cql::Evaluation& evaluation,
                       std::vector<protocol::ByteView>& out) const;

 private:
  friend class ClusteringSlice;
  cql::Status evaluate_marker(const cql::Evaluation& evaluation,
                              std::vector<protocol::ByteView>& out) const;

  std::span<const Column> columns_;  // the table's: the plan keeps the table
  bool is_single_ = true;
  bool is_tuple_ = false;
  std::optional<uint16_t> marker_ = {};  // all of it: IN ?, (a, b) = ?, (a, b) IN ?
  std::vector<std::vector<cql::TypedTerm>> alternatives_ = {};
  std::vector<std::optional<uint16_t>> tuple_markers_ = {};  // (a, b) IN (?, ?): by alternative
};

// = and IN on the columns of the partition key.
class PartitionKeyRestrictions {
 public:
  // 0x2200 for other operators and for a column that is restricted twice. The table outlives it.
  static cql::Result<PartitionKeyRestrictions> bind(const Table& table, const Relations& relations,
                                                    cql::MarkerSpecs& markers);

  // Names of the columns that nothing restricts, in order: `a, b`. Empty when none is missing.
  std::string missing() const;
  // True when no column has an IN.
  bool is_single() const;
  // The term of each column when is_single() and none is missing.
  std::vector<cql::TypedTerm> single_terms() const;
  // The markers that bind the columns one by one; empty when not all are bound so.
  std::vector<uint16_t> markers() const;

  // Replaces `out` by the keys: by token and then bytes, each once. Call it only when none is
  // missing.
  cql::Status evaluate(const cql::Evaluation& evaluation, std::vector<PartitionKey>& out) const;

 private:
  std::span<const Column> columns_;
  std::vector<std::optional<KeyChoice>> choices_;  // by column
};

// Rows of a partition: those whose encoded clustering is in [begin, end).
struct ClusteringRange {
  protocol::Bytes begin = {};
  protocol::Bytes end = {};  // empty: to the end of the partition
  // Exactly one row, `begin`, if it is there.
  bool is_row = false;

  bool operator==(const ClusteringRange&) const = default;
};

// One bound of clustering columns: c > ?, (a, b) <= (?, ?).
class ClusteringSlice {
 public:
  static cql::Result<ClusteringSlice> bind(const Table& table, std::span<const Column> columns,
                                           const cql::Relation& relation,
                                           cql::MarkerSpecs& markers);
  cql::RelationOperator op() const { return op_; }
  size_t column_count() const { return values_.column_count(); }
  bool is_tuple() const { return values_.is_tuple_; }
  cql::Status evaluate(const cql::Evaluation& evaluation,
                       std::vector<protocol::ByteView>& out) const {
    return values_.evaluate(evaluation, out);
  }

 private:
  KeyChoice values_;
  cql::RelationOperator op_ = cql::RelationOperator::kGreater;
};

// =, IN and slices on clustering columns, in their order: equal ones, then at most one column (or
// tuple) with bounds.
class ClusteringRestrictions {
 public:
  // 0x2200 as Cassandra for columns that are left out or restricted twice, for what follows a
  // slice, and for other operators. The table outlives it.
  static cql::Result<ClusteringRestrictions> bind(const Table& table, const Relations& relations,
                                                  cql::MarkerSpecs& markers);

  bool empty() const { return choices_.empty() && slices_.empty(); }
  bool has_slice() const { return !slices_.empty(); }
  bool has_in() const;
  // Columns with = or IN, counted from the first.
  size_t chosen_columns() const { return chosen_columns_; }
  // Names of the columns that have no = or IN: `a, b`.
  std::string missing() const;
  // True when every column has = or IN.
  bool selects_rows() const { return chosen_columns_ == columns_.size(); }
  // The term of each column when selects_rows(), has_in() is false and no tuple is bound by one
  // marker; else empty.
  std::vector<cql::TypedTerm> single_terms() const;

  // Replaces `out` by ranges that do not overlap, in the order of the keys. Without restrictions
  // that is one range of all rows. No range at all is possible (c > 3 AND c < 2).
  cql::Status evaluate(const cql::Evaluation& evaluation, std::vector<ClusteringRange>& out) const;

 private:
  cql::Status add_relation(const Table& table, const cql::Relation& relation,
                           cql::MarkerSpecs& markers);

  std::span<const Column> columns_;                     // all clustering columns
  std::vector<storage::ClusteringColumn> stored_ = {};  // the same for storage
  std::vector<KeyChoice> choices_ = {};                 // cover chosen_columns_ columns
  size_t chosen_columns_ = 0;
  std::vector<ClusteringSlice> slices_ = {};  // begin at column chosen_columns_
};

}  // namespace cqlperf::server

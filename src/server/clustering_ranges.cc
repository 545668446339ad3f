#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "protocol/values.h"
#include "server/key_values.h"

// Restrictions on clustering columns. Every restriction is a set of intervals of encoded values, so
// slices of tuples, of columns in descending order and of both are one matter: they are made as
// intervals and intersected.

namespace cqlperf::server {
namespace {

using cql::Relation;
using cql::RelationOperator;
using protocol::Bytes;
using protocol::ByteView;

bool is_lower_bound(RelationOperator op) {
  return op == RelationOperator::kGreater || op == RelationOperator::kGreaterEqual;
}
bool is_inclusive(RelationOperator op) {
  return op == RelationOperator::kLessEqual || op == RelationOperator::kGreaterEqual;
}
bool is_slice(RelationOperator op) {
  return is_lower_bound(op) || op == RelationOperator::kLess || op == RelationOperator::kLessEqual;
}

// Encoded clustering values in [begin, end); an empty end is none.
struct Interval {
  Bytes begin;
  Bytes end;
};
using Intervals = std::vector<Interval>;

bool is_before(const Bytes& begin, const Bytes& end) { return end.empty() || begin < end; }

Bytes with_value(const Bytes& prefix, const storage::ClusteringColumn& column, ByteView value) {
  core::Buffer out;
  out.append(ByteView(prefix));
  storage::append_clustering_value(out, column, value);
  return protocol::to_bytes(out.bytes());
}

// The first place after all that begins with the prefix; std::nullopt when it is the end.
std::optional<Bytes> after(const Bytes& prefix) {
  core::Buffer out;
  out.append(ByteView(prefix));
  if (prefix.empty() || !storage::increment_prefix(out, 0)) return std::nullopt;
  return protocol::to_bytes(out.bytes());
}

Interval all_with(const Bytes& prefix) { return {prefix, after(prefix).value_or(Bytes())}; }

// For sorting. GCC 12 takes the comparison of two vectors of bytes for one of endless ones.
std::string_view in_byte_order(const Bytes& bytes) { return protocol::decode_text(bytes); }

// Sorts, and joins what touches. The intervals do not overlap.
Intervals normalize(Intervals intervals) {
  std::ranges::sort(intervals, {},
                    [](const Interval& interval) { return in_byte_order(interval.begin); });
  Intervals joined;
  for (Interval& interval : intervals) {
    if (!is_before(interval.begin, interval.end)) continue;
    if (!joined.empty() && joined.back().end == interval.begin) {
      joined.back().end = std::move(interval.end);
    } else {
      joined.push_back(std::move(interval));
    }
  }
  return joined;
}

// What a bound on columns leaves of the rows that begin with `prefix`: for each column those rows
// that are equal in the columns before it and beyond the bound in it.
Intervals slice_intervals(const Bytes& prefix, std::span<const storage::ClusteringColumn> columns,
                          std::span<const ByteView> values, RelationOperator op) {
  Intervals intervals;
  Bytes equal = prefix;
  for (size_t index = 0; index < values.size(); ++index) {
    Bytes longer = with_value(equal, columns[index], values[index]);
    if (is_lower_bound(op) == columns[index].descending) {
      intervals.push_back({equal, longer});
    } else if (auto begin = after(longer)) {
      intervals.push_back({std::move(*begin), all_with(equal).end});
    }
    equal = std::move(longer);
  }
  if (is_inclusive(op)) intervals.push_back(all_with(equal));
  return normalize(std::move(intervals));
}

Intervals intersect(const Intervals& left, const Intervals& right) {
  Intervals both;
  for (const Interval& a : left) {
    for (const Interval& b : right) {
      Bytes end = a.end.empty() || (!b.end.empty() && b.end < a.end) ? b.end : a.end;
      Bytes begin = std::max(a.begin, b.begin);
      if (is_before(begin, end)) both.push_back({std::move(begin), std::move(end)});
    }
  }
  return both;
}

std::span<const Column> columns_of(const Table& table, const Relation& relation) {
  const Column& first = *table.find(relation.columns.front());
  return table.clustering_key().subspan(static_cast<size_t>(first.position),
                                        relation.columns.size());
}

std::unexpected<protocol::ErrorMessage> gap(const Column& restricted, const Column& preceding) {
  return cql::invalid(fmt::format(
      "PRIMARY KEY column \"{}\" cannot be restricted as preceding column \"{}\" is not restricted",
      restricted.name, preceding.name));
}

std::unexpected<protocol::ErrorMessage> after_slice(const Column& restricted,
                                                    const Column& preceding) {
  return cql::invalid(
      fmt::format("Clustering column \"{}\" cannot be restricted (preceding column \"{}\" is "
                  "restricted by a non-EQ relation)",
                  restricted.name, preceding.name));
}

// 0x2200 when a column of a choice has another restriction too.
cql::Status check_overlap(const Table& table, const Relation& one, const Relation& other) {
  const std::span<const Column> left = columns_of(table, one);
  const std::span<const Column> right = columns_of(table, other);
  const Column& first = left.front().position > right.front().position ? left[0] : right[0];
  const bool overlap =
      left.back().position >= first.position && right.back().position >= first.position;
  const bool slices = is_slice(one.op) || is_slice(other.op);
  if (!overlap || (is_slice(one.op) && is_slice(other.op))) return {};
  if (slices) {
    return cql::invalid(fmt::format(
        "Column \"{}\" cannot be restricted by both an equality and an inequality relation",
        first.name));
  }
  const bool in = one.op == RelationOperator::kIn && other.op == RelationOperator::kIn;
  return cql::invalid(
      fmt::format("{} cannot be restricted by more than one relation if it includes {}", first.name,
                  in ? "a IN" : "an Equal"));
}

cql::Status check_operators(const Table& table, const Relations& relations) {
  for (const Relation* relation : relations) {
    if (relation->op != RelationOperator::kEqual && relation->op != RelationOperator::kIn &&
        !is_slice(relation->op)) {
      return cql::invalid(fmt::format("Unsupported \"{}\" relation on the clustering column {}",
                                      cql::relation_operator_name(relation->op),
                                      relation->columns.front()));
    }
    for (const Relation* other : relations) {
      if (other == relation) break;
      if (auto status = check_overlap(table, *other, *relation); !status) return status;
    }
  }
  return {};
}

// Two bounds on one side, or bounds that do not begin with the same column.
cql::Status check_bounds(std::span<const ClusteringSlice> slices, const Column& column) {
  const auto lower = std::ranges::count_if(
      slices, [](const ClusteringSlice& slice) { return is_lower_bound(slice.op()); });
  const auto upper = std::ranges::ssize(slices) - lower;
  if (lower <= 1 && upper <= 1) return {};
  return cql::invalid(fmt::format("More than one restriction was found for the {} bound on {}",
                                  lower > 1 ? "start" : "end", column.name));
}

}  // namespace

cql::Result<ClusteringSlice> ClusteringSlice::bind(const Table& table,
                                                   std::span<const Column> columns,
                                                   const Relation& relation,
                                                   cql::MarkerSpecs& markers) {
  ClusteringSlice slice;
  slice.op_ = relation.op;
  auto values = KeyChoice::bind(table, columns, relation, markers);
  if (!values) return std::unexpected(std::move(values.error()));
  slice.values_ = std::move(*values);
  return slice;
}

cql::Result<ClusteringRestrictions> ClusteringRestrictions::bind(const Table& table,
                                                                 const Relations& relations,
                                                                 cql::MarkerSpecs& markers) {
  if (auto status = check_operators(table, relations); !status) {
    return std::unexpected(std::move(status.error()));
  }
  ClusteringRestrictions restrictions;
  restrictions.columns_ = table.clustering_key();
  restrictions.stored_ = clustering_columns(table);
  Relations ordered = relations;
  std::ranges::stable_sort(ordered, {}, [&](const Relation* relation) {
    return columns_of(table, *relation).front().position;
  });
  for (const Relation* relation : ordered) {
    if (auto status = restrictions.add_relation(table, *relation, markers); !status) {
      return std::unexpected(std::move(status.error()));
    }
  }
  return restrictions;
}

cql::Status ClusteringRestrictions::add_relation(const Table& table, const Relation& relation,
                                                 cql::MarkerSpecs& markers) {
  const std::span<const Column> columns = columns_of(table, relation);
  const auto first = static_cast<size_t>(columns.front().position);
  if (has_slice() && first > chosen_columns_) {
    if (!is_slice(relation.op) || !slices_.front().is_tuple()) {
      return after_slice(columns.front(), columns_[first - 1]);
    }
    return cql::invalid(fmt::format(
        "Column \"{}\" cannot be restricted by two inequalities not starting with the same column",
        columns.front().name));
  }
  if (first > chosen_columns_) return gap(columns.front(), columns_[chosen_columns_]);
  if (is_slice(relation.op)) {
    auto slice = ClusteringSlice::bind(table, columns, relation, markers);
    if (!slice) return std::unexpected(std::move(slice.error()));
    slices_.push_back(std::move(*slice));
    return check_bounds(slices_, columns.front());
  }
  auto choice = KeyChoice::bind(table, columns, relation, markers);
  if (!choice) return std::unexpected(std::move(choice.error()));
  choices_.push_back(std::move(*choice));
  chosen_columns_ += columns.size();
  return {};
}

bool ClusteringRestrictions::has_in() const {
  return std::ranges::any_of(choices_, [](const KeyChoice& choice) { return !choice.is_single(); });
}

std::string ClusteringRestrictions::missing() const {
  std::vector<std::string_view> names;
  for (const Column& column : columns_.subspan(chosen_columns_)) names.push_back(column.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

std::vector<cql::TypedTerm> ClusteringRestrictions::single_terms() const {
  std::vector<cql::TypedTerm> terms;
  if (!selects_rows()) return terms;
  for (const KeyChoice& choice : choices_) {
    for (size_t column = 0; column < choice.column_count(); ++column) {
      const cql::TypedTerm* term = choice.single_term(column);
      if (term == nullptr) return {};
      terms.push_back(*term);
    }
  }
  return terms;
}

namespace {

cql::Status check_clustering_size(ByteView value) {
  if (value.size() <= kKeySizeMax) return {};
  return cql::invalid(
      fmt::format("Key length of {} is longer than maximum of {}", value.size(), kKeySizeMax));
}

// Appends to each prefix each alternative: `width` values.
cql::Status multiply(std::vector<Bytes>& prefixes, std::span<const ByteView> values, size_t width,
                     std::span<const storage::ClusteringColumn> columns) {
  const size_t alternatives = values.size() / width;
  if (prefixes.size() * alternatives > kKeyCombinationsMax) {
    return cql::invalid(
        fmt::format("The IN restrictions of this statement select more than {} rows of a "
                    "partition: use fewer values",
                    kKeyCombinationsMax));
  }
  std::vector<Bytes> longer;
  for (const Bytes& prefix : prefixes) {
    for (size_t at = 0; at < values.size(); at += width) {
      Bytes key = prefix;
      for (size_t column = 0; column < width; ++column) {
        if (auto status = check_clustering_size(values[at + column]); !status) return status;
        key = with_value(key, columns[column], values[at + column]);
      }
      longer.push_back(std::move(key));
    }
  }
  prefixes = std::move(longer);
  return {};
}

}  // namespace

cql::Status ClusteringRestrictions::evaluate(const cql::Evaluation& evaluation,
                                             std::vector<ClusteringRange>& out) const {
  const std::span<const storage::ClusteringColumn> stored(stored_);
  std::vector<Bytes> prefixes(1);
  std::vector<ByteView> values;
  size_t column = 0;
  for (const KeyChoice& choice : choices_) {
    values.clear();
    if (auto status = choice.evaluate(evaluation, values); !status) return status;
    auto status = multiply(prefixes, values, choice.column_count(), stored.subspan(column));
    if (!status) return status;
    column += choice.column_count();
  }
  std::ranges::sort(prefixes, {}, in_byte_order);
  prefixes.erase(std::ranges::unique(prefixes).begin(), prefixes.end());

  std::vector<std::vector<ByteView>> bounds(slices_.size());
  for (size_t index = 0; index < slices_.size(); ++index) {
    auto status = slices_[index].evaluate(evaluation, bounds[index]);
    if (!status) return status;
  }
  out.clear();
  for (Bytes& prefix : prefixes) {
    if (selects_rows()) {
      out.push_back({std::move(prefix), {}, true});
      continue;
    }
    Intervals intervals = {all_with(prefix)};
    for (size_t index = 0; index < slices_.size(); ++index) {
      intervals = intersect(intervals, slice_intervals(prefix, stored.subspan(column),
                                                       bounds[index], slices_[index].op()));
    }
    for (Interval& interval : intervals) {
      out.push_back({std::move(interval.begin), std::move(interval.end), false});
    }
  }
  return {};
}

}  // namespace cqlperf::server

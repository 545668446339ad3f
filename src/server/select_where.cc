#include "server/select_where.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "protocol/identifiers.h"
#include "server/row_key.h"
#include "server/select_relations.h"

namespace cqlperf::server {
namespace {

using cql::Relation;
using cql::RelationOperator;

constexpr std::string_view kNeedsFiltering =
    "Cannot execute this query as it might involve data filtering and thus may have unpredictable "
    "performance. If you want to execute this query despite the performance unpredictability, use "
    "ALLOW FILTERING";

// The relations of a WHERE, sorted by what answers them.
struct Sorted {
  Relations keys = {};  // all of the partition key
  Relations tokens = {};
  Relations clustering = {};           // with keys: from the first column on, without gaps
  Relations others = {};               // an index or a filter
  bool has_partition_filter = false;   // some of `others` is on the partition key
  const Relation* stranded = nullptr;  // some of `others` on a clustering column that could have
                                       // been a key, but for what comes before it
};

bool is_choice(const Relation& relation) {
  return relation.op == RelationOperator::kEqual || relation.op == RelationOperator::kIn;
}

bool has_all_keys(const Table& table, const Relations& relations) {
  return relations.size() == table.partition_key_size &&
         std::ranges::all_of(relations,
                             [](const Relation* relation) { return is_choice(*relation); });
}

size_t first_position(const Table& table, const Relation& relation) {
  return static_cast<size_t>(table.find(relation.columns.front())->position);
}

// Takes from `relations` those that restrict the clustering columns from the first on: choices, and
// then the bounds of one column.
Relations take_prefix(const Table& table, Relations& relations) {
  std::ranges::stable_sort(
      relations, {}, [&](const Relation* relation) { return first_position(table, *relation); });
  Relations prefix;
  Relations rest;
  size_t next = 0;
  bool has_slice = false;
  for (const Relation* relation : relations) {
    const bool fits = first_position(table, *relation) == next;
    if (fits && is_choice(*relation) && !has_slice) {
      prefix.push_back(relation);
      next += relation->columns.size();
    } else if (fits && !is_choice(*relation)) {
      prefix.push_back(relation);
      has_slice = true;
    } else {
      rest.push_back(relation);
    }
  }
  relations = std::move(rest);
  return prefix;
}

Sorted sort_relations(const Table& table, const SplitWhere& split) {
  Sorted sorted;
  for (const Relation* relation : split.others) {
    (relation->left == Relation::Left::kToken ? sorted.tokens : sorted.others).push_back(relation);
  }
  Relations clustering = split.clustering;
  Relations prefix = take_prefix(table, clustering);
  if (!clustering.empty()) sorted.stranded = clustering.front();
  if (has_all_keys(table, split.partition_key)) {
    sorted.keys = split.partition_key;
    sorted.clustering = std::move(prefix);
    prefix.clear();
  }
  Relations filters;
  if (sorted.keys.empty()) {
    filters = split.partition_key;
    sorted.has_partition_filter = !filters.empty();
  }
  std::ranges::copy(prefix, std::back_inserter(filters));
  std::ranges::copy(clustering, std::back_inserter(filters));
  sorted.others.insert(sorted.others.begin(), filters.begin(), filters.end());
  return sorted;
}

// Why a relation on a clustering column is no key.
std::unexpected<protocol::ErrorMessage> stranded_error(const Table& table, const SplitWhere& split,
                                                       const Relation& relation) {
  const size_t position = first_position(table, relation);
  const Column& column = table.clustering_key()[position];
  for (const Relation* other : split.clustering) {
    if (first_position(table, *other) < position && !is_choice(*other)) {
      return cql::invalid(fmt::format(
          "Clustering column \"{}\" cannot be restricted (preceding column \"{}\" is restricted by "
          "a non-EQ relation)",
          column.name, other->columns.front()));
    }
  }
  const Column* missing = &table.clustering_key().front();
  for (const Column& candidate : table.clustering_key().first(position)) {
    const bool is_restricted = std::ranges::any_of(split.clustering, [&](const Relation* other) {
      return std::ranges::find(other->columns, candidate.name) != other->columns.end();
    });
    if (!is_restricted) {
      missing = &candidate;
      break;
    }
  }
  return cql::invalid(fmt::format(
      "PRIMARY KEY column \"{}\" cannot be restricted as preceding column \"{}\" is not restricted",
      column.name, missing->name));
}

bool is_custom(const Index& index) { return index.kind == "CUSTOM"; }

const Index* find_index(const Table& table, const Relation& relation) {
  if (relation.left != Relation::Left::kColumn) return nullptr;
  const auto index = std::ranges::find(table.indexes, relation.columns.front(), &Index::column);
  return index == table.indexes.end() ? nullptr : &*index;
}

// The first relation that names one value of an index.
const Relation* find_lookup(const Table& table, const Relations& relations) {
  for (const Relation* relation : relations) {
    if (relation->op == RelationOperator::kEqual && find_index(table, *relation)) return relation;
  }
  return nullptr;
}

// A storage-attached index answers = and slices, and several of them together.
bool has_custom_indexes(const Table& table, const Relations& relations) {
  return std::ranges::all_of(relations, [&](const Relation* relation) {
    const Index* index = find_index(table, *relation);
    return index != nullptr && is_custom(*index) && relation->op != RelationOperator::kIn;
  });
}

// What has neither a key nor an index needs ALLOW FILTERING.
cql::Status check_filtering(const Table& table, const SplitWhere& split, const Sorted& sorted,
                            const Relation* lookup) {
  const size_t answered = lookup != nullptr ? 1 : 0;
  if (sorted.others.size() == answered || has_custom_indexes(table, sorted.others)) return {};
  if (lookup == nullptr && !sorted.has_partition_filter && sorted.stranded != nullptr) {
    return stranded_error(table, split, *sorted.stranded);
  }
  return cql::invalid(std::string(kNeedsFiltering));
}

cql::Status check_distinct(const SplitWhere& split) {
  const bool has_regular = std::ranges::any_of(split.others, [](const Relation* relation) {
    return relation->left == Relation::Left::kColumn;
  });
  if (split.clustering.empty() && !has_regular) return {};
  return cql::invalid(
      "SELECT DISTINCT with WHERE clause only supports restriction by partition key and/or static "
      "columns.");
}

class Binder {
 public:
  Binder(const Table& table, cql::MarkerSpecs& markers) : table_(table), markers_(markers) {}

  cql::Status bind_keys(const Sorted& sorted);
  cql::Status bind_lookup(const Relation& relation);
  cql::Status bind_filters(const Relations& relations, const Relation* answered);
  cql::Status bind_tokens(const Relations& relations);
  void describe(const std::vector<Relation>& where, const Sorted& sorted);
  SelectWhere take() { return std::move(where_); }

 private:
  const Table& table_;
  cql::MarkerSpecs& markers_;
  SelectWhere where_;
};

cql::Status Binder::bind_keys(const Sorted& sorted) {
  if (sorted.keys.empty()) return {};
  auto keys = PartitionKeyRestrictions::bind(table_, sorted.keys, markers_);
  if (!keys) return std::unexpected(std::move(keys.error()));
  auto clustering = ClusteringRestrictions::bind(table_, sorted.clustering, markers_);
  if (!clustering) return std::unexpected(std::move(clustering.error()));
  where_.keys = std::move(*keys);
  where_.clustering = std::move(*clustering);
  return {};
}

cql::Status Binder::bind_lookup(const Relation& relation) {
  if (where_.keys && !where_.keys->is_single()) {
    return cql::invalid(
        "Select on indexed columns and with IN clause for the PRIMARY KEY are not supported");
  }
  const Column& column = *table_.find(relation.columns.front());
  auto term = cql::TypedTerm::bind(relation.values.front(), receiver_of(table_, column), markers_);
  if (!term) return std::unexpected(std::move(term.error()));
  where_.index = find_index(table_, relation);
  where_.index_value = std::move(*term);
  return {};
}

cql::Status Binder::bind_filters(const Relations& relations, const Relation* answered) {
  for (const Relation* relation : relations) {
    if (relation == answered) continue;
    auto filter = RowFilter::bind(table_, *relation, markers_);
    if (!filter) return std::unexpected(std::move(filter.error()));
    where_.filters.push_back(std::move(*filter));
  }
  return {};
}

cql::Status Binder::bind_tokens(const Relations& relations) {
  auto tokens = TokenRestrictions::bind(table_, relations, markers_);
  if (!tokens) return std::unexpected(std::move(tokens.error()));
  where_.tokens = std::move(*tokens);
  return {};
}

void Binder::describe(const std::vector<Relation>& where, const Sorted& sorted) {
  where_.names_partitions = !sorted.keys.empty();
  where_.equal_columns.resize(table_.columns.size());
  for (const Relation& relation : where) {
    if (relation.op != RelationOperator::kEqual || relation.left == Relation::Left::kToken)
      continue;
    for (const std::string& name : relation.columns) {
      where_.equal_columns[static_cast<size_t>(table_.find(name) - table_.columns.data())] = true;
    }
  }
}

}  // namespace

cql::Result<SelectWhere> SelectWhere::bind(const cql::Select& statement, const Table& table,
                                           bool is_virtual, cql::MarkerSpecs& markers) {
  const std::vector<Relation> where = simplify_relations(statement.where);
  const auto fail = [](cql::Status& status) { return std::unexpected(std::move(status.error())); };
  auto split = split_where(table, where);
  if (!split) return std::unexpected(std::move(split.error()));
  if (auto status = check_relations(table, where); !status) return fail(status);
  if (statement.distinct) {
    if (auto status = check_distinct(*split); !status) return fail(status);
  }
  const Sorted sorted = sort_relations(table, *split);
  const bool is_system = table.system != SystemTable::kNone;
  const Relation* lookup = is_system ? nullptr : find_lookup(table, sorted.others);
  if (!statement.allow_filtering && !is_virtual) {
    auto status = check_filtering(table, *split, sorted, lookup);
    if (!status) return fail(status);
  }
  Binder binder(table, markers);
  Relations filters = sorted.others;
  cql::Status status;
  if (is_system) {
    std::ranges::copy(sorted.keys, std::back_inserter(filters));
    std::ranges::copy(sorted.clustering, std::back_inserter(filters));
  } else {
    status = binder.bind_keys(sorted);
  }
  if (status && lookup != nullptr) status = binder.bind_lookup(*lookup);
  if (status) status = binder.bind_filters(filters, lookup);
  if (status) status = binder.bind_tokens(sorted.tokens);
  if (!status) return fail(status);
  binder.describe(where, sorted);
  return binder.take();
}

}  // namespace cqlperf::server

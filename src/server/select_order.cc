#include "server/select_order.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "server/selection_expression.h"

namespace cqlperf::server {
namespace {

// Of orderings of one column the last counts, in the place of the first.
std::vector<cql::Ordering> merge_orderings(const std::vector<cql::Ordering>& order_by) {
  std::vector<cql::Ordering> merged;
  for (const cql::Ordering& ordering : order_by) {
    const auto known = std::ranges::find(merged, ordering.column, &cql::Ordering::column);
    if (known == merged.end()) {
      merged.push_back(ordering);
    } else {
      known->descending = ordering.descending;
    }
  }
  return merged;
}

cql::Status check_allowed(const SelectWhere& where) {
  if (where.index != nullptr) {
    return cql::invalid("ORDER BY with 2ndary indexes is not supported, except for ANN queries.");
  }
  if (where.names_partitions) return {};
  return cql::invalid(
      "ORDER BY is only supported when the partition key is restricted by an EQ or an IN.");
}

cql::Result<const Column*> find_clustering(const Table& table, const std::string& name) {
  auto column = find_selected(table, name);
  if (!column || (*column)->kind == ColumnKind::kClustering) return column;
  return cql::invalid(fmt::format(
      "Order by is currently only supported on the clustered columns of the PRIMARY KEY, got {}",
      name));
}

}  // namespace

cql::Result<SelectOrder> SelectOrder::make(const std::vector<cql::Ordering>& order_by,
                                           const Table& table, const SelectWhere& where) {
  SelectOrder order;
  if (order_by.empty()) return order;
  if (auto status = check_allowed(where); !status) return std::unexpected(status.error());
  std::optional<bool> is_reversed;
  size_t next = 0;
  for (const cql::Ordering& ordering : merge_orderings(order_by)) {
    auto column = find_clustering(table, ordering.column);
    if (!column) return std::unexpected(std::move(column.error()));
    const auto position = static_cast<size_t>((*column)->position);
    // Columns that have one value may be left out.
    while (next < position && where.equal_columns[table.partition_key_size + next]) ++next;
    if (next != position) {
      return cql::invalid(
          "Order by currently only supports the ordering of columns following their declared order "
          "in the PRIMARY KEY");
    }
    ++next;
    const bool is_opposite = ordering.descending != (*column)->descending;
    if (is_reversed.value_or(is_opposite) != is_opposite) {
      return cql::invalid("Unsupported order by relation");
    }
    is_reversed = is_opposite;
  }
  order.is_reversed = *is_reversed;
  order.columns = next;
  return order;
}

}  // namespace cqlperf::server

#include "server/session_values.h"

#include <algorithm>
#include <utility>

namespace cqlperf::server {

void order_values(protocol::QueryParameters& parameters, const protocol::BindMetadata& bind) {
  if (parameters.names.empty()) return;
  std::vector<protocol::Value> ordered;
  ordered.reserve(bind.columns.size());
  for (const protocol::ColumnSpec& marker : bind.columns) {
    const auto found = std::ranges::find(parameters.names, marker.name);
    if (found == parameters.names.end()) continue;
    ordered.push_back(parameters.values[static_cast<size_t>(found - parameters.names.begin())]);
  }
  parameters.values = std::move(ordered);
  parameters.names.clear();
}

}  // namespace cqlperf::server

#pragma once

#include "protocol/metadata.h"
#include "protocol/query_parameters.h"

namespace cqlperf::server {

// Puts named values in the order of the markers: a marker whose name was not given gets none, so
// that there are too few. Values without names stay as they are.
void order_values(protocol::QueryParameters& parameters, const protocol::BindMetadata& bind);

}  // namespace cqlperf::server

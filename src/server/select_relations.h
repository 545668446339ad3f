#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cql/error.h"
#include "cql/statement.h"
#include "server/schema.h"

namespace cqlperf::server {

// The relations of a SELECT's WHERE before they are bound.

// IN with one value in its list becomes =, as Cassandra takes it.
std::vector<cql::Relation> simplify_relations(std::span<const cql::Relation> where);

// 0x2200 for operators that SELECT does not have and for columns that are restricted twice. The
// table must have the columns.
cql::Status check_relations(const Table& table, std::span<const cql::Relation> where);

// For each column of the partition key the marker that it is equal to; empty when not all are.
std::vector<uint16_t> partition_key_markers(const Table& table,
                                            std::span<const cql::Relation> where);

}  // namespace cqlperf::server

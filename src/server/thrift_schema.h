#pragma once

#include <string>
#include <vector>

#include "cql/error.h"
#include "cql/statement.h"
#include "server/schema.h"
#include "thrift/schema_defs.h"

namespace cqlperf::server {

// Thrift's keyspaces and column families as schema statements, and the other way round.

// CREATE TABLE … WITH COMPACT STORAGE, then CREATE INDEX for each column that has one. 0x2200, in
// Cassandra's words where it has the same objection, for what this server has no table for: super
// columns, columns without metadata, comparators of names that are no texts.
cql::Result<std::vector<cql::Statement>> statements_of(const thrift::TableDef& table,
                                                       const std::string& keyspace);
// CREATE KEYSPACE and the statements of its tables.
cql::Result<std::vector<cql::Statement>> statements_of(const thrift::KeyspaceDef& keyspace);

// With the tables that were made WITH COMPACT STORAGE: Thrift sees no others.
thrift::KeyspaceDef describe(const Keyspace& keyspace);

}  // namespace cqlperf::server

#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "cql/error.h"
#include "cql/statement.h"
#include "server/schema.h"

namespace cqlperf::server {

// Makes the columns of a CREATE TABLE that was found to have a primary key; errors as Cassandra's,
// 0x2200 for types and static columns that this server does not have.
cql::Result<Table> make_table_columns(const cql::CreateTable& statement,
                                      const std::string& keyspace);

// Bytes. Names travel as [string]s, also inside longer ones such as `system.token(name)`.
inline constexpr size_t kColumnNameMax = 4'096;

// 0x2200 when the name is too long, or the type is none (a user type that does not exist) or not
// supported here.
cql::Status check_column(const cql::ColumnDefinition& column, std::string_view keyspace);

// Puts a regular column in its place among the others, with the table's next storage id.
void add_regular_column(Table& table, const cql::ColumnDefinition& definition);

}  // namespace cqlperf::server

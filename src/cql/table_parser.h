#pragma once

#include "cql/parser_state.h"

namespace cqlperf::cql {

// What follows CREATE TABLE and ALTER TABLE.
CreateTable parse_create_table(ParserState& state);
AlterTable parse_alter_table(ParserState& state);

}  // namespace cqlperf::cql

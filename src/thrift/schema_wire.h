#pragma once

#include <span>

#include "thrift/schema_defs.h"
#include "thrift/wire.h"

namespace cqlperf::thrift {

// Keyspaces and column families on the wire, through the generated code: these calls are rare, and
// have many fields.

// The arguments of system_add_column_family and system_add_keyspace; throws as the library does.
void read_table_call(ReadProtocol& in, TableDef& table);
void read_keyspace_call(ReadProtocol& in, KeyspaceDef& keyspace);

// The results of describe_keyspace and describe_keyspaces.
void write_keyspace_result(WriteProtocol& out, const KeyspaceDef& keyspace);
void write_keyspaces_result(WriteProtocol& out, std::span<const KeyspaceDef> keyspaces);

}  // namespace cqlperf::thrift

#pragma once

#include "thrift/call_reader.h"
#include "thrift/wire.h"

namespace cqlperf::thrift {

// Each reads the struct or map that comes next; throws as the library does, and for what a call has
// too much of.

// ColumnParent.
void read_parent(ReadProtocol& in, CallMessage& message);
// SlicePredicate: added to the message's.
void read_predicate(ReadProtocol& in, CallMessage& message);
// Column and CounterColumn.
void read_column(ReadProtocol& in, Mutation& mutation);
void read_counter(ReadProtocol& in, Mutation& mutation);
// The first argument of batch_mutate.
void read_mutation_map(ReadProtocol& in, CallMessage& message);

}  // namespace cqlperf::thrift

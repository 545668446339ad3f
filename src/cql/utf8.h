#pragma once

#include "protocol/strings.h"

namespace cqlperf::cql {

// Whether Cassandra takes the bytes as text. Besides UTF-8 that is what Java's encodings may hold:
// a zero as C0 80, halves of surrogate pairs, and the numbers beyond U+10FFFF that four bytes have.
bool is_cassandra_utf8(protocol::ByteView text);

}  // namespace cqlperf::cql

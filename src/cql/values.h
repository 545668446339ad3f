#pragma once

#include <compare>
#include <string>
#include <string_view>

#include "cql/error.h"
#include "cql/statement.h"
#include "protocol/strings.h"
#include "protocol/types.h"

namespace cqlperf::cql {

// The values of CQL's native scalar types as bytes of the protocol (section 6 of its
// specification).

// True for ascii … duration; false for collections, tuples, user types and custom types.
bool is_scalar(const protocol::ColumnType& type);

// Whether `value` is a value of the type, as Cassandra's validators judge: length, UTF-8, ranges.
// An empty value is valid where Cassandra takes it. 0x2200 otherwise; `column` is in the text.
Status check_value(const protocol::ColumnType& type, protocol::ByteView value,
                   std::string_view column);

// The bytes of a literal (not a marker, function, column) for the type; 0x2200 when the type does
// not take it. Strings are read as Cassandra does: dates, times, inet addresses, numbers are not
// quoted.
Result<protocol::Bytes> literal_to_bytes(const Term& literal, const protocol::ColumnType& type,
                                         std::string_view column);

// A value of the type from a JSON document's text for it (a string, number, boolean; not null).
Result<protocol::Bytes> json_to_bytes(std::string_view json, const protocol::ColumnType& type,
                                      std::string_view column);

// The order of two valid values, as Cassandra's comparators: timeuuid by time, numbers by value,
// text and blobs by unsigned bytes, an empty value first.
std::strong_ordering compare_values(const protocol::ColumnType& type, protocol::ByteView left,
                                    protocol::ByteView right);

}  // namespace cqlperf::cql

#pragma once

#include "cql/functions.h"

// What the scalar functions do. Each is called with as many values as the function has arguments;
// null gives null, as does an empty value of a time.
namespace cqlperf::cql::functions {

using Values = ScalarFunction::Values;

Result<protocol::Value> now(const ScalarFunction&, Values, const Evaluation&);
Result<protocol::Value> uuid(const ScalarFunction&, Values, const Evaluation&);
Result<protocol::Value> current_timestamp(const ScalarFunction&, Values, const Evaluation&);
Result<protocol::Value> current_date(const ScalarFunction&, Values, const Evaluation&);
Result<protocol::Value> current_time(const ScalarFunction&, Values, const Evaluation&);

// Of a timestamp, a date or a timeuuid, by the function's argument type.
Result<protocol::Value> to_date(const ScalarFunction&, Values, const Evaluation&);
// Milliseconds since 1970, as a timestamp or a bigint.
Result<protocol::Value> to_millis(const ScalarFunction&, Values, const Evaluation&);

// The lowest and the highest timeuuid of a millisecond.
Result<protocol::Value> min_timeuuid(const ScalarFunction&, Values, const Evaluation&);
Result<protocol::Value> max_timeuuid(const ScalarFunction&, Values, const Evaluation&);

// int_as_blob() …
Result<protocol::Value> same_bytes(const ScalarFunction&, Values, const Evaluation&);
// blob_as_int() …: bytes that must be valid for the result type.
Result<protocol::Value> checked_bytes(const ScalarFunction&, Values, const Evaluation&);

}  // namespace cqlperf::cql::functions

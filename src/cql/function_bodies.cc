#include "cql/function_bodies.h"

#include <algorithm>

#include <fmt/format.h>

#include "cql/time_uuid.h"
#include "cql/values.h"
#include "protocol/uuid.h"
#include "protocol/values.h"

namespace cqlperf::cql::functions {
namespace {

using protocol::Bytes;
using protocol::TypeId;
using protocol::Value;

constexpr int64_t kMillisPerDay = 86'400'000;
constexpr int64_t kMicrosPerDay = kMillisPerDay * 1000;
constexpr int64_t kDateShift = int64_t{1} << 31;  // the wire's day 0 is that long before 1970

int64_t floor_divide(int64_t value, int64_t divisor) {
  return value / divisor - (value % divisor < 0 ? 1 : 0);
}

Value keep_big_endian(uint64_t bits, size_t size, const Evaluation& evaluation) {
  Bytes bytes(size);
  for (size_t i = size; i-- > 0; bits >>= 8) bytes[i] = static_cast<uint8_t>(bits);
  return Value::of(evaluation.arena->keep(std::move(bytes)));
}

Value keep_uuid(const protocol::Uuid& uuid, const Evaluation& evaluation) {
  return Value::of(evaluation.arena->keep(Bytes(uuid.bytes.begin(), uuid.bytes.end())));
}

Value keep_date(int64_t days, const Evaluation& evaluation) {
  return keep_big_endian(static_cast<uint64_t>(days + kDateShift), 4, evaluation);
}

bool is_absent(const Value& value) {
  return value.kind != Value::Kind::kBytes || value.bytes.empty();
}

// Of a valid value that is not empty.
int64_t millis_of(const Value& value, TypeId type) {
  if (type == TypeId::kDate) return int64_t{*protocol::decode_date(value.bytes)} * kMillisPerDay;
  if (type == TypeId::kTimeuuid) return protocol::uuid_millis(*protocol::decode_uuid(value.bytes));
  return *protocol::decode_timestamp(value.bytes);
}

// The timeuuid `extra_ticks` after the start of a millisecond.
Result<Value> edge_timeuuid(const Value& value, uint64_t extra_ticks, uint64_t low_bytes,
                            const Evaluation& evaluation) {
  if (is_absent(value)) return Value::null();
  const int64_t millis = *protocol::decode_timestamp(value.bytes);
  constexpr auto kMillisMax =
      static_cast<int64_t>(protocol::kUuidTicksMax / protocol::kUuidTicksPerMilli);
  if (millis < protocol::kUuidEpochMillis || millis >= kMillisMax + protocol::kUuidEpochMillis) {
    return invalid(
        fmt::format("The timestamp {} is beyond what a timeuuid can hold: it begins in "
                    "1582 and ends in 5236",
                    millis));
  }
  const auto since_epoch = static_cast<uint64_t>(millis - protocol::kUuidEpochMillis);
  return keep_uuid(
      protocol::make_time_uuid(since_epoch * protocol::kUuidTicksPerMilli + extra_ticks, low_bytes),
      evaluation);
}

}  // namespace

Result<Value> now(const ScalarFunction&, Values, const Evaluation& evaluation) {
  return keep_uuid(new_time_uuid(evaluation.now_us), evaluation);
}

Result<Value> uuid(const ScalarFunction&, Values, const Evaluation& evaluation) {
  return keep_uuid(new_random_uuid(), evaluation);
}

Result<Value> current_timestamp(const ScalarFunction&, Values, const Evaluation& evaluation) {
  return keep_big_endian(static_cast<uint64_t>(floor_divide(evaluation.now_us, 1000)), 8,
                         evaluation);
}

Result<Value> current_date(const ScalarFunction&, Values, const Evaluation& evaluation) {
  return keep_date(floor_divide(evaluation.now_us, kMicrosPerDay), evaluation);
}

Result<Value> current_time(const ScalarFunction&, Values, const Evaluation& evaluation) {
  const int64_t midnight_us = floor_divide(evaluation.now_us, kMicrosPerDay) * kMicrosPerDay;
  return keep_big_endian(static_cast<uint64_t>(evaluation.now_us - midnight_us) * 1000, 8,
                         evaluation);
}

Result<Value> to_date(const ScalarFunction& function, Values arguments,
                      const Evaluation& evaluation) {
  if (is_absent(arguments[0])) return Value::null();
  const int64_t millis = millis_of(arguments[0], function.argument_types()[0].id);
  return keep_date(floor_divide(millis, kMillisPerDay), evaluation);
}

Result<Value> to_millis(const ScalarFunction& function, Values arguments,
                        const Evaluation& evaluation) {
  if (is_absent(arguments[0])) return Value::null();
  const int64_t millis = millis_of(arguments[0], function.argument_types()[0].id);
  return keep_big_endian(static_cast<uint64_t>(millis), 8, evaluation);
}

Result<Value> min_timeuuid(const ScalarFunction&, Values arguments, const Evaluation& evaluation) {
  return edge_timeuuid(arguments[0], 0, 0x8080'8080'8080'8080, evaluation);
}

Result<Value> max_timeuuid(const ScalarFunction&, Values arguments, const Evaluation& evaluation) {
  return edge_timeuuid(arguments[0], protocol::kUuidTicksPerMilli - 1, 0x7f7f'7f7f'7f7f'7f7f,
                       evaluation);
}

Result<Value> same_bytes(const ScalarFunction&, Values arguments, const Evaluation&) {
  return arguments[0];
}

Result<Value> checked_bytes(const ScalarFunction& function, Values arguments, const Evaluation&) {
  const Value& value = arguments[0];
  if (value.kind != Value::Kind::kBytes || check_value(function.result_type(), value.bytes, "")) {
    return value;
  }
  constexpr size_t kShownMax = 64;  // bytes
  const auto shown = value.bytes.first(std::min(value.bytes.size(), kShownMax));
  std::string digits;
  for (const uint8_t byte : shown) digits += fmt::format("{:02x}", byte);
  return invalid(
      fmt::format("In call to function system.{}, value 0x{}{} is not a valid binary "
                  "representation for type {}",
                  function.name(), digits, shown.size() < value.bytes.size() ? "…" : "",
                  function.result_type().cql_name()));
}

}  // namespace cqlperf::cql::functions

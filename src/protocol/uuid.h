#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/result.h"

namespace cqlperf::protocol {

// A UUID or timeuuid as its 16 bytes (RFC 4122, network order). The nil UUID by default.
struct Uuid {
  std::array<uint8_t, 16> bytes{};

  // `123e4567-e89b-12d3-a456-426614174000`.
  std::string to_string() const;
  // 1 for a timeuuid, 4 for a random one.
  int version() const { return bytes[6] >> 4; }

  auto operator<=>(const Uuid&) const = default;
};

// The time in a timeuuid counts from 1582-10-15, and has 60 bits.
inline constexpr int64_t kUuidEpochMillis = -12'219'292'800'000;  // since 1970
inline constexpr uint64_t kUuidTicksPerMilli = 10'000;            // a tick is 100 ns
inline constexpr uint64_t kUuidTicksMax = (uint64_t{1} << 60) - 1;

// The version 1 UUID of a time (at most kUuidTicksMax) with its last 8 bytes as they are: variant,
// clock sequence and node.
Uuid make_time_uuid(uint64_t ticks, uint64_t low_bytes);
// The time of a version 1 UUID, in ticks.
uint64_t uuid_ticks(const Uuid& uuid);
// The same in milliseconds since 1970.
int64_t uuid_millis(const Uuid& uuid);

// A random UUID (version 4) of the system's generator. Any thread.
Uuid random_uuid();

// Reads the form that to_string() gives, in either case.
core::Result<Uuid> parse_uuid(std::string_view text);

}  // namespace cqlperf::protocol

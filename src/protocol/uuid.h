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

  auto operator<=>(const Uuid&) const = default;
};

// Reads the form that to_string() gives, in either case.
core::Result<Uuid> parse_uuid(std::string_view text);

}  // namespace cqlperf::protocol

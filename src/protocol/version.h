#pragma once

#include <cstdint>

namespace cqlperf::protocol {

// Versions of the CQL native protocol that are coded.
enum class Version : uint8_t { kV3 = 3, kV4 = 4, kV5 = 5 };

inline constexpr Version kVersionMin = Version::kV3;
inline constexpr Version kVersionMax = Version::kV5;

}  // namespace cqlperf::protocol

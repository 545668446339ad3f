#pragma once

#include <cstdint>

namespace cqlperf::protocol {

// Versions of the CQL native protocol whose frame header is read. Bodies are coded for kV3 and kV4.
enum class Version : uint8_t { kV3 = 3, kV4 = 4, kV5 = 5 };

inline constexpr Version kVersionMin = Version::kV3;
// The newest version whose bodies are coded.
inline constexpr Version kVersionMax = Version::kV4;

}  // namespace cqlperf::protocol

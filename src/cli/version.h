#pragma once

namespace cqlperf::cli {

// From the CMake project.
inline constexpr const char* kVersion = CQLPERF_VERSION;

}  // namespace cqlperf::cli

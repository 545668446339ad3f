#pragma once

namespace cqlperf::cli {

// From the CMake project: `0.1.0`.
extern const char* const kVersion;

}  // namespace cqlperf::cli

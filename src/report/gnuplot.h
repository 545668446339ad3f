#pragma once

#include <cstdint>
#include <string>

#include "core/result.h"

namespace cqlperf::report {

inline constexpr int64_t kGnuplotTimeoutMs = 30'000;

// Runs the gnuplot that is found in PATH on `script`, without the settings of the user, and waits
// for its end. Blocks the calling thread for `timeout_ms` at most; then gnuplot is killed.
// Errors: kSetup when it is not installed, kTimeout at the deadline, kInterrupted soon after
// core::interrupted() has become true (not when it was before), kIo when it could not be
// started or ended with an error, with the first line that says which.
core::Status run_gnuplot(const std::string& script, int64_t timeout_ms = kGnuplotTimeoutMs);

}  // namespace cqlperf::report

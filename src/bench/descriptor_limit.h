#pragma once

#include <cstddef>

#include "core/result.h"

namespace cqlperf::bench {

// Raises this process's limit of open files as far as `needed` asks and the system allows. kSetup
// with the flags that need less when that is not enough.
core::Status ensure_descriptors(size_t needed);

}  // namespace cqlperf::bench

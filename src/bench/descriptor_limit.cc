#include "bench/descriptor_limit.h"

#include <fmt/format.h>
#include <sys/resource.h>

namespace cqlperf::bench {

core::Status ensure_descriptors(size_t needed) {
  rlimit limit = {};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= needed) return {};
  if (limit.rlim_max < needed)
    return core::fail(
        core::ErrorCode::kSetup,
        fmt::format("{} open files are needed and {} allowed: raise the limit (ulimit "
                    "-n), or ask for fewer --threads or --connections",
                    needed, limit.rlim_max));
  limit.rlim_cur = needed;
  if (setrlimit(RLIMIT_NOFILE, &limit) == 0) return {};
  return core::fail(
      core::ErrorCode::kSetup,
      fmt::format("{} open files are needed, and the limit cannot be raised", needed));
}

}  // namespace cqlperf::bench

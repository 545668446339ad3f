#include "core/check.h"

#include <cstdio>
#include <cstdlib>

namespace cqlperf::core {

void check_failed(const char* condition, const char* message, const char* file, int line) {
  std::fprintf(stderr, "cqlperf: internal error: %s (%s) at %s:%d\n", message, condition, file,
               line);
  std::abort();
}

}  // namespace cqlperf::core

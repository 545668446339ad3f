#include "cli/version.h"

namespace cqlperf::cli {

const char* const kVersion = CQLPERF_VERSION;

}  // namespace cqlperf::cli

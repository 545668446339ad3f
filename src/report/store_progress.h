#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "measure/store_result.h"

namespace cqlperf::report {

// How far a phase is: keys and value bytes, and how fast it goes now.
struct StoreBar {
  measure::StorePhase phase = measure::StorePhase::kWrite;
  uint64_t keys = 0;
  uint64_t keys_total = 0;
  uint64_t value_bytes = 0;     // of each key
  double seconds = 0;           // since the phase began
  double bytes_per_second = 0;  // both in the last interval
  double requests_per_second = 0;
};

// `write [#####.....] 45 %  460 MiB of 1 GiB  312.4 MB/s  0:12 left`: one line for a terminal, in
// `width` columns at most; what has no room is left out from the right, the bar first. Deletes show
// keys and keys per second.
std::string store_bar(const StoreBar& bar, size_t width);

// The same without the bar and of any width, for a pipe; with a line break.
std::string store_progress_line(const StoreBar& bar);

}  // namespace cqlperf::report

#pragma once

#include <string>

#include "measure/interval.h"

namespace cqlperf::report {

// The progress table of a run: two lines of head, then a line per interval. Latencies are response
// times; a dash stands where nothing was done.
std::string run_table_head();
std::string run_table_row(const measure::IntervalRow& row);

// The status line of a terminal: done of all, rate, time left. `total` is the number of operations
// that will be done, 0 when the time ends the run; `total_s` is the planned time, 0 when the count
// ends it. All of it in `width` columns at most.
struct Progress {
  uint64_t done = 0;
  uint64_t total = 0;
  double elapsed_s = 0;
  double total_s = 0;
  double rate = 0;
};
std::string progress_line(const Progress& progress, size_t width);

}  // namespace cqlperf::report

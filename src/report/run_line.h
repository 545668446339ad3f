#pragma once

#include <cstdint>
#include <string>

namespace cqlperf::report {

// The line that martelli/cql_stress prints for each one-second run:
// `2024/04/09 18:16:35 INFO Stats: throughput=100000 avg_latency:=696.249µs`, in local time.
std::string run_line(int64_t wall_time_ns, int64_t throughput, int64_t mean_latency_ns);

// A duration as Go's time.Duration prints it: `0s`, `37ns`, `696.249µs`, `1.5ms`, `1m2.5s`.
std::string go_duration(int64_t nanos);

}  // namespace cqlperf::report

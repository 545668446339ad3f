#include "report/store_block.h"

#include <cmath>

#include <fmt/format.h>

#include "core/check.h"

namespace cqlperf::report {
namespace {

using measure::StorePhase;
using measure::StorePhaseResult;

double per_second(double amount, double seconds) { return seconds > 0 ? amount / seconds : 0; }

double gigabytes(uint64_t bytes) { return static_cast<double>(bytes) / 0x1p30; }

double mbps(const StorePhaseResult& phase) {
  return per_second(static_cast<double>(phase.payload_bytes), phase.seconds) / 1e6;
}

std::string write_lines(const StorePhaseResult& phase) {
  return fmt::format(
      "  SEQUENTIAL WRITE\n"
      "    num_keys: {}\n"
      "    time: {:g}s\n"
      "    payload: {:g} GB\n"
      "    bandwidth: {:g} MBps\n",
      phase.keys, phase.seconds, gigabytes(phase.payload_bytes), mbps(phase));
}

std::string read_lines(const StorePhaseResult& phase) {
  return fmt::format(
      "  SEQUENTIAL READ KEY/VALUES\n"
      "    key count: {}\n"
      "    time: {:g}s\n"
      "    payload: {:g}GB\n"
      "    bandwidth: {:g} MBps\n",
      phase.keys, phase.seconds, gigabytes(phase.payload_bytes), mbps(phase));
}

std::string delete_lines(const StorePhaseResult& phase) {
  return fmt::format(
      "  SEQUENTIAL DELETES\n"
      "    num_keys: {}\n"
      "    time: {:g}s\n"
      "    speed: {:g} Keys/s\n",
      phase.keys, phase.seconds, per_second(static_cast<double>(phase.keys), phase.seconds));
}

std::string truncate_lines(const StorePhaseResult& phase) {
  return fmt::format(
      "  TRUNCATE TABLE\n"
      "    time: {:g}s\n"
      "    payload: {:g}GB\n"
      "    bandwidth: {:.0f} MBps\n",
      phase.seconds, phase.complete ? gigabytes(phase.payload_bytes) : 0,
      phase.complete ? std::floor(mbps(phase)) : 0);
}

}  // namespace

std::string store_block_head(const measure::StoreSuiteResult& suite) {
  return fmt::format("{:-<49}\nPERF TEST [{} keys, {} block size]\n", "", suite.keys,
                     suite.value_bytes);
}

std::string store_block_phase(const StorePhaseResult& phase) {
  switch (phase.phase) {
    case StorePhase::kWrite:
      return write_lines(phase);
    case StorePhase::kRead:
      return read_lines(phase);
    case StorePhase::kDelete:
      return delete_lines(phase);
    case StorePhase::kTruncate:
      return truncate_lines(phase);
  }
  CQLPERF_CHECK(false, "a phase that is none");
}

}  // namespace cqlperf::report

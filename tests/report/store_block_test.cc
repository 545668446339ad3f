#include "report/store_block.h"

#include <optional>

#include <gtest/gtest.h>

namespace cqlperf::report {
namespace {

using measure::StorePhase;
using measure::StorePhaseResult;

// A run as the author of cassandra_store_stress published it: the figures, and the lines that were
// printed, without the remarks that were written beside them. The times were printed in six digits;
// two of them need a seventh to give the bandwidth that was printed.
struct Published {
  uint64_t keys;
  uint64_t value_bytes;
  double write_s;
  uint64_t keys_read;
  double read_s;
  std::optional<double> delete_s = {};
  std::optional<double> truncate_s = {};
  const char* text;
};

const Published kPublished[] = {
    {.keys = 10485760,
     .value_bytes = 3072,
     .write_s = 8445.95,
     .keys_read = 10485760,
     .read_s = 1038.414,
     .truncate_s = 7.40911,
     .text = R"(-------------------------------------------------
PERF TEST [10485760 keys, 3072 block size]
  SEQUENTIAL WRITE
    num_keys: 10485760
    time: 8445.95s
    payload: 30 GB
    bandwidth: 3.81393 MBps
  SEQUENTIAL READ KEY/VALUES
    key count: 10485760
    time: 1038.41s
    payload: 30GB
    bandwidth: 31.0206 MBps
  TRUNCATE TABLE
    time: 7.40911s
    payload: 30GB
    bandwidth: 4347 MBps
)"},
    {.keys = 1048576,
     .value_bytes = 30720,
     .write_s = 993.252,
     .keys_read = 12000,
     .read_s = 30.4189,
     .delete_s = 722.952,
     .text = R"(-------------------------------------------------
PERF TEST [1048576 keys, 30720 block size]
  SEQUENTIAL WRITE
    num_keys: 1048576
    time: 993.252s
    payload: 30 GB
    bandwidth: 32.4311 MBps
  SEQUENTIAL READ KEY/VALUES
    key count: 12000
    time: 30.4189s
    payload: 0.343323GB
    bandwidth: 12.1188 MBps
  SEQUENTIAL DELETES
    num_keys: 1048576
    time: 722.952s
    speed: 1450.41 Keys/s
)"},
    {.keys = 1048576,
     .value_bytes = 30720,
     .write_s = 979.542,
     .keys_read = 1000,
     .read_s = 9.57564,
     .truncate_s = 11.9367,
     .text = R"(-------------------------------------------------
PERF TEST [1048576 keys, 30720 block size]
  SEQUENTIAL WRITE
    num_keys: 1048576
    time: 979.542s
    payload: 30 GB
    bandwidth: 32.885 MBps
  SEQUENTIAL READ KEY/VALUES
    key count: 1000
    time: 9.57564s
    payload: 0.0286102GB
    bandwidth: 3.20814 MBps
  TRUNCATE TABLE
    time: 11.9367s
    payload: 30GB
    bandwidth: 2698 MBps
)"},
    {.keys = 1048576,
     .value_bytes = 1024,
     .write_s = 515.004,
     .keys_read = 1048576,
     .read_s = 16.4557,
     .truncate_s = 8.06971,
     .text = R"(-------------------------------------------------
PERF TEST [1048576 keys, 1024 block size]
  SEQUENTIAL WRITE
    num_keys: 1048576
    time: 515.004s
    payload: 1 GB
    bandwidth: 2.08492 MBps
  SEQUENTIAL READ KEY/VALUES
    key count: 1048576
    time: 16.4557s
    payload: 1GB
    bandwidth: 65.2504 MBps
  TRUNCATE TABLE
    time: 8.06971s
    payload: 1GB
    bandwidth: 133 MBps
)"},
    {.keys = 16384,
     .value_bytes = 65536,
     .write_s = 17.576,
     .keys_read = 16384,
     .read_s = 8.47041,
     .truncate_s = 6.04113,
     .text = R"(-------------------------------------------------
PERF TEST [16384 keys, 65536 block size]
  SEQUENTIAL WRITE
    num_keys: 16384
    time: 17.576s
    payload: 1 GB
    bandwidth: 61.0914 MBps
  SEQUENTIAL READ KEY/VALUES
    key count: 16384
    time: 8.47041s
    payload: 1GB
    bandwidth: 126.764 MBps
  TRUNCATE TABLE
    time: 6.04113s
    payload: 1GB
    bandwidth: 177 MBps
)"},
    {.keys = 65536,
     .value_bytes = 65536,
     .write_s = 85.7753,
     .keys_read = 65536,
     .read_s = 97.595,
     .truncate_s = 5.90673,
     .text = R"(-------------------------------------------------
PERF TEST [65536 keys, 65536 block size]
  SEQUENTIAL WRITE
    num_keys: 65536
    time: 85.7753s
    payload: 4 GB
    bandwidth: 50.0723 MBps
  SEQUENTIAL READ KEY/VALUES
    key count: 65536
    time: 97.595s
    payload: 4GB
    bandwidth: 44.0081 MBps
  TRUNCATE TABLE
    time: 5.90673s
    payload: 4GB
    bandwidth: 727 MBps
)"},
    {.keys = 131072,
     .value_bytes = 32768,
     .write_s = 117.0348,
     .keys_read = 131072,
     .read_s = 280.868,
     .truncate_s = 5.6176,
     .text = R"(-------------------------------------------------
PERF TEST [131072 keys, 32768 block size]
  SEQUENTIAL WRITE
    num_keys: 131072
    time: 117.035s
    payload: 4 GB
    bandwidth: 36.6982 MBps
  SEQUENTIAL READ KEY/VALUES
    key count: 131072
    time: 280.868s
    payload: 4GB
    bandwidth: 15.2918 MBps
  TRUNCATE TABLE
    time: 5.6176s
    payload: 4GB
    bandwidth: 764 MBps
)"},
    {.keys = 163840,
     .value_bytes = 65536,
     .write_s = 231.645,
     .keys_read = 163840,
     .read_s = 432.403,
     .truncate_s = 3.26219,
     .text = R"(-------------------------------------------------
PERF TEST [163840 keys, 65536 block size]
  SEQUENTIAL WRITE
    num_keys: 163840
    time: 231.645s
    payload: 10 GB
    bandwidth: 46.3529 MBps
  SEQUENTIAL READ KEY/VALUES
    key count: 163840
    time: 432.403s
    payload: 10GB
    bandwidth: 24.832 MBps
  TRUNCATE TABLE
    time: 3.26219s
    payload: 10GB
    bandwidth: 3291 MBps
)"},
};

StorePhaseResult phase_of(StorePhase kind, uint64_t keys, uint64_t bytes, double seconds) {
  StorePhaseResult phase;
  phase.phase = kind;
  phase.keys = keys;
  phase.payload_bytes = bytes;
  phase.seconds = seconds;
  return phase;
}

std::string block_of(const Published& run) {
  const auto phase = [&](StorePhase kind, uint64_t keys, double seconds) {
    return store_block_phase(phase_of(kind, keys, keys * run.value_bytes, seconds));
  };
  measure::StoreSuiteResult suite;
  suite.keys = run.keys;
  suite.value_bytes = run.value_bytes;
  std::string text = store_block_head(suite);
  text += phase(StorePhase::kWrite, run.keys, run.write_s);
  text += phase(StorePhase::kRead, run.keys_read, run.read_s);
  if (run.delete_s) text += phase(StorePhase::kDelete, run.keys, *run.delete_s);
  if (run.truncate_s) text += phase(StorePhase::kTruncate, run.keys, *run.truncate_s);
  return text;
}

TEST(StoreBlock, IsThatOfThePublishedRunsByteForByte) {
  for (const Published& run : kPublished) EXPECT_EQ(block_of(run), run.text);
}

TEST(StoreBlock, NumbersAreThoseOfAStream) {
  EXPECT_EQ(store_block_phase(phase_of(StorePhase::kWrite, 1, 1, 0.0000123)),
            "  SEQUENTIAL WRITE\n    num_keys: 1\n    time: 1.23e-05s\n"
            "    payload: 9.31323e-10 GB\n    bandwidth: 0.0813008 MBps\n");
  EXPECT_EQ(store_block_phase(phase_of(StorePhase::kWrite, 1, uint64_t{1} << 60, 1'234'567)),
            "  SEQUENTIAL WRITE\n    num_keys: 1\n    time: 1.23457e+06s\n"
            "    payload: 1.07374e+09 GB\n    bandwidth: 933867 MBps\n");
}

TEST(StoreBlock, NoTimeIsNoSpeed) {
  for (const StorePhase phase :
       {StorePhase::kWrite, StorePhase::kRead, StorePhase::kDelete, StorePhase::kTruncate}) {
    const std::string text = store_block_phase(phase_of(phase, 5, 5, 0));
    EXPECT_TRUE(text.ends_with(": 0 MBps\n") || text.ends_with(": 0 Keys/s\n")) << text;
  }
}

TEST(StoreBlock, ATruncateThatFailedMovedNothing) {
  auto phase = phase_of(StorePhase::kTruncate, 0, uint64_t{1} << 30, 2);
  phase.complete = false;
  EXPECT_EQ(store_block_phase(phase),
            "  TRUNCATE TABLE\n    time: 2s\n    payload: 0GB\n    bandwidth: 0 MBps\n");
}

}  // namespace
}  // namespace cqlperf::report

#include "report/store_text.h"

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cqlperf::report {
namespace {

using measure::StorePhase;
using measure::StorePhaseResult;
using testing::HasSubstr;
using testing::Not;

StorePhaseResult write_phase() {
  StorePhaseResult phase;
  phase.phase = StorePhase::kWrite;
  phase.keys_expected = phase.keys = 16'384;
  phase.payload_bytes = uint64_t{1} << 30;
  phase.seconds = 2;
  measure::Summary requests;
  requests.process_cpu_ns = 500'000'000;
  requests.response.p50_ns = 400'000;
  requests.response.p99_ns = 1'200'000;
  requests.response.p99_9_ns = 37'000'000;
  requests.response.max_ns = 2'010'000'000;
  phase.requests = requests;
  return phase;
}

StorePhaseResult read_phase() {
  StorePhaseResult phase = write_phase();
  phase.phase = StorePhase::kRead;
  phase.seconds = 0.5;
  phase.verified = true;
  phase.ranges = 128;
  phase.pages = 1'152;
  phase.retried = 3;
  return phase;
}

StorePhaseResult truncate_phase() {
  StorePhaseResult phase;
  phase.phase = StorePhase::kTruncate;
  phase.keys_expected = 16'384;
  phase.payload_bytes = uint64_t{1} << 30;
  phase.seconds = 0.0123;
  return phase;
}

TEST(StoreTable, HasARowForEachPhase) {
  EXPECT_EQ("\n" + store_table({write_phase(), read_phase(), truncate_phase()}), R"(
           seconds  keys/s   MB/s     p50     p99   p99.9     max errors retried  pages cores us/key
  write      2.000    8192  536.9  400 us 1.20 ms 37.0 ms  2.01 s      0       0      -  0.25  30.52
  read       0.500   32768   2147  400 us 1.20 ms 37.0 ms  2.01 s      0       3   1152  1.00  30.52
  truncate 0.01230       -  87296       -       -       -       -      -       -      -     -      -

  read: 16,384 keys, every value compared: none missing, short, wrong or extra
  MB/s is 10^6 bytes of values per second. In the block GB is 2^30 bytes and MBps 10^6 bytes
  per second, as the figures of the program have it whose lines these are.
  Response times are those of requests, which are pages in a read. CPU is this program's own.
  A truncate moves no data: its MB/s is what was in the table by the time that it took.
)");
}

TEST(StoreTable, FitsInAHundredColumns) {
  std::istringstream lines(store_table({write_phase(), read_phase(), truncate_phase()}));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100) << line;
}

TEST(StoreTable, NothingDoneHasDashesNotNumbers) {
  StorePhaseResult phase;
  phase.requests = measure::Summary{};
  const std::string text = store_table({phase});
  EXPECT_THAT(text, HasSubstr("  write      0.000       -      -       -"));
  for (const char* wrong : {"nan", "inf"}) EXPECT_THAT(text, Not(HasSubstr(wrong)));
}

TEST(StoreTable, SaysWhenValuesWereNotCompared) {
  StorePhaseResult phase = read_phase();
  phase.verified = false;
  EXPECT_THAT(store_table({phase}), HasSubstr("values not compared"));
}

TEST(StoreTable, ARowThatIsWrongIsNeverCalledRight) {
  for (auto fault : {&measure::Verification::missing, &measure::Verification::short_row,
                     &measure::Verification::wrong, &measure::Verification::extra}) {
    StorePhaseResult phase = read_phase();
    (phase.verification.*fault).count = 1;
    EXPECT_THAT(store_table({phase}), Not(HasSubstr("none missing")));
  }
  StorePhaseResult incomplete = read_phase();
  incomplete.complete = false;
  EXPECT_THAT(store_table({incomplete}), Not(HasSubstr("none missing")));
}

TEST(StoreFindings, ThereAreNoneWhenAllIsRight) {
  for (const StorePhaseResult& phase : {write_phase(), read_phase(), truncate_phase()})
    EXPECT_EQ(store_findings(phase), "");
}

TEST(StoreFindings, FaultsAreCountedApartWithTheirFirstKeys) {
  StorePhaseResult phase = read_phase();
  phase.verification.missing = {.count = 7, .first_keys = {0, 4, 17, 23, 40}};
  phase.verification.short_row = {.count = 1, .first_keys = {9}};
  phase.verification.extra = {.count = 2'000, .first_keys = {-5}};
  EXPECT_EQ(store_findings(phase),
            "read: NOT RIGHT\n"
            "  rows that are not as they were written, with the first keys of each\n"
            "           7 missing: 0, 4, 17, 23, 40, ...\n"
            "           1 short: 9\n"
            "           0 wrong\n"
            "       2,000 extra: -5, ...\n");
}

TEST(StoreFindings, RangesThatWereNotReadAreNamedExactly) {
  StorePhaseResult phase = read_phase();
  phase.complete = false;
  phase.problem = "2 of 128 token ranges could not be read";
  phase.missing_ranges = {{INT64_MIN, -72057594037927936, "ReadTimeout: \x1b[31m2 of 3"},
                          {0, INT64_MAX, "connection lost"}};
  EXPECT_EQ(store_findings(phase),
            "read: NOT COMPLETE\n"
            "  2 of 128 token ranges could not be read\n"
            "  token ranges that were not read to their end, 2 of 128\n"
            "    (-9223372036854775808, -72057594037927936]: ReadTimeout: \\x1b[31m2 of 3\n"
            "    (0, 9223372036854775807]: connection lost\n");
}

TEST(StoreFindings, AnIncompletePhaseIsToldOfEvenWithoutAProblem) {
  StorePhaseResult phase = truncate_phase();
  phase.complete = false;
  EXPECT_EQ(store_findings(phase), "truncate: NOT COMPLETE\n  it was not completed\n");
}

TEST(StoreFindings, ErrorsOfAPhaseThatCameThroughAreTold) {
  StorePhaseResult phase = write_phase();
  phase.retried = 100;
  phase.requests->errors = 100;
  phase.requests->errors_by_kind = {{"WriteTimeout", 100, "Operation timed out"}};
  EXPECT_EQ(store_findings(phase),
            "write: complete, with errors on the way\n"
            "  errors by kind, with the first message of each\n"
            "         100 WriteTimeout: Operation timed out\n");
}

measure::StoreSuiteResult suite(uint64_t bytes, double truncate_s) {
  measure::StoreSuiteResult result;
  StorePhaseResult phase = truncate_phase();
  phase.keys_expected = bytes / 65'536;
  phase.payload_bytes = bytes;
  phase.seconds = truncate_s;
  result.phases = {write_phase(), phase};
  return result;
}

TEST(StoreSizesTable, HasTheRatiosToTheSmallestInOrder) {
  EXPECT_EQ(store_sizes_table({suite(uint64_t{1} << 30, 0.0123), suite(uint64_t{1} << 28, 0.01),
                               suite(uint64_t{1} << 32, 0.011)}),
            "truncate against size\n"
            "  in the table            keys     seconds        MBps  time to smallest's\n"
            "       256 MiB           4,096      0.0100       26844                1.00\n"
            "         1 GiB          16,384      0.0123       87296                1.23\n"
            "         4 GiB          65,536      0.0110      390452                1.10\n"
            "  the largest over the smallest: 16.00 times the data, 1.100 times the time\n");
}

TEST(StoreSizesTable, LeavesOutWhatWasNotTruncated) {
  auto failed = suite(uint64_t{1} << 32, 5);
  failed.phases[1].complete = false;
  EXPECT_EQ(store_sizes_table({suite(1 << 20, 1), failed}), "");
  EXPECT_EQ(store_sizes_table({}), "");
}

}  // namespace
}  // namespace cqlperf::report

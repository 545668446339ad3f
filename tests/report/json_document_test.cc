#include "report/json_document.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

namespace cqlperf::report {
namespace {

using nlohmann::ordered_json;

std::string read_file(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

class JsonFileTest : public testing::Test {
 protected:
  JsonFileTest() {
    directory_ =
        std::filesystem::temp_directory_path() / ("cqlperf_json_" + std::to_string(getpid()));
    std::filesystem::create_directories(directory_);
  }
  ~JsonFileTest() override { std::filesystem::remove_all(directory_); }

  std::filesystem::path directory_;
};

TEST_F(JsonFileTest, HoldsAValidDocumentFromTheStart) {
  const std::string path = directory_ / "result.json";
  auto file = JsonFile::open(path);
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(ordered_json::parse(read_file(path))["status"], "running");
}

TEST_F(JsonFileTest, WritesOneDocumentWithItsIntervals) {
  const std::string path = directory_ / "result.json";
  std::ofstream(path) << std::string(100'000, 'x');
  auto file = JsonFile::open(path);
  ASSERT_TRUE(file);
  measure::IntervalSpool spool;
  measure::IntervalRow row;
  for (int i = 0; i < 3; ++i) {
    row.start_s = i;
    row.done = 10;
    ASSERT_TRUE(spool.append(row));
  }
  ASSERT_TRUE(file->write({{"schema_version", kSchemaVersion}, {"text", "bad \xff byte"}}, &spool));
  const auto document = ordered_json::parse(read_file(path));
  EXPECT_EQ(document["schema_version"], 1);
  ASSERT_EQ(document["intervals"].size(), 3);
  EXPECT_EQ(document["intervals"][2]["start_s"], 2.0);
  EXPECT_TRUE(document["intervals"][2]["response_time_us"]["p99"].is_null());
}

TEST_F(JsonFileTest, FindsAnUnwritablePathAndAFullDiskBeforeTheRun) {
  const auto no_directory = JsonFile::open(directory_ / "none" / "result.json");
  ASSERT_FALSE(no_directory);
  EXPECT_NE(no_directory.error().message.find("No such file or directory"), std::string::npos);
  const auto full = JsonFile::open("/dev/full");
  ASSERT_FALSE(full);
  EXPECT_NE(full.error().message.find("No space left on device"), std::string::npos);
}

TEST(SummaryJson, NothingDoneGivesNullsNotNumbers) {
  const auto json = summary_json(measure::Summary{});
  for (const char* field : {"mean", "p50", "p99", "p99_9", "max"}) {
    EXPECT_TRUE(json["response_time_us"][field].is_null()) << field;
    EXPECT_TRUE(json["service_time_us"][field].is_null()) << field;
  }
  EXPECT_TRUE(json["client_cpu_us_per_operation"].is_null());
  EXPECT_TRUE(json["asked_rate"].is_null());
  EXPECT_EQ(json["operations"], 0);
  EXPECT_EQ(json.dump().find(":nan"), std::string::npos);
}

TEST(SummaryJson, PercentilesThatAreNearEachOtherHaveNamesOfTheirOwn) {
  measure::Summary summary;
  summary.response.extra = {{99.99, 1'000}, {99.991, 2'000}, {99.9999, 37'123}};
  const auto json = summary_json(summary)["response_time_us"];
  EXPECT_EQ(json["p99_99"], 1.0);
  EXPECT_EQ(json["p99_991"], 2.0);
  EXPECT_EQ(json["p99_9999"], 37.123);
}

TEST(SummaryJson, CountsAbove32BitsAreWhole) {
  measure::Summary summary;
  summary.operations = 4'294'967'297;
  EXPECT_EQ(summary_json(summary).dump().find("4294967297") == std::string::npos, false);
}

}  // namespace
}  // namespace cqlperf::report

#include <gtest/gtest.h>

#include "bench/connection_settings.h"
#include "bench/run.h"

namespace cqlperf::bench {
namespace {

TEST(CheckWorkload, TakesTheDefaultsOfEveryWorkload) {
  for (const char* name : {"insert", "read", "mixed"}) {
    RunConfig config;
    config.workload = name;
    config.count = 1;
    const auto status = check_workload(config);
    EXPECT_TRUE(status) << (status ? "" : status.error().message);
  }
}

TEST(CheckWorkload, RefusesWhatNoRunCanDo) {
  const std::pair<void (*)(RunConfig&), const char*> rows[] = {
      {[](RunConfig& config) { config.workload = "walk"; }, "insert, read or mixed"},
      {[](RunConfig& config) { config.keyspace = ""; }, "keyspace"},
      {[](RunConfig& config) { config.table = std::string(300, 't'); }, "table"},
      {[](RunConfig& config) { config.replication = "{'class'"; }, "replication"},
      {[](RunConfig& config) { config.workload = "mixed", config.mix = "insert"; }, "mix"},
  };
  for (const auto& [spoil, message] : rows) {
    RunConfig config;
    config.count = 1;
    spoil(config);
    const auto status = check_workload(config);
    ASSERT_FALSE(status) << message;
    EXPECT_EQ(status.error().code, core::ErrorCode::kUsage);
    EXPECT_NE(status.error().message.find(message), std::string::npos) << status.error().message;
  }
}

// The seed's arithmetic: runs times rate, each operation due within its second.
TEST(CheckWorkload, RunsBeyondAYearAreTaken) {
  RunConfig config;
  config.runs = 2'147'483'647;
  EXPECT_TRUE(check_workload(config));
  config.rate_limit = 1'000'000;
  EXPECT_FALSE(check_workload(config)) << "2*10^15 operations";
}

TEST(ConnectionSettings, CarryTheLoginOnlyWhenThereIsOne) {
  RunConfig config;
  EXPECT_FALSE(connection_options(config).credentials);
  config.user = "u";
  config.password = "p";
  ASSERT_TRUE(connection_options(config).credentials);
  EXPECT_EQ(connection_options(config).credentials->password, "p");
}

TEST(ConnectionSettings, ContactPointsKeepHostAndPort) {
  RunConfig config;
  config.servers = {"[::1]:9043", "db.example:9042"};
  const auto points = contact_points(config);
  ASSERT_TRUE(points);
  EXPECT_EQ((*points)[0], (net::Endpoint{"::1", 9043}));
  EXPECT_EQ((*points)[1], (net::Endpoint{"db.example", 9042}));
}

}  // namespace
}  // namespace cqlperf::bench

#include "cli/app.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace cqlperf::cli {
namespace {

struct Finished {
  int code;
  std::string out;
  std::string err;
};

Finished call(std::vector<std::string> words) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const int code = run_program(static_cast<int>(words.size()), arguments.data());
  const std::string out = testing::internal::GetCapturedStdout();
  return {code, out, testing::internal::GetCapturedStderr()};
}

TEST(App, IsTheToolThatItIsCalledBy) {
  const std::string unknown = "--db_sise=5";
  const Finished store = call({"/usr/bin/cassandra_store_stress", unknown});
  EXPECT_EQ(store.code, 2);
  EXPECT_EQ(store.out, "");
  EXPECT_NE(store.err.find("did you mean --db_size?\nSee: cassandra_store_stress --help"),
            std::string::npos)
      << store.err;
  const Finished cql = call({"./cql_stress", unknown});
  EXPECT_NE(cql.err.find("flag provided but not defined: -db_sise"), std::string::npos) << cql.err;
  const Finished own = call({"cqlperf", "store", unknown});
  EXPECT_NE(own.err.find("See: cqlperf store --help"), std::string::npos) << own.err;
}

TEST(App, HelpIsThatOfTheTool) {
  const Finished store = call({"cassandra_store_stress", "--help"});
  EXPECT_EQ(store.code, 0);
  EXPECT_NE(store.out.find("Usage: cassandra_store_stress [OPTIONS]"), std::string::npos);
  EXPECT_EQ(call({"cqlperf", "store", "--help"}).out.find("Usage: cassandra_store_stress"),
            std::string::npos);
}

TEST(App, AWrongCommandLineOfTheStoreHasADocumentToo) {
  const Finished store = call({"cqlperf", "store", "--batch-size", "0", "--json", "-"});
  EXPECT_EQ(store.code, 2);
  EXPECT_NE(store.out.find("\"exit_code\":2"), std::string::npos) << store.out;
  EXPECT_NE(store.out.find("\"suites\":null}\n"), std::string::npos) << store.out;
}

}  // namespace
}  // namespace cqlperf::cli

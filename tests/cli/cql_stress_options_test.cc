#include "cli/cql_stress_options.h"

#include <gtest/gtest.h>

namespace cqlperf::cli {
namespace {

TEST(CqlStress, HasTheDefaultsOfTheOriginal) {
  const auto command = parse_cql_stress({});
  ASSERT_TRUE(command);
  EXPECT_FALSE(command->help);
  EXPECT_EQ(command->config.parallelism, 1);
  EXPECT_EQ(command->config.rate_limit, 1);
  EXPECT_EQ(command->config.runs, 1);
  EXPECT_FALSE(command->config.save);
  EXPECT_FALSE(command->config.serial);
  EXPECT_EQ(command->config.servers, std::vector<std::string>{"localhost:9042"});
  EXPECT_TRUE(command->config.run_lines);
}

TEST(CqlStress, TakesOneOrTwoDashesAndValuesEitherWay) {
  for (const auto& arguments : std::vector<std::vector<std::string>>{
           {"-parallelism", "100", "-rate-limit", "5000", "-runs", "5", "-serial", "-save",
            "-server", "192.168.1.10:9042"},
           {"--parallelism=100", "--rate-limit=5000", "--runs=5", "--serial=true", "--save=1",
            "--server=192.168.1.10"}}) {
    const auto command = parse_cql_stress(arguments);
    ASSERT_TRUE(command) << command.error().message;
    EXPECT_EQ(command->config.parallelism, 100);
    EXPECT_EQ(command->config.rate_limit, 5000);
    EXPECT_EQ(command->config.runs, 5);
    EXPECT_TRUE(command->config.serial);
    EXPECT_TRUE(command->config.save);
    EXPECT_EQ(command->config.servers, std::vector<std::string>{"192.168.1.10:9042"});
  }
  EXPECT_FALSE(parse_cql_stress({"-save=false"})->config.save);
}

TEST(CqlStress, RefusesInTheWordsOfTheOriginal) {
  const std::pair<std::vector<std::string>, const char*> rows[] = {
      {{"-frob"}, "flag provided but not defined: -frob"},
      {{"-runs"}, "flag needs an argument: -runs"},
      {{"-runs", "x"}, "invalid value \"x\" for flag -runs: parse error"},
      {{"-runs", "0"}, "it must be from 1 to 2147483647"},
      {{"-runs", "-1"}, "it must be from 1"},
      {{"-parallelism", "0"}, "it must be from 1"},
      {{"-rate-limit", "-1"}, "it must be from 0"},
      {{"-rate-limit", "99999999999999999999"}, "value out of range"},
      {{"-rate-limit", "1e999"}, "parse error"},
      {{"-save=maybe"}, "it must be true or false"},
      {{"-server", "host:x"}, "flag -server"},
      {{"server"}, "bad flag syntax: server"},
      {{"---save"}, "bad flag syntax: ---save"},
  };
  for (const auto& [arguments, message] : rows) {
    const auto command = parse_cql_stress(arguments);
    ASSERT_FALSE(command) << arguments[0];
    EXPECT_NE(command.error().message.find(message), std::string::npos) << command.error().message;
  }
}

TEST(CqlStress, AServerOfItsOwnExcludesAnother) {
  const auto command = parse_cql_stress({"-embedded", "-parallelism", "10"});
  ASSERT_TRUE(command) << command.error().message;
  EXPECT_TRUE(command->embedded.enabled);
  EXPECT_FALSE(parse_cql_stress({"-parallelism", "10"})->embedded.enabled);
  EXPECT_FALSE(parse_cql_stress({"-embedded", "-server", "192.168.1.10:9042"}));
}

TEST(CqlStress, HelpHasTheFormOfTheOriginal) {
  ASSERT_TRUE(parse_cql_stress({"-h"}));
  EXPECT_TRUE(parse_cql_stress({"-h"})->help);
  EXPECT_TRUE(parse_cql_stress({"--help"})->help);
  EXPECT_EQ(cql_stress_usage("./cql_stress"),
            "Usage of ./cql_stress:\n"
            "  -embedded\n"
            "    \tStart a server for this run, instead of -server\n"
            "  -parallelism int\n"
            "    \tNumber of parallel workers (default 1)\n"
            "  -rate-limit int\n"
            "    \tNumber of requests per second (default 1)\n"
            "  -runs int\n"
            "    \tNumber of consecutive runs (default 1)\n"
            "  -save\n"
            "    \tPreserve test data\n"
            "  -serial\n"
            "    \tUse serial values instead of random generated\n"
            "  -server string\n"
            "    \tScyllaDB IP:port (default \"localhost:9042\")\n");
}

}  // namespace
}  // namespace cqlperf::cli

#include "cli/command_line.h"

#include <gtest/gtest.h>

#include "cli/run_options.h"
#include "command_rows.h"

namespace cqlperf::cli {
namespace {

TEST(CommandLine, TakesTheGoodOnes) {
  const auto rows = read_command_rows("good_command_lines.txt");
  ASSERT_GT(rows.size(), 10);
  for (const CommandRow& row : rows) {
    const auto command = parse_command_line(row.arguments);
    ASSERT_TRUE(command) << row.line << "\n" << command.error().message;
    ASSERT_TRUE(command->run) << row.line;
    expect_members(row, run_config_json(*command->run));
  }
}

TEST(CommandLine, RefusesTheBadOnesAndSaysWhy) {
  const auto rows = read_command_rows("bad_command_lines.txt");
  ASSERT_GT(rows.size(), 30);
  expect_all_refused(rows);
}

TEST(CommandLine, HelpExplainsEveryFlagWithAnExample) {
  const auto help = parse_command_line({"run", "--help"});
  ASSERT_TRUE(help);
  EXPECT_FALSE(help->run);
  for (const char* text :
       {"--rate-limit", "--parallelism", "--runs",        "--duration",    "--count",    "--warmup",
        "--threads",    "--late",        "--pacing-tick", "--busy-poll",   "--serial",   "--keys",
        "--mix",        "--keyspace",    "--replication", "--consistency", "--save",     "--server",
        "--user",       "--json",        "--hdr-log",     "Examples:",     "Exit codes:"})
    EXPECT_NE(help->text.find(text), std::string::npos) << text;
}

TEST(CommandLine, VersionIsPrinted) {
  const auto version = parse_command_line({"--version"});
  ASSERT_TRUE(version);
  EXPECT_TRUE(version->text.starts_with("cqlperf 0.")) << version->text;
}

TEST(CommandLine, PasswordIsNeverInTheConfigDocument) {
  const auto command = parse_command_line({"run", "--user", "u", "--password", "s3cret"});
  ASSERT_TRUE(command);
  EXPECT_EQ(command->run->password, "s3cret");
  EXPECT_EQ(run_config_json(*command->run).dump().find("s3cret"), std::string::npos);
}

}  // namespace
}  // namespace cqlperf::cli

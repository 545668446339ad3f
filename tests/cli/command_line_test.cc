#include "cli/command_line.h"

#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "cli/run_options.h"

namespace cqlperf::cli {
namespace {

struct Row {
  std::string line;
  std::vector<std::string> arguments;
  std::string expected;
};

// The rows of a file in this folder: `arguments => expected`; blanks separate arguments.
std::vector<Row> read_rows(const std::string& name) {
  std::ifstream file(std::string(CQLPERF_SOURCE_DIR) + "/tests/cli/" + name);
  std::vector<Row> rows;
  for (std::string line; std::getline(file, line);) {
    const size_t arrow = line.find("=> ");
    if (line.starts_with('#') || arrow == std::string::npos) continue;
    std::istringstream words(line.substr(0, arrow));
    Row row{line, {}, line.substr(arrow + 3)};
    for (std::string word; words >> word;) row.arguments.push_back(word);
    rows.push_back(std::move(row));
  }
  return rows;
}

TEST(CommandLine, TakesTheGoodOnes) {
  const auto rows = read_rows("good_command_lines.txt");
  ASSERT_GT(rows.size(), 10);
  for (const Row& row : rows) {
    const auto command = parse_command_line(row.arguments);
    ASSERT_TRUE(command) << row.line << "\n" << command.error().message;
    ASSERT_TRUE(command->run) << row.line;
    const auto config = run_config_json(*command->run);
    std::istringstream members(row.expected);
    for (std::string member; members >> member;) {
      const std::string key = member.substr(0, member.find('='));
      ASSERT_TRUE(config.contains(key)) << key;
      EXPECT_EQ(config[key].dump(), member.substr(key.size() + 1)) << row.line;
    }
  }
}

TEST(CommandLine, RefusesTheBadOnesAndSaysWhy) {
  const auto rows = read_rows("bad_command_lines.txt");
  ASSERT_GT(rows.size(), 30);
  for (const Row& row : rows) {
    const auto command = parse_command_line(row.arguments);
    ASSERT_FALSE(command) << row.line;
    EXPECT_EQ(command.error().code, core::ErrorCode::kUsage) << row.line;
    EXPECT_NE(command.error().message.find(row.expected), std::string::npos)
        << row.line << "\nsays: " << command.error().message;
  }
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

#pragma once

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/command_line.h"

namespace cqlperf::cli {

inline std::vector<std::string> split_words(const std::string& text) {
  std::istringstream words(text);
  std::vector<std::string> arguments;
  for (std::string word; words >> word;) arguments.push_back(word);
  return arguments;
}

struct CommandRow {
  std::string line;
  std::vector<std::string> arguments;
  std::string expected;
};

// The rows of a file in this folder: `arguments => expected`; blanks separate arguments.
inline std::vector<CommandRow> read_command_rows(const std::string& name) {
  std::ifstream file(std::string(CQLPERF_SOURCE_DIR) + "/tests/cli/" + name);
  std::vector<CommandRow> rows;
  for (std::string line; std::getline(file, line);) {
    const size_t arrow = line.find("=> ");
    if (line.starts_with('#') || arrow == std::string::npos) continue;
    rows.push_back({line, split_words(line.substr(0, arrow)), line.substr(arrow + 3)});
  }
  return rows;
}

// Each row is refused as a usage error that says what the row says.
inline void expect_all_refused(const std::vector<CommandRow>& rows) {
  for (const CommandRow& row : rows) {
    const auto command = parse_command_line(row.arguments);
    ASSERT_FALSE(command) << row.line;
    EXPECT_EQ(command.error().code, core::ErrorCode::kUsage) << row.line;
    EXPECT_NE(command.error().message.find(row.expected), std::string::npos)
        << row.line << "\nsays: " << command.error().message;
  }
}

// `config` has the members that the row names, as `name=value` in JSON.
inline void expect_members(const CommandRow& row, const nlohmann::ordered_json& config) {
  for (const std::string& member : split_words(row.expected)) {
    const std::string key = member.substr(0, member.find('='));
    ASSERT_TRUE(config.contains(key)) << key;
    EXPECT_EQ(config[key].dump(), member.substr(key.size() + 1)) << row.line;
  }
}

}  // namespace cqlperf::cli

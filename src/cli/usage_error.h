#pragma once

#include <string>

#include <CLI/CLI.hpp>

namespace cqlperf::cli {

// What to tell a user whose command line CLI11 refused: which flag, what is wrong, what would be
// right; for an unknown flag the known one that is spelt most like it.
std::string explain_parse_error(const CLI::App& app, const CLI::ParseError& error,
                                const std::vector<std::string>& arguments);

}  // namespace cqlperf::cli

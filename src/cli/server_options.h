#pragma once

#include <cstdint>
#include <string>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "bench/server_config.h"
#include "core/clock.h"
#include "core/result.h"

namespace cqlperf::cli {

// Limits of flags that several commands have.
inline constexpr int64_t kLongestTimeNs = 365 * 86'400 * core::kNanosPerSecond;
inline constexpr int64_t kWorkersMax = 256;
inline constexpr int64_t kParallelismMax = 1'000'000;

// The flags of every command that loads a server: which one, and how to talk to it. Parsing fills
// `config`, which must live as long as `command`; so with the functions below.
void add_server_options(CLI::App& command, bench::ServerConfig& config);

// The flags of the keyspace and the table that a command works in; the defaults are what `table`
// holds.
void add_table_options(CLI::App& command, bench::ServerConfig& config, bench::OwnTable& table);

// --save, for commands that may leave what they made.
void add_save_option(CLI::App& command, bench::OwnTable& table);

// Where a command writes what, beside standard output.
struct OutputSettings {
  int64_t& interval_ns;
  std::string& json_path;
  std::string& hdr_log_path;
};
void add_output_options(CLI::App& command, OutputSettings settings);

// CQLPERF_PASSWORD stands in for --password when there is a user, so that it is not in the list of
// processes.
void take_password_from_environment(bench::ServerConfig& config);

// Check what no flag can check alone. Nothing is opened.
core::Status validate_server(const bench::ServerConfig& config);
core::Status validate_outputs(const std::string& json_path, const std::string& hdr_log_path);

// Add the settings to a result's `config`, without the password.
void add_server_json(nlohmann::ordered_json& json, const bench::ServerConfig& config);
void add_table_json(nlohmann::ordered_json& json, const bench::OwnTable& table);

}  // namespace cqlperf::cli

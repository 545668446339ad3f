#include "cli/server_options.h"

#include <cstdlib>
#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "bench/connection_settings.h"
#include "cli/flag.h"
#include "core/units.h"

namespace cqlperf::cli {
namespace {

using core::ErrorCode;
using core::fail;
using core::Result;
using core::Status;

constexpr int64_t kConnectionsMax = 1024;
constexpr int64_t kShortestIntervalNs = 10 * core::kNanosPerMilli;

Result<protocol::Compression> parse_compression(std::string_view text) {
  if (const auto compression = protocol::parse_compression(text)) return *compression;
  return fail(ErrorCode::kUsage,
              fmt::format("'{}' is no compression: write none, lz4 or snappy", text));
}

}  // namespace

void add_server_options(CLI::App& command, bench::ServerConfig& config) {
  const auto add = [&command](auto... arguments) {
    add_value(command, arguments...)->group("Server");
  };
  auto given = std::make_shared<bool>(false);
  const auto add_servers = [&config, given](const std::vector<std::string>& servers) {
    if (!std::exchange(*given, true)) config.servers.clear();
    config.servers.insert(config.servers.end(), servers.begin(), servers.end());
  };
  add_repeated(command, "--server", "HOST[:PORT]",
               "Contact points: host, host:port, [v6]:port, comma lists; may be repeated (default "
               "localhost:9042)",
               bench::parse_servers, add_servers)
      ->group("Server");
  add("--user", "NAME", "", any_text, [&](std::string name) { config.user = std::move(name); });
  add("--password", "TEXT", "Better given in the environment, as CQLPERF_PASSWORD", any_text,
      [&](std::string text) { config.password = std::move(text); });
  add("--connections", "N",
      "Per worker thread and node (default 1; more when the window needs them)",
      within(core::parse_count, 1, kConnectionsMax), [&](int64_t n) { config.connections = n; });
  add("--protocol", "3|4|5",
      "Highest native protocol version to offer (default 4, which costs the least CPU)",
      within(core::parse_count, 3, 5), [&](int64_t n) { config.protocol_max = n; });
  add("--compression", "none|lz4|snappy", "Of what is sent, both ways (default none)",
      parse_compression, [&](protocol::Compression way) { config.compression = way; });
  add("--connect-timeout", "TIME", "(default 5s)",
      within(core::parse_duration_ns, 1, kLongestTimeNs),
      [&](int64_t ns) { config.connect_timeout_ns = ns; });
  add("--request-timeout", "TIME", "(default 10s)",
      within(core::parse_duration_ns, 1, kLongestTimeNs),
      [&](int64_t ns) { config.request_timeout_ns = ns; });
  add("--schema-timeout", "TIME", "For schema changes and agreement on them (default 60s)",
      within(core::parse_duration_ns, 1, kLongestTimeNs),
      [&](int64_t ns) { config.schema_timeout_ns = ns; });
}

void add_table_options(CLI::App& command, bench::ServerConfig& config, bench::OwnTable& table) {
  const auto add = [&command](auto... arguments) {
    add_value(command, arguments...)->group("Data");
  };
  add("--keyspace", "NAME", fmt::format("(default {})", table.keyspace), any_text,
      [&](std::string name) { table.keyspace = std::move(name); });
  add("--table", "NAME", fmt::format("(default {})", table.table), any_text,
      [&](std::string name) { table.table = std::move(name); });
  add("--replication", "N|MAP", "Factor for SimpleStrategy, or a CQL map (default 1)", any_text,
      [&](std::string map) { table.replication = std::move(map); });
  add("--consistency", "LEVEL",
      fmt::format("(default {})", protocol::consistency_name(config.consistency)),
      protocol::parse_consistency,
      [&](protocol::Consistency level) { config.consistency = level; });
  command
      .add_flag("--fresh", table.fresh,
                "Drop the keyspace first, when an earlier run left it or it has no tables; in an "
                "existing "
                "keyspace only our table")
      ->group("Data");
  command
      .add_flag(
          "--existing-keyspace", table.existing_keyspace,
          "Use a keyspace that cqlperf did not make; only our table in it is made and dropped")
      ->group("Data");
}

void add_save_option(CLI::App& command, bench::OwnTable& table) {
  command
      .add_flag("--save", table.save,
                "Keep keyspace and data; else what this command made is dropped")
      ->group("Data");
}

void add_output_options(CLI::App& command, OutputSettings settings) {
  const auto add = [&command](auto... arguments) {
    add_value(command, arguments...)->group("Output");
  };
  add("--interval", "TIME", "Time between two lines of progress (default 1s)",
      within(core::parse_duration_ns, kShortestIntervalNs, kLongestTimeNs),
      [settings](int64_t ns) { settings.interval_ns = ns; });
  add("--json", "FILE", "Write the whole result as one JSON document; - is standard output",
      path_text, [settings](std::string path) { settings.json_path = std::move(path); });
  add("--hdr-log", "FILE", "Write an HdrHistogram V2 interval log", path_text,
      [settings](std::string path) { settings.hdr_log_path = std::move(path); });
}

void take_password_from_environment(bench::ServerConfig& config) {
  const char* password = std::getenv("CQLPERF_PASSWORD");
  if (config.password.empty() && password != nullptr && !config.user.empty())
    config.password = password;
}

Status validate_server(const bench::ServerConfig& config) {
  if (!protocol::is_available(config.compression,
                              static_cast<protocol::Version>(config.protocol_max)))
    return fail(ErrorCode::kUsage,
                "--protocol 5 has no --compression snappy: give lz4, or --protocol 4");
  if (config.user.empty() && !config.password.empty())
    return fail(ErrorCode::kUsage, "--password is of use only with --user");
  return {};
}

Status validate_outputs(const std::string& json_path, const std::string& hdr_log_path) {
  if (hdr_log_path == "-")
    return fail(ErrorCode::kUsage, "--hdr-log takes the path of a file, not standard output");
  if (!hdr_log_path.empty() && hdr_log_path == json_path)
    return fail(ErrorCode::kUsage, "--json and --hdr-log name the same file: write to two");
  return {};
}

void add_server_json(nlohmann::ordered_json& json, const bench::ServerConfig& config) {
  const auto seconds = [](int64_t ns) { return static_cast<double>(ns) / core::kNanosPerSecond; };
  json["server"] = config.servers;
  json["user"] = config.user;
  json["protocol"] = config.protocol_max;
  json["compression"] = protocol::compression_name(config.compression);
  json["connections"] = config.connections;
  json["consistency"] = protocol::consistency_name(config.consistency);
  json["connect_timeout_s"] = seconds(config.connect_timeout_ns);
  json["request_timeout_s"] = seconds(config.request_timeout_ns);
  json["schema_timeout_s"] = seconds(config.schema_timeout_ns);
}

void add_table_json(nlohmann::ordered_json& json, const bench::OwnTable& table) {
  json["keyspace"] = table.keyspace;
  json["table"] = table.table;
  json["replication"] = table.replication;
  json["save"] = table.save;
  json["fresh"] = table.fresh;
  json["existing_keyspace"] = table.existing_keyspace;
}

}  // namespace cqlperf::cli

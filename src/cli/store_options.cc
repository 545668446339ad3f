#include "cli/store_options.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "bench/store.h"
#include "cli/flag.h"
#include "cli/server_options.h"
#include "core/units.h"

namespace cqlperf::cli {

using bench::StoreConfig;
using core::ErrorCode;
using core::fail;
using core::Result;
using core::Status;
using measure::StorePhase;

const char* const kStoreFooter = R"(Examples:
  cqlperf store --embedded                               1 GiB in values of 64 KiB, with a server
                                                         of its own
  cqlperf store --db-size 30GiB --batch-size 30KiB --phases write,read,delete
  cqlperf store --sizes 256MiB,1GiB,4GiB --phases write,truncate     truncate against size
  cqlperf store --page-rows 500 --parallelism 1          reads as one cursor of 500 rows a page
  cqlperf store --save; cqlperf store --phases read      writes; reads it another time, same sizes

Units: 64KiB, 1GiB, 100MB (10^6); 10s, 200ms; 100k, 2.5M. A plain number is bytes, seconds or a
count. In the block that is printed GB is 2^30 bytes and MBps is 10^6 bytes per second, as in the
figures of cassandra_store_stress; in the table MB/s is 10^6 bytes of values per second.
A database of --db-size has --db-size / --batch-size keys, rounded down. What goes wrong is told
after the block: rows that are missing, short, wrong or extra, token ranges that could not be read.
Exit codes: 0 done, and all was right; 1 done, but something was missing, wrong or left undone;
2 usage; 3 could not connect or set up; 130 interrupted.)";

const char* const kStoreStressFooter = R"(Examples:
  cassandra_store_stress --db_size=32212254720 --batch_size=30720
  cassandra_store_stress --db_size=1073741824 --embedded

The flags are those of `cqlperf store`. Only the block is printed on standard output, and what it
cannot show on standard error. GB is 2^30 bytes and MBps is 10^6 bytes per second.
Exit codes: 0 done, and all was right; 1 done, but something was missing, wrong or left undone;
2 usage; 3 could not connect or set up; 130 interrupted.)";

namespace {

constexpr size_t kSizesMax = 64;
constexpr size_t kPhasesMax = 64;
constexpr int64_t kPageRowsMax = std::numeric_limits<int32_t>::max();
constexpr int64_t kPageBytesMin = 1 << 10;
constexpr int64_t kPageBytesMax = 64 << 20;

constexpr std::array kPhases = {StorePhase::kWrite, StorePhase::kRead, StorePhase::kDelete,
                                StorePhase::kTruncate};

std::unexpected<core::Error> usage(std::string message) {
  return fail(ErrorCode::kUsage, std::move(message));
}

Result<uint64_t> parse_db_size(std::string_view text) {
  const auto bytes = core::parse_byte_size(text);
  if (!bytes) return std::unexpected(bytes.error());
  if (*bytes == 0)
    return usage("0 is no size: a database has one value at least; write for example 1GiB");
  return static_cast<uint64_t>(*bytes);
}

Result<uint64_t> parse_batch_size(std::string_view text) {
  const auto bytes = core::parse_byte_size(text);
  if (!bytes) return std::unexpected(bytes.error());
  if (*bytes == 0)
    return usage("0 is no size: a value has 1 byte at least; write for example 64KiB");
  if (static_cast<uint64_t>(*bytes) > bench::kStoreValueBytesMax)
    return usage(fmt::format(
        "{} is over 64MiB: a frame of the native protocol holds 256 MiB at the most, and several "
        "values are in memory at a time; write 64MiB or less",
        text));
  return static_cast<uint64_t>(*bytes);
}

Result<StorePhase> parse_phase(std::string_view text) {
  const auto found = std::ranges::find(kPhases, text, measure::store_phase_name);
  if (found != kPhases.end()) return *found;
  if (text.empty()) return usage("a phase is missing: write for example write,read,truncate");
  return usage(
      fmt::format("'{}' is no phase: write a list of write, read, delete and truncate", text));
}

Result<double> parse_share(std::string_view text) {
  double value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  if (error != std::errc() || end != text.data() + text.size() || !(value >= 0 && value <= 1))
    return usage(
        fmt::format("'{}' is not a share: write a number from 0 to 1, for example 0.5", text));
  return value;
}

Result<std::string> parse_table_options(std::string_view text) {
  if (text.empty())
    return usage("the options are empty: write for example \"compression = {'enabled': false}\"");
  return std::string(text);
}

void add_data_options(CLI::App& app, StoreConfig& config) {
  const auto add = [&app](auto... arguments) { add_value(app, arguments...)->group("Data"); };
  add("--db-size,--db_size", "SIZE", "Of all values together (default 1GiB)", parse_db_size,
      [&](uint64_t bytes) { config.db_sizes = {bytes}; });
  add("--batch-size,--batch_size,--value-size", "SIZE",
      "Of each value, up to 64MiB (default 64KiB)", parse_batch_size,
      [&](uint64_t bytes) { config.value_bytes = bytes; });
  add("--sizes", "LIST",
      "Database sizes instead of --db-size: the suite for each, and truncate against size",
      comma_list(parse_db_size, kSizesMax),
      [&](std::vector<uint64_t> sizes) { config.db_sizes = std::move(sizes); });
  add("--compressible", "SHARE", "Part of each value that compresses away, 0 to 1 (default 0)",
      parse_share, [&](double share) { config.compressible = share; });
  add("--table-options", "CQL", "After WITH: compression = {'enabled': false} AND ...",
      parse_table_options, [&](std::string options) { config.table_options = std::move(options); });
  add("--seed", "N", "Of the values: the same seed, the same data (default 1)", core::parse_count,
      [&](int64_t seed) { config.seed = static_cast<uint64_t>(seed); });
}

void add_load_options(CLI::App& app, StoreConfig& config) {
  const auto add = [&app](auto... arguments) { add_value(app, arguments...)->group("Load"); };
  add("--phases", "LIST",
      "Of write, read, delete, truncate, in any order (default write,read,truncate)",
      comma_list(parse_phase, kPhasesMax),
      [&](std::vector<StorePhase> phases) { config.phases = std::move(phases); });
  add("--parallelism", "N",
      "Requests in flight, in all threads together (default: chosen by phase and value size)",
      within(core::parse_count, 1, kParallelismMax),
      [&](int64_t n) { config.parallelism = static_cast<uint32_t>(n); });
  add("--threads", "N", "Worker threads (default 1)", within(core::parse_count, 1, kWorkersMax),
      [&](int64_t n) { config.threads = static_cast<uint32_t>(n); });
  add("--rate-limit,--rate", "RATE",
      "Requests per second in all; 0: as fast as it goes (default 0)", core::parse_rate,
      [&](double rate) { config.rate_limit = rate; });
  add("--stall-timeout", "TIME", "A phase ends when nothing was answered so long (default 60s)",
      within(core::parse_duration_ns, 1, kLongestTimeNs),
      [&](int64_t ns) { config.stall_timeout_ns = ns; });
}

void add_read_options(CLI::App& app, StoreConfig& config) {
  const auto add = [&app](auto... arguments) { add_value(app, arguments...)->group("Read"); };
  add("--page-bytes", "SIZE", "What a page aims at, whatever the values' size (default 1MiB)",
      within(core::parse_byte_size, kPageBytesMin, kPageBytesMax),
      [&](int64_t bytes) { config.page_bytes = static_cast<uint64_t>(bytes); });
  add("--page-rows", "N", "So many rows a page instead", within(core::parse_count, 1, kPageRowsMax),
      [&](int64_t n) { config.page_rows = static_cast<uint32_t>(n); });
  CLI::Option* verify = app.add_flag_callback(
                               "--verify", [&] { config.verify = true; },
                               "Compare every value that is read with what was written (default)")
                            ->group("Read");
  app.add_flag_callback(
         "--no-verify", [&] { config.verify = false; }, "Only count the keys that are read")
      ->excludes(verify)
      ->group("Read");
}

void add_store_server_options(CLI::App& app, StoreConfig& config) {
  add_server_options(app, config);
  const auto add = [&app](auto... arguments) { add_value(app, arguments...)->group("Server"); };
  add("--truncate-timeout", "TIME", "For TRUNCATE and DROP, which are sent once (default 10m)",
      within(core::parse_duration_ns, 1, kLongestTimeNs),
      [&](int64_t ns) { config.truncate_timeout_ns = ns; });
  add("--data-directory", "DIR",
      "Where a server on this machine keeps its data: is there enough room?", path_text,
      [&](std::string path) { config.data_directory = std::move(path); });
  app.add_flag_callback(
         "--no-disk-check", [&] { config.disk_check = false; }, "Write even where it may not fit")
      ->group("Server");
}

Status validate_embedded_store(const CLI::App& command, const StoreConfig& config,
                               const EmbeddedOptions& embedded) {
  if (auto valid = validate_embedded(embedded, is_given(command, "--server")); !valid) return valid;
  if (embedded.enabled && !config.data_directory.empty())
    return usage(
        "--embedded keeps its data in a temporary directory, which is looked at anyway: "
        "leave out --data-directory, or set TMPDIR");
  const bool reads = std::ranges::count(config.phases, StorePhase::kRead) > 0;
  if (!reads) return {};
  return refuse_null_storage(embedded, "the phase read", "use --phases write,truncate");
}

}  // namespace

void add_store_options(CLI::App& command, StoreConfig& config, EmbeddedOptions& embedded) {
  add_data_options(command, config);
  add_table_options(command, config, config);
  add_save_option(command, config);
  add_load_options(command, config);
  add_read_options(command, config);
  add_store_server_options(command, config);
  add_embedded_options(command, embedded);
  add_output_options(command, {config.interval_ns, config.json_path, config.hdr_log_path});
}

Status validate_store(const CLI::App& command, const StoreConfig& config,
                      const EmbeddedOptions& embedded) {
  if (is_given(command, "--sizes") && is_given(command, "--db-size"))
    return usage("--sizes and --db-size both say how large the database is: leave out one");
  if (is_given(command, "--page-rows") && is_given(command, "--page-bytes"))
    return usage("--page-rows and --page-bytes both say how large a page is: leave out one");
  if (auto valid = validate_server(config); !valid) return valid;
  if (auto valid = validate_outputs(config.json_path, config.hdr_log_path); !valid) return valid;
  if (auto valid = validate_embedded_store(command, config, embedded); !valid) return valid;
  return bench::check_store(config);
}

nlohmann::ordered_json store_config_json(const StoreConfig& config) {
  const auto seconds = [](int64_t ns) { return static_cast<double>(ns) / core::kNanosPerSecond; };
  const auto optional = [](const auto& value) {
    return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
  };
  nlohmann::ordered_json json;
  json["db_sizes"] = config.db_sizes;
  json["value_bytes"] = config.value_bytes;
  json["phases"] = nlohmann::ordered_json::array();
  for (const StorePhase phase : config.phases)
    json["phases"].push_back(measure::store_phase_name(phase));
  json["compressible"] = config.compressible;
  json["table_options"] = config.table_options;
  json["seed"] = config.seed;
  add_server_json(json, config);
  add_table_json(json, config);
  json["parallelism"] = optional(config.parallelism);
  json["threads"] = config.threads;
  json["rate_limit"] = config.rate_limit;
  json["page_bytes"] = config.page_bytes;
  json["page_rows"] = optional(config.page_rows);
  json["verify"] = config.verify;
  json["truncate_timeout_s"] = seconds(config.truncate_timeout_ns);
  json["stall_timeout_s"] = seconds(config.stall_timeout_ns);
  json["interval_s"] = seconds(config.interval_ns);
  json["data_directory"] = config.data_directory;
  json["disk_check"] = config.disk_check;
  json["hdr_log"] = config.hdr_log_path;
  return json;
}

}  // namespace cqlperf::cli

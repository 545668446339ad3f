#include "cli/run_options.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "bench/run.h"
#include "cli/flag.h"
#include "cli/server_options.h"
#include "core/units.h"

namespace cqlperf::cli {
namespace {

using bench::RunConfig;
using core::ErrorCode;
using core::fail;
using core::Result;
using core::Status;

constexpr int64_t kRunsMax = std::numeric_limits<int32_t>::max();
constexpr int64_t kKeysMax = int64_t{1} << 31;
constexpr int64_t kLongestTickNs = core::kNanosPerSecond;

constexpr const char* kRunFooter = R"(Examples:
  cqlperf run                                        inserts for 10 s as fast as they go
  cqlperf run --rate-limit 5k --duration 30s         5000/s from a schedule, for 30 s
  cqlperf run insert --serial --count 100k --save    exactly 100,000 rows, kept
  cqlperf run read --server 127.0.0.1 --threads 2    reads of rows that exist, verified
  cqlperf run mixed --mix insert=1,read=3 --json result.json

Units: 10s, 200ms, 50us; 100k, 2.5M. A plain number is seconds, or a count.
Response time counts from the moment an operation was due, service time from when it was sent.
Exit codes: 0 done; 1 done, but with errors, wrong data, operations of --count or --runs left
undone, or less than --min-rate; 2 usage; 3 could not connect or set up; 130 interrupted.)";

Result<double> parse_percentile(std::string_view text) {
  double value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  if (error != std::errc() || end != text.data() + text.size() || !(value > 0 && value <= 100))
    return fail(ErrorCode::kUsage,
                fmt::format("'{}' is not a percentile: write a number above 0 and at most 100, for "
                            "example 99.99",
                            text));
  return value;
}

Result<std::vector<double>> parse_percentiles(std::string_view text) {
  std::vector<double> values;
  while (true) {
    const size_t comma = text.find(',');
    const auto value = parse_percentile(text.substr(0, comma));
    if (!value) return std::unexpected(value.error());
    values.push_back(*value);
    if (comma == std::string_view::npos) return values;
    text.remove_prefix(comma + 1);
  }
}

Result<executor::LatePolicy> parse_late_policy(std::string_view text) {
  if (text == "keep") return executor::LatePolicy::kKeep;
  if (text == "drop") return executor::LatePolicy::kDrop;
  return fail(ErrorCode::kUsage, fmt::format("'{}' is no policy: write keep (send late operations "
                                             "all the same) or drop (skip and count them)",
                                             text));
}

void add_load_options(CLI::App& app, RunConfig& config) {
  const auto add = [&app](auto... arguments) { add_value(app, arguments...)->group("Load"); };
  add("--rate-limit,--rate", "RATE",
      "Operations per second in all, sent on a schedule; 0: as fast as replies allow (default 0)",
      core::parse_rate, [&](double rate) { config.rate_limit = rate; });
  add("--parallelism", "N", "Requests in flight, in all threads together (default 100)",
      within(core::parse_count, 1, kParallelismMax), [&](int64_t n) { config.parallelism = n; });
  add("--threads", "N", "Worker threads; rate, window and keys are split exactly (default 1)",
      within(core::parse_count, 1, kWorkersMax), [&](int64_t n) { config.threads = n; });
  add("--duration", "TIME", "How long to send; a hard stop (default 10s)", core::parse_duration_ns,
      [&](int64_t ns) { config.duration_ns = ns; });
  add("--count", "N", "How many operations to send, all of them", core::parse_count,
      [&](int64_t n) { config.count = n; });
  add("--runs", "N",
      "How many consecutive one-second runs; with a rate all their operations are sent",
      within(core::parse_count, 1, kRunsMax), [&](int64_t n) { config.runs = n; });
  add("--warmup", "TIME", "Run this long before anything is measured (default 0)",
      core::parse_duration_ns, [&](int64_t ns) { config.warmup_ns = ns; });
  add("--late", "keep|drop",
      "After a stall: send late operations all the same, or skip and count them (default keep)",
      parse_late_policy, [&](executor::LatePolicy policy) { config.late = policy; });
  add("--late-after", "TIME", "Sent this much after it was due, an operation is late (default 1ms)",
      within(core::parse_duration_ns, 1, kLongestTimeNs),
      [&](int64_t ns) { config.late_after_ns = ns; });
  add("--pacing-tick", "TIME",
      "Wake at most this often to send what is due: fewer wake-ups, less CPU (0: exact; default: 0 "
      "up to 20k/s per thread, 200us above)",
      within(core::parse_duration_ns, 0, kLongestTickNs),
      [&](int64_t ns) { config.pacing_tick_ns = ns; });
  app.add_flag("--busy-poll", config.busy_poll,
               "Never sleep: lower latency for a whole core per thread")
      ->group("Load");
}

void add_data_options(CLI::App& app, RunConfig& config) {
  const auto add = [&app](auto... arguments) { add_value(app, arguments...)->group("Data"); };
  app.add_flag("--serial", config.serial, "Keys in order, instead of at random")->group("Data");
  add("--keys", "N",
      "Size of the key space (default: 2^31 for random inserts; for reads what the table holds, or "
      "100k)",
      within(core::parse_count, 1, kKeysMax), [&](int64_t n) { config.keys = n; });
  add("--mix", "MIX", "Weights of mixed (default insert=1,read=3)", any_text,
      [&](std::string mix) { config.mix = std::move(mix); });
  add("--seed", "N", "Of random keys and of all values: the same seed, the same data (default 1)",
      core::parse_count, [&](int64_t seed) { config.seed = seed; });
}

void add_summary_options(CLI::App& app, RunConfig& config) {
  const auto add = [&app](auto... arguments) { add_value(app, arguments...)->group("Output"); };
  add("--percentiles", "LIST", "More percentiles for the summary: 99.99,99.999", parse_percentiles,
      [&](std::vector<double> list) { config.percentiles = std::move(list); });
  add("--min-rate", "RATE", "Exit code 1 when less is achieved", core::parse_rate,
      [&](double rate) { config.min_rate = rate; });
}

Status validate_stop(const RunConfig& config) {
  if (config.runs && (config.duration_ns || config.count))
    return fail(ErrorCode::kUsage,
                "--runs is a number of one-second runs: give it without --duration and --count");
  if (config.runs && config.rate_limit > 0 &&
      static_cast<double>(*config.runs) * config.rate_limit > 1e15)
    return fail(ErrorCode::kUsage, "--runs times --rate-limit is over 10^15 operations: lower one");
  return {};
}

}  // namespace

void add_run_options(CLI::App& command, RunConfig& config) {
  command.add_option("WORKLOAD", config.workload, "insert, read or mixed (default insert)")
      ->type_name("");
  add_load_options(command, config);
  add_data_options(command, config);
  add_table_options(command, config, config);
  add_save_option(command, config);
  add_server_options(command, config);
  add_output_options(command, {config.interval_ns, config.json_path, config.hdr_log_path});
  add_summary_options(command, config);
  command.footer(kRunFooter);
}

Status validate_run(RunConfig& config) {
  if (auto stop = validate_stop(config); !stop) return stop;
  if (auto server = validate_server(config); !server) return server;
  if (auto outputs = validate_outputs(config.json_path, config.hdr_log_path); !outputs)
    return outputs;
  if (config.late == executor::LatePolicy::kDrop && config.rate_limit == 0)
    return fail(ErrorCode::kUsage, "--late drop is of use only with --rate-limit");
  if (config.percentiles.size() > 20)
    return fail(ErrorCode::kUsage, "--percentiles takes at most 20 of them");
  if (!config.mix.empty() && config.workload != "mixed")
    return fail(ErrorCode::kUsage, "--mix is of use only with the workload mixed");
  if (!config.runs && !config.duration_ns && !config.count)
    config.duration_ns = 10 * core::kNanosPerSecond;
  return bench::check_workload(config);
}

nlohmann::ordered_json run_config_json(const RunConfig& config) {
  const auto seconds = [](int64_t ns) { return static_cast<double>(ns) / core::kNanosPerSecond; };
  const auto optional = [](const auto& value) {
    return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
  };
  const auto optional_seconds = [&](const std::optional<int64_t>& ns) {
    return ns ? nlohmann::ordered_json(seconds(*ns)) : nlohmann::ordered_json(nullptr);
  };
  nlohmann::ordered_json json;
  json["workload"] = config.workload;
  json["mix"] = config.mix;
  add_server_json(json, config);
  add_table_json(json, config);
  json["keys"] = optional(config.keys);
  json["serial"] = config.serial;
  json["seed"] = config.seed;
  json["rate_limit"] = config.rate_limit;
  json["parallelism"] = config.parallelism;
  json["threads"] = config.threads;
  json["runs"] = optional(config.runs);
  json["duration_s"] = optional_seconds(config.duration_ns);
  json["count"] = optional(config.count);
  json["warmup_s"] = seconds(config.warmup_ns);
  json["late"] = config.late == executor::LatePolicy::kKeep ? "keep" : "drop";
  json["late_after_s"] = seconds(config.late_after_ns);
  json["interval_s"] = seconds(config.interval_ns);
  json["pacing_tick_s"] = optional_seconds(config.pacing_tick_ns);
  json["busy_poll"] = config.busy_poll;
  json["percentiles"] = config.percentiles;
  json["min_rate"] = optional(config.min_rate);
  json["hdr_log"] = config.hdr_log_path;
  return json;
}

}  // namespace cqlperf::cli

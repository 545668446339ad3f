#include "cli/forms_options.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "bench/forms.h"
#include "cli/flag.h"
#include "cli/server_options.h"
#include "core/units.h"

namespace cqlperf::cli {
namespace {

using bench::FormsConfig;
using core::ErrorCode;
using core::fail;
using core::Result;
using core::Status;
using measure::Form;
using measure::FormScenario;
using workload::FormKeys;

constexpr const char* kFooter = R"(Examples:
  cqlperf forms --embedded                           all forms, with a server of its own
  cqlperf forms --server db1 --out result            tables, charts and index.html in result/
  cqlperf forms --forms cql,cql-bound,prepared --scenarios inserts,reads
  cqlperf forms --count 100k --rounds 5              a number of operations instead of a time
  cqlperf forms --parallelism 1 --duration 10s       what one request after the other costs

Forms, each sent by the same event loop:
  rpc                   Thrift's batch_mutate and get_slice
  rpc-cql               CQL over Thrift, values as literals
  rpc-prepared-strings  CQL over Thrift, prepared, the values as one JSON text (INSERT JSON ?)
  rpc-prepared          CQL over Thrift, prepared, binary values
  cql                   QUERY with the values as literals
  cql-bound             QUERY with bound values, not prepared
  prepared-strings      prepared, the values as one JSON text (INSERT JSON ?)
  prepared              prepared, binary values
Thrift has one request in flight on a connection, so those forms open --parallelism connections; the
native ones open --connections. Cassandra 2.2 to 3.11 speaks Thrift with start_rpc: true, and none
since 4.0.

Percentages are given where a difference is larger than the noise, as the rounds show it.
Units: 100k, 2.5M; 10s, 200ms; 64KiB. A plain number is a count, seconds or bytes.
Exit codes: 0 done, and all was right; 1 done, but with errors or something that was not found
right; 2 usage; 3 could not connect or set up; 130 interrupted, with the cells that were done.)";

constexpr int64_t kRoundsMax = 100;
constexpr int64_t kCardinalityMax = 1'000'000'000;

std::unexpected<core::Error> usage(std::string message) {
  return fail(ErrorCode::kUsage, std::move(message));
}

template <class Value, size_t kCount>
std::string names_of(const std::array<Value, kCount>& all, const char* (*name)(Value)) {
  std::string names;
  for (const Value value : all)
    names += fmt::format("{}{}", names.empty() ? "" : ", ", name(value));
  return names;
}

Result<Form> parse_form(std::string_view text) {
  const auto found = std::ranges::find(measure::kForms, text, measure::form_name);
  if (found != measure::kForms.end()) return *found;
  return usage(fmt::format("'{}' is no form: write a list of {}", text,
                           names_of(measure::kForms, measure::form_name)));
}

Result<FormScenario> parse_scenario(std::string_view text) {
  const auto found = std::ranges::find(measure::kFormScenarios, text, measure::form_scenario_name);
  if (found != measure::kFormScenarios.end()) return *found;
  return usage(fmt::format("'{}' is no scenario: write a list of {}", text,
                           names_of(measure::kFormScenarios, measure::form_scenario_name)));
}

Result<FormKeys::Order> parse_read_order(std::string_view text) {
  if (text == "gaussian") return FormKeys::Order::kGaussian;
  if (text == "uniform") return FormKeys::Order::kUniform;
  return usage(fmt::format("'{}' is no order of keys: write gaussian or uniform", text));
}

// A list as a set: each once, in the order of the tables.
template <class Value>
std::vector<Value> in_order(std::vector<Value> values) {
  std::ranges::sort(values);
  values.erase(std::ranges::unique(values).begin(), values.end());
  return values;
}

void add_matrix_options(CLI::App& app, FormsConfig& config) {
  const auto add = [&app](auto... arguments) { add_value(app, arguments...)->group("Matrix"); };
  add("--forms", "LIST", "Of the forms named below (default: all that the server has)",
      comma_list(parse_form, measure::kForms.size()),
      [&](std::vector<Form> forms) { config.forms = in_order(std::move(forms)); });
  add("--scenarios", "LIST", "Of inserts, indexed, counters, reads (default: all)",
      comma_list(parse_scenario, measure::kFormScenarios.size()),
      [&](std::vector<FormScenario> list) { config.scenarios = in_order(std::move(list)); });
  add("--rounds", "N", "Each form is measured once in each, in an order that changes (default 3)",
      within(core::parse_count, 1, kRoundsMax),
      [&](int64_t n) { config.rounds = static_cast<uint32_t>(n); });
  add("--duration", "TIME", "Of each cell in each round (default 5s)",
      within(core::parse_duration_ns, 10 * core::kNanosPerMilli, kLongestTimeNs),
      [&](int64_t ns) { config.duration_ns = ns; });
  add("--count", "N", "Operations of each cell in each round, instead of --duration",
      within(core::parse_count, 1, std::numeric_limits<int64_t>::max()),
      [&](int64_t n) { config.count = static_cast<uint64_t>(n); });
  add("--warm-up", "TIME",
      "Before each cell, and once for all forms before a scenario; not counted (default 2s)",
      within(core::parse_duration_ns, 0, kLongestTimeNs),
      [&](int64_t ns) { config.warm_up_ns = ns; });
  add("--settle", "TIME", "Pause before each cell (default 1s)",
      within(core::parse_duration_ns, 0, kLongestTimeNs),
      [&](int64_t ns) { config.settle_ns = ns; });
}

void add_load_options(CLI::App& app, FormsConfig& config) {
  const auto add = [&app](auto... arguments) { add_value(app, arguments...)->group("Load"); };
  add("--parallelism", "N", "Requests in flight, in all threads together (default 50)",
      within(core::parse_count, 1, kParallelismMax),
      [&](int64_t n) { config.parallelism = static_cast<uint32_t>(n); });
  add("--threads", "N", "Worker threads (default 1)", within(core::parse_count, 1, kWorkersMax),
      [&](int64_t n) { config.threads = static_cast<uint32_t>(n); });
  add("--rate-limit,--rate", "RATE",
      "Operations per second in all; 0: as fast as it goes (default 0)", core::parse_rate,
      [&](double rate) { config.rate_limit = rate; });
  add("--stall-timeout", "TIME",
      "A cell with --count ends when nothing was answered so long (default 30s)",
      within(core::parse_duration_ns, core::kNanosPerMilli, kLongestTimeNs),
      [&](int64_t ns) { config.stall_timeout_ns = ns; });
}

void add_rows_options(CLI::App& app, FormsConfig& config) {
  const auto add = [&app](auto... arguments) { add_value(app, arguments...)->group("Data"); };
  add("--rows", "N", "Different keys; inserts begin anew after the last one (default 1M)",
      within(core::parse_count, 1, static_cast<int64_t>(workload::kFormRowsMax)),
      [&](int64_t n) { config.rows.rows = static_cast<uint64_t>(n); });
  add("--columns", "N", "Of each row (default 5)",
      within(core::parse_count, 1, workload::kFormColumnsMax),
      [&](int64_t n) { config.rows.columns = static_cast<uint32_t>(n); });
  add("--value-size", "SIZE", "Of each column (default 34)",
      within(core::parse_byte_size, 1, workload::kFormValueBytesMax),
      [&](int64_t bytes) { config.rows.value_bytes = static_cast<uint32_t>(bytes); });
  add("--cardinality", "N", "Different values of the indexed column (default 50)",
      within(core::parse_count, 1, kCardinalityMax),
      [&](int64_t n) { config.cardinality = static_cast<uint32_t>(n); });
  add("--read-keys", "gaussian|uniform", "Which keys reads ask for (default gaussian)",
      parse_read_order, [&](FormKeys::Order order) { config.read_order = order; });
  add("--seed", "N", "Of keys, values and the order of the forms (default 1)", core::parse_count,
      [&](int64_t seed) { config.rows.seed = static_cast<uint64_t>(seed); });
}

void add_forms_output(CLI::App& app, FormsConfig& config) {
  const auto add = [&app](auto... arguments) { add_value(app, arguments...)->group("Output"); };
  add("--out", "DIR", "Write forms.md, forms.json, charts (SVG, PNG) and index.html there",
      path_text, [&](std::string path) { config.out_directory = std::move(path); });
  add("--json", "FILE", "Write the whole result as one JSON document; - is standard output",
      path_text, [&](std::string path) { config.json_path = std::move(path); });
  app.add_flag("--jira", config.jira, "Print the tables in the markup of JIRA")->group("Output");
  add("--interval", "TIME", "Between two points of the charts (default 250ms)",
      within(core::parse_duration_ns, 10 * core::kNanosPerMilli, kLongestTimeNs),
      [&](int64_t ns) { config.interval_ns = ns; });
}

}  // namespace

void add_forms_options(CLI::App& command, FormsConfig& config, EmbeddedOptions& embedded) {
  add_matrix_options(command, config);
  add_rows_options(command, config);
  add_table_options(command, config, config);
  add_load_options(command, config);
  add_server_options(command, config);
  add_value(command, "--thrift-port", "PORT",
            fmt::format("Of the servers' Thrift (default {}, and none is no error)",
                        bench::kDefaultThriftPort),
            within(core::parse_count, 1, 65'535),
            [&](int64_t port) { config.thrift_port = static_cast<uint16_t>(port); })
      ->group("Server");
  add_embedded_options(command, embedded);
  add_forms_output(command, config);
  command.footer(kFooter);
}

Status validate_forms(const CLI::App& command, FormsConfig& config, EmbeddedOptions& embedded) {
  if (config.count && !is_given(command, "--duration")) config.duration_ns.reset();
  if (config.out_directory == "-") return usage("--out takes the path of a directory");
  if (config.jira && config.json_path == "-")
    return usage("--jira and --json - both print on standard output: write the JSON to a file");
  if (auto valid = validate_server(config); !valid) return valid;
  if (auto valid = validate_embedded(embedded, is_given(command, "--server")); !valid) return valid;
  if (embedded.enabled && config.thrift_port)
    return usage("--embedded chooses its own port for Thrift: leave out --thrift-port");
  embedded.thrift = embedded.enabled && std::ranges::any_of(config.forms, measure::is_rpc);
  if (auto valid = refuse_null_storage(embedded, "the verification", "leave the flag out"); !valid)
    return valid;
  return bench::check_forms(config);
}

nlohmann::ordered_json forms_config_json(const FormsConfig& config) {
  const auto seconds = [](int64_t ns) { return static_cast<double>(ns) / core::kNanosPerSecond; };
  nlohmann::ordered_json json;
  json["forms"] = nlohmann::ordered_json::array();
  for (const Form form : config.forms) json["forms"].push_back(measure::form_name(form));
  json["scenarios"] = nlohmann::ordered_json::array();
  for (const FormScenario scenario : config.scenarios)
    json["scenarios"].push_back(measure::form_scenario_name(scenario));
  json["rounds"] = config.rounds;
  json["duration_s"] = config.duration_ns ? nlohmann::ordered_json(seconds(*config.duration_ns))
                                          : nlohmann::ordered_json(nullptr);
  json["count"] =
      config.count ? nlohmann::ordered_json(*config.count) : nlohmann::ordered_json(nullptr);
  json["warm_up_s"] = seconds(config.warm_up_ns);
  json["settle_s"] = seconds(config.settle_ns);
  json["rows"] = config.rows.rows;
  json["columns"] = config.rows.columns;
  json["value_bytes"] = config.rows.value_bytes;
  json["cardinality"] = config.cardinality;
  json["read_keys"] = config.read_order == FormKeys::Order::kUniform ? "uniform" : "gaussian";
  json["seed"] = config.rows.seed;
  add_server_json(json, config);
  json["thrift_port"] = config.thrift_port ? nlohmann::ordered_json(*config.thrift_port)
                                           : nlohmann::ordered_json(nullptr);
  add_table_json(json, config);
  json["parallelism"] = config.parallelism;
  json["threads"] = config.threads;
  json["rate_limit"] = config.rate_limit;
  json["stall_timeout_s"] = seconds(config.stall_timeout_ns);
  json["interval_s"] = seconds(config.interval_ns);
  json["out"] = config.out_directory;
  return json;
}

}  // namespace cqlperf::cli

#include "cli/cql_stress_options.h"

#include <charconv>
#include <limits>
#include <span>

#include <fmt/format.h>

#include "bench/connection_settings.h"

namespace cqlperf::cli {
namespace {

using core::ErrorCode;
using core::fail;
using core::Result;
using core::Status;

constexpr const char* kDefaultServer = "localhost:9042";

struct Values {
  int64_t parallelism = 1;
  int64_t rate_limit = 1;
  int64_t runs = 1;
  bool save = false;
  bool serial = false;
  bool embedded = false;
  std::string server = kDefaultServer;
};

// One flag: exactly one of the three members says what kind it is.
struct Flag {
  const char* name;
  const char* help;
  const char* default_text;
  int64_t Values::*number = nullptr;
  bool Values::*choice = nullptr;
  std::string Values::*text = nullptr;
  int64_t least = 0;
  int64_t most = 0;
};

constexpr Flag kFlags[] = {
    {.name = "embedded",
     .help = "Start a server for this run, instead of -server",
     .default_text = "",
     .choice = &Values::embedded},
    {.name = "parallelism",
     .help = "Number of parallel workers",
     .default_text = "1",
     .number = &Values::parallelism,
     .least = 1,
     .most = 1'000'000},
    {.name = "rate-limit",
     .help = "Number of requests per second",
     .default_text = "1",
     .number = &Values::rate_limit,
     .least = 0,
     .most = 1'000'000'000},
    {.name = "runs",
     .help = "Number of consecutive runs",
     .default_text = "1",
     .number = &Values::runs,
     .least = 1,
     .most = std::numeric_limits<int32_t>::max()},
    {.name = "save", .help = "Preserve test data", .default_text = "", .choice = &Values::save},
    {.name = "serial",
     .help = "Use serial values instead of random generated",
     .default_text = "",
     .choice = &Values::serial},
    {.name = "server",
     .help = "ScyllaDB IP:port",
     .default_text = "\"localhost:9042\"",
     .text = &Values::server},
};

const Flag* find_flag(std::string_view name) {
  for (const Flag& flag : kFlags)
    if (name == flag.name) return &flag;
  return nullptr;
}

std::unexpected<core::Error> invalid(const Flag& flag, std::string_view value,
                                     std::string_view why) {
  return fail(ErrorCode::kUsage,
              fmt::format("invalid value \"{}\" for flag -{}: {}", value, flag.name, why));
}

Status set_number(const Flag& flag, Values& values, std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc::result_out_of_range) return invalid(flag, text, "value out of range");
  if (error != std::errc() || end != text.data() + text.size())
    return invalid(flag, text, "parse error: it must be a whole number");
  if (number < flag.least || number > flag.most)
    return invalid(flag, text, fmt::format("it must be from {} to {}", flag.least, flag.most));
  values.*flag.number = number;
  return {};
}

Status set_choice(const Flag& flag, Values& values, std::string_view text) {
  const bool yes = text == "true" || text == "1" || text == "t" || text == "T" || text == "TRUE";
  const bool no = text == "false" || text == "0" || text == "f" || text == "F" || text == "FALSE";
  if (!yes && !no) return invalid(flag, text, "parse error: it must be true or false");
  values.*flag.choice = yes;
  return {};
}

Status set_flag(const Flag& flag, Values& values, std::string_view text) {
  if (flag.number != nullptr) return set_number(flag, values, text);
  if (flag.choice != nullptr) return set_choice(flag, values, text);
  values.*flag.text = text;
  return {};
}

// Takes the flag at the front of `rest`, and its value when that is an argument of its own.
Status take_flag(std::span<const std::string>& rest, Values& values, bool& help) {
  const std::string_view argument = rest.front();
  rest = rest.subspan(1);
  std::string_view name = argument.substr(argument.starts_with("--") ? 2 : 1);
  if (!argument.starts_with("-") || name.empty() || name.starts_with("-") || name.starts_with("="))
    return fail(ErrorCode::kUsage, fmt::format("bad flag syntax: {}", argument));
  const size_t equals = name.find('=');
  const bool has_value = equals != std::string_view::npos;
  const std::string_view value = has_value ? name.substr(equals + 1) : std::string_view();
  name = name.substr(0, equals);
  if (name == "h" || name == "help") {
    help = true;
    return {};
  }
  const Flag* flag = find_flag(name);
  if (flag == nullptr)
    return fail(ErrorCode::kUsage, fmt::format("flag provided but not defined: -{}", name));
  if (has_value) return set_flag(*flag, values, value);
  if (flag->choice != nullptr) return set_flag(*flag, values, "true");
  if (rest.empty())
    return fail(ErrorCode::kUsage, fmt::format("flag needs an argument: -{}", name));
  const std::string& next = rest.front();
  rest = rest.subspan(1);
  return set_flag(*flag, values, next);
}

Result<bench::RunConfig> to_config(const Values& values) {
  bench::RunConfig config;
  auto servers = bench::parse_servers(values.server);
  if (!servers)
    return fail(ErrorCode::kUsage, fmt::format("invalid value \"{}\" for flag -server: {}",
                                               values.server, servers.error().message));
  config.servers = std::move(*servers);
  config.parallelism = static_cast<uint32_t>(values.parallelism);
  config.rate_limit = static_cast<double>(values.rate_limit);
  config.runs = static_cast<uint64_t>(values.runs);
  config.save = values.save;
  config.serial = values.serial;
  // As that tool does: its keyspace is made anew by each run. One that cqlperf did not make is
  // still refused.
  config.fresh = true;
  config.run_lines = true;
  return config;
}

}  // namespace

Result<CqlStressCommand> parse_cql_stress(const std::vector<std::string>& arguments) {
  Values values;
  CqlStressCommand command;
  std::span<const std::string> rest = arguments;
  while (!rest.empty() && !command.help)
    if (auto taken = take_flag(rest, values, command.help); !taken)
      return std::unexpected(taken.error());
  auto config = to_config(values);
  if (!config) return std::unexpected(config.error());
  command.config = std::move(*config);
  command.embedded.enabled = values.embedded;
  if (auto valid = validate_embedded(command.embedded, values.server != kDefaultServer); !valid)
    return std::unexpected(valid.error());
  return command;
}

std::string cql_stress_usage(const std::string& program) {
  std::string text = fmt::format("Usage of {}:\n", program);
  for (const Flag& flag : kFlags) {
    const char* kind = flag.number ? " int" : flag.text ? " string" : "";
    text += fmt::format("  -{}{}\n    \t{}", flag.name, kind, flag.help);
    if (*flag.default_text) text += fmt::format(" (default {})", flag.default_text);
    text += "\n";
  }
  return text;
}

}  // namespace cqlperf::cli

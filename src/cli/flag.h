#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "core/result.h"

namespace cqlperf::cli {

// The command line had the flag, once `command` was parsed.
inline bool is_given(const CLI::App& command, const char* flag) {
  return command.get_option(flag)->count() > 0;
}

// How an error names a flag that has several names: by the first of `names`, which commas separate.
inline std::string first_name(const std::string& names) { return names.substr(0, names.find(',')); }

// Adds `--name VALUE` to `app`. `parse` turns the text into a value or a usage error, and `assign`
// takes the value; an error ends the parsing with the flag's name in front of it.
template <class Parse, class Assign>
CLI::Option* add_value(CLI::App& app, const std::string& name, const char* value_name,
                       const std::string& help, Parse parse, Assign assign) {
  const auto on_text = [name, parse, assign](const std::string& text) {
    auto value = parse(std::string_view(text));
    if (!value) throw CLI::ValidationError(first_name(name), value.error().message);
    assign(std::move(*value));
  };
  return app.add_option_function<std::string>(name, on_text, help)
      ->type_name(value_name)
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::Throw);
}

// The same for a flag that may be repeated: `assign` gets each value in its turn.
template <class Parse, class Assign>
CLI::Option* add_repeated(CLI::App& app, const std::string& name, const char* value_name,
                          const std::string& help, Parse parse, Assign assign) {
  const auto on_texts = [name, parse, assign](const std::vector<std::string>& texts) {
    for (const std::string& text : texts) {
      auto value = parse(std::string_view(text));
      if (!value) throw CLI::ValidationError(first_name(name), value.error().message);
      assign(std::move(*value));
    }
  };
  return app.add_option_function<std::vector<std::string>>(name, on_texts, help)
      ->type_name(value_name)
      ->allow_extra_args(false);
}

// A parser for add_value: `parse`, and then a range that the value must lie in.
template <class Parse>
auto within(Parse parse, int64_t least, int64_t most) {
  using Value = typename decltype(parse(std::string_view()))::value_type;
  return [=](std::string_view text) -> core::Result<Value> {
    auto value = parse(text);
    if (!value) return value;
    if (*value < static_cast<Value>(least) || *value > static_cast<Value>(most))
      return core::fail(
          core::ErrorCode::kUsage,
          fmt::format("{} is out of range: it must be from {} to {}", text, least, most));
    return value;
  };
}

// A parser for add_value: what stands between commas, each parsed by `parse`, at most `most` of
// them.
template <class Parse>
auto comma_list(Parse parse, size_t most) {
  using Value = typename decltype(parse(std::string_view()))::value_type;
  return [=](std::string_view text) -> core::Result<std::vector<Value>> {
    std::vector<Value> values;
    while (true) {
      const size_t comma = text.find(',');
      auto value = parse(text.substr(0, comma));
      if (!value) return std::unexpected(value.error());
      values.push_back(std::move(*value));
      if (values.size() > most)
        return core::fail(core::ErrorCode::kUsage, fmt::format("more than {} of them", most));
      if (comma == std::string_view::npos) return values;
      text.remove_prefix(comma + 1);
    }
  };
}

// A parser for add_value that takes any text.
inline core::Result<std::string> any_text(std::string_view text) { return std::string(text); }

// A parser for add_value that takes the path of a file. What looks like a flag is taken for a
// forgotten value.
inline core::Result<std::string> path_text(std::string_view text) {
  if (text.empty()) return core::fail(core::ErrorCode::kUsage, "the path is empty: name a file");
  if (text.starts_with("-") && text != "-")
    return core::fail(
        core::ErrorCode::kUsage,
        fmt::format("'{0}' is a flag and not a path: name a file, or write ./{0}", text));
  return std::string(text);
}

}  // namespace cqlperf::cli

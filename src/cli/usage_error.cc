#include "cli/usage_error.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include <fmt/format.h>

namespace cqlperf::cli {
namespace {

// Levenshtein distance.
size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i);
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
    }
  }
  return row[b.size()];
}

std::vector<std::string> flag_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

std::optional<std::string> most_alike(const std::vector<std::string>& names,
                                      std::string_view word) {
  const auto closer = [word](const std::string& a, const std::string& b) {
    return edit_distance(a, word) < edit_distance(b, word);
  };
  const auto best = std::min_element(names.begin(), names.end(), closer);
  if (best == names.end() || edit_distance(*best, word) > 1 + word.size() / 3) return std::nullopt;
  return *best;
}

// The first argument that looks like a flag and is none of the app's.
std::optional<std::string> first_unknown_flag(const std::vector<std::string>& names,
                                              const std::vector<std::string>& arguments) {
  for (const std::string& argument : arguments) {
    if (!argument.starts_with("-") || argument == "-" || argument == "-h") continue;
    const std::string word = argument.substr(0, argument.find('='));
    if (std::find(names.begin(), names.end(), word) == names.end()) return word;
  }
  return std::nullopt;
}

}  // namespace

std::string explain_parse_error(const CLI::App& app, const CLI::ParseError& error,
                                const std::vector<std::string>& arguments) {
  if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr)
    return arguments.empty()
               ? "a command is missing, for example: cqlperf run"
               : fmt::format("unknown command '{}': the commands are run, store and serve",
                             arguments[0]);
  if (dynamic_cast<const CLI::ExtrasError*>(&error) == nullptr) return error.what();
  const auto names = flag_names(app);
  const auto unknown = first_unknown_flag(names, arguments);
  if (!unknown) return error.what();
  const auto alike = most_alike(names, *unknown);
  return fmt::format("unknown flag {}{}", *unknown,
                     alike ? fmt::format("; did you mean {}?", *alike) : std::string());
}

}  // namespace cqlperf::cli

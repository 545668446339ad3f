#include "server/ddl_properties.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <utility>

#include <fmt/format.h>

namespace cqlperf::server {
namespace {

using protocol::ErrorCode;

std::unexpected<protocol::ErrorMessage> syntax(std::string message) {
  return cql::fail(ErrorCode::kSyntaxError, std::move(message));
}

bool is_constant(const cql::Term& term) {
  using Kind = cql::Term::Kind;
  return term.kind >= Kind::kString && term.kind <= Kind::kDuration;
}

// `{}` may have been read as an empty set.
bool is_map(const cql::Term& term) {
  return term.kind == cql::Term::Kind::kMap ||
         (term.kind == cql::Term::Kind::kSet && term.items.empty());
}

template <class Number>
std::optional<Number> parse_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  Number value{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

// What the property says by `parse`, or the error that names `type`.
template <class Parse>
auto parsed(const Properties& properties, std::string_view name, std::string_view type, Parse parse)
    -> cql::Result<decltype(parse(""))> {
  auto text = properties.text(name);
  if (!text) return std::unexpected(std::move(text.error()));
  if (!*text) return std::nullopt;
  auto value = parse(**text);
  if (!value) return syntax(fmt::format("Invalid {} value {} for '{}'", type, **text, name));
  return value;
}

}  // namespace

cql::Status Properties::check_names(std::span<const std::string_view> known) const {
  for (const auto& [name, value] : options_) {
    if (std::ranges::find(known, name) == known.end())
      return syntax(fmt::format("Unknown property '{}'", name));
  }
  return {};
}

const cql::Term* Properties::find(std::string_view name) const {
  const auto found = std::ranges::find(
      options_, name, [](const auto& option) { return std::string_view(option.first); });
  return found == options_.end() ? nullptr : &found->second;
}

cql::Result<std::optional<std::string>> Properties::text(std::string_view name) const {
  const cql::Term* term = find(name);
  if (term == nullptr) return std::nullopt;
  if (!is_constant(*term))
    return syntax(fmt::format("Invalid value for property '{}'. It should be a string", name));
  return term->text;
}

cql::Result<std::optional<int32_t>> Properties::integer(std::string_view name) const {
  return parsed(*this, name, "integer", parse_int);
}

cql::Result<std::optional<double>> Properties::number(std::string_view name) const {
  return parsed(*this, name, "double", parse_double);
}

cql::Result<std::optional<bool>> Properties::boolean(std::string_view name) const {
  auto value = text(name);
  if (!value) return std::unexpected(std::move(value.error()));
  if (!*value) return std::nullopt;
  const auto truth = parse_bool(**value);
  if (!truth) {
    return syntax(
        fmt::format("Invalid boolean value {} for '{}'. Positive values can be '1', 'true' or "
                    "'yes'. Negative values can be '0', 'false' or 'no'.",
                    **value, name));
  }
  return truth;
}

cql::Result<std::optional<protocol::StringMap>> Properties::map(std::string_view name) const {
  const cql::Term* term = find(name);
  if (term == nullptr) return std::nullopt;
  if (!is_map(*term))
    return syntax(fmt::format("Invalid value for property '{}'. It should be a map.", name));
  protocol::StringMap map;
  for (size_t i = 0; i + 1 < term->items.size(); i += 2) {
    const cql::Term& key = term->items[i];
    const cql::Term& value = term->items[i + 1];
    if (!is_constant(key) || !is_constant(value))
      return syntax(fmt::format("Invalid property value for property: '{}'", key.text));
    if (!map.emplace(key.text, value.text).second)
      return syntax(fmt::format("Multiple definition for property {}", key.text));
  }
  return map;
}

std::optional<int32_t> parse_int(std::string_view text) { return parse_number<int32_t>(text); }
std::optional<double> parse_double(std::string_view text) { return parse_number<double>(text); }

std::optional<bool> parse_bool(std::string_view text) {
  const std::string lower = to_lower(text);
  if (lower == "1" || lower == "true" || lower == "yes") return true;
  if (lower == "0" || lower == "false" || lower == "no") return false;
  return std::nullopt;
}

std::string to_lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

std::string to_upper(std::string_view text) {
  std::string upper(text);
  for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return upper;
}

bool is_word(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](unsigned char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

std::unexpected<protocol::ErrorMessage> config_error(std::string message) {
  return cql::fail(ErrorCode::kConfigError, std::move(message));
}

}  // namespace cqlperf::server

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "cql/error.h"
#include "cql/statement.h"
#include "protocol/strings.h"

namespace cqlperf::server {

// The properties of WITH by name and type. Values of another type are 0x2000, as in Cassandra. Each
// property is there once: the parser sees to that. Views the statement's options.
class Properties {
 public:
  explicit Properties(const cql::Options& options) : options_(options) {}

  // 0x2000 when a property is none of `known`.
  cql::Status check_names(std::span<const std::string_view> known) const;

  bool has(std::string_view name) const { return find(name) != nullptr; }
  // std::nullopt when the property is not given. A constant is taken as its text, whatever its
  // type; 0x2000 for a map.
  cql::Result<std::optional<std::string>> text(std::string_view name) const;
  cql::Result<std::optional<int32_t>> integer(std::string_view name) const;
  cql::Result<std::optional<double>> number(std::string_view name) const;
  // `true`, `yes`, `1` and `false`, `no`, `0` in either case.
  cql::Result<std::optional<bool>> boolean(std::string_view name) const;
  // Keys and values as text; 0x2000 for a constant and for keys that are given twice.
  cql::Result<std::optional<protocol::StringMap>> map(std::string_view name) const;

 private:
  const cql::Term* find(std::string_view name) const;

  const cql::Options& options_;
};

// A whole number that fills the text: digits, maybe a sign; std::nullopt otherwise.
std::optional<int32_t> parse_int(std::string_view text);
// The same for a number with a point or exponent.
std::optional<double> parse_double(std::string_view text);
// The truth that boolean() reads, std::nullopt for other texts.
std::optional<bool> parse_bool(std::string_view text);
std::string to_lower(std::string_view text);
std::string to_upper(std::string_view text);
// Letters, digits and underscores, at least one.
bool is_word(std::string_view text);

// 0x2300.
[[nodiscard]] std::unexpected<protocol::ErrorMessage> config_error(std::string message);

}  // namespace cqlperf::server

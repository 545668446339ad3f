#include "cql/json.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cql/decimal.h"
#include "cql/literal_text.h"
#include "cql/literal_time.h"
#include "cql/parser.h"
#include "cql/values.h"

namespace cqlperf::cql {
namespace {

using protocol::Bytes;
using protocol::TypeId;
using Kind = JsonValue::Kind;

// Collects the entries of the outermost value, or that value itself. What is deeper is only read
// past. Called by nlohmann's parser, which does not recurse; false makes it stop.
class Collector : public nlohmann::json_sax<nlohmann::json> {
 public:
  bool null() override { return take({Kind::kNull, {}}); }
  bool boolean(bool value) override { return take({Kind::kBoolean, value ? "true" : "false"}); }
  bool number_integer(number_integer_t value) override {
    return take({Kind::kInteger, fmt::format("{}", value)});
  }
  bool number_unsigned(number_unsigned_t value) override {
    return take({Kind::kInteger, fmt::format("{}", value)});
  }
  // Integers beyond 64 bits come here, too.
  bool number_float(number_float_t, const string_t& text) override {
    return take({is_integer_text(text) ? Kind::kInteger : Kind::kFloat, text});
  }
  bool string(string_t& text) override { return take({Kind::kString, std::move(text)}); }
  bool binary(binary_t&) override { return false; }

  bool start_object(size_t) override { return open(Kind::kObject); }
  bool start_array(size_t) override { return open(Kind::kArray); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& name) override {
    if (depth_ == 1) name_ = std::move(name);
    return true;
  }
  bool parse_error(size_t, const std::string&, const nlohmann::detail::exception& error) override {
    error_ = error.what();
    return false;
  }

  // What the document is; nothing when it could not be read.
  const std::optional<JsonValue>& document() const { return document_; }
  // Of an object, in order of appearance.
  std::vector<JsonColumn>& entries() { return entries_; }
  const std::string& error() const { return error_; }

 private:
  bool take(JsonValue value) {
    if (depth_ == 0) document_ = std::move(value);
    if (depth_ == 1) entries_.push_back({std::move(name_), std::move(value)});
    return true;
  }
  bool open(Kind kind) {
    take({kind, {}});
    if (++depth_ <= kNestingMax) return true;
    error_ = fmt::format("nesting deeper than {}", kNestingMax);
    return false;
  }
  bool close() {
    --depth_;
    return true;
  }

  int depth_ = 0;
  std::string name_;
  std::optional<JsonValue> document_;
  std::vector<JsonColumn> entries_;
  std::string error_;
};

// Reads the value at the start of the text; what follows it is only read if `strict`. False when it
// is not JSON; then collector.error() says why.
bool read_json(std::string_view text, bool strict, Collector& collector) {
  return nlohmann::json::sax_parse(text.begin(), text.end(), &collector,
                                   nlohmann::json::input_format_t::json, strict);
}

// Unquoted names do not care about case.
std::string column_name(const std::string& key) {
  if (key.size() >= 2 && key.starts_with('"') && key.ends_with('"')) {
    return key.substr(1, key.size() - 2);
  }
  std::string name = key;
  std::ranges::transform(name, name.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? c | 0x20 : c; });
  return name;
}

// Each name once, at its first place and with its last value.
std::vector<JsonColumn> unique_columns(std::vector<JsonColumn>& entries) {
  std::vector<JsonColumn> columns;
  std::map<std::string, size_t, std::less<>> places;
  for (JsonColumn& entry : entries) {
    std::string name = column_name(entry.name);
    const auto [place, is_new] = places.try_emplace(name, columns.size());
    if (is_new) {
      columns.push_back({std::move(name), std::move(entry.value)});
    } else {
      columns[place->second].value = std::move(entry.value);
    }
  }
  return columns;
}

std::unexpected<protocol::ErrorMessage> decoding_error(std::string_view column,
                                                       std::string_view message) {
  return invalid(fmt::format("Error decoding JSON value for {}: {}", column, message));
}

// What Java would have made of the value.
std::string_view java_class(const JsonValue& value) {
  switch (value.kind) {
    case Kind::kInteger: {
      const auto number = parse_i64(value.text);
      if (!number) return "BigInteger";
      return *number == static_cast<int32_t>(*number) ? "Integer" : "Long";
    }
    case Kind::kFloat:
      return "Double";
    case Kind::kBoolean:
      return "Boolean";
    case Kind::kArray:
      return "ArrayList";
    case Kind::kObject:
      return "LinkedHashMap";
    default:
      return "String";
  }
}

// What a type wants to see, for the error.
std::string_view wanted_form(TypeId id) {
  switch (id) {
    case TypeId::kAscii:
      return "an ascii string";
    case TypeId::kVarchar:
      return "a UTF-8 string";
    case TypeId::kBlob:
      return "a string of hexadecimal digits after 0x";
    case TypeId::kTimestamp:
      return "a long or a datestring representation of a timestamp value";
    case TypeId::kInet:
      return "a string representation of an inet value";
    case TypeId::kDate:
      return "a string representation of a date value";
    case TypeId::kTime:
      return "a string representation of a time value";
    case TypeId::kUuid:
      return "a string representation of a uuid";
    case TypeId::kTimeuuid:
      return "a string representation of a timeuuid";
    case TypeId::kDuration:
      return "a string representation of a duration";
    default:
      return "a value of the column's type";
  }
}

std::unexpected<protocol::ErrorMessage> wrong_form(const JsonValue& value, TypeId id,
                                                   std::string_view column) {
  return decoding_error(column, fmt::format("Expected {}, but got a {}: {}", wanted_form(id),
                                            java_class(value), value.text));
}

Result<Bytes> from_string(const JsonValue& value, const protocol::ColumnType& type,
                          std::string_view column) {
  std::string_view text = value.text;
  if (type.id == TypeId::kBlob) {
    if (!text.starts_with("0x")) {
      return decoding_error(column, fmt::format("Value '{}' is not a valid blob representation: "
                                                "String representation of blob is missing 0x "
                                                "prefix: {}",
                                                text, text));
    }
    text.remove_prefix(2);
  }
  if (type.id == TypeId::kDouble || type.id == TypeId::kFloat) {
    while (text.starts_with(' ')) text.remove_prefix(1);
    while (text.ends_with(' ')) text.remove_suffix(1);
  }
  auto bytes = text_to_bytes(text, type, column);
  if (!bytes) return decoding_error(column, bytes.error().message);
  return bytes;
}

Result<Bytes> from_integer(const JsonValue& value, const protocol::ColumnType& type,
                           std::string_view column) {
  switch (type.id) {
    case TypeId::kTimestamp:
      // A quirk that documents may rely on: small numbers are no timestamps.
      if (java_class(value) != "Long") return wrong_form(value, type.id, column);
      break;
    case TypeId::kBigint:
    case TypeId::kCounter:
    case TypeId::kDecimal:
    case TypeId::kDouble:
    case TypeId::kFloat:
    case TypeId::kInt:
    case TypeId::kSmallint:
    case TypeId::kTinyint:
    case TypeId::kVarint:
      break;
    default:
      return wrong_form(value, type.id, column);
  }
  auto bytes = text_to_bytes(value.text, type, column);
  if (!bytes) return decoding_error(column, bytes.error().message);
  return bytes;
}

// Cassandra's JSON reader makes a double of every number with a point or an exponent.
Result<Bytes> from_float(const JsonValue& value, const protocol::ColumnType& type,
                         std::string_view column) {
  const double number = parse_double(value.text).value_or(std::numeric_limits<double>::quiet_NaN());
  if (type.id == TypeId::kDouble) return double_bytes(number);
  if (type.id == TypeId::kFloat) return float_bytes(static_cast<float>(number));
  if (type.id == TypeId::kDecimal && std::isfinite(number)) return decimal_of_double(number);
  return wrong_form(value, type.id, column);
}

}  // namespace

Result<std::vector<JsonColumn>> parse_json_row(std::string_view text) {
  Collector collector;
  if (!read_json(text, false, collector)) {
    return invalid(fmt::format("Could not decode JSON string as a map: {}. (String was: {})",
                               collector.error(), text));
  }
  if (collector.document()->kind == Kind::kNull) {
    return invalid("Got null for INSERT JSON values");
  }
  if (collector.document()->kind != Kind::kObject) {
    return invalid(
        fmt::format("Could not decode JSON string as a map: it is a {}. (String was: {})",
                    java_class(*collector.document()), text));
  }
  return unique_columns(collector.entries());
}

Result<Bytes> json_to_bytes(const JsonValue& value, const protocol::ColumnType& type,
                            std::string_view column) {
  switch (value.kind) {
    case Kind::kString:
      return from_string(value, type, column);
    case Kind::kInteger:
      return from_integer(value, type, column);
    case Kind::kFloat:
      return from_float(value, type, column);
    case Kind::kBoolean:
      if (type.id == TypeId::kBoolean) return Bytes{value.text == "true"};
      break;
    default:
      break;
  }
  return wrong_form(value, type.id, column);
}

Result<Bytes> json_to_bytes(std::string_view json, const protocol::ColumnType& type,
                            std::string_view column) {
  Collector collector;
  if (!read_json(json, true, collector)) {
    return decoding_error(
        column, fmt::format("Could not decode JSON string '{}': {}", json, collector.error()));
  }
  return json_to_bytes(*collector.document(), type, column);
}

}  // namespace cqlperf::cql

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cql/error.h"
#include "protocol/strings.h"
#include "protocol/types.h"

namespace cqlperf::cql {

// A JSON value as INSERT … JSON takes it. Numbers keep their text, so that none loses digits.
struct JsonValue {
  enum class Kind : uint8_t { kNull, kBoolean, kInteger, kFloat, kString, kArray, kObject };

  Kind kind = Kind::kNull;
  std::string text = {};  // of a scalar; a string's without quotes and escapes. Arrays and objects
                          // keep none: no type of this room takes them.

  bool operator==(const JsonValue&) const = default;
};

struct JsonColumn {
  std::string name;
  JsonValue value;
};

// The columns of a JSON object, in order of appearance, each name once: of equal names the last
// value counts. Names are folded to lower case unless they are quoted inside their quotes
// (`"\"Name\""`). What comes after the object is ignored, as Cassandra does. Errors (0x2200): text
// that is not a JSON object, null, nesting beyond kNestingMax.
Result<std::vector<JsonColumn>> parse_json_row(std::string_view text);

// The bytes of a value that is not null for the type, by the rules of fromJson(): strings are read
// like literals (numbers too), numbers and booleans where the type is one. 0x2200 otherwise.
Result<protocol::Bytes> json_to_bytes(const JsonValue& value, const protocol::ColumnType& type,
                                      std::string_view column);

}  // namespace cqlperf::cql

#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include "cql/decimal.h"
#include "cql/literal_kind.h"
#include "cql/literal_text.h"
#include "cql/values.h"

namespace cqlperf::cql {
namespace {

using protocol::Bytes;
using protocol::TypeId;
using Kind = Term::Kind;

// As people write it.
std::string written(const Term& literal) {
  return literal.kind == Kind::kBlob ? "0x" + literal.text : literal.text;
}

std::unexpected<protocol::ErrorMessage> not_taken(const Term& literal,
                                                  const protocol::ColumnType& type,
                                                  std::string_view column) {
  switch (literal.kind) {
    case Kind::kList:
      return invalid(
          fmt::format("Invalid list literal for {} of type {}", column, type.cql_name()));
    case Kind::kSet:
      return invalid(fmt::format("Invalid set literal for {} of type {}", column, type.cql_name()));
    case Kind::kMap:
      return invalid(fmt::format("Invalid map literal for {} of type {}", column, type.cql_name()));
    case Kind::kTuple:
      return invalid(
          fmt::format("Invalid tuple type literal for {} of type {}", column, type.cql_name()));
    default:
      return invalid(fmt::format("Invalid {} constant ({}) for \"{}\" of type {}",
                                 literal_kind_name(literal.kind), written(literal), column,
                                 type.cql_name()));
  }
}

bool is_named_float(const std::string& text) {
  return text.find_first_of("nN") != std::string::npos;  // NaN, Infinity
}

// Cassandra's parser makes a double of every number with a point or an exponent, whatever it is
// for, and gives up on those that are infinite.
Status check_float(const Term& literal) {
  if (is_named_float(literal.text)) return {};
  const auto number = parse_double(literal.text);
  if (number && std::isfinite(*number)) return {};
  return syntax_error(literal.position,
                      fmt::format("the number {} is beyond what a double can hold", literal.text));
}

// NaN and Infinity as Java writes them: the literals may have any case.
std::string named_float(const std::string& text) {
  const bool is_nan = text.find_first_of("aA") != std::string::npos;
  if (is_nan) return "NaN";
  return text.starts_with('-') ? "-Infinity" : "Infinity";
}

Result<Bytes> blob_bytes(const Term& literal, const protocol::ColumnType& type,
                         std::string_view column) {
  auto bytes = parse_hex(literal.text);
  if (!bytes) return invalid(fmt::format("cannot parse '{}' as hex bytes", literal.text));
  if (auto status = check_value(type, *bytes, column); !status) {
    return std::unexpected(std::move(status.error()));
  }
  return std::move(*bytes);
}

bool string_fits(TypeId id) {
  return id == TypeId::kVarchar || id == TypeId::kAscii || id == TypeId::kInet ||
         id == TypeId::kDate || id == TypeId::kTime || id == TypeId::kTimestamp;
}

bool integer_fits(TypeId id) {
  switch (id) {
    case TypeId::kBigint:
    case TypeId::kCounter:
    case TypeId::kDate:
    case TypeId::kDecimal:
    case TypeId::kDouble:
    case TypeId::kDuration:
    case TypeId::kFloat:
    case TypeId::kInt:
    case TypeId::kSmallint:
    case TypeId::kTime:
    case TypeId::kTimestamp:
    case TypeId::kTinyint:
    case TypeId::kVarint:
      return true;
    default:
      return false;
  }
}

}  // namespace

std::string_view literal_kind_name(Kind kind) {
  switch (kind) {
    case Kind::kString:
      return "STRING";
    case Kind::kInteger:
      return "INTEGER";
    case Kind::kFloat:
      return "FLOAT";
    case Kind::kBoolean:
      return "BOOLEAN";
    case Kind::kUuid:
      return "UUID";
    case Kind::kBlob:
      return "HEX";
    case Kind::kDuration:
      return "DURATION";
    default:
      return "NULL";
  }
}

bool literal_fits(Kind kind, const protocol::ColumnType& type) {
  const TypeId id = type.id;
  switch (kind) {
    case Kind::kString:
      return string_fits(id);
    case Kind::kInteger:
      return integer_fits(id);
    case Kind::kFloat:
      return id == TypeId::kDecimal || id == TypeId::kDouble || id == TypeId::kFloat;
    case Kind::kBoolean:
      return id == TypeId::kBoolean;
    case Kind::kUuid:
      return id == TypeId::kUuid || id == TypeId::kTimeuuid;
    case Kind::kBlob:
      // Cassandra takes 0x2a for a tinyint, too.
      return id == TypeId::kBlob || id == TypeId::kTinyint;
    case Kind::kDuration:
      return id == TypeId::kDuration;
    default:
      return false;
  }
}

Result<Bytes> literal_to_bytes(const Term& literal, const protocol::ColumnType& type,
                               std::string_view column) {
  if (literal.kind == Kind::kFloat) {
    if (auto status = check_float(literal); !status) {
      return std::unexpected(std::move(status.error()));
    }
  }
  if (!literal_fits(literal.kind, type)) return not_taken(literal, type, column);
  if (literal.kind == Kind::kBlob) return blob_bytes(literal, type, column);
  if (literal.kind == Kind::kFloat && is_named_float(literal.text)) {
    return text_to_bytes(named_float(literal.text), type, column);
  }
  return text_to_bytes(literal.text, type, column);
}

}  // namespace cqlperf::cql

#pragma once

#include <string>
#include <string_view>
#include <variant>

#include <gtest/gtest.h>

#include "cql/parser.h"

namespace cqlperf::cql {

// The statement that `text` is; a failure of the test, and an empty one, when it is not a T.
template <class T>
T parse_as(std::string_view text) {
  Result<ParsedStatement> parsed = parse_statement(text);
  if (!parsed) {
    ADD_FAILURE() << text << "\n" << parsed.error().message;
    return {};
  }
  if (!std::holds_alternative<T>(parsed->statement)) {
    ADD_FAILURE() << text << " is another statement, number " << parsed->statement.index();
    return {};
  }
  return std::get<T>(std::move(parsed->statement));
}

// `2000 line 1:0 …`, or `parsed`.
inline std::string error_of(std::string_view text) {
  const Result<ParsedStatement> parsed = parse_statement(text);
  if (parsed) return "parsed";
  char code[8] = {};
  std::snprintf(code, sizeof(code), "%04X ", static_cast<unsigned>(parsed.error().code));
  return code + parsed.error().message;
}

// A term in few words: `'text`, `5`, `?0`, `now(…)`, `(1 2)`.
inline std::string show(const Term& term) {
  std::string items;
  for (const Term& item : term.items) items += (items.empty() ? "" : " ") + show(item);
  switch (term.kind) {
    case Term::Kind::kNull:
      return "null";
    case Term::Kind::kString:
      return "'" + term.text;
    case Term::Kind::kInteger:
      return term.text;
    case Term::Kind::kFloat:
      return "float:" + term.text;
    case Term::Kind::kBoolean:
      return "bool:" + term.text;
    case Term::Kind::kUuid:
      return "uuid:" + term.text;
    case Term::Kind::kBlob:
      return "blob:" + term.text;
    case Term::Kind::kDuration:
      return "duration:" + term.text;
    case Term::Kind::kMarker:
      return "?" + std::to_string(term.marker);
    case Term::Kind::kFunction:
      return term.text + "(" + items + ")";
    case Term::Kind::kColumn:
      return "column:" + term.text;
    case Term::Kind::kTuple:
      return "(" + items + ")";
    case Term::Kind::kList:
      return "[" + items + "]";
    case Term::Kind::kSet:
      return "set{" + items + "}";
    case Term::Kind::kMap:
      return "map{" + items + "}";
  }
  return {};
}

// A relation in few words: `a = 1`, `token(a b) > ?0`.
inline std::string show(const Relation& relation) {
  std::string left;
  for (const std::string& column : relation.columns) left += (left.empty() ? "" : " ") + column;
  if (relation.left == Relation::Left::kToken) left = "token(" + left + ")";
  if (relation.left == Relation::Left::kTuple) left = "(" + left + ")";
  std::string right;
  for (const Term& value : relation.values) right += " " + show(value);
  if (relation.in_marker) right += " all";
  return left + " " + relation_operator_name(relation.op) + right;
}

}  // namespace cqlperf::cql

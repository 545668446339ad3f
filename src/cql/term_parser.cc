#include "cql/term_parser.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace cqlperf::cql {
namespace {

Term term_at(const Token& token, Term::Kind kind, std::string text = {}) {
  Term term;
  term.kind = kind;
  term.text = std::move(text);
  term.position = token.position;
  return term;
}

// The constants that are words.
std::optional<Term> word_constant(const Token& token) {
  using enum Term::Kind;
  if (token.is_word("null")) return term_at(token, kNull);
  if (token.is_word("true")) return term_at(token, kBoolean, "true");
  if (token.is_word("false")) return term_at(token, kBoolean, "false");
  if (token.is_word("nan")) return term_at(token, kFloat, "NaN");
  if (token.is_word("infinity")) return term_at(token, kFloat, "Infinity");
  return std::nullopt;
}

// The literal that one token is; std::nullopt for other tokens.
std::optional<Term> literal(const Token& token) {
  using enum Token::Kind;
  switch (token.kind) {
    case kWord:
      return word_constant(token);
    case kString:
      return term_at(token, Term::Kind::kString, unquote(token));
    case kInteger:
      return term_at(token, Term::Kind::kInteger, std::string(token.text));
    case kFloat:
      return term_at(token, Term::Kind::kFloat, std::string(token.text));
    case kBlob:
      return term_at(token, Term::Kind::kBlob, std::string(token.text.substr(2)));
    case kUuid:
      return term_at(token, Term::Kind::kUuid, std::string(token.text));
    case kDuration:
      return term_at(token, Term::Kind::kDuration, std::string(token.text));
    default:
      return std::nullopt;
  }
}

bool is_number(Term::Kind kind) {
  return kind == Term::Kind::kInteger || kind == Term::Kind::kFloat ||
         kind == Term::Kind::kDuration;
}

// `- 1` and `-Infinity`: a minus that does not touch a number's digits. Of all else it is
// arithmetic.
Term parse_negative(ParserState& state, TermScope scope) {
  const Token minus = state.take();
  std::optional<Term> number = literal(state.current());
  if (number && is_number(number->kind) && !number->text.starts_with('-')) {
    state.take();
    number->position = minus.position;
    if (number->text != "NaN") number->text.insert(0, "-");
    return *std::move(number);
  }
  parse_term(state, scope);
  state.fail_unsupported(minus.position, "arithmetic");
  return {};
}

void refuse_arithmetic(ParserState& state) {
  for (const std::string_view sign : {"+", "-", "*", "/", "%"}) {
    if (state.at_symbol(sign)) state.fail_unsupported(state.current().position, "arithmetic");
  }
}

// Whether `(` starts `(type) term`. In a value a word in parentheses can be nothing else.
bool at_type_hint(ParserState& state) {
  const Token& inner = state.peek(1);
  if (inner.kind != Token::Kind::kWord || word_constant(inner)) return false;
  return state.peek(2).is_symbol(")") || state.peek(2).is_symbol("<");
}

Term parse_parentheses(ParserState& state) {
  if (at_type_hint(state)) {
    state.fail_unsupported(state.current().position, "a type before a value");
    return {};
  }
  Term tuple = parse_tuple(state);
  if (tuple.items.size() != 1) return tuple;
  Term only = std::move(tuple.items[0]);
  return only;
}

Term parse_list(ParserState& state) {
  Term list = term_at(state.take(), Term::Kind::kList);
  list.items = parse_terms(state, "]", TermScope::kValue);
  return list;
}

// The entries of a map after its first key.
void parse_map_entries(ParserState& state, Term& map) {
  state.expect_symbol(":");
  map.items.push_back(parse_term(state, TermScope::kValue));
  while (state.accept_comma()) {
    map.items.push_back(parse_term(state, TermScope::kValue));
    state.expect_symbol(":");
    map.items.push_back(parse_term(state, TermScope::kValue));
  }
  state.expect_symbol("}");
}

// A map, a set, or the literal of a user type. `{}` is a map here.
Term parse_braces(ParserState& state) {
  Term term = term_at(state.take(), Term::Kind::kMap);
  if (state.accept_symbol("}")) return term;
  if (state.at_name() && state.peek().is_symbol(":")) {
    state.fail_unsupported(term.position, "a literal of a user-defined type");
    return {};
  }
  term.items.push_back(parse_term(state, TermScope::kValue));
  if (state.at_symbol(":")) {
    parse_map_entries(state, term);
    return term;
  }
  term.kind = Term::Kind::kSet;
  while (state.accept_comma()) term.items.push_back(parse_term(state, TermScope::kValue));
  state.expect_symbol("}");
  return term;
}

bool is_selection_function(const Token& token) {
  return token.is_word("writetime") || token.is_word("maxwritetime") || token.is_word("ttl");
}

// What follows a function's name.
Term parse_call(ParserState& state, const Token& name, std::string text, TermScope scope) {
  Term call = term_at(name, Term::Kind::kFunction, std::move(text));
  if (name.is_word("cast")) {
    state.fail_unsupported(name.position, "CAST");
    return {};
  }
  state.expect_symbol("(");
  call.items = parse_terms(state, ")", scope);
  return call;
}

// A name; `token` is reserved, and a function all the same.
std::string take_function_name(ParserState& state) {
  return state.accept_word("token") ? "token" : state.take_name();
}

// `keyspace.function(…)`; in a selection maybe `column.field`.
Term parse_qualified(ParserState& state, TermScope scope) {
  const Token start = state.current();
  const std::string qualifier = state.take_name();
  state.expect_symbol(".");
  const Token name = state.current();
  std::string text = take_function_name(state);
  if (state.at_symbol("(") && qualifier == "system") return parse_call(state, name, text, scope);
  if (state.at_symbol("(")) {
    state.fail_unsupported(start.position, "a user-defined function");
  } else if (scope == TermScope::kSelection) {
    state.fail_unsupported(start.position, "a field of a user-defined type");
  } else {
    state.fail_here();
  }
  return {};
}

Term parse_column(ParserState& state) {
  const Token token = state.current();
  Term column = term_at(token, Term::Kind::kColumn, state.take_name());
  if (state.at_symbol("[")) state.fail_unsupported(token.position, "an element of a collection");
  return column;
}

// A constant, function or column.
Term parse_named(ParserState& state, TermScope scope) {
  const Token name = state.current();
  if (std::optional<Term> constant = word_constant(name)) {
    state.take();
    return *std::move(constant);
  }
  if (state.peek().is_symbol("(")) {
    if (scope == TermScope::kValue && is_selection_function(name)) state.fail_here();
    return parse_call(state, name, take_function_name(state), scope);
  }
  if (state.peek().is_symbol(".")) return parse_qualified(state, scope);
  if (scope == TermScope::kSelection) return parse_column(state);
  state.fail_here();
  return {};
}

Term parse_symbol_term(ParserState& state, TermScope scope) {
  if (at_marker(state)) return parse_marker(state);
  if (state.at_symbol("-")) return parse_negative(state, scope);
  const bool opens = state.at_symbol("(") || state.at_symbol("[") || state.at_symbol("{");
  if (opens && scope == TermScope::kSelection) {
    state.fail_unsupported(state.current().position, "a collection, tuple or type in a selection");
  } else if (state.at_symbol("(")) {
    return parse_parentheses(state);
  } else if (state.at_symbol("[")) {
    return parse_list(state);
  } else if (state.at_symbol("{")) {
    return parse_braces(state);
  }
  state.fail_here();
  return {};
}

}  // namespace

Term parse_term(ParserState& state, TermScope scope) {
  const Nesting nesting(state);
  const Token::Kind kind = state.current().kind;
  Term term;
  if (kind == Token::Kind::kWord || kind == Token::Kind::kQuotedName) {
    term = parse_named(state, scope);
  } else if (std::optional<Term> constant = literal(state.current())) {
    state.take();
    term = *std::move(constant);
  } else {
    term = parse_symbol_term(state, scope);
  }
  refuse_arithmetic(state);
  return term;
}

std::vector<Term> parse_terms(ParserState& state, std::string_view closing, TermScope scope) {
  std::vector<Term> terms;
  if (state.accept_symbol(closing)) return terms;
  do terms.push_back(parse_term(state, scope));
  while (state.accept_comma());
  state.expect_symbol(closing);
  return terms;
}

Term parse_tuple(ParserState& state) {
  Term tuple = term_at(state.current(), Term::Kind::kTuple);
  state.expect_symbol("(");
  if (state.at_symbol(")")) state.fail_here();
  tuple.items = parse_terms(state, ")", TermScope::kValue);
  return tuple;
}

bool at_marker(const ParserState& state) { return state.at_symbol("?") || state.at_symbol(":"); }

Term parse_marker(ParserState& state) {
  const Token sign = state.take();
  Term term = term_at(sign, Term::Kind::kMarker);
  term.marker =
      state.add_marker(sign.text == ":" ? state.take_name() : std::string(), sign.position);
  return term;
}

Term parse_integer(ParserState& state) {
  if (at_marker(state)) return parse_marker(state);
  if (state.current().kind != Token::Kind::kInteger) {
    state.fail_here();
    return {};
  }
  return *literal(state.take());
}

Term parse_string(ParserState& state) {
  if (at_marker(state)) return parse_marker(state);
  if (state.current().kind != Token::Kind::kString) {
    state.fail_here();
    return {};
  }
  return *literal(state.take());
}

Term parse_constant(ParserState& state) {
  if (state.at_symbol("-")) return parse_negative(state, TermScope::kValue);
  std::optional<Term> constant = literal(state.current());
  if (!constant || constant->kind == Term::Kind::kNull) {
    state.fail_here();
    return {};
  }
  state.take();
  return *std::move(constant);
}

Term parse_constant_map(ParserState& state) {
  Term map = term_at(state.current(), Term::Kind::kMap);
  state.expect_symbol("{");
  if (state.accept_symbol("}")) return map;
  do {
    map.items.push_back(parse_constant(state));
    state.expect_symbol(":");
    map.items.push_back(parse_constant(state));
  } while (state.accept_comma());
  state.expect_symbol("}");
  return map;
}

}  // namespace cqlperf::cql

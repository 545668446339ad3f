#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cql/error.h"
#include "cql/lexer.h"
#include "cql/statement.h"

namespace cqlperf::cql {

// Statements of more tokens than this are refused, so that the tree of a text stays below some
// hundred megabytes whatever the text is.
inline constexpr size_t kTokensMax = size_t{1} << 20;
inline constexpr size_t kMarkersMax = 65'535;

// What the functions of the parser share while they read one text: the place in it, the bind
// markers so far, and the first failure. Like core::ByteReader it never throws and fails for good:
// after a failure only kEnd tokens come, every loop over them ends, what was read is worth nothing,
// and parse_statement reports the failure. Lives on the stack of one call.
class ParserState {
 public:
  explicit ParserState(std::string_view text);

  bool ok() const { return !failure_.has_value(); }
  // Those that were read.
  size_t token_count() const { return tokens_; }
  // Only after a failure.
  protocol::ErrorMessage take_failure() { return std::move(*failure_); }

  const Token& current() const { return ahead_[0]; }
  // The token after the current one, or the one after that.
  const Token& peek(size_t distance = 1);
  // The current token; the next one becomes current.
  Token take();

  bool at_end() const { return current().kind == Token::Kind::kEnd; }
  bool at_symbol(std::string_view symbol) const { return current().is_symbol(symbol); }
  bool at_word(std::string_view lower_case) const { return current().is_word(lower_case); }
  bool accept_symbol(std::string_view symbol);
  bool accept_word(std::string_view lower_case);
  // Both words, or nothing.
  bool accept_words(std::string_view first, std::string_view second);
  void expect_symbol(std::string_view symbol);
  void expect_word(std::string_view lower_case);
  void expect_end();

  // A name: a word that is not reserved, folded, or what is in double quotes.
  bool at_name() const { return is_name(current()); }
  static bool is_name(const Token& token);
  std::string take_name();

  // True when the list goes on.
  bool accept_comma() { return accept_symbol(","); }

  // The markers are numbered in order. `name` is empty for `?`.
  uint16_t add_marker(std::string name, Position position);
  const std::vector<Marker>& markers() const { return markers_; }
  std::vector<Marker> take_markers() { return std::move(markers_); }

  // Each keeps the first failure only.
  // 0x2000: `line 1:7 no viable alternative at input 'x' (select [x] …)`.
  void fail_here();
  // 0x2000: `line 1:9 mismatched input 'FORM' expecting FROM (…)`.
  void fail_expecting(std::string_view what);
  // 0x2000 with the position before.
  void fail_syntax(Position position, std::string message);
  // 0x2200 for CQL that this server does not have: `UDFs` gives `line 1:7 UDFs is not supported …`.
  void fail_unsupported(Position position, std::string what);
  // 0x2200 for what CQL does not allow.
  void fail_invalid(std::string message);
  void fail_with(protocol::ErrorMessage error);

 private:
  friend class Nesting;

  Token lex();
  void check_current();
  // The text around the current token, which is in brackets.
  std::string excerpt() const;

  std::string_view text_;
  Lexer lexer_;
  std::array<Token, 3> ahead_ = {};  // the current token and those that were peeked at
  size_t ahead_count_ = 1;
  size_t tokens_ = 0;
  int depth_ = 0;
  std::vector<Marker> markers_;
  std::optional<protocol::ErrorMessage> failure_;
};

// ASCII letters in upper case, as messages show keywords.
std::string upper_case(std::string_view text);

// One level of what may hold itself (terms, types, conditions in parentheses): made at the start of
// the function that reads it. More than kNestingMax levels are a failure, so the stack is bounded.
class Nesting {
 public:
  explicit Nesting(ParserState& state);
  ~Nesting() { --state_.depth_; }
  Nesting(const Nesting&) = delete;
  Nesting& operator=(const Nesting&) = delete;

 private:
  ParserState& state_;
};

}  // namespace cqlperf::cql

#include "cql/parser_state.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/text.h"
#include "cql/literal_patterns.h"
#include "cql/parser.h"
#include "protocol/identifiers.h"

namespace cqlperf::cql {
namespace {

constexpr size_t kShownBytesMax = 64;

// At most kShownBytesMax bytes from the start of `text`, whole characters.
std::string_view head(std::string_view text) {
  size_t length = std::min(text.size(), kShownBytesMax);
  while (length > 0 && length < text.size() && is_continuation_byte(text[length])) --length;
  return text.substr(0, length);
}

// At most 24 bytes from the end of `text`, whole characters.
std::string_view tail(std::string_view text) {
  constexpr size_t kBytesMax = 24;
  size_t from = text.size() - std::min(text.size(), kBytesMax);
  while (from > 0 && from < text.size() && is_continuation_byte(text[from])) ++from;
  return text.substr(from);
}

std::string shown(const Token& token) {
  if (token.kind == Token::Kind::kEnd) return "<EOF>";
  const std::string_view start = head(token.text);
  return core::printable(start) + (start.size() < token.text.size() ? "..." : "");
}

}  // namespace

std::string upper_case(std::string_view text) {
  std::string upper(text);
  for (char& c : upper) {
    if (is_letter(c)) c = static_cast<char>(c & ~0x20);
  }
  return upper;
}

ParserState::ParserState(std::string_view text) : text_(text), lexer_(text) {
  ahead_[0] = lex();
  check_current();
}

const Token& ParserState::peek(size_t distance) {
  while (ahead_count_ <= distance) ahead_[ahead_count_++] = lex();
  return ahead_[distance];
}

Token ParserState::take() {
  const Token taken = current();
  if (ahead_count_ == 1) {
    ahead_[0] = lex();
  } else {
    std::shift_left(ahead_.begin(), ahead_.end(), 1);
    --ahead_count_;
  }
  check_current();
  return taken;
}

Token ParserState::lex() {
  if (!ok()) return {};
  return lexer_.next();
}

void ParserState::check_current() {
  if (current().kind == Token::Kind::kError) {
    const Token& token = current();
    fail_syntax(token.position, fmt::format("no viable alternative at input '{}': {}", shown(token),
                                            token.problem));
  } else if (++tokens_ > kTokensMax) {
    fail_invalid(
        fmt::format("{} the statement has more than {} words and signs: send it in parts, "
                    "or bind its values",
                    current().position.to_string(), kTokensMax));
  }
}

bool ParserState::accept_symbol(std::string_view symbol) {
  if (!at_symbol(symbol)) return false;
  take();
  return true;
}

bool ParserState::accept_word(std::string_view lower_case) {
  if (!at_word(lower_case)) return false;
  take();
  return true;
}

bool ParserState::accept_words(std::string_view first, std::string_view second) {
  if (!at_word(first) || !peek().is_word(second)) return false;
  take();
  take();
  return true;
}

void ParserState::expect_symbol(std::string_view symbol) {
  if (!accept_symbol(symbol)) fail_expecting(fmt::format("'{}'", symbol));
}

void ParserState::expect_word(std::string_view lower_case) {
  if (!accept_word(lower_case)) fail_expecting(upper_case(lower_case));
}

void ParserState::expect_end() {
  if (!at_end()) fail_expecting("EOF");
}

bool ParserState::is_name(const Token& token) {
  if (token.kind == Token::Kind::kQuotedName) return token.text != "\"\"";
  return token.kind == Token::Kind::kWord && !protocol::is_reserved_word(fold_case(token.text));
}

std::string ParserState::take_name() {
  const Token& token = current();
  if (token.kind == Token::Kind::kWord) {
    std::string folded = fold_case(token.text);
    if (!protocol::is_reserved_word(folded)) {
      take();
      return folded;
    }
  } else if (is_name(token)) {
    return unquote(take());
  }
  fail_here();
  return {};
}

uint16_t ParserState::add_marker(std::string name, Position position) {
  if (markers_.size() == kMarkersMax) {
    fail_invalid(fmt::format("{} the statement has more than {} bind markers", position.to_string(),
                             kMarkersMax));
    return 0;
  }
  markers_.push_back({std::move(name), position});
  return static_cast<uint16_t>(markers_.size() - 1);
}

void ParserState::fail_here() {
  fail_syntax(current().position,
              fmt::format("no viable alternative at input '{}'{}", shown(current()), excerpt()));
}

void ParserState::fail_expecting(std::string_view what) {
  fail_syntax(current().position, fmt::format("mismatched input '{}' expecting {}{}",
                                              shown(current()), what, excerpt()));
}

void ParserState::fail_syntax(Position position, std::string message) {
  fail_with(syntax_error(position, std::move(message)).error());
}

void ParserState::fail_unsupported(Position position, std::string what) {
  fail_with(unsupported(position, std::move(what)).error());
}

void ParserState::fail_invalid(std::string message) {
  fail_with(invalid(std::move(message)).error());
}

void ParserState::fail_with(protocol::ErrorMessage error) {
  if (ok()) failure_ = std::move(error);
  ahead_ = {};
  ahead_count_ = 1;
}

std::string ParserState::excerpt() const {
  const Token& token = current();
  if (!ok() || token.kind == Token::Kind::kEnd) return {};
  const auto from = static_cast<size_t>(token.text.data() - text_.data());
  const std::string_view before = tail(text_.substr(0, from));
  const bool is_last = from + token.text.size() == text_.size();
  return fmt::format(" ({}{}[{}]{})", before.size() < from ? "..." : "", core::printable(before),
                     shown(token), is_last ? "" : "...");
}

Nesting::Nesting(ParserState& state) : state_(state) {
  if (++state_.depth_ > kNestingMax)
    state_.fail_unsupported(state_.current().position,
                            fmt::format("nesting deeper than {}", kNestingMax));
}

}  // namespace cqlperf::cql

#include "cql/lexer.h"

#include <algorithm>
#include <array>

#include "cql/literal_patterns.h"

namespace cqlperf::cql {
namespace {

char to_lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// The bytes of a string or name in quotes at the start of `text`, or 0 when it does not end.
size_t quoted_length(std::string_view text) {
  const char quote = text[0];
  for (size_t at = 1;;) {
    const size_t end = text.find(quote, at);
    if (end == std::string_view::npos) return 0;
    if (end + 1 == text.size() || text[end + 1] != quote) return end + 1;
    at = end + 2;
  }
}

// The bytes of the UTF-8 character at the start of `text`; 1 for bytes that are none.
size_t character_length(std::string_view text) {
  size_t length = 1;
  while (length < std::min<size_t>(text.size(), 4) && is_continuation_byte(text[length])) ++length;
  return length;
}

}  // namespace

bool Token::is_word(std::string_view lower_case) const {
  return kind == Kind::kWord && std::ranges::equal(text, lower_case, {}, to_lower);
}

std::string fold_case(std::string_view text) {
  std::string folded(text);
  std::ranges::transform(folded, folded.begin(), to_lower);
  return folded;
}

std::string unquote(const Token& token) {
  const char quote = token.text[0];
  if (quote == '$') return std::string(token.text.substr(2, token.text.size() - 4));
  std::string_view inner = token.text.substr(1, token.text.size() - 2);
  std::string out;
  out.reserve(inner.size());
  while (true) {
    const size_t end = inner.find(quote);
    if (end == std::string_view::npos) return out.append(inner);
    out.append(inner.substr(0, end + 1));
    inner.remove_prefix(end + 2);
  }
}

Token Lexer::next() {
  if (!skip_blanks()) return emit_error(rest().size(), "the comment has no closing */");
  if (at_ == text_.size()) return emit(Token::Kind::kEnd, 0);
  const char first = text_[at_];
  if (is_letter(first) || is_digit(first) || first == '-') return next_value();
  if (first == '\'' || first == '"') return next_quoted();
  if (first == '$') return next_dollar_string();
  return next_symbol();
}

Token Lexer::emit(Token::Kind kind, size_t length) {
  const Token token = {kind, rest().substr(0, length), position_, nullptr};
  advance(length);
  return token;
}

Token Lexer::emit_error(size_t length, const char* problem) {
  Token token = emit(Token::Kind::kError, length);
  token.problem = problem;
  return token;
}

void Lexer::advance(size_t length) {
  std::string_view taken = rest().substr(0, length);
  at_ += length;
  const size_t last_break = taken.rfind('\n');
  if (last_break != std::string_view::npos) {
    position_.line += static_cast<uint32_t>(std::ranges::count(taken, '\n'));
    position_.column = 0;
    taken.remove_prefix(last_break + 1);
  }
  const auto inner = std::ranges::count_if(taken, is_continuation_byte);
  position_.column += static_cast<uint32_t>(taken.size() - static_cast<size_t>(inner));
}

bool Lexer::skip_blanks() {
  while (true) {
    const std::string_view here = rest();
    const auto blanks = std::ranges::find_if_not(here, is_blank) - here.begin();
    advance(static_cast<size_t>(blanks));
    const std::string_view start = rest().substr(0, 2);
    if (start != "--" && start != "//" && start != "/*") return true;
    if (!skip_comment()) return false;
  }
}

bool Lexer::skip_comment() {
  const bool block = rest().starts_with("/*");
  const size_t end = block ? rest().find("*/", 2) : rest().find_first_of("\r\n");
  if (end == std::string_view::npos) {
    if (block) return false;
    advance(rest().size());
    return true;
  }
  advance(block ? end + 2 : end);
  return true;
}

Token Lexer::next_value() {
  if (const size_t length = uuid_length(rest()); length > 0) {
    if (touches_word(rest(), length)) return emit_error(length + 1, "no UUID");
    return emit(Token::Kind::kUuid, length);
  }
  const size_t sign = rest()[0] == '-' ? 1 : 0;
  if (rest().size() > sign && is_digit(rest()[sign])) return next_number();
  if (const size_t length = iso_duration_length(rest()); length > 0)
    return emit(Token::Kind::kDuration, length);
  if (sign == 1) return next_symbol();
  return emit(Token::Kind::kWord, word_length(rest()));
}

Token Lexer::next_number() {
  Token::Kind kind = Token::Kind::kInteger;
  size_t length = integer_length(rest());
  if (const size_t digits = blob_length(rest()); digits > 0) {
    kind = Token::Kind::kBlob;
    length = digits;
  } else if (const size_t with_units = unit_duration_length(rest()); with_units > 0) {
    kind = Token::Kind::kDuration;
    length = with_units;
  } else if (const size_t with_fraction = float_length(rest()); with_fraction > 0) {
    kind = Token::Kind::kFloat;
    length = with_fraction;
  }
  if (touches_word(rest(), length)) {
    const size_t letters = word_length(rest().substr(length));
    return emit_error(length + letters, "a number that touches letters");
  }
  return emit(kind, length);
}

Token Lexer::next_quoted() {
  const bool is_string = rest()[0] == '\'';
  const size_t length = quoted_length(rest());
  if (length > 0) return emit(is_string ? Token::Kind::kString : Token::Kind::kQuotedName, length);
  return emit_error(rest().size(),
                    is_string ? "the string has no closing '" : "the name has no closing \"");
}

Token Lexer::next_dollar_string() {
  if (!rest().starts_with("$$")) return emit_error(1, "no CQL character");
  const size_t end = rest().find("$$", 2);
  if (end == std::string_view::npos)
    return emit_error(rest().size(), "the string has no closing $$");
  return emit(Token::Kind::kString, end + 2);
}

Token Lexer::next_symbol() {
  static constexpr auto kPairs = std::to_array<std::string_view>({"<=", ">=", "!=", "+=", "-="});
  static constexpr std::string_view kSingle = "()[]{},;.:?=<>+-*/%";
  const std::string_view pair = rest().substr(0, 2);
  if (std::ranges::find(kPairs, pair) != kPairs.end()) return emit(Token::Kind::kSymbol, 2);
  if (kSingle.find(rest()[0]) != std::string_view::npos) return emit(Token::Kind::kSymbol, 1);
  return emit_error(character_length(rest()), "no CQL character");
}

}  // namespace cqlperf::cql

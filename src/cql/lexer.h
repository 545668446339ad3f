#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "cql/error.h"

namespace cqlperf::cql {

// One word or sign of a CQL text. It points into the text.
struct Token {
  enum class Kind : uint8_t {
    kEnd,         // of the text; `text` is empty
    kWord,        // a name or keyword without quotes
    kQuotedName,  // "…", with its quotes
    kString,      // '…' or $$…$$, with its quotes
    kInteger,     // maybe with a minus that touches it
    kFloat,
    kBlob,      // 0x…
    kUuid,      // 8-4-4-4-12 hexadecimal digits
    kDuration,  // 1h30m, P1Y2M, P3W, P0001-02-03T04:05:06
    kSymbol,    // one sign, or one of <= >= != += -=
    kError,     // what is no CQL; `problem` says why
  };

  Kind kind = Kind::kEnd;
  std::string_view text = {};
  Position position = {};
  const char* problem = nullptr;

  // Symbols have one or two characters, so the first and last tell them apart.
  bool is_symbol(std::string_view symbol) const {
    return kind == Kind::kSymbol && text.size() == symbol.size() &&
           text.front() == symbol.front() && text.back() == symbol.back();
  }
  // Whether it is this keyword, which is given in lower case.
  bool is_word(std::string_view lower_case) const;
};

// `text` with its ASCII letters in lower case, as names without quotes are folded.
std::string fold_case(std::string_view text);

// What is between the quotes of a kString or kQuotedName, with doubled quotes made single.
std::string unquote(const Token& token);

// Cuts a CQL text into tokens, leaving out blanks and comments, as Cassandra 5.0 does; other than
// there, a comment may end with the text, and no number may touch a letter. Any bytes may be given:
// what is no CQL becomes kError tokens. The text must outlive the lexer and its tokens. Cheap to
// copy; linear in the text.
class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  // The next token; kEnd again and again at the end.
  Token next();

 private:
  std::string_view rest() const { return text_.substr(at_); }
  Token emit(Token::Kind kind, size_t length);
  Token emit_error(size_t length, const char* problem);
  // Takes `length` bytes of the text and moves the position.
  void advance(size_t length);
  // Takes blanks and comments. False when a comment does not end.
  bool skip_blanks();
  bool skip_comment();
  Token next_value();
  Token next_number();
  Token next_quoted();
  Token next_dollar_string();
  Token next_symbol();

  std::string_view text_;
  size_t at_ = 0;
  Position position_ = {};
};

}  // namespace cqlperf::cql

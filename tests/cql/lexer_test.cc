#include "cql/lexer.h"

#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cqlperf::cql {
namespace {

using testing::ElementsAre;
using enum Token::Kind;

std::vector<Token> lex(std::string_view text) {
  std::vector<Token> tokens;
  Lexer lexer(text);
  while (true) {
    tokens.push_back(lexer.next());
    if (tokens.back().kind == kEnd) return tokens;
  }
}

std::vector<std::string> texts(std::string_view text) {
  std::vector<std::string> out;
  for (const Token& token : lex(text)) out.emplace_back(token.text);
  out.pop_back();
  return out;
}

// The kind of the one token that `text` is, or kEnd when it is not one.
Token::Kind kind_of(std::string_view text) {
  const std::vector<Token> tokens = lex(text);
  return tokens.size() == 2 ? tokens[0].kind : kEnd;
}

TEST(Lexer, CutsWordsAndSigns) {
  EXPECT_THAT(texts("select a,b from k.t where a>=? and b=:x;"),
              ElementsAre("select", "a", ",", "b", "from", "k", ".", "t", "where", "a", ">=", "?",
                          "and", "b", "=", ":", "x", ";"));
  EXPECT_THAT(texts("a!=b<=c<d>e+=f-=g*{}[]()%/"),
              ElementsAre("a", "!=", "b", "<=", "c", "<", "d", ">", "e", "+=", "f", "-=", "g", "*",
                          "{", "}", "[", "]", "(", ")", "%", "/"));
  EXPECT_TRUE(texts(" \t\r\n").empty());
}

TEST(Lexer, LeavesOutComments) {
  EXPECT_THAT(texts("a -- one\nb // two\rc /* three\n ** / */ d"), ElementsAre("a", "b", "c", "d"));
  EXPECT_THAT(texts("a -- to the end"), ElementsAre("a"));
  EXPECT_THAT(texts("a/**/b"), ElementsAre("a", "b"));
  EXPECT_EQ(lex("a /* b")[1].kind, kError);
  EXPECT_EQ(lex("/*/")[0].kind, kError);
}

TEST(Lexer, TellsLiteralsApart) {
  for (const char* text : {"0", "12", "-12", "00"}) EXPECT_EQ(kind_of(text), kInteger) << text;
  for (const char* text : {"1.", "1.5", "-1.5", "1e5", "1E-5", "-1.5e+10", "1.e3"})
    EXPECT_EQ(kind_of(text), kFloat) << text;
  for (const char* text : {"0x", "0xab", "0XAB", "0xabc"}) EXPECT_EQ(kind_of(text), kBlob) << text;
  for (const char* text :
       {"01234567-0123-0123-0123-0123456789ab", "e1234567-0123-0123-0123-0123456789AB",
        "1e234567-0123-0123-0123-0123456789ab", "deadbeef-dead-beef-dead-beefdeadbeef"})
    EXPECT_EQ(kind_of(text), kUuid) << text;
  for (const char* text : {"1h", "-1h30m", "1y2mo3w4d5h6m7s8ms9us10ns", "1\u00b5s", "1H30M", "P1Y",
                           "P1Y2M3DT4H5M6S", "PT5H", "P3W", "-P1D", "P0001-02-03T04:05:06"})
    EXPECT_EQ(kind_of(text), kDuration) << text;
  for (const char* text : {"P", "PT", "p1y", "P1", "P1Yx", "P1Y_", "e5", "a1", "A_b", "NaN"})
    EXPECT_EQ(kind_of(text), kWord) << text;
}

TEST(Lexer, AMinusBelongsToTheDigitsThatItTouches) {
  EXPECT_THAT(texts("v -1 - 1-2"), ElementsAre("v", "-1", "-", "1", "-2"));
  EXPECT_THAT(texts("-x"), ElementsAre("-", "x"));
  EXPECT_THAT(texts("-P"), ElementsAre("-", "P"));
}

TEST(Lexer, NumbersDoNotTouchLetters) {
  for (const char* text : {"12abc", "1h30", "0xfg", "1.5f", "1e", "5allow", "1_"})
    EXPECT_EQ(lex(text)[0].kind, kError) << text;
  EXPECT_EQ(lex("01234567-0123-0123-0123-0123456789abc")[0].kind, kError);
}

TEST(Lexer, TakesStringsAndQuotedNames) {
  EXPECT_EQ(kind_of("'it''s'"), kString);
  EXPECT_EQ(kind_of("''"), kString);
  EXPECT_EQ(kind_of("$$it's a $ and 'more'$$"), kString);
  EXPECT_EQ(kind_of("$$$$"), kString);
  EXPECT_EQ(kind_of("\"My \"\"Name\"\"\""), kQuotedName);
  EXPECT_EQ(kind_of("'a -- b /* c ; \n d'"), kString);
}

TEST(Lexer, UnquotesThem) {
  EXPECT_EQ(unquote(lex("'it''s'''")[0]), "it's'");
  EXPECT_EQ(unquote(lex("''")[0]), "");
  EXPECT_EQ(unquote(lex("''''")[0]), "'");
  EXPECT_EQ(unquote(lex("$$it''s$$")[0]), "it''s");
  EXPECT_EQ(unquote(lex("$$$$")[0]), "");
  EXPECT_EQ(unquote(lex("\"a\"\"b\"")[0]), "a\"b");
}

TEST(Lexer, SaysWhatDoesNotEnd) {
  for (const char* text : {"'abc", "'abc''", "\"abc", "$$abc", "$$abc$", "$$$", "'"})
    EXPECT_EQ(lex(text)[0].kind, kError) << text;
  EXPECT_THAT(lex("'abc")[0].problem, testing::HasSubstr("closing '"));
}

TEST(Lexer, RefusesOtherCharacters) {
  for (const std::string_view text :
       {std::string_view("@"), std::string_view("$"), std::string_view("\0", 1),
        std::string_view("\xff"), std::string_view("\u00e9"), std::string_view("!"),
        std::string_view("#"), std::string_view("\f")})
    EXPECT_EQ(lex(text)[0].kind, kError) << text;
  EXPECT_EQ(lex("\u20ac+")[0].text, "\u20ac");
}

TEST(Lexer, CountsLinesFromOneAndCharactersFromZero) {
  const std::vector<Token> tokens = lex("a '\u00e9\u20ac' b\n 'x\ny' c");
  EXPECT_EQ(tokens[0].position, (Position{1, 0}));
  EXPECT_EQ(tokens[1].position, (Position{1, 2}));
  EXPECT_EQ(tokens[2].position, (Position{1, 7}));
  EXPECT_EQ(tokens[3].position, (Position{2, 1}));
  EXPECT_EQ(tokens[4].position, (Position{3, 3}));
  EXPECT_EQ(tokens[5].position, (Position{3, 4}));
  EXPECT_EQ(tokens[5].position.to_string(), "line 3:4");
}

TEST(Lexer, WordsCompareWithoutCase) {
  const Token token = lex("SeLeCt")[0];
  EXPECT_TRUE(token.is_word("select"));
  EXPECT_FALSE(token.is_word("selects"));
  EXPECT_FALSE(token.is_word("selec"));
  EXPECT_FALSE(lex("\"select\"")[0].is_word("select"));
  EXPECT_EQ(fold_case("SeLeCt_1\u00c9"), "select_1\u00c9");
}

}  // namespace
}  // namespace cqlperf::cql

#pragma once

#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cql/error.h"
#include "cql/literal_text.h"
#include "cql/parser.h"
#include "cql/statement.h"
#include "protocol/strings.h"
#include "protocol/types.h"

namespace cqlperf::cql {

inline std::string to_hex(protocol::ByteView bytes) {
  std::string text;
  for (const uint8_t byte : bytes) text += fmt::format("{:02x}", byte);
  return text.empty() ? "-" : text;
}

// `-` is no bytes.
inline protocol::Bytes from_hex(std::string_view text) {
  const auto bytes = parse_hex(text == "-" ? "" : text);
  EXPECT_TRUE(bytes) << text;
  return bytes.value_or(protocol::Bytes());
}

// `E2200`.
inline std::string to_code(const protocol::ErrorMessage& error) {
  return fmt::format("E{:04x}", error.code);
}

// Hexadecimal digits, or the code of the error.
inline std::string outcome(const Result<protocol::Bytes>& bytes) {
  return bytes ? to_hex(*bytes) : to_code(bytes.error());
}

inline protocol::ColumnType type_of(std::string_view name) {
  auto type = parse_type(name);
  EXPECT_TRUE(type) << name;
  return type.value_or(protocol::ColumnType());
}

// A term as the parser reads it in `VALUES (…)`.
inline Result<ParsedStatement> parse_term(std::string_view text) {
  return parse_statement(fmt::format("INSERT INTO t (v) VALUES ({})", text));
}
inline const Term& term_of(const ParsedStatement& parsed) {
  return std::get<Insert>(parsed.statement).values.front();
}

// One line of a file in tests/cql/vectors: what Cassandra 5.0.8 did with a value. `outcome` are the
// bytes that it stored, or `E` and the code of its error; with a `!` in front where we refuse
// (E2200) what it takes.
struct Vector {
  std::string type;
  std::string outcome;
  std::string input;
};

// Lines of `type outcome input`, where the input goes to the end of the line.
inline std::vector<Vector> read_vectors(const std::string& file) {
  std::ifstream in(CQLPERF_SOURCE_DIR "/tests/cql/vectors/" + file);
  EXPECT_TRUE(in) << file;
  std::vector<Vector> vectors;
  for (Vector line; in >> line.type >> line.outcome && in.get() == ' ';) {
    std::getline(in, line.input);
    vectors.push_back(line);
  }
  EXPECT_GT(vectors.size(), 10u) << file;
  return vectors;
}

// Whether we did what Cassandra did, or what we do instead knowingly. Where it fails inside
// (E0000), any error will do.
inline bool agrees(const std::string& cassandra, const std::string& ours) {
  if (cassandra.starts_with('!')) return ours == "E2200";
  return cassandra == ours || (cassandra == "E0000" && ours.starts_with('E'));
}

// Checks what `store` gives for every line of the file.
template <class Store>
void expect_as_cassandra(const std::string& file, Store store) {
  for (const Vector& vector : read_vectors(file)) {
    const std::string ours = store(type_of(vector.type), vector.input);
    EXPECT_TRUE(agrees(vector.outcome, ours))
        << vector.type << ' ' << vector.input << ": " << ours << ", Cassandra: " << vector.outcome;
  }
}

}  // namespace cqlperf::cql

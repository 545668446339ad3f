#include "workload/form_statements.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "protocol/values.h"

namespace cqlperf::workload {
namespace {

class FormStatementsTest : public testing::Test {
 protected:
  FormStatementsTest() { row_.set(7, true); }

  std::string text_of(const HexText& text) const {
    core::Buffer out;
    text.append_to(out, row_.items());
    EXPECT_EQ(out.size(), text.size(row_.items()));
    return {reinterpret_cast<const char*>(out.data()), out.size()};
  }
  static std::string hex(protocol::ByteView bytes) {
    std::string digits;
    for (const uint8_t byte : bytes) digits += fmt::format("{:02x}", byte);
    return digits;
  }

  FormRows rows_{{.columns = 2, .value_bytes = 3}, 0};
  FormRow row_{rows_};
  FormStatements statements_{rows_, "ks.t"};
};

TEST_F(FormStatementsTest, TheTableHasTheColumnsOfTheStatement) {
  EXPECT_EQ(FormStatements::columns_cql(rows_, FormStatement::kInsert),
            "id blob PRIMARY KEY, \"C0\" blob, \"C1\" blob");
  EXPECT_EQ(FormStatements::columns_cql(rows_, FormStatement::kRead),
            FormStatements::columns_cql(rows_, FormStatement::kInsert));
  EXPECT_EQ(FormStatements::columns_cql(rows_, FormStatement::kCounter),
            "id blob PRIMARY KEY, \"C0\" counter, \"C1\" counter");
  EXPECT_EQ(FormStatements::create_index_cql(rows_, "ks.t"), "CREATE INDEX ON ks.t (\"C1\")");
}

TEST_F(FormStatementsTest, WithMarkers) {
  EXPECT_EQ(statements_.bound_cql(FormStatement::kInsert),
            "INSERT INTO ks.t (id, \"C0\", \"C1\") VALUES (?, ?, ?)");
  EXPECT_EQ(statements_.bound_cql(FormStatement::kCounter),
            "UPDATE ks.t SET \"C0\" = \"C0\" + ?, \"C1\" = \"C1\" + ? WHERE id = ?");
  EXPECT_EQ(statements_.bound_cql(FormStatement::kRead),
            "SELECT \"C0\", \"C1\" FROM ks.t WHERE id = ?");
  EXPECT_EQ(statements_.json_cql(), "INSERT INTO ks.t JSON ?");
}

TEST_F(FormStatementsTest, WithLiterals) {
  const std::string key = "0x30303030303030303037";
  EXPECT_EQ(text_of(statements_.text(FormStatement::kInsert)),
            fmt::format("INSERT INTO ks.t (id, \"C0\", \"C1\") VALUES ({}, 0x{}, 0x{})", key,
                        hex(row_.value(0)), hex(row_.value(1))));
  EXPECT_EQ(text_of(statements_.text(FormStatement::kCounter)),
            "UPDATE ks.t SET \"C0\" = \"C0\" + 1, \"C1\" = \"C1\" + 1 WHERE id = " + key);
  EXPECT_EQ(text_of(statements_.text(FormStatement::kRead)),
            "SELECT \"C0\", \"C1\" FROM ks.t WHERE id = " + key);
}

TEST_F(FormStatementsTest, TheJsonIsOneAndItsNamesKeepTheirCapitals) {
  const auto json = nlohmann::json::parse(text_of(statements_.json()));
  EXPECT_EQ(json.size(), 3u);
  EXPECT_EQ(json["id"], "0x30303030303030303037");
  EXPECT_EQ(json["\"C0\""], "0x" + hex(row_.value(0)));
  EXPECT_EQ(json["\"C1\""], "0x" + hex(row_.value(1)));
}

// The markers' values on the native protocol are those that are bound over Thrift.
TEST_F(FormStatementsTest, BothWiresBindTheSameValues) {
  for (const auto statement :
       {FormStatement::kInsert, FormStatement::kCounter, FormStatement::kRead}) {
    core::Buffer native;
    statements_.append_values(statement, row_, native);
    std::vector<protocol::ByteView> bound;
    statements_.bind(statement, row_, bound);
    EXPECT_EQ(bound.size(), statements_.markers(statement));
    core::Buffer expected;
    for (const protocol::ByteView value : bound) protocol::append_blob(expected, value);
    EXPECT_TRUE(std::ranges::equal(native.bytes(), expected.bytes()));
  }
  std::vector<protocol::ByteView> counters;
  statements_.bind(FormStatement::kCounter, row_, counters);
  EXPECT_EQ(protocol::decode_counter(counters[0]), 1);
  EXPECT_TRUE(std::ranges::equal(counters[2], row_.key()));
}

TEST_F(FormStatementsTest, AScanReadsAPartOfTheRing) {
  EXPECT_EQ(statements_.scan_cql(-5, 9),
            "SELECT id, \"C0\", \"C1\" FROM ks.t WHERE token(id) > -5 AND token(id) <= 9");
}

}  // namespace
}  // namespace cqlperf::workload

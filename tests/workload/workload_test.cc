#include "workload/workload.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/byte_reader.h"
#include "protocol/values.h"

namespace cqlperf::workload {
namespace {

Workload workload_of(const std::function<void(WorkloadSpec&)>& change = [](WorkloadSpec&) {}) {
  WorkloadSpec spec;
  change(spec);
  return *Workload::create(spec);
}

std::string complaint(const std::function<void(WorkloadSpec&)>& spoil) {
  WorkloadSpec spec;
  spoil(spec);
  const auto workload = Workload::create(spec);
  if (workload) return "";
  EXPECT_EQ(workload.error().code, core::ErrorCode::kUsage);
  return workload.error().message;
}

// The body of a Rows result with int columns of these names; INT64_MIN stands for null.
constexpr int64_t kNull = INT64_MIN;
core::Buffer rows_body(const std::vector<std::string>& names,
                       const std::vector<std::vector<int64_t>>& rows) {
  const auto int_type = protocol::ColumnType::of(protocol::TypeId::kInt);
  protocol::RowsMetadata metadata;
  metadata.column_count = static_cast<int32_t>(names.size());
  for (const std::string& name : names) metadata.columns.push_back({"ks", "t", name, int_type});
  core::Buffer body;
  const size_t start = protocol::begin_rows(body, protocol::kVersionMax, metadata);
  for (const auto& row : rows) {
    for (const int64_t value : row) {
      if (value == kNull)
        protocol::append_null(body);
      else
        protocol::append_int(body, static_cast<int32_t>(value));
    }
  }
  protocol::end_rows(body, start, static_cast<int32_t>(rows.size()));
  return body;
}

struct Judged {
  RowState state;
  std::string text;
};

Judged judge(const Workload& workload, int32_t key, const core::Buffer& body) {
  const auto rows = protocol::RowsView::decode(protocol::kVersionMax, body.bytes());
  EXPECT_TRUE(rows) << (rows ? "" : rows.error().message);
  return {workload.check_rows(key, *rows), workload.describe_rows(key, *rows)};
}

const std::vector<std::string> kNames = {"id", "va", "vb", "vc"};

// What an insert of `key` writes, as numbers.
std::vector<int64_t> written(const Workload& workload, int32_t key) {
  core::Buffer values;
  workload.write_values(0, key, values);
  EXPECT_EQ(values.size(), 32u);
  core::ByteReader reader(values.bytes());
  std::vector<int64_t> row;
  while (reader.remaining() > 0) {
    EXPECT_EQ(reader.read_i32(), 4) << "the length of an int";
    row.push_back(reader.read_i32());
  }
  return row;
}

TEST(WorkloadTest, TheInsertWorkload) {
  const Workload workload = workload_of();
  ASSERT_EQ(workload.statements().size(), 1u);
  const PreparedText& insert = workload.statements()[0];
  EXPECT_EQ(insert.kind, OperationKind::kInsert);
  EXPECT_EQ(insert.cql,
            "INSERT INTO test_keyspace.test_table (id, va, vb, vc) VALUES (?, ?, ?, ?)");
  EXPECT_EQ(insert.parameters, 4);
  EXPECT_EQ(workload.keys(), kKeysMax) << "the range of the seed program's random keys";
  EXPECT_FALSE(workload.reads());
  EXPECT_EQ(workload.kind_names(), std::vector<std::string>{"insert"});
}

TEST(WorkloadTest, TheReadWorkloadNamesItsColumns) {
  const Workload workload = workload_of([](WorkloadSpec& spec) { spec.name = "read"; });
  ASSERT_EQ(workload.statements().size(), 1u);
  EXPECT_EQ(workload.statements()[0].cql,
            "SELECT id, va, vb, vc FROM test_keyspace.test_table WHERE id = ?");
  EXPECT_EQ(workload.statements()[0].parameters, 1);
  EXPECT_TRUE(workload.reads());
  EXPECT_EQ(workload.keys(), 100'000);
  core::Buffer values;
  workload.write_values(0, 7, values);
  core::Buffer expected;
  protocol::append_int(expected, 7);
  EXPECT_TRUE(std::ranges::equal(values.bytes(), expected.bytes()));
}

TEST(WorkloadTest, TheMixedWorkload) {
  const Workload workload = workload_of([](WorkloadSpec& spec) {
    spec.name = "mixed";
    spec.mix = "read=1,insert=4";
  });
  EXPECT_EQ(workload.kind_names(), (std::vector<std::string>{"read", "insert"}));
  int reads = 0;
  for (uint64_t i = 0; i < 1000; ++i) reads += workload.kind_of(i) == 0 ? 1 : 0;
  EXPECT_EQ(reads, 200);
  const Workload by_default = workload_of([](WorkloadSpec& spec) { spec.name = "mixed"; });
  reads = 0;
  for (uint64_t i = 0; i < 1000; ++i) reads += by_default.kind_of(i) == 1 ? 1 : 0;
  EXPECT_EQ(reads, 750);
}

TEST(WorkloadTest, PopulatingWritesEveryKeyOnce) {
  const Workload workload = workload_of([](WorkloadSpec& spec) {
    spec.name = "read";
    spec.keys = 5000;
  });
  const Workload populating = workload.populating();
  EXPECT_FALSE(populating.reads());
  std::set<int32_t> populated;
  for (uint64_t i = 0; i < 5000; ++i) populated.insert(populating.key_of(i));
  EXPECT_EQ(populated.size(), 5000u);
  for (uint64_t i = 0; i < 20'000; ++i) EXPECT_TRUE(populated.contains(workload.key_of(i)));
}

TEST(WorkloadTest, WhatWasPopulatedIsWhatReadsExpect) {
  const Workload workload = workload_of([](WorkloadSpec& spec) {
    spec.name = "mixed";
    spec.seed = 99;
  });
  const Workload populating = workload.populating();
  for (int32_t key = 0; key < 100; ++key) {
    const auto row = written(populating, key);
    EXPECT_EQ(row, written(workload, key)) << "an insert of the mix writes the same";
    EXPECT_EQ(judge(workload, key, rows_body(kNames, {row})).state, RowState::kOk);
  }
}

TEST(WorkloadTest, AWrongRowIsToldInFull) {
  const Workload workload = workload_of();
  auto row = written(workload, 12);
  row[2] += 1;
  const Judged value = judge(workload, 12, rows_body(kNames, {row}));
  EXPECT_EQ(value.state, RowState::kWrong);
  EXPECT_EQ(value.text, "key 12: column vb is " + std::to_string(row[2]) + " instead of " +
                            std::to_string(row[2] - 1));
  row[2] = kNull;
  const Judged null = judge(workload, 12, rows_body(kNames, {row}));
  EXPECT_EQ(null.state, RowState::kWrong);
  EXPECT_NE(null.text.find("column vb is null instead of"), std::string::npos);
  const Judged other = judge(workload, 12, rows_body(kNames, {written(workload, 13)}));
  EXPECT_EQ(other.state, RowState::kWrong);
  EXPECT_EQ(other.text, "key 12: column id is 13 instead of 12");
}

TEST(WorkloadTest, AMissingRowAndTooManyRows) {
  const Workload workload = workload_of();
  const auto row = written(workload, 12);
  const Judged missing = judge(workload, 12, rows_body(kNames, {}));
  EXPECT_EQ(missing.state, RowState::kMissing);
  EXPECT_EQ(missing.text, "key 12: no row, but it was written");
  const Judged twice = judge(workload, 12, rows_body(kNames, {row, row}));
  EXPECT_EQ(twice.state, RowState::kWrong);
  EXPECT_EQ(twice.text, "key 12: 2 rows of 4 columns instead of 1 row of 4");
  const Judged narrow = judge(workload, 12, rows_body({"id"}, {{12}}));
  EXPECT_EQ(narrow.state, RowState::kWrong);
}

TEST(WorkloadTest, AnotherSeedIsAnotherRow) {
  const Workload workload = workload_of();
  const Workload other = workload_of([](WorkloadSpec& spec) { spec.seed = 2; });
  EXPECT_EQ(judge(other, 5, rows_body(kNames, {written(workload, 5)})).state, RowState::kWrong);
}

TEST(WorkloadTest, MistakesAreUsageErrors) {
  EXPECT_NE(complaint([](auto& spec) { spec.name = "delete"; }).find("insert, read or mixed"),
            std::string::npos);
  EXPECT_NE(complaint([](auto& spec) { spec.mix = "read=1"; }).find("mixed"), std::string::npos);
  for (const int64_t keys : {int64_t{0}, int64_t{-1}, kKeysMax + 1, INT64_MAX})
    EXPECT_NE(complaint([&](auto& spec) { spec.keys = keys; }).find("from 1 to 2147483648"),
              std::string::npos);
  EXPECT_NE(complaint([](auto& spec) { spec.keyspace = "a b"; }), "");
  EXPECT_NE(complaint([](auto& spec) { spec.replication = "x"; }), "");
  EXPECT_EQ(complaint([](auto& spec) { spec.keys = kKeysMax; }), "");
  EXPECT_EQ(complaint([](auto& spec) { spec.keys = 1; }), "");
}

}  // namespace
}  // namespace cqlperf::workload

#include "storage/row.h"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/random.h"

namespace cqlperf::storage {
namespace {

using protocol::Bytes;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr int64_t kNotDeleted = std::numeric_limits<int64_t>::min();
constexpr int64_t kNow = 1000;

// Makes one update: update(10, [](RowWriter& row) { ... }).
template <class Write>
Bytes update(int64_t timestamp_us, Write write) {
  core::Buffer out;
  RowWriter row(out, timestamp_us);
  write(row);
  row.finish();
  return protocol::to_bytes(out.bytes());
}

Bytes merge(const Bytes& older, const Bytes& newer) {
  core::Buffer out;
  const auto status = merge_rows(older, newer, out);
  EXPECT_TRUE(status.has_value()) << status.error().message;
  return protocol::to_bytes(out.bytes());
}

// `column=value@timestamp` for each live cell; with ` live` when SELECT sees the row.
std::vector<std::string> cells_of(const Bytes& row, int64_t now_s = kNow,
                                  int64_t deleted_us = kNotDeleted) {
  const auto view = RowView::parse(row);
  if (!view) return {view.error().message};
  std::vector<std::string> found;
  auto cells = view->live_cells(now_s, deleted_us);
  while (const auto cell = cells.next()) {
    found.push_back(std::to_string(cell->column) + "=" +
                    std::string(cell->value->begin(), cell->value->end()) + "@" +
                    std::to_string(cell->timestamp_us));
  }
  return found;
}

bool is_live(const Bytes& row, int64_t now_s = kNow, int64_t deleted_us = kNotDeleted) {
  return RowView::parse(row).value().is_live(now_s, deleted_us);
}

int64_t counter_of(const Bytes& row, uint16_t column = 0, int64_t deleted_us = kNotDeleted) {
  auto cells = RowView::parse(row).value().live_cells(kNow, deleted_us);
  while (const auto cell = cells.next()) {
    if (cell->column != column) continue;
    core::ByteReader in(*cell->value);
    return in.read_i64();
  }
  return -999;
}

protocol::ByteView text(std::string_view value) { return protocol::as_bytes(value); }

Bytes insert(int64_t timestamp_us, std::string_view value, Expiry expiry = {}) {
  return update(timestamp_us, [&](RowWriter& row) {
    row.set_live(expiry);
    row.set_cell(0, text(value), expiry);
  });
}
Bytes set(int64_t timestamp_us, uint16_t column, std::string_view value, Expiry expiry = {}) {
  return update(timestamp_us, [&](RowWriter& row) { row.set_cell(column, text(value), expiry); });
}
Bytes drop_cell(int64_t timestamp_us, uint16_t column) {
  return update(timestamp_us, [&](RowWriter& row) { row.delete_cell(column); });
}
Bytes drop_row(int64_t timestamp_us) {
  return update(timestamp_us, [](RowWriter& row) { row.delete_row(); });
}
Bytes add(int64_t timestamp_us, int64_t delta) {
  return update(timestamp_us, [&](RowWriter& row) { row.add_to_counter(0, delta); });
}

TEST(Row, CellsComeBackInOrder) {
  const Bytes row = update(5, [](RowWriter& writer) {
    writer.set_live();
    writer.set_cell(0, text("a"));
    writer.set_cell(1, text(""));
    writer.set_cell(40, text("far"));
    writer.delete_cell(41);
    writer.set_cell(65535, text(std::string(300, 'x')));
  });
  EXPECT_THAT(cells_of(row),
              ElementsAre("0=a@5", "1=@5", "40=far@5", "65535=" + std::string(300, 'x') + "@5"));
  EXPECT_TRUE(is_live(row));
  EXPECT_EQ(RowView::parse(row)->inserted_us(), 5);
  EXPECT_EQ(RowView::parse(row)->deleted_us(), std::nullopt);
}

TEST(Row, TheUsualInsertIsCompact) {
  const Bytes row = update(1'700'000'000'000'000, [](RowWriter& writer) {
    writer.set_live();
    for (uint16_t column = 0; column < 4; ++column) writer.set_cell(column, Bytes{0, 0, 0, 1});
  });
  EXPECT_EQ(row.size(), 9 + 4 * (2 + 4));
}

TEST(Row, WithoutAnInsertARowLivesByItsCells) {
  EXPECT_TRUE(is_live(set(5, 3, "v")));
  EXPECT_FALSE(is_live(drop_cell(5, 3)));
  EXPECT_FALSE(is_live(merge(set(5, 3, "v"), drop_cell(6, 3))));
  EXPECT_TRUE(is_live(merge(insert(5, "v"), drop_cell(6, 0))));
}

TEST(Row, TheLaterTimestampWinsWhateverCameFirst) {
  EXPECT_THAT(cells_of(merge(set(5, 0, "old"), set(6, 0, "new"))), ElementsAre("0=new@6"));
  EXPECT_THAT(cells_of(merge(set(6, 0, "new"), set(5, 0, "old"))), ElementsAre("0=new@6"));
  EXPECT_THAT(cells_of(merge(set(-6, 0, "old"), set(-5, 0, "new"))), ElementsAre("0=new@-5"));
}

TEST(Row, EachColumnHasItsOwnTime) {
  const Bytes row = merge(insert(5, "a"), merge(set(9, 1, "b"), set(7, 2, "c")));
  EXPECT_THAT(cells_of(row), ElementsAre("0=a@5", "1=b@9", "2=c@7"));
  EXPECT_EQ(RowView::parse(row)->inserted_us(), 5);
}

TEST(Row, AtOneTimestampDeletionsThenExpiringThenLargerValuesWin) {
  const Expiry soon{.ttl_s = 10, .expires_at_s = kNow + 10};
  const Expiry later{.ttl_s = 20, .expires_at_s = kNow + 20};
  const std::vector<Bytes> rising = {set(5, 0, "a"),       set(5, 0, "b"),        set(5, 0, "ba"),
                                     set(5, 0, "z", soon), set(5, 0, "a", later), drop_cell(5, 0)};
  for (size_t i = 0; i < rising.size(); ++i) {
    for (size_t j = 0; j < rising.size(); ++j) {
      EXPECT_EQ(merge(rising[i], rising[j]), rising[std::max(i, j)]) << i << " and " << j;
    }
  }
}

TEST(Row, ADeletionCoversWhatIsNotLater) {
  EXPECT_THAT(cells_of(merge(insert(5, "v"), drop_row(5))), IsEmpty());
  EXPECT_FALSE(is_live(merge(insert(5, "v"), drop_row(5))));
  EXPECT_FALSE(is_live(merge(drop_row(6), insert(5, "late"))));
  const Bytes row = merge(drop_row(5), insert(6, "v"));
  EXPECT_TRUE(is_live(row));
  EXPECT_EQ(RowView::parse(row)->deleted_us(), 5);
  EXPECT_EQ(RowView::parse(row)->inserted_us(), 6);
  EXPECT_THAT(cells_of(merge(row, set(5, 1, "late"))), ElementsAre("0=v@6"));
}

TEST(Row, OneUpdateMayDeleteAndWrite) {
  const Bytes row = update(5, [](RowWriter& writer) {
    writer.delete_row();
    writer.set_cell(0, text("covered"));
  });
  EXPECT_THAT(cells_of(row), IsEmpty());
  EXPECT_FALSE(is_live(row));
}

TEST(Row, ADeletionOfThePartitionCounts) {
  const Bytes row = merge(insert(5, "v"), set(8, 1, "w"));
  EXPECT_THAT(cells_of(row, kNow, 5), ElementsAre("1=w@8"));
  EXPECT_TRUE(is_live(row, kNow, 5));
  EXPECT_FALSE(is_live(row, kNow, 8));
}

TEST(Row, WhatExpiredIsGone) {
  const Bytes row = insert(5, "v", {.ttl_s = 10, .expires_at_s = kNow});
  EXPECT_TRUE(is_live(row, kNow - 1));
  EXPECT_THAT(cells_of(row, kNow - 1), ElementsAre("0=v@5"));
  EXPECT_FALSE(is_live(row, kNow));
  EXPECT_THAT(cells_of(row, kNow), IsEmpty());
  // It hides what it replaced, as a deletion does.
  EXPECT_FALSE(is_live(merge(row, insert(4, "older")), kNow));
}

TEST(Row, ExpiryIsTold) {
  const Bytes row = merge(insert(5, "v", {.ttl_s = 10, .expires_at_s = kNow + 7}), set(6, 1, "w"));
  auto cells = RowView::parse(row)->live_cells(kNow, kNotDeleted);
  const auto first = cells.next().value();
  EXPECT_EQ(first.expiry.ttl_s, 10);
  EXPECT_EQ(first.expiry.expires_at_s, kNow + 7);
  EXPECT_EQ(cells.next()->expiry.expires_at_s, 0);
}

TEST(Row, CountersAddUp) {
  EXPECT_EQ(counter_of(merge(add(5, 3), add(4, -10))), -7);
  EXPECT_EQ(counter_of(merge(merge(add(5, 1), add(5, 1)), add(5, 1))), 3);
  EXPECT_EQ(counter_of(merge(add(1, std::numeric_limits<int64_t>::max()), add(2, 1))),
            std::numeric_limits<int64_t>::min());
}

TEST(Row, ADeletedCounterBeginsAgain) {
  const Bytes deleted = merge(add(5, 3), drop_cell(6, 0));
  EXPECT_FALSE(is_live(deleted));
  EXPECT_EQ(counter_of(merge(deleted, add(7, 2))), 2);
  EXPECT_EQ(counter_of(merge(add(5, 3), merge(drop_cell(6, 0), add(7, 2)))), 2);
  EXPECT_EQ(counter_of(merge(merge(add(5, 3), drop_row(6)), add(7, 2))), 2);
  EXPECT_EQ(counter_of(merge(add(5, 3), merge(drop_row(6), add(7, 2)))), 2);
  EXPECT_EQ(counter_of(merge(add(5, 3), add(7, 2)), 0, 6), 5);
  EXPECT_EQ(counter_of(add(5, 3), 0, 6), -999);
}

TEST(Row, AMergeAppends) {
  core::Buffer out;
  out.append(std::string_view("before"));
  ASSERT_TRUE(merge_rows(set(5, 0, "a"), set(6, 0, "b"), out).has_value());
  const Bytes expected = merge(set(5, 0, "a"), set(6, 0, "b"));
  EXPECT_TRUE(std::ranges::equal(out.bytes().subspan(6), expected));
}

// Updates of all kinds, with few timestamps and columns, so that many meet.
class RandomUpdates {
 public:
  explicit RandomUpdates(uint64_t seed) : random_(seed) {}

  Bytes regular() {
    return update(time(), [this](RowWriter& row) {
      if (random_.below(3) == 0) row.set_live(expiry());
      if (random_.below(5) == 0) row.delete_row();
      for (uint16_t column = 0; column < 20; column += 1 + random_.below(19)) {
        random_.below(4) == 0 ? row.delete_cell(column) : row.set_cell(column, value(), expiry());
      }
    });
  }
  Bytes counter() {
    return update(time(), [this](RowWriter& row) {
      if (random_.below(6) == 0) row.delete_row();
      for (uint16_t column = 0; column < 4; column += 1 + random_.below(3)) {
        random_.below(5) == 0 ? row.delete_cell(column)
                              : row.add_to_counter(column, static_cast<int64_t>(random_.below(9)));
      }
    });
  }
  core::Random& random() { return random_; }

 private:
  int64_t time() { return static_cast<int64_t>(random_.below(5)); }
  Expiry expiry() {
    if (random_.below(3) != 0) return {};
    return {.ttl_s = static_cast<int32_t>(1 + random_.below(2)),
            .expires_at_s = kNow - 1 + static_cast<int64_t>(random_.below(3))};
  }
  Bytes value() { return Bytes(random_.below(3), static_cast<uint8_t>(random_.below(2))); }

  core::Random random_;
};

// Merges neighbours in random places until one is left.
Bytes merge_all(std::vector<Bytes> updates, core::Random& random) {
  while (updates.size() > 1) {
    const size_t at = random.below(updates.size() - 1);
    updates[at] = merge(updates[at], updates[at + 1]);
    updates.erase(updates.begin() + static_cast<std::ptrdiff_t>(at) + 1);
  }
  return updates.front();
}

TEST(Row, AnyOrderAndAnyGroupingGiveTheSameBytes) {
  RandomUpdates updates(21);
  for (int round = 0; round < 5'000; ++round) {
    std::vector<Bytes> list;
    for (size_t i = 0; i < 2 + updates.random().below(6); ++i) list.push_back(updates.regular());
    const Bytes expected = merge_all(list, updates.random());
    for (size_t i = list.size() - 1; i > 0; --i) {
      std::swap(list[i], list[updates.random().below(i + 1)]);
    }
    ASSERT_EQ(merge_all(list, updates.random()), expected);
    ASSERT_EQ(merge(expected, expected), expected);
  }
}

TEST(Row, AnyGroupingOfCountersGivesTheSame) {
  RandomUpdates updates(22);
  for (int round = 0; round < 5'000; ++round) {
    std::vector<Bytes> list;
    for (size_t i = 0; i < 2 + updates.random().below(6); ++i) list.push_back(updates.counter());
    const Bytes one = merge_all(list, updates.random());
    const Bytes other = merge_all(list, updates.random());
    ASSERT_EQ(cells_of(one), cells_of(other));
    const Bytes next = updates.counter();
    ASSERT_EQ(cells_of(merge(one, next)), cells_of(merge(other, next)));
    ASSERT_EQ(cells_of(merge(next, one)), cells_of(merge(next, other)));
  }
}

// What a reader sees does not depend on whether updates were merged before.
TEST(Row, MergedRowsShowWhatTheCellsSay) {
  RandomUpdates updates(23);
  for (int round = 0; round < 5'000; ++round) {
    const Bytes single = updates.regular();
    const Bytes merged = merge(single, single);
    for (const int64_t deleted_us : {kNotDeleted, int64_t{1}, int64_t{3}}) {
      ASSERT_EQ(cells_of(single, kNow, deleted_us), cells_of(merged, kNow, deleted_us));
      ASSERT_EQ(is_live(single, kNow, deleted_us), is_live(merged, kNow, deleted_us));
    }
  }
}

TEST(Row, EachCutIsAnErrorOrAShorterRow) {
  RandomUpdates updates(24);
  core::Buffer out;
  for (int round = 0; round < 500; ++round) {
    const Bytes row = updates.regular();
    for (size_t size = 0; size < row.size(); ++size) {
      const protocol::ByteView cut = protocol::ByteView(row).first(size);
      const bool is_row = RowView::parse(cut).has_value();
      ASSERT_EQ(merge_rows(cut, row, out).has_value(), is_row);
      ASSERT_EQ(merge_rows(row, cut, out).has_value(), is_row);
    }
  }
  EXPECT_THAT(RowView::parse({}).error().message, HasSubstr("damaged"));
}

TEST(Row, AnyBytesAreRead) {
  core::Random random(25);
  for (int round = 0; round < 100'000; ++round) {
    Bytes bytes(random.below(40));
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random.next() >> random.below(9));
    if (!bytes.empty()) bytes[0] &= 0x0F;
    core::Buffer out;
    const Bytes other = insert(static_cast<int64_t>(random.next()), "v");
    const bool is_row = RowView::parse(bytes).has_value();
    ASSERT_EQ(merge_rows(bytes, other, out).has_value(), is_row);
    if (!is_row) continue;
    static_cast<void>(cells_of(bytes));
    ASSERT_TRUE(RowView::parse(out.bytes()).has_value());
  }
}

TEST(Row, ALengthThatDoesNotFitIsAnError) {
  Bytes row = set(5, 0, "v");
  row.erase(row.end() - 2, row.end());
  row.insert(row.end(), {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01});
  EXPECT_FALSE(RowView::parse(row).has_value());
}

}  // namespace
}  // namespace cqlperf::storage

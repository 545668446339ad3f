#include "storage/partition.h"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/random.h"
#include "storage/row.h"

namespace cqlperf::storage {
namespace {

using protocol::Bytes;

constexpr int64_t kNotDeleted = std::numeric_limits<int64_t>::min();

Bytes all(int64_t timestamp_us) {
  core::Buffer out;
  append_partition_deletion(out, timestamp_us);
  return protocol::to_bytes(out.bytes());
}

// An empty `end` has no upper end.
Bytes range(std::string_view begin, std::string_view end, int64_t timestamp_us) {
  core::Buffer out;
  append_range_deletion(out, protocol::as_bytes(begin), protocol::as_bytes(end), timestamp_us);
  return protocol::to_bytes(out.bytes());
}

Bytes merge(const Bytes& one, const Bytes& other) {
  core::Buffer out;
  const auto status = merge_partitions(one, other, out);
  EXPECT_TRUE(status.has_value()) << status.error().message;
  return protocol::to_bytes(out.bytes());
}

int64_t deleted_us(const Bytes& entry, std::string_view clustering) {
  return PartitionView::parse(entry).value().deleted_us(protocol::as_bytes(clustering));
}

TEST(Partition, WithoutAnEntryNothingIsDeleted) {
  EXPECT_EQ(PartitionView().deleted_us({}), kNotDeleted);
}

TEST(Partition, ADeletionCoversAllRows) {
  EXPECT_EQ(deleted_us(all(7), ""), 7);
  EXPECT_EQ(deleted_us(all(-7), "zzz"), -7);
  EXPECT_EQ(deleted_us(merge(all(7), all(5)), "a"), 7);
}

TEST(Partition, ARangeCoversItsBeginAndNotItsEnd) {
  const Bytes entry = range("b", "d", 7);
  EXPECT_EQ(deleted_us(entry, "azz"), kNotDeleted);
  EXPECT_EQ(deleted_us(entry, "b"), 7);
  EXPECT_EQ(deleted_us(entry, "czz"), 7);
  EXPECT_EQ(deleted_us(entry, "d"), kNotDeleted);
}

TEST(Partition, RangesMayBeOpen) {
  EXPECT_EQ(deleted_us(range("b", "", 7), "\xFF\xFF"), 7);
  EXPECT_EQ(deleted_us(range("b", "", 7), "a"), kNotDeleted);
  EXPECT_EQ(deleted_us(range("", "b", 7), ""), 7);
  EXPECT_EQ(deleted_us(range("", "", 7), "x"), 7);
}

TEST(Partition, OverlappingRangesGiveTheLaterTime) {
  const Bytes entry = merge(range("b", "m", 5), range("f", "", 9));
  EXPECT_EQ(deleted_us(entry, "c"), 5);
  EXPECT_EQ(deleted_us(entry, "f"), 9);
  EXPECT_EQ(deleted_us(entry, "z"), 9);
  const Bytes hole = merge(range("b", "m", 9), range("f", "g", 5));
  EXPECT_EQ(hole, range("b", "m", 9));
}

TEST(Partition, NeighboursJoin) {
  EXPECT_EQ(merge(range("c", "d", 5), range("b", "c", 5)), range("b", "d", 5));
  EXPECT_EQ(merge(range("d", "", 5), range("b", "d", 5)), range("b", "", 5));
}

TEST(Partition, APartitionsDeletionTakesOlderRangesAway) {
  EXPECT_EQ(merge(range("b", "c", 5), all(5)), all(5));
  const Bytes entry = merge(all(5), range("b", "c", 6));
  EXPECT_EQ(deleted_us(entry, "b"), 6);
  EXPECT_EQ(deleted_us(entry, "c"), 5);
}

TEST(Partition, EmptyRangesDeleteNothing) {
  const Bytes entry = merge(range("c", "b", 5), range("x", "x", 5));
  EXPECT_EQ(entry.size(), 1);
  EXPECT_EQ(deleted_us(range("c", "b", 5), "bb"), kNotDeleted);
}

TEST(Partition, DeletingTheSameAgainDoesNotGrow) {
  Bytes entry = all(1);
  for (int64_t time = 2; time < 500; ++time) entry = merge(entry, range("b", "c", time));
  EXPECT_EQ(entry, merge(all(1), range("b", "c", 499)));
}

TEST(Partition, IsToldFromARow) {
  core::Buffer out;
  RowWriter row(out, 5);
  row.set_live();
  row.delete_row();
  row.finish();
  EXPECT_FALSE(is_partition_entry(out.bytes()));
  EXPECT_TRUE(is_partition_entry(all(5)));
  EXPECT_TRUE(is_partition_entry(range("", "", 5)));
  EXPECT_FALSE(is_partition_entry({}));
  EXPECT_FALSE(PartitionView::parse(out.bytes()).has_value());
  EXPECT_FALSE(RowView::parse(all(5)).has_value());
}

class RandomEntries {
 public:
  explicit RandomEntries(uint64_t seed) : random_(seed) {}

  Bytes next() {
    const auto time = static_cast<int64_t>(random_.below(6));
    if (random_.below(8) == 0) return all(time);
    return range(place(), place(), time);
  }
  std::string place() { return std::string(random_.below(3), static_cast<char>(random_.below(4))); }
  core::Random& random() { return random_; }

 private:
  core::Random random_;
};

TEST(Partition, AnyOrderAndAnyGroupingGiveTheSameBytes) {
  RandomEntries entries(31);
  for (int round = 0; round < 3'000; ++round) {
    std::vector<Bytes> list;
    for (size_t i = 0; i < 2 + entries.random().below(6); ++i) list.push_back(entries.next());
    Bytes forward = list.front();
    for (size_t i = 1; i < list.size(); ++i) forward = merge(forward, list[i]);
    Bytes backward = list.back();
    for (size_t i = list.size() - 1; i-- > 0;) backward = merge(list[i], backward);
    ASSERT_EQ(forward, backward);
    std::string place = entries.place();
    int64_t expected = kNotDeleted;
    for (const Bytes& entry : list) expected = std::max(expected, deleted_us(entry, place));
    ASSERT_EQ(deleted_us(forward, place), expected);
  }
}

TEST(Partition, AnyBytesAreRead) {
  core::Random random(32);
  core::Buffer out;
  for (int round = 0; round < 100'000; ++round) {
    Bytes bytes(random.below(40));
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random.next() >> random.below(9));
    if (!bytes.empty()) bytes[0] = 0x80 | (bytes[0] & 1);
    const bool is_entry = PartitionView::parse(bytes).has_value();
    ASSERT_EQ(merge_partitions(bytes, range("b", "c", 5), out).has_value(), is_entry);
    if (is_entry) static_cast<void>(deleted_us(bytes, "b"));
  }
}

}  // namespace
}  // namespace cqlperf::storage

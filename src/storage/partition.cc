#include "storage/partition.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "storage/row_format.h"

namespace cqlperf::storage {
namespace {

using protocol::ByteView;

// An entry: one byte kPartitionTag and kPartitionDeleted, the timestamp of the partition's deletion
// if there is one, and the ranges: length and bytes of the begin, length + 1 and bytes of the end
// (0: no end), and the timestamp. Those that were merged are in order and do not overlap.
constexpr uint8_t kPartitionDeleted = 0x01;

// A place among the rows of a partition.
struct Place {
  ByteView bytes = {};
  bool is_end = false;  // after all rows

  bool operator==(const Place& other) const {
    return is_end == other.is_end && std::ranges::equal(bytes, other.bytes);
  }
  bool operator<(const Place& other) const {
    if (is_end || other.is_end) return !is_end;
    return std::ranges::lexicographical_compare(bytes, other.bytes);
  }
};

struct Range {
  Place begin;
  Place end;
  int64_t deleted_us = kNever;
};

struct Entry {
  int64_t deleted_us = kNever;
  std::vector<Range> ranges;
};

std::optional<int64_t> read_partition_deletion(PartReader& in) {
  const uint8_t tag = in.read_u8();
  if ((tag & ~kPartitionDeleted) != kPartitionTag) in.set_failed();
  if ((tag & kPartitionDeleted) == 0) return std::nullopt;
  return in.read_i64();
}

Range read_range(PartReader& in) {
  Range range;
  range.begin.bytes = in.read_bytes(in.read_length());
  const size_t end = in.read_length();
  range.end.is_end = end == 0;
  if (end > 0) range.end.bytes = in.read_bytes(end - 1);
  range.deleted_us = in.read_i64();
  return range;
}

void append_range(core::Buffer& out, const Range& range) {
  append_length(out, range.begin.bytes.size());
  out.append(range.begin.bytes);
  append_length(out, range.end.is_end ? 0 : range.end.bytes.size() + 1);
  out.append(range.end.bytes);
  out.append_i64(range.deleted_us);
}

void append_tag(core::Buffer& out, int64_t deleted_us) {
  if (deleted_us == kNever) return out.append_u8(kPartitionTag);
  out.append_u8(kPartitionTag | kPartitionDeleted);
  out.append_i64(deleted_us);
}

bool read_entry(ByteView bytes, Entry& entry) {
  PartReader in(bytes);
  entry.deleted_us = std::max(entry.deleted_us, read_partition_deletion(in).value_or(kNever));
  while (in.ok() && !in.at_end()) {
    const Range range = read_range(in);
    if (range.begin < range.end) entry.ranges.push_back(range);
  }
  return in.ok();
}

std::vector<Place> places_of(const std::vector<Range>& ranges) {
  std::vector<Place> places;
  for (const Range& range : ranges) {
    places.push_back(range.begin);
    places.push_back(range.end);
  }
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  return places;
}

// The ranges cut at each other's ends, each piece with the latest deletion, and joined again where
// neighbours were deleted at the same time.
std::vector<Range> flatten(Entry& entry) {
  std::ranges::sort(entry.ranges, [](const Range& a, const Range& b) { return a.begin < b.begin; });
  const std::vector<Place> places = places_of(entry.ranges);
  std::vector<Range> flat;
  std::vector<const Range*> open;
  auto next = entry.ranges.begin();
  for (size_t i = 0; i + 1 < places.size(); ++i) {
    std::erase_if(open, [&](const Range* range) { return !(places[i] < range->end); });
    for (; next != entry.ranges.end() && next->begin == places[i]; ++next) open.push_back(&*next);
    int64_t deleted_us = kNever;
    for (const Range* range : open) deleted_us = std::max(deleted_us, range->deleted_us);
    if (deleted_us <= entry.deleted_us) continue;
    const bool joins =
        !flat.empty() && flat.back().end == places[i] && flat.back().deleted_us == deleted_us;
    if (joins) {
      flat.back().end = places[i + 1];
    } else {
      flat.push_back({places[i], places[i + 1], deleted_us});
    }
  }
  return flat;
}

}  // namespace

void append_partition_deletion(core::Buffer& out, int64_t timestamp_us) {
  append_tag(out, timestamp_us);
}

void append_range_deletion(core::Buffer& out, ByteView begin, ByteView end, int64_t timestamp_us) {
  append_tag(out, kNever);
  append_range(out, {{begin}, {end, end.empty()}, timestamp_us});
}

core::Result<PartitionView> PartitionView::parse(ByteView bytes) {
  PartReader in(bytes);
  PartitionView view;
  view.partition_deleted_us_ = read_partition_deletion(in).value_or(kNever);
  view.ranges_ = in.rest();
  while (in.ok() && !in.at_end()) read_range(in);
  if (!in.ok()) return damaged_row("a broken entry of a partition");
  return view;
}

int64_t PartitionView::deleted_us(ByteView clustering) const {
  const Place place{clustering};
  int64_t deleted_us = partition_deleted_us_;
  for (PartReader in(ranges_); !in.at_end();) {
    const Range range = read_range(in);
    if (place < range.begin) break;
    if (place < range.end) deleted_us = std::max(deleted_us, range.deleted_us);
  }
  return deleted_us;
}

bool is_partition_entry(ByteView bytes) {
  return !bytes.empty() && (bytes[0] & kPartitionTag) != 0;
}

core::Status merge_partitions(ByteView one, ByteView other, core::Buffer& out) {
  Entry entry;
  if (!read_entry(one, entry) || !read_entry(other, entry)) {
    return damaged_row("an entry of a partition that cannot be merged");
  }
  append_tag(out, entry.deleted_us);
  for (const Range& range : flatten(entry)) append_range(out, range);
  return {};
}

}  // namespace cqlperf::storage

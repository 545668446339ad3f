#include <algorithm>
#include <limits>
#include <utility>

#include "core/buffer.h"
#include "fuzz_input.h"
#include "storage/partition.h"
#include "storage/row.h"

// Rows and partition entries from bytes that may be anything, and their merging, in any order.
namespace cqlperf::storage {
namespace {

using fuzz::FuzzInput;
using protocol::ByteView;

constexpr int64_t kNowS = 1'700'000'000;

void visit_row(const RowView& row) {
  for (const int64_t deleted_us : {std::numeric_limits<int64_t>::min(), int64_t{0}}) {
    RowView::Cells cells = row.live_cells(kNowS, deleted_us);
    int before = -1;
    bool any = false;
    while (const auto cell = cells.next()) {
      CQLPERF_CHECK(cell->column > before, "cells are in order");
      CQLPERF_CHECK(cell->value.has_value(), "live cells have values");
      before = cell->column;
      any = true;
    }
    CQLPERF_CHECK(!any || row.is_live(kNowS, deleted_us), "a row with a live cell lives");
  }
}

void fuzz_rows(FuzzInput& input) {
  const ByteView one = input.take_block();
  const ByteView other = input.take_rest();
  const auto one_row = RowView::parse(one);
  if (one_row) visit_row(*one_row);
  const bool both = one_row.has_value() && RowView::parse(other).has_value();
  core::Buffer sum;
  core::Buffer reverse;
  CQLPERF_CHECK(merge_rows(one, other, sum).has_value() == both, "rows can be merged");
  CQLPERF_CHECK(merge_rows(other, one, reverse).has_value() == both, "either way");
  if (!both) return;
  const auto merged = RowView::parse(sum.bytes());
  CQLPERF_CHECK(merged.has_value(), "the sum is a row");
  visit_row(*merged);
}

void fuzz_entries(FuzzInput& input) {
  const ByteView one = input.take_block();
  const ByteView other = input.take_rest();
  const auto one_entry = PartitionView::parse(one);
  if (one_entry) CQLPERF_CHECK(is_partition_entry(one), "an entry looks like one");
  const bool both = one_entry.has_value() && PartitionView::parse(other).has_value();
  core::Buffer sum;
  core::Buffer reverse;
  CQLPERF_CHECK(merge_partitions(one, other, sum).has_value() == both, "entries can be merged");
  CQLPERF_CHECK(merge_partitions(other, one, reverse).has_value() == both, "either way");
  if (!both) return;
  CQLPERF_CHECK(std::ranges::equal(sum.bytes(), reverse.bytes()), "with the same sum");
  CQLPERF_CHECK(PartitionView::parse(sum.bytes()).has_value(), "which is an entry");
}

core::Buffer take_deletion(FuzzInput& input) {
  core::Buffer out;
  const int64_t timestamp_us = input.take_u8();
  if (input.take_below(4) == 0) {
    append_partition_deletion(out, timestamp_us);
    return out;
  }
  const ByteView begin = input.take(input.take_below(4));
  const ByteView end = input.take(input.take_below(4));
  append_range_deletion(out, begin, end, timestamp_us);
  return out;
}

int64_t deleted_us(const core::Buffer& entry, ByteView clustering) {
  const auto view = PartitionView::parse(entry.bytes());
  CQLPERF_CHECK(view.has_value(), "an entry that was written can be read");
  return view->deleted_us(clustering);
}

// Deletions of ranges, merged one after another: for each row the latest that has it counts.
void fuzz_deletions(FuzzInput& input) {
  const ByteView clustering = input.take(input.take_below(4));
  core::Buffer sum = take_deletion(input);
  int64_t expected_us = deleted_us(sum, clustering);
  for (int round = 0; round < 32 && !input.empty(); ++round) {
    const core::Buffer deletion = take_deletion(input);
    expected_us = std::max(expected_us, deleted_us(deletion, clustering));
    core::Buffer merged;
    const bool is_newer = input.take_below(2) == 1;
    const ByteView older = is_newer ? sum.bytes() : deletion.bytes();
    const ByteView newer = is_newer ? deletion.bytes() : sum.bytes();
    CQLPERF_CHECK(merge_partitions(older, newer, merged).has_value(), "deletions can be merged");
    sum = std::move(merged);
    CQLPERF_CHECK(deleted_us(sum, clustering) == expected_us, "the latest deletion counts");
  }
}

// What RowWriter writes can be read.
void fuzz_writer(FuzzInput& input) {
  core::Buffer out;
  RowWriter writer(out, input.take_u8());
  if (input.take_below(2) == 1) writer.set_live({input.take_u8(), input.take_u8()});
  if (input.take_below(2) == 1) writer.delete_row();
  int cells = 0;
  int column = -1;
  while (!input.empty() && cells < 64) {
    column += 1 + input.take_u8();
    if (input.take_below(3) == 0) {
      writer.delete_cell(static_cast<uint16_t>(column));
    } else {
      writer.set_cell(static_cast<uint16_t>(column), input.take_block());
      ++cells;
    }
    if (column > 60'000) break;
  }
  writer.finish();
  const auto row = RowView::parse(out.bytes());
  CQLPERF_CHECK(row.has_value(), "what was written is a row");
  visit_row(*row);
}

}  // namespace
}  // namespace cqlperf::storage

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace cqlperf::storage;
  FuzzInput input(data, size);
  switch (input.take_below(4)) {
    case 0:
      fuzz_rows(input);
      break;
    case 1:
      fuzz_entries(input);
      break;
    case 2:
      fuzz_deletions(input);
      break;
    default:
      fuzz_writer(input);
      break;
  }
  return 0;
}

#include "bench/store_scan.h"

#include <fmt/format.h>

#include "core/byte_reader.h"
#include "core/check.h"

namespace cqlperf::bench {
namespace {

// What a row takes on the wire beside its value: the key, and the lengths of both.
constexpr uint64_t kRowOverheadBytes = 16;
constexpr size_t kColumns = 2;

void append_token(core::Buffer& out, int64_t token) {
  out.append_i32(sizeof token);
  out.append_i64(token);
}

}  // namespace

ScanTask::ScanTask(const Config& config, std::span<const TokenSpan> ranges,
                   const workload::StoreValues& values, RowLedger& ledger, uint32_t window,
                   StoreTally& tally)
    : config_(config),
      values_(values),
      ledger_(ledger),
      tally_(tally),
      page_size_(config.page_bytes, values.value_bytes() + kRowOverheadBytes, config.page_rows),
      slots_(window) {
  for (const TokenSpan& range : ranges) cursors_.push_back({.range = range});
}

void ScanTask::take(uint32_t slot) {
  if (waiting_.empty()) {
    CQLPERF_CHECK(next_cursor_ < cursors_.size(), "a request without a range");
    slots_[slot] = next_cursor_++;
    return;
  }
  slots_[slot] = waiting_.front();
  waiting_.pop_front();
}

void ScanTask::write_values(uint32_t slot, core::Buffer& out) {
  const Cursor& cursor = cursors_[slots_[slot]];
  append_token(out, cursor.range.after);
  append_token(out, cursor.range.up_to);
}

client::PageRequest ScanTask::page_of(uint32_t slot) {
  return {.rows = page_size_.rows(), .state = cursors_[slots_[slot]].state};
}

void ScanTask::on_success(uint32_t slot, const protocol::Frame& frame, int64_t received_ns,
                          executor::Completions& completions) {
  const auto rows = protocol::RowsView::decode(frame.header.version, frame.body);
  if (!rows || rows->column_count() != kColumns) [[unlikely]]
    return on_failure(slot,
                      {.kind = "UnexpectedResult",
                       .message = rows ? "a page has not the two columns that were asked for"
                                       : std::string_view(rows.error().message),
                       .frame = &frame},
                      received_ns, completions);
  const uint32_t number = slots_[slot];
  Cursor& cursor = cursors_[number];
  ++findings_.pages;
  page_size_.on_page(static_cast<uint64_t>(rows->row_count()), frame.body.size());
  cursor.attempts = 0;
  cursor.done = !rows->has_more_pages();
  completions.succeeded(slot, received_ns);
  if (!cursor.done) {
    const protocol::ByteView state = rows->paging_state();
    cursor.state.assign(state.begin(), state.end());
    waiting_.push_front(number);
    completions.add_operation();
    completions.take_turn(received_ns);
  }
  check_rows(*rows);
}

void ScanTask::on_failure(uint32_t slot, const client::RequestFailure& failure, int64_t received_ns,
                          executor::Completions& completions) {
  const uint32_t number = slots_[slot];
  Cursor& cursor = cursors_[number];
  completions.failed(slot, to_executor(failure), received_ns);
  cursor.last_error = fmt::format("{}: {}", failure.kind, failure.message);
  if (!is_connection_lost(failure)) ++cursor.attempts;
  if (is_final(failure)) return completions.stop();
  if (cursor.attempts >= kStoreAttemptsMax) return;
  if (!failure.overloaded) page_size_.on_failure();
  tally_.add_retry();
  waiting_.push_back(number);
  completions.add_operation();
}

void ScanTask::check_rows(const protocol::RowsView& rows) {
  for (const protocol::RowView row : rows) check_row(row);
}

void ScanTask::check_row(const protocol::RowView& row) {
  auto cell = row.begin();
  const protocol::Cell key_cell = *cell;
  const protocol::Cell value_cell = *++cell;
  const protocol::ByteView value = value_cell.value_or(protocol::ByteView());
  tally_.add(1, value.size());
  if (!key_cell || key_cell->size() != sizeof(int64_t))
    return add_fault(findings_.verification.extra, 0);
  const int64_t key = core::ByteReader(*key_cell).read_i64();
  if (!config_.expect_rows || !ledger_.mark(key))
    return add_fault(findings_.verification.extra, key);
  if (config_.verify) check_value(key, value);
}

void ScanTask::check_value(int64_t key, protocol::ByteView value) {
  switch (values_.check(key, value)) {
    case workload::ValueState::kOk:
      return;
    case workload::ValueState::kShort:
      return add_fault(findings_.verification.short_row, key);
    case workload::ValueState::kWrong:
      return add_fault(findings_.verification.wrong, key);
  }
}

ScanTask::Findings ScanTask::findings() const {
  Findings findings = findings_;
  for (size_t number = 0; number < cursors_.size(); ++number) {
    const Cursor& cursor = cursors_[number];
    if (cursor.done) continue;
    const char* why = number < next_cursor_ ? "it was begun" : "it was not reached";
    findings.missing_ranges.push_back(
        {cursor.range.after, cursor.range.up_to,
         cursor.last_error.empty() ? std::string(why) : cursor.last_error});
  }
  return findings;
}

}  // namespace cqlperf::bench

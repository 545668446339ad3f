#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench/page_size.h"
#include "bench/row_ledger.h"
#include "bench/store_keys.h"
#include "bench/store_task.h"
#include "bench/token_ranges.h"
#include "measure/store_result.h"
#include "protocol/rows.h"
#include "workload/store_values.h"

namespace cqlperf::bench {

// Reads the rows of one worker's token ranges, each page by page: the next page is asked for before
// the rows of this one are looked at. A page that cannot be had is asked for again, smaller; a
// range is given up, and named, when that does not help.
class ScanTask final : public StoreTask {
 public:
  struct Config {
    uint16_t statement = 0;  // SELECT key, value ... WHERE token(key) > ? AND token(key) <= ?
    uint64_t page_bytes = 0;
    std::optional<uint32_t> page_rows = {};
    bool verify = true;
    bool expect_rows = true;  // false: the table should be empty
  };
  struct Findings {
    measure::Verification verification;  // without the missing ones, which only the ledger knows
    std::vector<measure::TokenRange> missing_ranges;
    uint64_t pages = 0;
  };

  // Values, ledger and tally outlive this. `window`: slots.
  ScanTask(const Config& config, std::span<const TokenSpan> ranges,
           const workload::StoreValues& values, RowLedger& ledger, uint32_t window,
           StoreTally& tally);

  uint64_t operations() const override { return cursors_.size(); }
  uint16_t statement() const override { return config_.statement; }
  void take(uint32_t slot) override;
  void put_back(uint32_t slot) override { waiting_.push_front(slots_[slot]); }
  void write_values(uint32_t slot, core::Buffer& out) override;
  client::PageRequest page_of(uint32_t slot) override;
  void on_success(uint32_t slot, const protocol::Frame& frame, int64_t received_ns,
                  executor::Completions& completions) override;
  void on_failure(uint32_t slot, const client::RequestFailure& failure, int64_t received_ns,
                  executor::Completions& completions) override;

  // What was found. Ranges that were not read to their end, for whatever reason, are missing.
  Findings findings() const;

 private:
  // Where the reading of one range stands.
  struct Cursor {
    TokenSpan range;
    std::vector<uint8_t> state = {};  // of the next page; empty: the first
    uint32_t attempts = 0;            // that failed, for this page
    bool done = false;
    std::string last_error = {};
  };

  void check_rows(const protocol::RowsView& rows);
  void check_row(const protocol::RowView& row);
  void check_value(int64_t key, protocol::ByteView value);

  const Config config_;
  const workload::StoreValues& values_;
  RowLedger& ledger_;
  StoreTally& tally_;
  PageSize page_size_;
  std::vector<Cursor> cursors_;
  uint32_t next_cursor_ = 0;      // the first that was not begun
  std::deque<uint32_t> waiting_;  // begun, without a request in flight
  std::vector<uint32_t> slots_;   // the cursor of each
  Findings findings_;
};

}  // namespace cqlperf::bench

#include "bench/form_check.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "bench/row_ledger.h"
#include "bench/token_ranges.h"
#include "core/clock.h"
#include "protocol/values.h"

namespace cqlperf::bench {
namespace {

using measure::CellVerification;
using workload::FormStatement;

// What one answer holds at the most, about.
constexpr uint64_t kRowsOfAnAnswer = 4096;
constexpr uint64_t kBytesOfAnAnswer = 2 << 20;
constexpr int64_t kScanTimeoutNs = 60 * core::kNanosPerSecond;

class TableCheck {
 public:
  explicit TableCheck(const FormWorkload& workload)
      : workload_(workload),
        ledger_(*workload.ledger),
        found_(workload.rows->config().rows),
        row_(*workload.rows),
        sums_(workload.rows->config().columns) {}

  void take(const protocol::Rows& rows) {
    for (size_t i = 0; i < rows.size(); ++i) take_row(rows, i);
  }
  CellVerification judge();

 private:
  bool counts() const { return workload_.statement == FormStatement::kCounter; }
  void take_row(const protocol::Rows& rows, size_t index);
  void add_counters(const protocol::Rows& rows, size_t index);
  bool has_right_values(const protocol::Rows& rows, size_t index, uint64_t key);
  void wrong(std::string what) {
    ++result_.wrong;
    if (result_.first_fault.empty()) result_.first_fault = std::move(what);
  }

  const FormWorkload& workload_;
  const FormLedger& ledger_;
  RowLedger found_;
  workload::FormRow row_;
  std::vector<int64_t> sums_;  // of each counter
  CellVerification result_;
};

void TableCheck::take_row(const protocol::Rows& rows, size_t index) {
  ++result_.checked;
  const protocol::Cell id = rows.cell(index, "id");
  const auto key = id ? workload_.rows->key_of(*id) : std::nullopt;
  if (!key) return wrong("a row has a key that nobody wrote");
  const auto number = static_cast<int64_t>(*key);
  if (!ledger_.acknowledged().is_marked(number) && !ledger_.doubtful().is_marked(number))
    return wrong(fmt::format("the row of key {} is there, and nobody wrote it", *key));
  if (!found_.mark(number)) return wrong(fmt::format("the row of key {} is there twice", *key));
  if (counts()) return add_counters(rows, index);
  if (!has_right_values(rows, index, *key))
    wrong(fmt::format("the row of key {} has other values than were written", *key));
}

bool TableCheck::has_right_values(const protocol::Rows& rows, size_t index, uint64_t key) {
  row_.set(key, true);
  uint32_t column = 0;
  return std::ranges::all_of(workload_.rows->column_names(), [&](const std::string& name) {
    const protocol::Cell cell = rows.cell(index, name);
    return cell && std::ranges::equal(*cell, row_.value(column++));
  });
}

void TableCheck::add_counters(const protocol::Rows& rows, size_t index) {
  size_t column = 0;
  for (const std::string& name : workload_.rows->column_names())
    sums_[column++] += rows.bigint(index, name).value_or(0);
}

CellVerification TableCheck::judge() {
  for (int64_t key = 0; key < static_cast<int64_t>(workload_.rows->config().rows); ++key) {
    const bool acknowledged = ledger_.acknowledged().is_marked(key);
    if (!counts() && !acknowledged && ledger_.doubtful().is_marked(key)) ++result_.in_doubt;
    if (!acknowledged || found_.is_marked(key)) continue;
    if (result_.missing++ == 0 && result_.first_fault.empty())
      result_.first_fault = fmt::format("the row of key {} is not there", key);
  }
  if (!counts()) {
    result_.expected = ledger_.acknowledged().marked();
    result_.found = found_.marked();
    return result_;
  }
  result_.expected = ledger_.operations();
  result_.in_doubt = ledger_.doubtful_operations();
  result_.found = static_cast<uint64_t>(sums_.front());
  for (size_t column = 0; column < sums_.size(); ++column) {
    const auto sum = static_cast<uint64_t>(sums_[column]);
    if (sum >= result_.expected && sum <= result_.expected + result_.in_doubt) continue;
    result_.found = sum;
    if (result_.first_fault.empty())
      result_.first_fault = fmt::format("the counters {} add up to {}",
                                        workload_.rows->column_names()[column], sums_[column]);
    break;
  }
  return result_;
}

uint64_t part_count(const FormWorkload& workload) {
  const auto& rows = workload.rows->config();
  const uint64_t row_bytes = uint64_t{rows.columns} * (rows.value_bytes + 4) + 32;
  const uint64_t rows_of_an_answer =
      std::clamp<uint64_t>(kBytesOfAnAnswer / row_bytes, 1, kRowsOfAnAnswer);
  const uint64_t written =
      std::min(rows.rows, workload.ledger->operations() + workload.ledger->doubtful_operations());
  return written / rows_of_an_answer + 1;
}

}  // namespace

core::Result<CellVerification> check_form_table(client::SetupClient& client,
                                                const FormWorkload& workload) {
  TableCheck check(workload);
  for (const TokenSpan& part : split_ring(part_count(workload))) {
    const auto answer = client.query(workload.statements->scan_cql(part.after, part.up_to),
                                     kScanTimeoutNs, protocol::Consistency::kAll);
    if (!answer) return std::unexpected(answer.error());
    check.take(answer->rows);
  }
  return check.judge();
}

}  // namespace cqlperf::bench

#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "bench/row_ledger.h"
#include "measure/forms_result.h"
#include "workload/form_rows.h"
#include "workload/form_statements.h"

namespace cqlperf::bench {

// Which rows were written, by the server's own word: what is found in the table is judged by it.
// Shared by the workers of a cell; the reading functions are for after them.
class FormLedger {
 public:
  explicit FormLedger(uint64_t rows) : acknowledged_(rows), doubtful_(rows) {}

  void acknowledge(uint64_t key) {
    acknowledged_.mark(static_cast<int64_t>(key));
    operations_.fetch_add(1, std::memory_order_relaxed);
  }
  // Sent, and not acknowledged: it may have been applied.
  void doubt(uint64_t key) {
    doubtful_.mark(static_cast<int64_t>(key));
    doubtful_operations_.fetch_add(1, std::memory_order_relaxed);
  }

  const RowLedger& acknowledged() const { return acknowledged_; }
  const RowLedger& doubtful() const { return doubtful_; }
  uint64_t operations() const { return operations_.load(); }
  uint64_t doubtful_operations() const { return doubtful_operations_.load(); }

 private:
  RowLedger acknowledged_;
  RowLedger doubtful_;
  std::atomic<uint64_t> operations_ = 0;
  std::atomic<uint64_t> doubtful_operations_ = 0;
};

// What the operations of a cell are, whatever the form that they are sent in.
struct FormWorkload {
  workload::FormStatement statement = workload::FormStatement::kInsert;
  const workload::FormRows* rows = nullptr;
  const workload::FormStatements* statements = nullptr;
  workload::FormKeys keys;
  FormLedger* ledger = nullptr;  // of statements that write
};

// The operations of one worker: which key each slot works on, and whether a row that was read is
// right. Owner thread: the worker's, and between two phases the caller's.
class FormTask {
 public:
  // What the workload points to outlives this.
  FormTask(const FormWorkload& workload, uint32_t window)
      : workload_(workload), keys_(window), row_(*workload.rows) {}

  // Operation 0 of the next phase is this one of all phases.
  void set_first_index(uint64_t first_index) { first_index_ = first_index; }
  // One more than the largest index so far.
  uint64_t next_index() const { return next_index_; }

  void take(uint32_t slot, uint64_t index) {
    next_index_ = std::max(next_index_, first_index_ + index + 1);
    keys_[slot] = workload_.keys.key_of(first_index_ + index);
  }
  // The row of a slot, valid until the next call.
  const workload::FormRow& row(uint32_t slot) {
    row_.set(keys_[slot], workload_.statement == workload::FormStatement::kInsert);
    return row_;
  }
  // The row as it must be read.
  const workload::FormRow& expected(uint32_t slot) {
    row_.set(keys_[slot], true);
    return row_;
  }

  void acknowledged(uint32_t slot) {
    if (workload_.ledger != nullptr) workload_.ledger->acknowledge(keys_[slot]);
  }
  void failed_in_doubt(uint32_t slot) {
    if (workload_.ledger != nullptr) workload_.ledger->doubt(keys_[slot]);
  }

  const FormWorkload& workload() const { return workload_; }
  bool reads() const { return workload_.statement == workload::FormStatement::kRead; }
  uint64_t key(uint32_t slot) const { return keys_[slot]; }

 private:
  FormWorkload workload_;
  uint64_t first_index_ = 0;
  uint64_t next_index_ = 0;
  std::vector<uint64_t> keys_;  // by slot
  workload::FormRow row_;
};

}  // namespace cqlperf::bench

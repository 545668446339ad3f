#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "bench/row_ledger.h"
#include "bench/store.h"
#include "bench/store_load.h"
#include "bench/store_scan.h"
#include "measure/store_result.h"
#include "workload/store_values.h"

namespace cqlperf::bench {

// The phases of one suite that are made of many requests: write, delete and read. Knows whether the
// table is filled, since that is what a read is judged by.
// Owner thread: the one that runs the suite. What the constructor is given outlives it.
class StorePhases {
 public:
  StorePhases(const StoreConfig& config, uint64_t keys, StoreLoad& load, StoreListener& listener);

  // The table holds all keys, or none.
  bool filled() const { return filled_; }
  void set_filled(bool filled) { filled_ = filled; }

  core::Result<measure::StorePhaseResult> write();
  core::Result<measure::StorePhaseResult> remove();
  core::Result<measure::StorePhaseResult> read();

  // The interval log goes from phase to phase.
  void set_hdr_log(std::optional<measure::HdrLogWriter> log) { hdr_log_ = std::move(log); }
  std::optional<measure::HdrLogWriter> take_hdr_log() { return std::exchange(hdr_log_, {}); }

 private:
  struct Ran {
    StoreLoad::PhaseResult result;
    uint64_t retried = 0;
  };

  core::Result<measure::StorePhaseResult> change_keys(measure::StorePhase phase);
  core::Result<Ran> run(measure::StorePhase phase, const executor::Plan& plan,
                        const std::vector<StoreTask*>& tasks, uint64_t keys_total);
  executor::Plan plan(uint32_t parallelism) const;
  StoreProgress progress(measure::StorePhase phase, uint64_t keys_total) const;
  measure::StorePhaseResult describe(measure::StorePhase phase, uint64_t expected,
                                     const Ran& ran) const;
  void judge_read(const std::vector<std::unique_ptr<ScanTask>>& tasks,
                  measure::StorePhaseResult& result) const;

  const StoreConfig& config_;
  const uint64_t keys_;
  StoreLoad& load_;
  StoreListener& listener_;
  workload::StoreValues values_;
  RowLedger ledger_;
  std::vector<StoreTally> tallies_;  // one for each worker; of the phase in progress
  std::optional<measure::HdrLogWriter> hdr_log_;
  bool filled_ = false;
};

// How many requests are in flight in a phase: what was asked for, or what reaches the most.
uint32_t store_parallelism(const StoreConfig& config, measure::StorePhase phase);

}  // namespace cqlperf::bench

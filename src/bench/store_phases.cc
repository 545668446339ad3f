#include "bench/store_phases.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/interrupt.h"

namespace cqlperf::bench {
namespace {

using core::Result;
using measure::StorePhase;
using measure::StorePhaseResult;

// How much longer than a request may take its worker waits for answers at the end.
constexpr int64_t kDrainMarginNs = core::kNanosPerSecond;

// Values in flight, in bytes, and requests, when nothing was asked for: where more gains nothing on
// Cassandra (benchmarks/README.md).
constexpr uint64_t kWriteWindowBytes = uint64_t{4} << 20;
constexpr uint64_t kParallelismMin = 8;
constexpr uint64_t kParallelismMax = 512;
constexpr uint32_t kReadParallelism = 8;

// Ranges of a bulk read: several for each cursor, so that none waits long for the last one, but not
// less than this many pages and rows each. A range costs the server a search in each of its files,
// and the reading of what comes after the range: for the largest values, much.
constexpr uint64_t kPagesPerRange = 8;
constexpr uint64_t kRowsPerRange = 8;
constexpr uint64_t kRangesMax = 4096;

uint64_t range_count(const StoreConfig& config, uint64_t keys, uint32_t parallelism) {
  if (parallelism == 1) return 1;
  const uint64_t pages = keys * config.value_bytes / config.page_bytes;
  const uint64_t wanted = std::clamp<uint64_t>(pages / kPagesPerRange, parallelism, kRangesMax);
  return std::clamp<uint64_t>(keys / kRowsPerRange, 1, wanted);
}

std::string why_it_ended(const executor::WorkerOutcome& outcome, const StoreConfig& config) {
  switch (outcome.ending) {
    case executor::Ending::kInterrupted:
      return "interrupted";
    case executor::Ending::kStalled:
      return fmt::format("the server answered nothing for {} s (--stall-timeout)",
                         config.stall_timeout_ns / core::kNanosPerSecond);
    default:
      return {};
  }
}

}  // namespace

uint32_t store_parallelism(const StoreConfig& config, StorePhase phase) {
  if (config.parallelism) return *config.parallelism;
  if (phase == StorePhase::kRead) return kReadParallelism;
  return static_cast<uint32_t>(
      std::clamp(kWriteWindowBytes / config.value_bytes, kParallelismMin, kParallelismMax));
}

StorePhases::StorePhases(const StoreConfig& config, uint64_t keys, StoreLoad& load,
                         StoreListener& listener)
    : config_(config),
      keys_(keys),
      load_(load),
      listener_(listener),
      values_({.value_bytes = config.value_bytes,
               .seed = config.seed,
               .compressible = config.compressible}),
      ledger_(keys) {}

executor::Plan StorePhases::plan(uint32_t parallelism) const {
  executor::Plan plan;
  plan.rate = config_.rate_limit;
  plan.parallelism = parallelism;
  plan.threads = config_.threads;
  plan.interval_ns = config_.interval_ns;
  plan.stall_timeout_ns = config_.stall_timeout_ns;
  plan.drain_timeout_ns = config_.request_timeout_ns + kDrainMarginNs;
  return plan;
}

StoreProgress StorePhases::progress(StorePhase phase, uint64_t keys_total) const {
  StoreProgress progress{.phase = phase, .keys_total = keys_total};
  for (const StoreTally& tally : tallies_) {
    progress.keys += tally.keys.load(std::memory_order_relaxed);
    progress.bytes += tally.bytes.load(std::memory_order_relaxed);
  }
  return progress;
}

Result<StorePhases::Ran> StorePhases::run(StorePhase phase, const executor::Plan& plan,
                                          const std::vector<StoreTask*>& tasks,
                                          uint64_t keys_total) {
  StoreProgress before = progress(phase, keys_total);
  listener_.on_phase(before);
  const auto on_row = [&](const measure::IntervalRow& row) {
    StoreProgress now = progress(phase, keys_total);
    now.seconds = row.start_s + row.length_s;
    if (row.length_s > 0)
      now.bytes_per_second = static_cast<double>(now.bytes - before.bytes) / row.length_s;
    before = now;
    listener_.on_progress(now, row);
  };
  auto result = load_.run_phase({.name = measure::store_phase_name(phase),
                                 .plan = plan,
                                 .tasks = tasks,
                                 .on_row = on_row,
                                 .hdr_log = std::move(hdr_log_)});
  if (!result) return std::unexpected(result.error());
  hdr_log_ = result->collector->take_hdr_log();
  Ran ran{std::move(*result)};
  for (const StoreTally& tally : tallies_) ran.retried += tally.retried.load();
  return ran;
}

// What is told of every phase.
StorePhaseResult StorePhases::describe(StorePhase phase, uint64_t expected, const Ran& ran) const {
  const StoreProgress done = progress(phase, expected);
  StorePhaseResult result{.phase = phase, .keys_expected = expected};
  result.keys = done.keys;
  result.payload_bytes = done.bytes;
  result.requests =
      ran.result.collector->summary(core::interrupted(), std::nullopt,
                                    ran.result.outcome.total.ending == executor::Ending::kStalled);
  result.seconds = result.requests->measured_seconds;
  result.retried = ran.retried;
  if (const auto why = why_it_ended(ran.result.outcome.total, config_); !why.empty())
    result.problem = why;
  if (!result.problem && !ran.result.outcome.files)
    result.problem = ran.result.outcome.files.error().message;
  return result;
}

Result<StorePhaseResult> StorePhases::write() { return change_keys(StorePhase::kWrite); }
Result<StorePhaseResult> StorePhases::remove() { return change_keys(StorePhase::kDelete); }

Result<StorePhaseResult> StorePhases::change_keys(StorePhase phase) {
  const bool write = phase == StorePhase::kWrite;
  const executor::Plan plan = this->plan(store_parallelism(config_, phase));
  const uint32_t workers = executor::worker_count(plan);
  tallies_ = std::vector<StoreTally>(workers);
  std::vector<std::unique_ptr<KeyTask>> tasks;
  std::vector<StoreTask*> pointers;
  for (uint32_t i = 0; i < workers; ++i) {
    tasks.push_back(std::make_unique<KeyTask>(
        write ? KeyTask::Kind::kWrite : KeyTask::Kind::kDelete,
        static_cast<uint16_t>(write ? StoreStatement::kInsert : StoreStatement::kDelete), i,
        workers, static_cast<int64_t>(keys_), write ? &values_ : nullptr, plan.parallelism,
        tallies_[i]));
    pointers.push_back(tasks.back().get());
  }
  const auto ran = run(phase, plan, pointers, keys_);
  if (!ran) return std::unexpected(ran.error());
  StorePhaseResult result = describe(phase, keys_, *ran);
  result.complete = result.keys == keys_;
  for (const auto& task : tasks)
    if (!task->problem().empty()) result.problem = task->problem();
  if (result.complete) filled_ = write;
  return result;
}

Result<StorePhaseResult> StorePhases::read() {
  const executor::Plan plan = this->plan(store_parallelism(config_, StorePhase::kRead));
  const uint32_t workers = executor::worker_count(plan);
  const auto ranges = split_ring(range_count(config_, keys_, plan.parallelism));
  const ScanTask::Config scan{.statement = static_cast<uint16_t>(StoreStatement::kSelect),
                              .page_bytes = config_.page_bytes,
                              .page_rows = config_.page_rows,
                              .verify = config_.verify,
                              .expect_rows = filled_};
  ledger_.clear();
  tallies_ = std::vector<StoreTally>(workers);
  std::vector<std::unique_ptr<ScanTask>> tasks;
  std::vector<StoreTask*> pointers;
  for (uint32_t i = 0; i < workers; ++i) {
    std::vector<TokenSpan> mine;
    for (size_t range = i; range < ranges.size(); range += workers) mine.push_back(ranges[range]);
    tasks.push_back(
        std::make_unique<ScanTask>(scan, mine, values_, ledger_, plan.parallelism, tallies_[i]));
    pointers.push_back(tasks.back().get());
  }
  const uint64_t expected = filled_ ? keys_ : 0;
  const auto ran = run(StorePhase::kRead, plan, pointers, expected);
  if (!ran) return std::unexpected(ran.error());
  StorePhaseResult result = describe(StorePhase::kRead, expected, *ran);
  result.ranges = ranges.size();
  result.verified = config_.verify;
  judge_read(tasks, result);
  return result;
}

void StorePhases::judge_read(const std::vector<std::unique_ptr<ScanTask>>& tasks,
                             StorePhaseResult& result) const {
  for (const auto& task : tasks) {
    const ScanTask::Findings findings = task->findings();
    result.pages += findings.pages;
    result.missing_ranges.insert(result.missing_ranges.end(), findings.missing_ranges.begin(),
                                 findings.missing_ranges.end());
    merge_faults(result.verification.short_row, findings.verification.short_row);
    merge_faults(result.verification.wrong, findings.verification.wrong);
    merge_faults(result.verification.extra, findings.verification.extra);
  }
  std::ranges::sort(result.missing_ranges, {}, &measure::TokenRange::after);
  result.complete = result.missing_ranges.empty();
  // What was not read is not known to be missing.
  const measure::RowFault unread = filled_ ? ledger_.unmarked() : measure::RowFault();
  if (result.complete)
    result.verification.missing = unread;
  else
    result.problem = fmt::format("{}{} keys were not read, in {} of {} token ranges",
                                 result.problem ? *result.problem + ": " : "", unread.count,
                                 result.missing_ranges.size(), result.ranges);
}

}  // namespace cqlperf::bench

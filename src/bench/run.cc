#include "bench/run.h"

#include <algorithm>
#include <new>

#include <fmt/format.h>

#include "bench/connection_settings.h"
#include "bench/descriptor_limit.h"
#include "bench/filled_keys.h"
#include "bench/keyspace.h"
#include "bench/load.h"
#include "client/setup_client.h"
#include "core/interrupt.h"
#include "executor/plan.h"
#include "workload/workload.h"

namespace cqlperf::bench {
namespace {

using client::SetupClient;
using core::ErrorCode;
using core::fail;
using core::Result;
using core::Status;
using workload::Workload;

// How much longer than a request may take its worker waits for answers at the end.
constexpr int64_t kDrainMarginNs = core::kNanosPerSecond;

// Files that are open besides the workers' connections: standard streams, results, set-up.
constexpr size_t kOtherDescriptors = 32;

// Random keys of a warm-up are others than those of the measured time, which would else all be
// written for the second time. Serial keys are the same, so that a count of rows is exact.
constexpr uint64_t kWarmUpIndex = uint64_t{1} << 60;

// A year: as good as forever, and all that a plan takes.
constexpr int64_t kLongestRunNs = 365 * 86'400 * core::kNanosPerSecond;

workload::WorkloadSpec workload_spec(const RunConfig& config) {
  return {.name = config.workload,
          .mix = config.mix,
          .keyspace = config.keyspace,
          .table = config.table,
          .replication = config.replication,
          .keys = config.keys,
          .serial = config.serial,
          .seed = config.seed};
}

// Up to this rate of one worker each operation is sent exactly when it is due: a wake-up for each
// costs less than half of a core. Above it, one for each tick.
constexpr double kExactRateMax = 20'000;
constexpr int64_t kDefaultTickNs = 200 * core::kNanosPerMicro;

int64_t pacing_tick_ns(const RunConfig& config) {
  if (config.pacing_tick_ns) return *config.pacing_tick_ns;
  const bool exact = config.busy_poll || config.rate_limit / config.threads <= kExactRateMax;
  return exact ? 0 : kDefaultTickNs;
}

Result<executor::Plan> load_plan(const RunConfig& config) {
  executor::Plan plan;
  plan.rate = config.rate_limit;
  plan.parallelism = config.parallelism;
  plan.threads = config.threads;
  plan.count = config.count;
  plan.duration_ns = config.duration_ns;
  plan.late = config.late;
  plan.late_after_ns = config.late_after_ns;
  plan.interval_ns = config.interval_ns;
  plan.pacing_tick_ns = pacing_tick_ns(config);
  plan.busy_poll = config.busy_poll;
  plan.drain_timeout_ns = config.request_timeout_ns + kDrainMarginNs;
  if (!config.runs) return plan;
  if (plan.rate == 0) {
    plan.duration_ns =
        std::min(static_cast<int64_t>(*config.runs) * core::kNanosPerSecond, kLongestRunNs);
    return plan;
  }
  const auto operations = executor::operations_of_runs(plan.rate, *config.runs);
  if (!operations) return std::unexpected(operations.error());
  plan.count = *operations;
  return plan;
}

// The closed loop that writes every key of a populating workload once.
executor::Plan populate_plan(const executor::Plan& load, const Workload& populating) {
  executor::Plan plan = load;
  plan.rate = 0;
  plan.count = static_cast<uint64_t>(populating.keys());
  plan.duration_ns.reset();
  plan.late = executor::LatePolicy::kKeep;
  return plan;
}

// Statements of the workload, and the INSERT that fills its table.
std::vector<workload::PreparedText> all_statements(const Workload& workload) {
  std::vector<workload::PreparedText> all = workload.statements();
  if (!workload.reads()) return all;
  const Workload populating = workload.populating();
  for (const auto& statement : populating.statements()) {
    const auto same = [&](const auto& known) { return known.kind == statement.kind; };
    if (std::none_of(all.begin(), all.end(), same)) all.push_back(statement);
  }
  return all;
}

Status check_consistency(const RunConfig& config) {
  if (protocol::is_serial(config.consistency))
    return fail(ErrorCode::kUsage,
                "--consistency: SERIAL and LOCAL_SERIAL are for conditional updates, which no "
                "workload has; write for example LOCAL_QUORUM");
  if (config.consistency == protocol::Consistency::kAny && config.workload != "insert")
    return fail(ErrorCode::kUsage,
                "--consistency: ANY is for writes, and this workload reads; write for example ONE");
  return {};
}

// One run, from the first connection to the last statement.
class Run {
 public:
  Run(const RunConfig& config, RunListener& listener) : config_(config), listener_(listener) {}

  Result<RunResult> execute();

 private:
  Status set_up(RunResult& result);
  Status read_topology(SetupClient& client, RunResult& result);
  Status choose_workload();
  Status open_hdr_log();
  bool writes() const;
  bool must_populate() const;
  int64_t filled() const;
  Result<RunResult> load_within_memory(RunResult result);
  Result<RunResult> load(RunResult result);
  Status populate(Load& load);
  Status measure(Load& load, RunResult& result);
  Status note_filled(const RunResult& result);
  Status clean_up();

  const RunConfig& config_;
  RunListener& listener_;
  executor::Plan plan_;
  std::optional<Workload> workload_;
  std::optional<Keyspace> keyspace_;
  std::optional<measure::HdrLogWriter> hdr_log_;
  std::vector<net::SocketAddress> nodes_;
  protocol::Version version_ = protocol::Version::kV4;
};

Result<RunResult> Run::execute() {
  auto plan = load_plan(config_);
  if (!plan) return std::unexpected(plan.error());
  plan_ = *plan;
  if (auto status = choose_workload(); !status) return std::unexpected(status.error());
  if (auto status = open_hdr_log(); !status) return std::unexpected(status.error());
  if (auto status = ensure_descriptors(kOtherDescriptors); !status)
    return std::unexpected(status.error());

  RunResult result;
  Status status = set_up(result);
  Result<RunResult> outcome =
      status ? load_within_memory(std::move(result)) : std::unexpected(status.error());
  if (outcome) listener_.on_result(*outcome);
  const Status noted = outcome ? note_filled(*outcome) : Status();
  const Status cleaned = clean_up();
  const Status& finished = noted ? cleaned : noted;
  if (finished) return outcome;
  if (outcome)
    outcome->late_error = finished.error();
  else
    outcome.error().message += "\n" + finished.error().message;
  return outcome;
}

// The one exception of the standard library that a user's settings can cause.
Result<RunResult> Run::load_within_memory(RunResult result) {
  try {
    return load(std::move(result));
  } catch (const std::bad_alloc&) {
    return fail(ErrorCode::kSetup,
                "out of memory: ask for less --parallelism, or fewer --threads or --connections");
  }
}

// Before anything else, so that a bad path is found at once.
Status Run::open_hdr_log() {
  if (config_.hdr_log_path.empty()) return {};
  auto log = measure::HdrLogWriter::open(config_.hdr_log_path,
                                         {fmt::format("cqlperf run {}", config_.workload)});
  if (!log) return std::unexpected(log.error());
  hdr_log_ = std::move(*log);
  return {};
}

// Reads need keys that exist: without --keys, those that an earlier run has left.
Status Run::choose_workload() {
  auto spec = workload_spec(config_);
  if (keyspace_ && !spec.keys && filled() > 0 && workload_->reads()) spec.keys = filled();
  auto workload = Workload::create(spec);
  if (!workload) return std::unexpected(workload.error());
  if (!keyspace_) {
    workload_.emplace(std::move(*workload));
    keyspace_.emplace(config_, config_.schema_timeout_ns, config_.schema_timeout_ns,
                      workload_->schema(), listener_);
  } else {
    *workload_ = std::move(*workload);
  }
  return {};
}

Status Run::set_up(RunResult& result) {
  auto client = connect_first(config_, listener_);
  if (!client) return std::unexpected(client.error());
  version_ = client->version();
  if (auto status = read_topology(*client, result); !status) return status;
  if (auto status = keyspace_->prepare(*client); !status) return status;
  keyspace_->say_what_was_found();
  for (const std::string& note : client->notes()) listener_.on_note(note);
  if (auto status = choose_workload(); !status) return status;
  // Values of another seed are going to be overwritten.
  const bool forget = filled() == 0 && (writes() || must_populate());
  return forget ? keyspace_->set_contents(*client, "") : Status();
}

bool Run::writes() const { return workload_->statements().size() > 1 || !workload_->reads(); }
bool Run::must_populate() const { return workload_->reads() && filled() < workload_->keys(); }
int64_t Run::filled() const { return filled_keys(keyspace_->contents(), config_.seed); }

Status Run::read_topology(SetupClient& client, RunResult& result) {
  const auto topology = client.discover_topology();
  if (!topology) return std::unexpected(topology.error());
  for (const std::string& skipped : topology->skipped) listener_.on_note(skipped);
  for (const client::NodeInfo& node : topology->nodes) nodes_.push_back(node.address);
  result.server = describe_server(*topology, version_, config_);
  listener_.on_server(result.server);
  return ensure_descriptors(kOtherDescriptors + Load::descriptors(config_, plan_, nodes_.size()));
}

Result<RunResult> Run::load(RunResult result) {
  Load load(config_, plan_, nodes_, version_, all_statements(*workload_), listener_);
  if (auto status = load.connect(); !status) return std::unexpected(status.error());
  if (must_populate())
    if (auto status = populate(load); !status) return std::unexpected(status.error());
  if (auto status = measure(load, result); !status) return std::unexpected(status.error());
  return result;
}

Status Run::populate(Load& load) {
  const Workload populating = workload_->populating();
  listener_.on_note(fmt::format("writes the {} rows that the reads need", populating.keys()));
  const auto done = load.run_phase(
      {.name = "populate", .plan = populate_plan(plan_, populating), .workload = &populating});
  if (!done) return std::unexpected(done.error());
  if (core::interrupted()) return fail(ErrorCode::kInterrupted, "interrupted while populating");
  const auto summary = done->collector->summary();
  const auto keys = static_cast<uint64_t>(populating.keys());
  if (summary.operations == keys) {
    if (!config_.save) return {};
    auto client = connect_setup(config_);
    if (!client) return std::unexpected(client.error());
    return keyspace_->set_contents(*client, filled_contents(populating.keys(), config_.seed));
  }
  const std::string why =
      summary.errors_by_kind.empty()
          ? std::string("the server stopped answering")
          : summary.errors_by_kind[0].kind + ": " + summary.errors_by_kind[0].first_message;
  return fail(ErrorCode::kSetup, fmt::format("only {} of {} rows to be read could be written: {}",
                                             summary.operations, keys, why));
}

Status Run::measure(Load& load, RunResult& result) {
  const bool has_work = plan_.count.value_or(1) > 0 && plan_.duration_ns.value_or(1) > 0;
  if (config_.warmup_ns > 0 && has_work) {
    const auto warm_up = load.run_phase({.name = "warm-up",
                                         .plan = executor::warm_up_plan(plan_, config_.warmup_ns),
                                         .workload = &*workload_,
                                         .first_index = config_.serial ? 0 : kWarmUpIndex});
    if (!warm_up) return std::unexpected(warm_up.error());
    if (core::interrupted()) return fail(ErrorCode::kInterrupted, "interrupted in the warm-up");
  }
  auto done = load.run_phase({.name = config_.workload,
                              .plan = plan_,
                              .workload = &*workload_,
                              .measured = true,
                              .hdr_log = std::move(hdr_log_)});
  if (!done) return std::unexpected(done.error());
  result.summary =
      done->collector->summary(core::interrupted(), writes() ? load.distinct_keys() : std::nullopt,
                               done->outcome.total.ending == executor::Ending::kStalled);
  result.collector = std::move(done->collector);
  core::Status files = std::move(done->outcome.files);
  auto log = result.collector->take_hdr_log();
  const Status closed = log ? log->close() : Status();
  if (files) files = closed;
  if (!files) result.late_error = files.error();
  return {};
}

// Serial inserts that all went well leave a table whose keys a later run can read.
Status Run::note_filled(const RunResult& result) {
  const auto& summary = result.summary;
  const bool complete = plan_.count && summary.operations == *plan_.count && *plan_.count > 0;
  if (!config_.save || !config_.serial || workload_->reads() || !complete) return {};
  const int64_t keys = std::min(static_cast<int64_t>(*plan_.count), workload_->keys());
  if (keys <= filled()) return {};
  auto client = connect_setup(config_);
  if (!client) return std::unexpected(client.error());
  return keyspace_->set_contents(*client, filled_contents(keys, config_.seed));
}

Status Run::clean_up() {
  if (!config_.run_lines) keyspace_->say_what_stays();
  return drop_what_was_made(*keyspace_, config_, config_, nodes_, listener_);
}

}  // namespace

Status check_workload(const RunConfig& config) {
  if (auto status = check_consistency(config); !status) return status;
  const auto workload = Workload::create(workload_spec(config));
  if (!workload) return std::unexpected(workload.error());
  const auto plan = load_plan(config);
  if (!plan) return std::unexpected(plan.error());
  return executor::validate(*plan);
}

Result<RunResult> run(const RunConfig& config, RunListener& listener) {
  return Run(config, listener).execute();
}

}  // namespace cqlperf::bench

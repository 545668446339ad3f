#include "bench/store.h"

#include <algorithm>
#include <new>

#include <fmt/format.h>

#include "bench/connection_settings.h"
#include "bench/descriptor_limit.h"
#include "bench/keyspace.h"
#include "bench/store_load.h"
#include "bench/store_phases.h"
#include "bench/store_table.h"
#include "client/setup_client.h"
#include "core/interrupt.h"
#include "core/units.h"

namespace cqlperf::bench {
namespace {

using client::SetupClient;
using core::ErrorCode;
using core::fail;
using core::Result;
using core::Status;
using measure::StorePhase;
using measure::StorePhaseResult;
using measure::StoreSuiteResult;

// Files that are open besides the workers' connections: standard streams, results, set-up.
constexpr size_t kOtherDescriptors = 32;

uint32_t largest_window(const StoreConfig& config) {
  return std::max(store_parallelism(config, StorePhase::kWrite),
                  store_parallelism(config, StorePhase::kRead));
}

std::string size_text(uint64_t bytes) {
  return core::format_byte_size(static_cast<int64_t>(bytes));
}

// The suite for one database size, from the first connection to the clean-up.
class Suite {
 public:
  Suite(const StoreConfig& config, uint64_t db_bytes, StoreListener& listener)
      : config_(config), listener_(listener), keys_(db_bytes / config.value_bytes) {
    result_.db_bytes = db_bytes;
    result_.keys = keys_;
    result_.value_bytes = config.value_bytes;
  }

  // An error when nothing was measured. `server` and `hdr_log` are those of all suites.
  Status execute(std::optional<ServerInfo>& server, std::optional<measure::HdrLogWriter>& hdr_log);
  StoreSuiteResult& result() { return result_; }
  const std::optional<core::Error>& late_error() const { return late_error_; }

 private:
  Status set_up(std::optional<ServerInfo>& server);
  Status read_topology(SetupClient& client, std::optional<ServerInfo>& server);
  Status check_table() const;
  Status check_room() const;
  Status measure(std::optional<measure::HdrLogWriter>& hdr_log);
  Status run_phases(StorePhases& phases);
  Result<StorePhaseResult> run_phase(StorePhase phase, StorePhases& phases);
  StorePhaseResult truncate(bool filled);
  Status note_contents(const std::string& contents);

  const StoreConfig& config_;
  StoreListener& listener_;
  const uint64_t keys_;
  StoreSuiteResult result_;
  std::optional<core::Error> late_error_;
  std::optional<workload::Schema> schema_;
  std::optional<Keyspace> keyspace_;
  std::vector<net::SocketAddress> nodes_;
  protocol::Version version_ = protocol::Version::kV4;
};

Status Suite::execute(std::optional<ServerInfo>& server,
                      std::optional<measure::HdrLogWriter>& hdr_log) {
  auto schema = store_schema(config_);
  if (!schema) return std::unexpected(schema.error());
  schema_ = std::move(*schema);
  keyspace_.emplace(config_, config_.schema_timeout_ns, config_.truncate_timeout_ns, *schema_,
                    listener_);
  Status status = set_up(server);
  if (status) status = measure(hdr_log);
  result_.interrupted = core::interrupted();
  keyspace_->say_what_stays();
  const Status cleaned = drop_what_was_made(*keyspace_, config_, config_, nodes_, listener_);
  if (!cleaned) late_error_ = cleaned.error();
  if (status) return {};
  if (result_.phases.empty()) return status;
  late_error_ = status.error();
  return {};
}

Status Suite::set_up(std::optional<ServerInfo>& server) {
  auto client = connect_first(config_, listener_);
  if (!client) return std::unexpected(client.error());
  version_ = client->version();
  if (auto status = read_topology(*client, server); !status) return status;
  if (auto status = check_room(); !status) return status;
  if (auto status = keyspace_->prepare(*client); !status) return status;
  keyspace_->say_what_was_found();
  for (const std::string& note : client->notes()) listener_.on_note(note);
  return check_table();
}

Status Suite::read_topology(SetupClient& client, std::optional<ServerInfo>& server) {
  const auto topology = client.discover_topology();
  if (!topology) return std::unexpected(topology.error());
  if (!topology->partitioner.ends_with("Murmur3Partitioner"))
    return fail(
        ErrorCode::kSetup,
        fmt::format("the servers' partitioner is {}: the bulk read needs Murmur3Partitioner",
                    topology->partitioner));
  for (const client::NodeInfo& node : topology->nodes) nodes_.push_back(node.address);
  if (!server) {
    for (const std::string& skipped : topology->skipped) listener_.on_note(skipped);
    server = describe_server(*topology, version_, config_);
    listener_.on_server(*server);
  }
  return ensure_descriptors(
      kOtherDescriptors +
      StoreLoad::descriptors(config_, largest_window(config_), config_.threads, nodes_.size()));
}

// The first phase needs the table to be empty, or to hold what it will look for.
Status Suite::check_table() const {
  const bool writes = config_.phases.front() == StorePhase::kWrite;
  const std::string table = schema_->qualified_table();
  if (!keyspace_->found_table())
    return writes ? Status()
                  : fail(ErrorCode::kSetup,
                         fmt::format(
                             "{} does not exist, so there is nothing to {}: begin the --phases "
                             "with write, or run `store --save` first",
                             table, measure::store_phase_name(config_.phases.front())));
  const std::string& contents = keyspace_->contents();
  const std::string wanted = store_contents(config_, keys_);
  if (contents == kNoRows || (!writes && contents == wanted)) return {};
  if (contents.empty() || contents == kUnfinished || writes)
    return fail(
        ErrorCode::kSetup,
        fmt::format("{} is there from an earlier run and holds {}: drop it with --fresh, or "
                    "name another with --table{}",
                    table, contents.empty() ? "what is not known" : contents,
                    contents == wanted ? ", or read it with --phases read" : ""));
  return fail(ErrorCode::kSetup,
              fmt::format("{} holds {}, and this run would look for {}: give the same --db-size, "
                          "--batch-size, --seed and --compressible",
                          table, contents, wanted));
}

Status Suite::check_room() const {
  const uint64_t needed = disk_bytes_needed(result_.db_bytes, keys_);
  if (config_.phases.front() != StorePhase::kWrite || config_.seed_block_only) return {};
  const bool check = !config_.data_directory.empty() && config_.disk_check;
  listener_.on_note(fmt::format("up to {} of the server's disk may be needed{}", size_text(needed),
                                check ? "" : ", which is not checked"));
  return check ? check_disk(config_.data_directory, needed) : Status();
}

Status Suite::measure(std::optional<measure::HdrLogWriter>& hdr_log) {
  try {
    StoreLoad load(config_, nodes_, version_, store_statements(*schema_), largest_window(config_),
                   config_.threads, listener_);
    if (auto status = load.connect(); !status) return status;
    StorePhases phases(config_, keys_, load, listener_);
    phases.set_filled(keyspace_->contents() == store_contents(config_, keys_));
    phases.set_hdr_log(std::exchange(hdr_log, {}));
    listener_.on_suite(result_);
    const Status status = run_phases(phases);
    hdr_log = phases.take_hdr_log();
    return status;
  } catch (const std::bad_alloc&) {
    return fail(ErrorCode::kSetup,
                "out of memory: ask for less --parallelism, fewer --threads, a "
                "smaller --batch-size or --page-bytes");
  }
}

Status Suite::run_phases(StorePhases& phases) {
  for (const StorePhase phase : config_.phases) {
    const bool changes = phase != StorePhase::kRead;
    if (changes)
      if (auto status = note_contents(kUnfinished); !status) return status;
    if (core::interrupted()) return {};
    auto result = run_phase(phase, phases);
    if (!result) return std::unexpected(result.error());
    result_.phases.push_back(std::move(*result));
    listener_.on_phase_result(result_.phases.back());
    // A read that found faults leaves the table as it is; the other phases are built upon.
    if (!changes) continue;
    if (!result_.phases.back().complete) return {};
    const auto status = note_contents(phases.filled() ? store_contents(config_, keys_) : kNoRows);
    if (!status) return status;
  }
  return {};
}

Result<StorePhaseResult> Suite::run_phase(StorePhase phase, StorePhases& phases) {
  switch (phase) {
    case StorePhase::kWrite:
      return phases.write();
    case StorePhase::kRead:
      return phases.read();
    case StorePhase::kDelete:
      return phases.remove();
    case StorePhase::kTruncate:
      break;
  }
  StorePhaseResult result = truncate(phases.filled());
  if (result.complete) phases.set_filled(false);
  return result;
}

// One attempt on a connection of its own, with a time-out of its own: TRUNCATE may take long, and
// sending it twice would hide that.
StorePhaseResult Suite::truncate(bool filled) {
  StorePhaseResult result{.phase = StorePhase::kTruncate};
  result.keys_expected = filled ? keys_ : 0;
  result.payload_bytes = result.keys_expected * config_.value_bytes;
  listener_.on_phase({.phase = StorePhase::kTruncate, .keys_total = result.keys_expected});
  auto client = connect_setup(config_);
  if (!client) {
    result.complete = false;
    result.problem = fmt::format("TRUNCATE was not sent: {}", client.error().message);
    return result;
  }
  const int64_t start_ns = core::steady_clock().now_ns();
  const auto answer = client->query(fmt::format("TRUNCATE {}", schema_->qualified_table()),
                                    config_.truncate_timeout_ns, protocol::Consistency::kOne);
  result.seconds =
      static_cast<double>(core::steady_clock().now_ns() - start_ns) / core::kNanosPerSecond;
  if (answer) {
    result.keys = result.keys_expected;
    return result;
  }
  result.complete = false;
  result.problem = fmt::format("TRUNCATE failed, and was sent once: {}{}", answer.error().message,
                               answer.error().code == ErrorCode::kTimeout
                                   ? "; --truncate-timeout sets how long is waited"
                                   : "");
  return result;
}

// A table that is kept says what is in it, so that a later run can read it. When an interrupt comes
// first it keeps what it says, which is that something is unfinished.
Status Suite::note_contents(const std::string& contents) {
  if (core::interrupted() || (!config_.save && !keyspace_->found_table())) return {};
  auto client = connect_setup(config_);
  auto status =
      client ? keyspace_->set_contents(*client, contents) : Status(std::unexpected(client.error()));
  if (!status && status.error().code == ErrorCode::kInterrupted) return {};
  return status;
}

Status check_phases(const StoreConfig& config) {
  if (config.phases.empty())
    return fail(ErrorCode::kUsage, "--phases is empty: write for example write,read,truncate");
  if (config.fresh && config.phases.front() != StorePhase::kWrite)
    return fail(
        ErrorCode::kUsage,
        "--fresh drops what the --phases would begin with: leave it out, or begin them with "
        "write");
  bool filled = config.phases.front() != StorePhase::kWrite;
  for (const StorePhase phase : config.phases) {
    if (phase == StorePhase::kWrite && filled)
      return fail(ErrorCode::kUsage,
                  "--phases has a write while the table is full: put a truncate or delete before");
    if (phase != StorePhase::kRead) filled = phase == StorePhase::kWrite;
  }
  return {};
}

Status check_sizes(const StoreConfig& config) {
  for (const uint64_t db_bytes : config.db_sizes) {
    const uint64_t keys = db_bytes / config.value_bytes;
    if (keys == 0)
      return fail(ErrorCode::kUsage,
                  fmt::format("a --db-size of {} is less than one value of {}: ask for a larger "
                              "--db-size or a smaller --batch-size",
                              size_text(db_bytes), size_text(config.value_bytes)));
    if (keys > kStoreKeysMax)
      return fail(
          ErrorCode::kUsage,
          fmt::format("a --db-size of {} in values of {} is {} keys, and {} are the most: "
                      "ask for a smaller --db-size or a larger --batch-size",
                      size_text(db_bytes), size_text(config.value_bytes), keys, kStoreKeysMax));
  }
  if (config.db_sizes.size() > 1 && (config.save || config.phases.front() != StorePhase::kWrite))
    return fail(ErrorCode::kUsage,
                "--sizes makes a table for each size: give it without --save, and with --phases "
                "that begin with write");
  return {};
}

Result<std::optional<measure::HdrLogWriter>> open_log(const StoreConfig& config) {
  if (config.hdr_log_path.empty()) return std::nullopt;
  auto log = measure::HdrLogWriter::open(config.hdr_log_path, {"cqlperf store"});
  if (!log) return std::unexpected(log.error());
  return std::optional(std::move(*log));
}

}  // namespace

Status check_store(const StoreConfig& config) {
  if (protocol::is_serial(config.consistency) || config.consistency == protocol::Consistency::kAny)
    return fail(ErrorCode::kUsage,
                "--consistency: SERIAL, LOCAL_SERIAL and ANY are not for the store suite, which "
                "reads what it has written; write for example LOCAL_QUORUM");
  if (auto status = check_phases(config); !status) return status;
  if (auto status = check_sizes(config); !status) return status;
  const auto schema = store_schema(config);
  return schema ? Status() : std::unexpected(schema.error());
}

Result<StoreResult> run_store(const StoreConfig& config, StoreListener& listener) {
  if (auto status = check_store(config); !status) return std::unexpected(status.error());
  auto log = open_log(config);
  if (!log) return std::unexpected(log.error());
  StoreResult result;
  std::optional<ServerInfo> server;
  for (const uint64_t db_bytes : config.db_sizes) {
    Suite suite(config, db_bytes, listener);
    const Status status = suite.execute(server, *log);
    if (!status && result.suites.empty()) return std::unexpected(status.error());
    if (!status) result.late_error = status.error();
    if (suite.late_error()) result.late_error = suite.late_error();
    if (status) result.suites.push_back(std::move(suite.result()));
    if (core::interrupted() || result.late_error || !result.suites.back().ok()) break;
  }
  if (server) result.server = std::move(*server);
  if (*log)
    if (auto closed = (*log)->close(); !closed && !result.late_error)
      result.late_error = closed.error();
  return result;
}

}  // namespace cqlperf::bench

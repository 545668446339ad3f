#include "bench/forms.h"

#include <algorithm>
#include <new>
#include <utility>

#include <fmt/format.h>

#include "bench/connection_settings.h"
#include "bench/descriptor_limit.h"
#include "bench/form_cell.h"
#include "bench/form_support.h"
#include "bench/keyspace.h"
#include "bench/rpc_probe.h"
#include "client/setup_client.h"
#include "core/interrupt.h"
#include "core/random.h"
#include "core/units.h"
#include "workload/schema.h"

namespace cqlperf::bench {
namespace {

using client::SetupClient;
using core::ErrorCode;
using core::fail;
using core::Result;
using core::Status;
using measure::CellRound;
using measure::Form;
using measure::FormCell;
using measure::FormScenario;
using measure::FormScenarioResult;

// Files that are open besides the workers' connections: standard streams, results, set-up.
constexpr size_t kOtherDescriptors = 32;
// Of Cassandra: the length of a value in an index has 16 bits.
constexpr uint32_t kIndexedBytesMax = 65'535;
// Of a table's name with its number; there are at most 100 rounds of 8 forms in 3 scenarios.
constexpr const char* kLongestSuffix = "_9999";
constexpr size_t kTableNameMax = 48 - 5;
constexpr int kFillsAgain = 3;
// What connecting, making and dropping a table, and verifying it take, about.
constexpr double kAroundACellS = 1.0;

double seconds(int64_t ns) { return static_cast<double>(ns) / core::kNanosPerSecond; }

std::string title_of(const FormsConfig& config, FormScenario scenario) {
  const std::string size =
      fmt::format("{} rows x {} columns",
                  core::format_count(static_cast<int64_t>(config.rows.rows)), config.rows.columns);
  switch (scenario) {
    case FormScenario::kInserts:
      return fmt::format("Inserts, {} of {} bytes", size, config.rows.value_bytes);
    case FormScenario::kIndexed:
      return fmt::format("Inserts with an index, {} of {} bytes", size, config.rows.value_bytes);
    case FormScenario::kCounters:
      return fmt::format("Counter increments, {}", size);
    case FormScenario::kReads:
      break;
  }
  return fmt::format("Reads, {} of {} bytes", size, config.rows.value_bytes);
}

// The matrix, from the first connection to the clean-up.
class Matrix {
 public:
  Matrix(const FormsConfig& config, FormsListener& listener)
      : config_(config), listener_(listener) {
    outcome_.result.rounds = config.rounds;
  }

  Result<FormsOutcome> run();

 private:
  Status set_up();
  Status read_topology(SetupClient& client, std::string& release);
  Status find_rpc(const std::string& release);
  Status check_forms_left() const;
  Status make_keyspace(SetupClient& client);
  Status clear_cell_tables(SetupClient& client) const;
  bool is_cell_table(const std::string& name) const;
  std::string no_rpc_for(Form form) const { return measure::is_rpc(form) ? no_rpc_ : ""; }
  void tell_plan();

  Status measure_all();
  Status run_scenario(FormScenario scenario);
  Status fill_for_reads();
  Status run_round(FormScenarioResult& result, const std::vector<size_t>& order, uint32_t round);
  Status run_cell(FormCell& cell, FormScenario scenario, uint32_t round);
  // Round 0 of a scenario is not measured: the server learns what is coming.
  Status warm_up(FormScenarioResult& result, const std::vector<size_t>& order);
  Status warm_up_cell(FormScenario scenario, FormCell& cell);
  Status refusal_of(FormCell& cell, const core::Error& error);
  std::string next_table(FormScenario scenario);
  std::vector<size_t> available(const FormScenarioResult& result) const;
  std::vector<size_t> shuffled(std::vector<size_t> order);
  FormSite site() const { return {config_, servers_, outcome_.compact_storage, listener_}; }

  const FormsConfig& config_;
  FormsListener& listener_;
  FormsOutcome outcome_;
  FormServers servers_;
  std::string no_rpc_;
  std::optional<workload::Schema> schema_;
  std::optional<Keyspace> keyspace_;
  core::Random random_{config_.rows.seed};
  FormsProgress progress_;
  uint64_t tables_ = 0;
};

Result<FormsOutcome> Matrix::run() {
  Status status = set_up();
  if (status) status = measure_all();
  outcome_.result.interrupted = core::interrupted();
  if (keyspace_) {
    const Status cleaned =
        drop_what_was_made(*keyspace_, config_, config_, servers_.nodes, listener_);
    if (!cleaned) outcome_.late_error = cleaned.error();
  }
  if (status) return std::move(outcome_);
  const bool measured =
      std::ranges::any_of(outcome_.result.scenarios, [](const FormScenarioResult& scenario) {
        return std::ranges::any_of(scenario.cells,
                                   [](const FormCell& cell) { return !cell.rounds.empty(); });
      });
  if (!measured) return std::unexpected(status.error());
  if (status.error().code != ErrorCode::kInterrupted) outcome_.late_error = status.error();
  return std::move(outcome_);
}

Status Matrix::set_up() {
  auto client = connect_first(config_, listener_);
  if (!client) return std::unexpected(client.error());
  servers_.version = client->version();
  std::string release;
  if (auto status = read_topology(*client, release); !status) return status;
  if (auto status = find_rpc(release); !status) return status;
  if (auto status = check_forms_left(); !status) return status;
  if (auto status =
          ensure_descriptors(kOtherDescriptors + FormLoad::descriptors(config_, servers_));
      !status)
    return status;
  if (auto status = make_keyspace(*client); !status) return status;
  for (const std::string& note : client->notes()) listener_.on_note(note);
  return {};
}

Status Matrix::read_topology(SetupClient& client, std::string& release) {
  const auto topology = client.discover_topology();
  if (!topology) return std::unexpected(topology.error());
  if (!topology->partitioner.ends_with("Murmur3Partitioner"))
    return fail(
        ErrorCode::kSetup,
        fmt::format("the servers' partitioner is {}: the verification needs Murmur3Partitioner",
                    topology->partitioner));
  release = topology->release_version;
  for (const client::NodeInfo& node : topology->nodes) servers_.nodes.push_back(node.address);
  for (const std::string& skipped : topology->skipped) listener_.on_note(skipped);
  outcome_.server = describe_server(*topology, servers_.version, config_);
  listener_.on_server(outcome_.server);
  return {};
}

// Whether the first node speaks Thrift; the others are taken to do the same. A port that was named
// must.
Status Matrix::find_rpc(const std::string& release) {
  if (std::ranges::none_of(config_.forms, measure::is_rpc)) return {};
  const uint16_t port = config_.thrift_port.value_or(kDefaultThriftPort);
  const net::SocketAddress address = servers_.nodes.front().with_port(port);
  const auto version = probe_rpc(address, connection_options(config_));
  if (version) {
    for (const net::SocketAddress& node : servers_.nodes)
      servers_.rpc_nodes.push_back(node.with_port(port));
    outcome_.compact_storage = true;
    outcome_.thrift = fmt::format("{}, version {}", address.to_string(), *version);
    return {};
  }
  if (version.error().code == ErrorCode::kInterrupted || version.error().code == ErrorCode::kAuth)
    return std::unexpected(version.error());
  if (config_.thrift_port)
    return fail(ErrorCode::kSetup,
                fmt::format("--thrift-port {}: {}\nThrift is off in Cassandra 2.2 to 3.11 unless "
                            "cassandra.yaml has start_rpc: true (or nodetool enablethrift), and "
                            "gone since 4.0. Leave the flag out to compare the other forms.",
                            port, version.error().message));
  no_rpc_ = why_no_rpc(release, version.error().message);
  return {};
}

Status Matrix::check_forms_left() const {
  for (const FormScenario scenario : config_.scenarios)
    for (const Form form : config_.forms)
      if (why_not_available(scenario, form, no_rpc_for(form)).empty()) return {};
  return fail(ErrorCode::kSetup,
              fmt::format("none of the --forms can be sent: {}",
                          why_not_available(config_.scenarios.front(), config_.forms.front(),
                                            no_rpc_for(config_.forms.front()))));
}

// The table of the keyspace is the one that reads use; the cells that write have their own.
Status Matrix::make_keyspace(SetupClient& client) {
  const workload::FormRows rows(config_.rows, 0);
  auto schema = workload::Schema::create(
      config_.keyspace, config_.table, config_.replication,
      workload::FormStatements::columns_cql(rows, workload::FormStatement::kRead),
      form_table_options(outcome_.compact_storage));
  if (!schema) return std::unexpected(schema.error());
  schema_ = std::move(*schema);
  keyspace_.emplace(config_, config_.schema_timeout_ns, config_.schema_timeout_ns, *schema_,
                    listener_);
  if (auto status = keyspace_->prepare(client); !status) return status;
  if (!keyspace_->found_table()) return clear_cell_tables(client);
  return fail(
      ErrorCode::kSetup,
      fmt::format("{} is there from an earlier run, or of one that is still running: drop it "
                  "with --fresh, or name another --keyspace",
                  schema_->qualified_table()));
}

// In a keyspace of somebody else's there may be tables of the names that the cells will have. Those
// of an earlier run that was killed are dropped by --fresh.
Status Matrix::clear_cell_tables(SetupClient& client) const {
  const auto tables = client.query(schema_->find_tables_cql());
  if (!tables) return std::unexpected(tables.error());
  for (size_t row = 0; row < tables->rows.size(); ++row) {
    const std::string name = tables->rows.text(row, "table_name").value_or("");
    if (!is_cell_table(name)) continue;
    const std::string comment = tables->rows.text(row, "comment").value_or("");
    const bool ours = comment.starts_with(workload::kOwnershipMark);
    if (!ours || !config_.fresh)
      return fail(ErrorCode::kSetup,
                  fmt::format("the keyspace {} has a table {}, and the tables that are made in it "
                              "are called {}_1, {}_2...: {}name another --table",
                              config_.keyspace, name, config_.table, config_.table,
                              ours ? "drop it with --fresh, or " : ""));
    const auto left = workload::Schema::create(config_.keyspace, name, config_.replication, "");
    if (auto dropped = client.query(left->drop_table_cql(), config_.schema_timeout_ns); !dropped)
      return std::unexpected(dropped.error());
  }
  return {};
}

// `forms_17`.
bool Matrix::is_cell_table(const std::string& name) const {
  const std::string prefix = config_.table + "_";
  return name.size() > prefix.size() && name.starts_with(prefix) &&
         name.find_first_not_of("0123456789", prefix.size()) == std::string::npos;
}

void Matrix::tell_plan() {
  for (const FormScenario scenario : config_.scenarios)
    for (const Form form : config_.forms)
      if (why_not_available(scenario, form, no_rpc_for(form)).empty())
        progress_.cells += config_.rounds;
  const double around = kAroundACellS + seconds(config_.settle_ns);
  const double warm_up = seconds(config_.warm_up_ns);
  const double cell = around + warm_up + seconds(config_.duration_ns.value_or(0));
  const double passes = warm_up > 0 ? (around + warm_up) / config_.rounds : 0;
  listener_.on_plan(progress_.cells, static_cast<double>(progress_.cells) * (cell + passes));
}

Status Matrix::measure_all() {
  tell_plan();
  for (const FormScenario scenario : config_.scenarios) {
    const Status status = run_scenario(scenario);
    listener_.on_scenario(outcome_.result.scenarios.back());
    if (!status) return status;
  }
  return {};
}

std::vector<size_t> Matrix::available(const FormScenarioResult& result) const {
  std::vector<size_t> cells;
  for (size_t i = 0; i < result.cells.size(); ++i)
    if (result.cells[i].not_available.empty()) cells.push_back(i);
  return cells;
}

// Another order than before, when there is one (Fisher and Yates).
std::vector<size_t> Matrix::shuffled(std::vector<size_t> order) {
  const std::vector<size_t> before = order;
  do {
    for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random_.below(i)]);
  } while (order.size() > 1 && order == before);
  return order;
}

Status Matrix::run_scenario(FormScenario scenario) {
  FormScenarioResult& result = outcome_.result.scenarios.emplace_back();
  result.scenario = scenario;
  result.title = title_of(config_, scenario);
  for (const Form form : config_.forms)
    result.cells.push_back(
        {.form = form, .not_available = why_not_available(scenario, form, no_rpc_for(form))});
  progress_.scenario = scenario;
  std::vector<size_t> order = available(result);
  if (order.empty()) return {};
  if (scenario == FormScenario::kReads)
    if (auto status = fill_for_reads(); !status) return status;
  if (auto status = warm_up(result, order); !status) return status;
  for (uint32_t round = 0; round < config_.rounds; ++round) {
    order = shuffled(std::move(order));
    if (auto status = run_round(result, order, round); !status) return status;
  }
  return {};
}

Status Matrix::fill_for_reads() {
  progress_.step = "filling";
  listener_.on_progress(progress_);
  FormCellRun cell(site(), FormScenario::kReads, Form::kPrepared, config_.table);
  // Writing a row again does no harm.
  Status status = cell.fill();
  for (int again = 0; again < kFillsAgain && !status && !core::interrupted(); ++again) {
    listener_.on_note(status.error().message + "; all are written once more");
    status = cell.fill();
  }
  if (!status) return status;
  core::wait_unless_interrupted(config_.settle_ns);
  return {};
}

Status Matrix::warm_up(FormScenarioResult& result, const std::vector<size_t>& order) {
  if (config_.warm_up_ns == 0) return {};
  progress_.step = "warm-up of all forms";
  for (const size_t index : order) {
    if (core::interrupted()) return fail(ErrorCode::kInterrupted, "interrupted in the warm-up");
    progress_.form = result.cells[index].form;
    listener_.on_progress(progress_);
    FormCell& cell = result.cells[index];
    if (auto status = warm_up_cell(result.scenario, cell); !status) return status;
  }
  return {};
}

// A server that refuses a statement has no such form. The others go on; when the server is gone
// altogether, the next step says so.
Status Matrix::refusal_of(FormCell& cell, const core::Error& error) {
  if (error.code == ErrorCode::kInterrupted) return std::unexpected(error);
  if (error.code != ErrorCode::kSetup) {
    listener_.on_note(fmt::format("{}: {}", measure::form_name(cell.form), error.message));
    return {};
  }
  cell.not_available = "the server refuses it: " + error.message;
  listener_.on_note(fmt::format("{}: {}", measure::form_name(cell.form), cell.not_available));
  return {};
}

Status Matrix::warm_up_cell(FormScenario scenario, FormCell& cell) {
  FormCellRun run(site(), scenario, cell.form, next_table(scenario));
  Status status;
  if (scenario != FormScenario::kReads) status = run.make_table();
  if (status) {
    status = run.warm_up();
    if (!status) status = refusal_of(cell, status.error());
  }
  const Status dropped = run.drop_table();
  return status ? dropped : status;
}

std::string Matrix::next_table(FormScenario scenario) {
  if (scenario == FormScenario::kReads) return config_.table;
  return fmt::format("{}_{}", config_.table, ++tables_);
}

Status Matrix::run_round(FormScenarioResult& result, const std::vector<size_t>& order,
                         uint32_t round) {
  progress_.round = round;
  for (const size_t index : order) {
    if (!result.cells[index].not_available.empty()) continue;
    if (core::interrupted()) return fail(ErrorCode::kInterrupted, "interrupted");
    core::wait_unless_interrupted(config_.settle_ns);
    progress_.form = result.cells[index].form;
    if (auto status = run_cell(result.cells[index], result.scenario, round); !status) return status;
    ++progress_.cell;
    if (!result.cells[index].rounds.empty())
      listener_.on_round(progress_, result.cells[index].rounds.back());
  }
  return {};
}

Status Matrix::run_cell(FormCell& cell, FormScenario scenario, uint32_t round) {
  FormCellRun run(site(), scenario, cell.form, next_table(scenario));
  const FormCellRun::Told told = {
      .on_step =
          [&](const std::string& step) {
            progress_.step = step;
            listener_.on_progress(progress_);
          },
      .on_row = [&](const measure::IntervalRow& row) { listener_.on_row(progress_, row); }};
  Status status;
  if (scenario != FormScenario::kReads) status = run.make_table();
  if (status) {
    auto measured = run.measure(told, cell.response);
    if (!measured) {
      status = refusal_of(cell, measured.error());
      if (status && cell.not_available.empty())
        cell.rounds.push_back({.round = round, .problem = measured.error().message});
    }
    if (measured && (!measured->interrupted || measured->summary.operations > 0)) {
      measured->round = round;
      cell.rounds.push_back(std::move(*measured));
    }
  }
  const Status dropped = run.drop_table();
  return status ? dropped : status;
}

Status check_scenarios(const FormsConfig& config) {
  if (config.scenarios.empty() || config.forms.empty())
    return fail(ErrorCode::kUsage, "--scenarios and --forms name one at least each");
  const bool indexed = std::ranges::count(config.scenarios, FormScenario::kIndexed) > 0;
  if (indexed && config.rows.columns <= workload::FormRows::kIndexedColumn)
    return fail(ErrorCode::kUsage,
                "the scenario indexed has its index on the second column: give --columns 2 or "
                "more, or other --scenarios");
  for (const FormScenario scenario : config.scenarios)
    for (const Form form : config.forms)
      if (why_not_available(scenario, form, "").empty()) return {};
  return fail(ErrorCode::kUsage,
              fmt::format("none of the --forms is there in any of the --scenarios: {}",
                          why_not_available(config.scenarios.front(), config.forms.front(), "")));
}

Status check_sizes(const FormsConfig& config) {
  const bool indexed = std::ranges::count(config.scenarios, FormScenario::kIndexed) > 0;
  if (indexed && config.rows.value_bytes > kIndexedBytesMax)
    return fail(ErrorCode::kUsage,
                fmt::format("an index takes values of {} bytes at the most: give a smaller "
                            "--value-size, or other --scenarios than indexed",
                            kIndexedBytesMax));
  const uint64_t row_bytes = uint64_t{config.rows.columns} * config.rows.value_bytes;
  if (row_bytes > workload::kFormRowBytesMax)
    return fail(ErrorCode::kUsage,
                fmt::format("{} columns of {} bytes are more than 4MiB a row, and as literals "
                            "twice that: give fewer --columns or a smaller --value-size",
                            config.rows.columns, config.rows.value_bytes));
  return {};
}

}  // namespace

Status check_forms(const FormsConfig& config) {
  if (protocol::is_serial(config.consistency) || config.consistency == protocol::Consistency::kAny)
    return fail(ErrorCode::kUsage,
                "--consistency: SERIAL, LOCAL_SERIAL and ANY are not for this comparison, which "
                "reads what it has written; write for example ONE");
  if (auto status = check_scenarios(config); !status) return status;
  if (auto status = check_sizes(config); !status) return status;
  const auto schema =
      workload::Schema::create(config.keyspace, config.table, config.replication, "");
  if (!schema) return std::unexpected(schema.error());
  const auto longest = workload::Schema::create(config.keyspace, config.table + kLongestSuffix,
                                                config.replication, "");
  if (longest) return {};
  return fail(ErrorCode::kUsage,
              fmt::format("--table: the tables are called {}_1, {}_2..., for which the name is too "
                          "long: give one of {} letters at the most",
                          config.table, config.table, kTableNameMax));
}

Result<FormsOutcome> run_forms(const FormsConfig& config, FormsListener& listener) {
  if (auto status = check_forms(config); !status) return std::unexpected(status.error());
  try {
    return Matrix(config, listener).run();
  } catch (const std::bad_alloc&) {
    return fail(ErrorCode::kSetup,
                "out of memory: ask for less --parallelism, fewer --rows or --threads, or a "
                "smaller --value-size");
  }
}

}  // namespace cqlperf::bench

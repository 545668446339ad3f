#include "bench/form_cell.h"

#include <utility>

#include <fmt/format.h>

#include "bench/connection_settings.h"
#include "bench/form_check.h"
#include "bench/keyspace.h"
#include "client/setup_client.h"
#include "core/interrupt.h"
#include "protocol/error.h"
#include "protocol/identifiers.h"
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
using measure::FormScenario;
using workload::FormStatement;

constexpr int64_t kIndexPollNs = 50 * core::kNanosPerMilli;

workload::Schema schema_of(const FormsConfig& config, const std::string& table,
                           const std::string& columns, bool compact_storage) {
  // The names and the replication were checked by check_forms().
  return *workload::Schema::create(config.keyspace, table, config.replication, columns,
                                   form_table_options(compact_storage));
}

bool reads(FormScenario scenario) { return scenario == FormScenario::kReads; }

std::vector<measure::RatePoint> rate_points(const measure::Collector& collector) {
  std::vector<measure::RatePoint> points;
  (void)collector.intervals().for_each([&](const measure::IntervalRow& row) {
    points.push_back({row.start_s, row.length_s, row.rate});
  });
  return points;
}

FormStatement statement_of(FormScenario scenario) {
  if (scenario == FormScenario::kCounters) return FormStatement::kCounter;
  return reads(scenario) ? FormStatement::kRead : FormStatement::kInsert;
}

// How many different values the indexed column has; 0: each row its own.
uint32_t cardinality_of(const FormsConfig& config, FormScenario scenario) {
  return scenario == FormScenario::kIndexed ? config.cardinality : 0;
}

}  // namespace

std::string form_table_options(bool compact_storage) {
  return compact_storage ? "COMPACT STORAGE" : "";
}

FormCellRun::FormCellRun(const FormSite& site, FormScenario scenario, Form form, std::string table)
    : site_(site),
      scenario_(scenario),
      form_(form),
      table_(std::move(table)),
      rows_(site.config.rows, cardinality_of(site.config, scenario)),
      statements_(rows_, protocol::table_to_cql(site.config.keyspace, table_)),
      ledger_(site.config.rows.rows) {}

FormCellRun::~FormCellRun() = default;

FormWorkload FormCellRun::workload() {
  const auto order =
      reads(scenario_) ? site_.config.read_order : workload::FormKeys::Order::kSerial;
  return {.statement = statement_of(scenario_),
          .rows = &rows_,
          .statements = &statements_,
          .keys = {order, rows_.config().rows, rows_.config().seed},
          .ledger = reads(scenario_) ? nullptr : &ledger_};
}

Status FormCellRun::make_table() {
  const std::string columns = workload::FormStatements::columns_cql(rows_, statement_of(scenario_));
  const auto schema = schema_of(site_.config, table_, columns, site_.compact_storage);
  auto client = connect_setup(site_.config);
  if (!client) return std::unexpected(client.error());
  const int64_t timeout_ns = site_.config.schema_timeout_ns;
  const auto made = client->query(schema.create_new_table_cql(), timeout_ns);
  // Another run may have made it: then it is not ours to drop.
  made_table_ =
      client->last_error_code() != static_cast<int32_t>(protocol::ErrorCode::kAlreadyExists);
  if (!made_table_)
    return fail(ErrorCode::kSetup,
                fmt::format("the table {} is there already: another run is using the keyspace {}; "
                            "name another --keyspace",
                            schema.qualified_table(), schema.keyspace()));
  if (!made)
    return in_step(fmt::format("making the table {}", schema.qualified_table()), made.error());
  if (auto agreed = client->await_schema_agreement(timeout_ns); !agreed) return agreed;
  if (scenario_ != FormScenario::kIndexed) return {};
  const std::string index =
      workload::FormStatements::create_index_cql(rows_, schema.qualified_table());
  if (auto indexed = client->query(index, timeout_ns); !indexed)
    return in_step(index, indexed.error());
  if (auto agreed = client->await_schema_agreement(timeout_ns); !agreed) return agreed;
  return wait_for_index(*client, schema.qualified_table());
}

// Cassandra answers CREATE INDEX before the index can be used.
Status FormCellRun::wait_for_index(SetupClient& client, const std::string& table) {
  const std::string probe = fmt::format("SELECT id FROM {} WHERE \"{}\" = 0x00 LIMIT 1", table,
                                        rows_.column_names()[workload::FormRows::kIndexedColumn]);
  const int64_t deadline_ns = core::steady_clock().now_ns() + site_.config.schema_timeout_ns;
  while (true) {
    const auto answer = client.query(probe, site_.config.schema_timeout_ns);
    if (answer) return {};
    if (answer.error().code != ErrorCode::kServer || core::steady_clock().now_ns() > deadline_ns)
      return in_step("waiting for the index", answer.error());
    core::wait_unless_interrupted(kIndexPollNs);
  }
}

Status FormCellRun::drop_table() {
  if (!std::exchange(made_table_, false)) return {};
  const auto points = contact_points(site_.config);
  if (!points) return std::unexpected(points.error());
  auto client =
      SetupClient::connect(connection_options(site_.config), *points, client::Interrupts::kIgnore);
  if (!client) return std::unexpected(client.error());
  const auto schema = schema_of(site_.config, table_, "", false);
  const auto dropped = client->query(schema.drop_table_cql(), site_.config.schema_timeout_ns);
  if (!dropped)
    return in_step(fmt::format("dropping the table {}", schema.qualified_table()), dropped.error());
  return {};
}

Status FormCellRun::fill() {
  FormWorkload filling = workload();
  filling.statement = FormStatement::kInsert;
  filling.keys = {workload::FormKeys::Order::kSerial, rows_.config().rows, rows_.config().seed};
  FormLoad load(site_.config, site_.servers, Form::kPrepared, filling, table_, site_.listener);
  if (auto status = load.connect(); !status) return status;
  executor::Plan plan = form_plan(site_.config);
  plan.rate = 0;
  plan.count = rows_.config().rows;
  plan.duration_ns.reset();
  const auto phase = load.run(plan, {});
  if (!phase) return std::unexpected(phase.error());
  if (core::interrupted()) return fail(ErrorCode::kInterrupted, "interrupted while filling");
  const auto summary = phase->collector->summary();
  if (summary.operations == rows_.config().rows) return {};
  const std::string reason = summary.errors_by_kind.empty()
                                 ? "the server has stopped answering"
                                 : fmt::format("{}: {}", summary.errors_by_kind.front().kind,
                                               summary.errors_by_kind.front().first_message);
  return fail(ErrorCode::kSetup,
              fmt::format("{} of {} rows that are to be read could not be written: {}",
                          rows_.config().rows - summary.operations, rows_.config().rows, reason));
}

Status FormCellRun::run_warm_up(FormLoad& load) {
  if (site_.config.warm_up_ns == 0) return {};
  const auto phase =
      load.run(executor::warm_up_plan(form_plan(site_.config), site_.config.warm_up_ns), {});
  if (!phase) return std::unexpected(phase.error());
  return {};
}

Status FormCellRun::warm_up() {
  const FormWorkload work = workload();
  FormLoad load(site_.config, site_.servers, form_, work, table_, site_.listener);
  if (auto status = load.connect(); !status) return status;
  return run_warm_up(load);
}

Result<CellRound> FormCellRun::measure(const Told& told, measure::Histogram& response) {
  const FormWorkload work = workload();
  Result<CellRound> round;
  {
    FormLoad load(site_.config, site_.servers, form_, work, table_, site_.listener);
    if (auto status = load.connect(); !status) return std::unexpected(status.error());
    told.on_step("warm-up");
    if (auto status = run_warm_up(load); !status) return std::unexpected(status.error());
    if (core::interrupted()) return fail(ErrorCode::kInterrupted, "interrupted in the warm-up");
    told.on_step("measuring");
    const auto phase = load.run(form_plan(site_.config), told.on_row);
    if (!phase) return std::unexpected(phase.error());
    round = describe(*phase);
    response.add(phase->collector->total_latencies().response);
  }
  if (round->interrupted) return round;
  told.on_step("verifying");
  verify(*round);
  return round;
}

CellRound FormCellRun::describe(const FormLoad::Phase& phase) const {
  CellRound round;
  const bool stalled = phase.outcome.total.ending == executor::Ending::kStalled;
  round.interrupted = core::interrupted();
  round.summary = phase.collector->summary(round.interrupted, std::nullopt, stalled);
  round.points = rate_points(*phase.collector);
  if (round.summary.operations > 0) {
    const auto operations = static_cast<double>(round.summary.operations);
    round.bytes_sent_per_operation = static_cast<double>(phase.bytes_sent) / operations;
    round.bytes_received_per_operation = static_cast<double>(phase.bytes_received) / operations;
  }
  if (stalled) round.problem = "the server had stopped answering";
  if (!phase.outcome.files) round.problem = phase.outcome.files.error().message;
  return round;
}

// Rows that were read have been compared as they came.
void FormCellRun::verify(CellRound& round) {
  if (reads(scenario_)) {
    measure::CellVerification found;
    found.checked = round.summary.operations;
    for (const measure::ErrorCount& error : round.summary.errors_by_kind) {
      if (error.kind != "MissingRow" && error.kind != "WrongRow") continue;
      found.checked += error.count;
      found.wrong += error.count;
      if (found.first_fault.empty()) found.first_fault = error.first_message;
    }
    round.verification = found;
    return;
  }
  auto client = connect_setup(site_.config);
  auto found = client ? check_form_table(*client, workload())
                      : Result<measure::CellVerification>(std::unexpected(client.error()));
  if (found)
    round.verification = std::move(*found);
  else if (found.error().code == ErrorCode::kInterrupted)
    round.problem = "interrupted before the table was verified";
  else if (!round.problem)
    round.problem = fmt::format("the table could not be verified: {}", found.error().message);
}

}  // namespace cqlperf::bench

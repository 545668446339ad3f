#pragma once

#include <functional>
#include <string>

#include "bench/form_load.h"
#include "bench/form_task.h"
#include "bench/forms_config.h"
#include "bench/listener.h"
#include "client/setup_client.h"
#include "core/result.h"
#include "measure/forms_result.h"
#include "measure/histogram.h"
#include "measure/interval.h"
#include "workload/form_rows.h"
#include "workload/form_statements.h"

namespace cqlperf::bench {

// What all cells of a comparison share.
struct FormSite {
  const FormsConfig& config;
  const FormServers& servers;
  bool compact_storage = false;
  Listener& listener;
};

// What stands after WITH, beside the comment.
std::string form_table_options(bool compact_storage);

// One form in one scenario, in one table. Owner thread: the one that runs the matrix.
class FormCellRun {
 public:
  // What the site refers to outlives this. `table` is the bare name.
  FormCellRun(const FormSite& site, measure::FormScenario scenario, measure::Form form,
              std::string table);
  ~FormCellRun();

  // Makes the table; drop_table() is to be called also after an error.
  core::Status make_table();
  // Ignores an interrupt.
  core::Status drop_table();

  // Writes every row once, for reads to find.
  core::Status fill();
  // Connects, and sends for the time of the warm-up; nothing is kept.
  core::Status warm_up();

  struct Told {
    std::function<void(const std::string& step)> on_step;
    std::function<void(const measure::IntervalRow&)> on_row;
  };
  // Connects, warms up, measures, and verifies. Adds the response times to `response`. An error
  // when nothing was measured.
  core::Result<measure::CellRound> measure(const Told& told, measure::Histogram& response);

 private:
  FormWorkload workload();
  core::Status wait_for_index(client::SetupClient& client, const std::string& table);
  core::Status run_warm_up(FormLoad& load);
  measure::CellRound describe(const FormLoad::Phase& phase) const;
  void verify(measure::CellRound& round);

  const FormSite site_;
  const measure::FormScenario scenario_;
  const measure::Form form_;
  const std::string table_;
  const workload::FormRows rows_;
  const workload::FormStatements statements_;
  FormLedger ledger_;
  bool made_table_ = false;
};

}  // namespace cqlperf::bench

#include "bench/form_support.h"

#include <gtest/gtest.h>

namespace cqlperf::bench {
namespace {

using measure::Form;
using measure::FormScenario;

TEST(FormSupport, EveryFormOfAServerWithThriftIsThereButStringsBeyondInserts) {
  for (const FormScenario scenario : measure::kFormScenarios)
    for (const Form form : measure::kForms) {
      const bool strings = form == Form::kRpcPreparedStrings || form == Form::kPreparedStrings;
      const bool inserts = scenario == FormScenario::kInserts || scenario == FormScenario::kIndexed;
      EXPECT_EQ(why_not_available(scenario, form, "").empty(), !strings || inserts)
          << measure::form_scenario_name(scenario) << " " << measure::form_name(form);
    }
}

TEST(FormSupport, WithoutThriftTheFormsOverItAreNotThere) {
  for (const Form form : measure::kForms) {
    const std::string why = why_not_available(FormScenario::kInserts, form, "no Thrift");
    EXPECT_EQ(why, measure::is_rpc(form) ? "no Thrift" : "") << measure::form_name(form);
  }
}

TEST(FormSupport, WhyThereIsNoThriftDependsOnTheRelease) {
  for (const char* release : {"4.0.0", "4.1.3", "5.0.8", "10.1"})
    EXPECT_EQ(why_no_rpc(release, "refused"), "no Thrift: removed in Cassandra 4.0") << release;
  for (const char* release : {"3.11.19", "2.2.0", "3.0.8", ""})
    EXPECT_EQ(why_no_rpc(release, "refused"), "no Thrift: refused") << release;
}

}  // namespace
}  // namespace cqlperf::bench

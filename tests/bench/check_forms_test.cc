#include <gtest/gtest.h>

#include "bench/forms.h"

namespace cqlperf::bench {
namespace {

using measure::Form;
using measure::FormScenario;

TEST(CheckForms, TheDefaultsAreRight) { EXPECT_TRUE(check_forms(FormsConfig{})); }

TEST(CheckForms, ListsMustHaveSomethingToMeasure) {
  FormsConfig config;
  config.forms.clear();
  EXPECT_FALSE(check_forms(config));
  config = {};
  config.scenarios.clear();
  EXPECT_FALSE(check_forms(config));
  config = {};
  config.forms = {Form::kRpcPreparedStrings, Form::kPreparedStrings};
  config.scenarios = {FormScenario::kReads};
  EXPECT_FALSE(check_forms(config));
  config.scenarios = {FormScenario::kInserts, FormScenario::kReads};
  EXPECT_TRUE(check_forms(config));
}

TEST(CheckForms, ARowOfLiteralsFitsIntoAFrame) {
  FormsConfig config;
  config.scenarios = {FormScenario::kInserts};
  config.rows.columns = 4;
  config.rows.value_bytes = 1 << 20;
  EXPECT_TRUE(check_forms(config));
  config.rows.columns = 5;
  const auto status = check_forms(config);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, core::ErrorCode::kUsage);
}

}  // namespace
}  // namespace cqlperf::bench

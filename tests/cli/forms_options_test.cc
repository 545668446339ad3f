#include "cli/forms_options.h"

#include <gtest/gtest.h>

#include "command_rows.h"

namespace cqlperf::cli {
namespace {

TEST(FormsOptions, TheGoodOnesAreTaken) {
  const auto rows = read_command_rows("good_forms_command_lines.txt");
  ASSERT_GT(rows.size(), 10);
  for (const CommandRow& row : rows) {
    const auto command = parse_command_line(row.arguments);
    ASSERT_TRUE(command) << row.line << "\n" << command.error().message;
    ASSERT_TRUE(command->forms) << row.line;
    EXPECT_FALSE(command->run || command->store || command->serve) << row.line;
    expect_members(row, forms_config_json(*command->forms));
  }
}

TEST(FormsOptions, TheBadOnesAreRefusedAndSayWhy) {
  const auto rows = read_command_rows("bad_forms_command_lines.txt");
  ASSERT_GT(rows.size(), 30);
  expect_all_refused(rows);
}

TEST(FormsOptions, TheServerOfItsOwnSpeaksThriftOnlyWhenAFormNeedsIt) {
  EXPECT_TRUE(parse_command_line({"forms", "--embedded"})->embedded.thrift);
  EXPECT_FALSE(parse_command_line({"forms", "--embedded", "--forms", "cql"})->embedded.thrift);
  EXPECT_FALSE(parse_command_line({"forms"})->embedded.thrift);
}

TEST(FormsOptions, HelpExplainsEveryFormAndFlag) {
  const auto help = parse_command_line({"forms", "--help"});
  ASSERT_TRUE(help);
  EXPECT_FALSE(help->forms);
  for (const char* text :
       {"--forms",       "--scenarios", "--rounds",      "--duration",   "--count",
        "--warm-up",     "--settle",    "--rows",        "--columns",    "--value-size",
        "--cardinality", "--read-keys", "--parallelism", "--rate-limit", "--thrift-port",
        "--embedded",    "--out",       "--jira",        "--json",       "Examples:",
        "Exit codes:",   "Percentages"})
    EXPECT_NE(help->text.find(text), std::string::npos) << text;
  for (const measure::Form form : measure::kForms)
    EXPECT_NE(help->text.find(std::string("\n  ") + measure::form_name(form) + " "),
              std::string::npos)
        << measure::form_name(form);
  EXPECT_EQ(help->text.find("--save"), std::string::npos);
}

TEST(FormsOptions, ThePasswordIsNeverInTheConfigDocument) {
  const auto command = parse_command_line({"forms", "--user", "u", "--password", "s3cret"});
  ASSERT_TRUE(command);
  EXPECT_EQ(command->forms->password, "s3cret");
  EXPECT_EQ(forms_config_json(*command->forms).dump().find("s3cret"), std::string::npos);
}

}  // namespace
}  // namespace cqlperf::cli

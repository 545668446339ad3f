#include "cli/store_options.h"

#include <gtest/gtest.h>

#include "command_rows.h"

namespace cqlperf::cli {
namespace {

TEST(StoreOptions, TheGoodOnesAreTaken) {
  const auto rows = read_command_rows("good_store_command_lines.txt");
  ASSERT_GT(rows.size(), 15);
  for (const CommandRow& row : rows) {
    const auto command = parse_command_line(row.arguments);
    ASSERT_TRUE(command) << row.line << "\n" << command.error().message;
    ASSERT_TRUE(command->store) << row.line;
    EXPECT_FALSE(command->run || command->serve) << row.line;
    EXPECT_FALSE(command->store->seed_block_only);
    expect_members(row, store_config_json(*command->store));
  }
}

TEST(StoreOptions, TheBadOnesAreRefusedAndSayWhy) {
  const auto rows = read_command_rows("bad_store_command_lines.txt");
  ASSERT_GT(rows.size(), 40);
  expect_all_refused(rows);
}

TEST(StoreOptions, HelpExplainsEveryFlagWithExamplesAndUnits) {
  const auto help = parse_command_line({"store", "--help"});
  ASSERT_TRUE(help);
  EXPECT_FALSE(help->store);
  for (const char* text : {"--db-size",
                           "--db_size",
                           "--batch-size",
                           "--batch_size",
                           "--sizes",
                           "--phases",
                           "--parallelism",
                           "--rate-limit",
                           "--page-rows",
                           "--page-bytes",
                           "--verify",
                           "--no-verify",
                           "--compressible",
                           "--table-options",
                           "--save",
                           "--fresh",
                           "--truncate-timeout",
                           "--stall-timeout",
                           "--json",
                           "--hdr-log",
                           "--embedded",
                           "--data-directory",
                           "--no-disk-check",
                           "--interval",
                           "Examples:",
                           "Exit codes:",
                           "MBps is 10^6 bytes per second",
                           "GB is 2^30 bytes"})
    EXPECT_NE(help->text.find(text), std::string::npos) << text;
}

TEST(StoreOptions, ThePasswordIsNeverInTheConfigDocument) {
  const auto command = parse_command_line({"store", "--user", "u", "--password", "s3cret"});
  ASSERT_TRUE(command);
  EXPECT_EQ(command->store->password, "s3cret");
  EXPECT_EQ(store_config_json(*command->store).dump().find("s3cret"), std::string::npos);
}

TEST(StoreStress, TakesTheFlagsOfTheOriginalAndPrintsOnlyItsBlock) {
  const auto command = parse_store_stress({"--db_size=32212254720", "--batch_size=30720"});
  ASSERT_TRUE(command) << command.error().message;
  ASSERT_TRUE(command->store);
  EXPECT_EQ(command->store->db_sizes, std::vector<uint64_t>{32'212'254'720});
  EXPECT_EQ(command->store->value_bytes, 30'720);
  EXPECT_TRUE(command->store->seed_block_only);
  EXPECT_TRUE(command->store->fresh);
  EXPECT_EQ(parse_store_stress({"--db_size=1073741824"})->store->value_bytes, 65'536);
}

TEST(StoreStress, TakesTheOtherFlagsOfTheStoreToo) {
  const auto command = parse_store_stress({"--embedded", "--embedded-threads", "2", "--save"});
  ASSERT_TRUE(command) << command.error().message;
  EXPECT_TRUE(command->embedded.enabled && command->store->save);
  EXPECT_EQ(command->embedded.threads, 2);
  EXPECT_FALSE(parse_store_stress({"--embedded", "--server", "localhost"}));
  EXPECT_FALSE(parse_store_stress({"store"}));
  EXPECT_FALSE(parse_store_stress({"--batch_size=0"}));
  EXPECT_NE(parse_store_stress({"--help"})->text.find("cassandra_store_stress --db_size="),
            std::string::npos);
}

}  // namespace
}  // namespace cqlperf::cli

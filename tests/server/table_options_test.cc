#include "server/table_options.h"

#include <gtest/gtest.h>

#include "cql/parser.h"

namespace cqlperf::server {
namespace {

// What comes of `WITH …` for a new table.
cql::Result<TableOptions> options_of(const std::string& with) {
  auto parsed = cql::parse_statement("CREATE TABLE t (a int PRIMARY KEY) WITH " + with);
  if (!parsed) return std::unexpected(parsed.error());
  const cql::Options& given = std::get<cql::CreateTable>(parsed->statement).options;
  if (auto names = check_table_option_names(given); !names) return std::unexpected(names.error());
  auto options = apply_table_options(given, default_table_options());
  if (!options) return options;
  if (auto status = check_table_options(*options); !status) return std::unexpected(status.error());
  return options;
}

std::string error_of(const std::string& with) {
  const auto options = options_of(with);
  if (options) return "";
  char code[8];
  std::snprintf(code, sizeof code, "%04x ", static_cast<unsigned>(options.error().code));
  return code + options.error().message;
}

protocol::StringMap map_of(const std::string& name, const std::string& value) {
  const auto options = options_of(name + " = " + value);
  EXPECT_TRUE(options) << (options ? "" : options.error().message);
  return options ? options->maps.at(name) : protocol::StringMap();
}

using Map = protocol::StringMap;

TEST(TableOptions, DefaultsAreCassandras) {
  const TableOptions options = default_table_options();
  EXPECT_EQ(options.scalars.at("speculative_retry"), "99p");
  EXPECT_EQ(options.scalars.at("gc_grace_seconds"), "864000");
  EXPECT_EQ(options.maps.at("caching"), (Map{{"keys", "ALL"}, {"rows_per_partition", "NONE"}}));
  EXPECT_EQ(options.maps.at("compression"),
            (Map{{"chunk_length_in_kb", "16"},
                 {"class", "org.apache.cassandra.io.compress.LZ4Compressor"}}));
  EXPECT_EQ(options.maps.at("compaction"),
            (Map{{"class", "org.apache.cassandra.db.compaction.SizeTieredCompactionStrategy"},
                 {"max_threshold", "32"},
                 {"min_threshold", "4"}}));
}

TEST(TableOptions, CompressionIsWrittenInFull) {
  EXPECT_EQ(map_of("compression", "{}"), (Map{{"enabled", "false"}}));
  EXPECT_EQ(map_of("compression", "{'enabled': false}"), (Map{{"enabled", "false"}}));
  EXPECT_EQ(map_of("compression", "{'class': 'SnappyCompressor', 'chunk_length_in_kb': 64}"),
            (Map{{"chunk_length_in_kb", "64"},
                 {"class", "org.apache.cassandra.io.compress.SnappyCompressor"}}));
  EXPECT_EQ(map_of("compression",
                   "{'class': 'LZ4Compressor', 'enabled': 'true', "
                   "'lz4_compressor_type': 'high'}"),
            (Map{{"chunk_length_in_kb", "16"},
                 {"class", "org.apache.cassandra.io.compress.LZ4Compressor"},
                 {"lz4_compressor_type", "high"}}));
}

TEST(TableOptions, CompactionIsWrittenInFull) {
  const std::string package = "org.apache.cassandra.db.compaction.";
  EXPECT_EQ(map_of("compaction",
                   "{'class': '" + package + "SizeTieredCompactionStrategy', 'max_threshold': 20}"),
            (Map{{"class", package + "SizeTieredCompactionStrategy"},
                 {"max_threshold", "20"},
                 {"min_threshold", "4"}}));
  EXPECT_EQ(map_of("compaction", "{'class': 'UnifiedCompactionStrategy'}"),
            (Map{{"class", package + "UnifiedCompactionStrategy"}}));
  EXPECT_EQ(map_of("caching", "{'keys': 'none', 'rows_per_partition': '10'}"),
            (Map{{"keys", "NONE"}, {"rows_per_partition", "10"}}));
}

TEST(TableOptions, RetryPoliciesHaveAPlainForm) {
  for (const auto& [given, shown] :
       std::map<std::string, std::string>{{"ALWAYS", "ALWAYS"},
                                          {"none", "NEVER"},
                                          {"99percentile", "99p"},
                                          {"95.50PERCENTILE", "95.5p"},
                                          {"99.999999p", "100p"},
                                          {"50.0P", "50p"},
                                          {"10.5ms", "10ms"},
                                          {"min(99.0p, 5ms)", "MIN(99p,5ms)"},
                                          {"max(5ms,99p)", "MAX(99p,5ms)"}}) {
    EXPECT_EQ(retry_policy(given).value_or("error"), shown);
  }
  for (const char* given :
       {"", "foo", "50", "-1ms", "min(1p)", "min(1ms,2ms)", "MIN(", "1e3ms", "p", "ms"})
    EXPECT_FALSE(retry_policy(given)) << given;
}

TEST(TableOptions, ScalarsAreKept) {
  const auto options = options_of(
      "comment = 'hi' AND bloom_filter_fp_chance = 0.5 AND gc_grace_seconds = '5' AND "
      "read_repair = 'none' AND allow_auto_snapshot = false AND incremental_backups = true AND "
      "cdc = true AND memtable = 'default' AND extensions = {'a': '0x12'}");
  ASSERT_TRUE(options) << options.error().message;
  EXPECT_EQ(options->comment, "hi");
  EXPECT_EQ(options->scalars.at("bloom_filter_fp_chance"), "0.5");
  EXPECT_EQ(options->scalars.at("gc_grace_seconds"), "5");
  EXPECT_EQ(options->scalars.at("read_repair"), "NONE");
  // Shown only when it is false, as in Cassandra.
  EXPECT_EQ(options->scalars.at("allow_auto_snapshot"), "false");
  EXPECT_FALSE(options->scalars.contains("incremental_backups"));
  EXPECT_FALSE(options->scalars.contains("cdc"));
}

using Errors = std::map<std::string, std::string>;  // by what WITH says

void expect_errors(const Errors& errors) {
  for (const auto& [with, error] : errors) EXPECT_EQ(error_of(with), error) << with;
}

TEST(TableOptions, ErrorsOfScalarsAreCassandras) {
  expect_errors(
      {{"foo = 1", "2000 Unknown property 'foo'"},
       {"dclocal_read_repair_chance = 0.1", "2000 Unknown property 'dclocal_read_repair_chance'"},
       {"comment = {'a': 'b'}", "2000 Invalid value for property 'comment'. It should be a string"},
       {"gc_grace_seconds = 1.5", "2000 Invalid integer value 1.5 for 'gc_grace_seconds'"},
       {"default_time_to_live = 2147483648",
        "2000 Invalid integer value 2147483648 for 'default_time_to_live'"},
       {"bloom_filter_fp_chance = 'x'", "2000 Invalid double value x for 'bloom_filter_fp_chance'"},
       {"cdc = 'x'",
        "2000 Invalid boolean value x for 'cdc'. Positive values can be '1', 'true' or 'yes'. "
        "Negative values can be '0', 'false' or 'no'."},
       {"gc_grace_seconds = -1",
        "2300 gc_grace_seconds must be greater than or equal to 0 (got -1)"},
       {"default_time_to_live = -1",
        "2300 default_time_to_live must be greater than or equal to 0 (got -1)"},
       {"default_time_to_live = 630720001",
        "2300 default_time_to_live must be less than or equal to 630720000 (got 630720001)"},
       {"bloom_filter_fp_chance = 2",
        "2300 bloom_filter_fp_chance must be larger than 6.71E-5 and less than or equal to 1.0 "
        "(got "
        "2.0)"},
       {"bloom_filter_fp_chance = 0.000001",
        "2300 bloom_filter_fp_chance must be larger than 6.71E-5 and less than or equal to 1.0 "
        "(got "
        "1.0E-6)"},
       {"bloom_filter_fp_chance = NaN",
        "2300 bloom_filter_fp_chance must be larger than 6.71E-5 and less than or equal to 1.0 "
        "(got "
        "nan)"},
       {"crc_check_chance = 2",
        "2300 crc_check_chance must be larger than or equal to 0 and smaller than or equal to 1.0 "
        "(got 2.0)"},
       {"min_index_interval = 0",
        "2300 min_index_interval must be greater than or equal to 1 (got 0)"},
       {"min_index_interval = 3000",
        "2300 max_index_interval must be greater than or equal to min_index_interval (3000) (got "
        "2048)"},
       {"memtable = 'x'", "2300 Memtable configuration \"x\" not found."},
       {"speculative_retry = '101p'",
        "2300 Invalid value 101p for PERCENTILE option 'speculative_retry': must be between (0.0 "
        "and 100.0)"},
       {"additional_write_policy = 'foo'",
        "2300 Invalid value foo for option 'speculative_retry'"}});
}

TEST(TableOptions, ErrorsOfMapsAreCassandras) {
  expect_errors(
      {{"caching = 'all'", "2000 Invalid value for property 'caching'. It should be a map."},
       {"caching = {'keys': 'ALL', 'keys': 'NONE'}", "2000 Multiple definition for property keys"},
       {"caching = {'keys': 'foo'}",
        "2300 Invalid value 'foo' for caching sub-option 'keys': only 'ALL' and 'NONE' are "
        "allowed"},
       {"caching = {'rows_per_partition': '-1'}",
        "2300 Invalid value '-1' for caching sub-option 'rows_per_partition': only 'ALL', 'NONE', "
        "and integer values are allowed"},
       {"caching = {'foo': 'x', 'bar': 'y'}",
        "2300 Invalid caching sub-options [bar, foo]: only 'keys' and 'rows_per_partition' are "
        "allowed"},
       {"compaction = {}", "2300 Missing sub-option 'class' for the 'compaction' option"},
       {"compaction = {'class': 'Foo'}",
        "2300 Unable to find compaction strategy class 'org.apache.cassandra.db.compaction.Foo'"},
       {"compaction = {'class': 'LeveledCompactionStrategy', 'foo': '1'}",
        "2300 Properties specified [foo] are not understood by LeveledCompactionStrategy"},
       {"compaction = {'class': 'LeveledCompactionStrategy', 'sstable_size_in_mb': 'x'}",
        "2300 x is not a parsable int (base10) for sstable_size_in_mb"},
       {"compaction = {'class': 'SizeTieredCompactionStrategy', 'min_threshold': '1'}",
        "2300 Min compaction threshold cannot be less than 2 (got 1)"},
       {"compaction = {'class': 'SizeTieredCompactionStrategy', 'min_threshold': '40'}",
        "2300 Min compaction threshold (got 40) cannot be greater than max compaction threshold "
        "(got 32)"},
       {"compression = {'class': 'Foo'}",
        "2300 Could not create Compression for type org.apache.cassandra.io.compress.Foo"},
       {"compression = {'sstable_compression': 'LZ4Compressor', 'chunk_length_kb': 64}",
        "2300 Missing sub-option 'class' for the 'compression' option."},
       {"compression = {'class': ''}",
        "2300 The 'class' option must not be empty. To disable compression use 'enabled' : false"},
       {"compression = {'class': 'LZ4Compressor', 'enabled': 'false'}",
        "2300 If the 'enabled' option is set to false no other options must be specified"},
       {"compression = {'class': 'LZ4Compressor', 'foo': 'x'}",
        "2300 Unknown compression options foo"},
       {"compression = {'class': 'LZ4Compressor', 'chunk_length_in_kb': '5'}",
        "2300 chunk_length_in_kb must be a power of 2"},
       {"compression = {'class': 'LZ4Compressor', 'chunk_length_in_kb': 'x'}",
        "2300 Invalid value for chunk_length_in_kb"},
       {"compression = {'class': 'LZ4Compressor', 'min_compress_ratio': '0.5'}",
        "2300 min_compress_ratio can either be 0 or greater than or equal to 1"}});
}

}  // namespace
}  // namespace cqlperf::server

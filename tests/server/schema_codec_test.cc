#include "server/schema_codec.h"

#include <gtest/gtest.h>

#include "catalog_fixture.h"
#include "memory_engine.h"

namespace cqlperf::server {
namespace {

class SchemaCodecTest : public testing::Test {
 protected:
  SchemaCodecTest() {
    const auto catalog = open_catalog(engine_);
    run_text(*catalog, kCreateKeyspace);
    EXPECT_EQ(
        run_text(*catalog,
                 "CREATE TABLE k.t (a int, b duration, c timestamp, d date, \"E é\" text, "
                 "PRIMARY KEY ((a, c), d)) WITH CLUSTERING ORDER BY (d DESC) AND comment = '" +
                     std::string(70'000, 'x') + "'"),
        "CREATED TABLE k.t");
    EXPECT_EQ(run_text(*catalog, "CREATE CUSTOM INDEX i ON k.t (\"E é\") USING 'sai'"),
              "UPDATED TABLE k.t");
    table_ = catalog->schema()->find_table("k", "t");
  }

  MemoryEngine engine_;
  TablePtr table_;
};

TEST_F(SchemaCodecTest, ATableComesBackAsItWas) {
  const std::string bytes = encode_table(*table_);
  const auto decoded = decode_table(bytes, engine_.stores());
  ASSERT_TRUE(decoded) << decoded.error().message;
  EXPECT_EQ(encode_table(*decoded), bytes);
  EXPECT_EQ(decoded->id, table_->id);
  EXPECT_EQ(decoded->options.comment.size(), 70'000u);
  EXPECT_EQ(decoded->find("b")->type, table_->find("b")->type);
  EXPECT_TRUE(decoded->clustering_key()[0].descending);
  EXPECT_EQ(decoded->next_storage_id, table_->next_storage_id);
  EXPECT_EQ(decoded->indexes[0].options, table_->indexes[0].options);
  EXPECT_EQ(decoded->store, table_->store);
}

TEST_F(SchemaCodecTest, CutAndLongerBytesAreErrors) {
  Table small = *table_;
  small.options.comment = "c";
  const std::string bytes = encode_table(small);
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(decode_table(bytes.substr(0, size), engine_.stores())) << size;
  EXPECT_FALSE(decode_table(bytes + '\0', engine_.stores()));
  const std::string keyspace = encode_keyspace({"k", {{"class", "c"}}, true});
  for (size_t size = 0; size < keyspace.size(); ++size)
    EXPECT_FALSE(decode_keyspace(keyspace.substr(0, size))) << size;
}

// Whatever the bytes are: an error or a table that can be used, and no trouble.
TEST_F(SchemaCodecTest, ChangedBytesDoNoHarm) {
  Table small = *table_;
  small.options.comment = "c";
  const std::string bytes = encode_table(small);
  for (size_t i = 0; i < bytes.size(); ++i) {
    for (const uint8_t change : {0x01, 0x80, 0xff}) {
      std::string changed = bytes;
      changed[i] = static_cast<char>(static_cast<uint8_t>(changed[i]) ^ change);
      const auto decoded = decode_table(changed, engine_.stores());
      if (!decoded) continue;
      EXPECT_LE(decoded->partition_key_size + decoded->clustering_key_size,
                decoded->columns.size());
      for (const Index& index : decoded->indexes) EXPECT_NE(decoded->find(index.column), nullptr);
    }
  }
}

TEST_F(SchemaCodecTest, OnlyWhatChangesIsWritten) {
  const auto catalog = open_catalog(engine_);
  run_text(*catalog, "CREATE TABLE k.u (a int PRIMARY KEY)");
  const SchemaPtr before = catalog->schema();
  run_text(*catalog, "ALTER TABLE k.u ADD b int");
  const auto altered = metadata_changes(*before, *catalog->schema());
  std::string names;
  for (const auto& [name, value] : altered) names += name + (value ? "+ " : "- ");
  EXPECT_EQ(names, "schema/keyspace/k+ schema/table/k/u+ schema/version+ ");
  const SchemaPtr with_table = catalog->schema();
  run_text(*catalog, "DROP KEYSPACE k");
  names.clear();
  for (const auto& [name, value] : metadata_changes(*with_table, *catalog->schema()))
    names += name + (value ? "+ " : "- ");
  EXPECT_EQ(names, "schema/keyspace/k- schema/table/k/t- schema/table/k/u- schema/version+ ");
}

}  // namespace
}  // namespace cqlperf::server

#include "server/write_plan.h"

#include <gmock/gmock.h>

#include "write_fixture.h"

namespace cqlperf::server {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::StartsWith;

class WritePlanTest : public WriteFixture {
 protected:
  std::vector<std::string> marker_names(const std::string& cql) {
    protocol::BindMetadata bind;
    EXPECT_EQ(prepare(cql, &bind), "ok") << cql;
    std::vector<std::string> names;
    for (const auto& column : bind.columns) {
      names.push_back(column.name + " " + column.type.cql_name());
    }
    return names;
  }
  std::vector<uint16_t> key_markers(const std::string& cql) {
    protocol::BindMetadata bind;
    EXPECT_EQ(prepare(cql, &bind), "ok") << cql;
    return bind.partition_key_indexes;
  }
};

TEST_F(WritePlanTest, RefusesInserts) {
  const std::pair<const char*, const char*> cases[] = {
      {"INSERT INTO kv(v) VALUES (1)", "0x2200 Some partition key parts are missing: k"},
      {"INSERT INTO ck(a,b,c) VALUES (1,2,3)", "0x2200 Some clustering keys are missing: d"},
      {"INSERT INTO kv(k,v,v) VALUES (1,2,3)", "0x2200 The column names contains duplicates"},
      {"INSERT INTO kv(k,x) VALUES (1,2)", "0x2200 Undefined column name x in table ks.kv"},
      {"INSERT INTO nope(k) VALUES (1)", "0x2200 table nope does not exist"},
      {"INSERT INTO nks.kv(k) VALUES (1)", "0x2200 keyspace nks does not exist"},
      {"INSERT INTO system.local(k) VALUES (1)", "0x2100 system.local is a system table"},
      {"INSERT INTO cnt(k,n) VALUES (1,2)",
       "0x2200 INSERT statements are not allowed on counter tables, use UPDATE instead"},
      {"INSERT INTO kv(k) VALUES (1) IF NOT EXISTS USING TIMESTAMP 5",
       "0x2200 Cannot provide custom timestamp for conditional updates"},
  };
  for (const auto& [cql, error] : cases) EXPECT_THAT(prepare(cql), StartsWith(error)) << cql;
}

TEST_F(WritePlanTest, RefusesUpdates) {
  const std::pair<const char*, const char*> cases[] = {
      {"UPDATE kv SET v=1 WHERE v=1", "0x2200 Some partition key parts are missing: k"},
      {"UPDATE kv SET v=1 WHERE k=1 AND v=2",
       "0x2200 Non PRIMARY KEY columns found in where clause: v "},
      {"UPDATE kv SET v=1 WHERE k>1", "0x2200 Only EQ and IN relation are supported"},
      {"UPDATE kv SET v=1 WHERE token(k)>1", "0x2200 The token function cannot be used"},
      {"UPDATE kv SET v=1 WHERE k=1 AND k=2",
       "0x2200 k cannot be restricted by more than one relation if it includes an Equal"},
      {"UPDATE kv SET k=1 WHERE k=1", "0x2200 PRIMARY KEY part k found in SET part"},
      {"UPDATE kv SET x=1 WHERE k=1", "0x2200 Undefined column name x in table ks.kv"},
      {"UPDATE kv SET v=1 WHERE x=1", "0x2200 Undefined column name x in table ks.kv"},
      {"UPDATE kv SET v=v+1 WHERE k=1", "0x2200 Invalid operation (v = v + "},
      {"UPDATE cnt SET n=5 WHERE k=1", "0x2200 Cannot set the value of counter column n"},
      {"UPDATE cnt USING TTL 5 SET n=n+1 WHERE k=1", "0x2200 Cannot provide custom TTL"},
      {"UPDATE cnt USING TIMESTAMP 5 SET n=n+1 WHERE k=1",
       "0x2200 Cannot provide custom timestamp for counter updates"},
      {"UPDATE cnt SET n=n+1 WHERE k=1 IF EXISTS",
       "0x2200 Conditional updates are not supported on counter tables"},
      {"UPDATE ck SET v=1 WHERE a=1 AND b=2", "0x2200 Some clustering keys are missing: c, d"},
      {"UPDATE ck SET v=1 WHERE a=1 AND b=2 AND c=3 AND d>4",
       "0x2200 Slice restrictions are not supported on the clustering columns in UPDATE"},
      {"UPDATE kv SET v=1 WHERE k IN (1,2) IF EXISTS",
       "0x2200 IN on the partition key is not supported with conditional updates"},
      {"UPDATE ck SET v=1 WHERE a=1 AND b=2 AND c=3 AND d IN (4,5) IF EXISTS",
       "0x2200 IN on the clustering key columns is not supported with conditional updates"},
      {"UPDATE kv USING TIMESTAMP 4 SET v=1 WHERE k=1 IF EXISTS",
       "0x2200 Cannot provide custom timestamp for conditional updates"},
  };
  for (const auto& [cql, error] : cases) EXPECT_THAT(prepare(cql), StartsWith(error)) << cql;
}

TEST_F(WritePlanTest, RefusesDeletes) {
  const std::string in_partition = "DELETE FROM ck WHERE a=1 AND b=2 AND ";
  const std::pair<std::string, const char*> cases[] = {
      {"DELETE FROM ck WHERE a=1", "0x2200 Some partition key parts are missing: b"},
      {"DELETE k FROM kv WHERE k=1", "0x2200 Invalid identifier k for deletion"},
      {"DELETE x FROM kv WHERE k=1", "0x2200 Undefined column name x"},
      {"DELETE FROM cnt USING TIMESTAMP 5 WHERE k=1",
       "0x2200 Cannot provide custom timestamp for counter updates"},
      {"DELETE v FROM ck WHERE a=1 AND b=2 AND c=1",
       "0x2200 Range deletions are not supported for specific columns"},
      {in_partition + "c=1 IF EXISTS", "0x2200 DELETE statements must restrict all PRIMARY KEY"},
      {in_partition + "d=2", "0x2200 PRIMARY KEY column \"d\" cannot be restricted as preceding"},
      {in_partition + "c>1 AND d=2", "0x2200 Clustering column \"d\" cannot be restricted"},
      {in_partition + "c>1 AND c>2", "0x2200 More than one restriction was found for the start"},
      {in_partition + "c<1 AND c<=2", "0x2200 More than one restriction was found for the end"},
      {in_partition + "c=1 AND c>2", "0x2200 Column \"c\" cannot be restricted by both"},
      {in_partition + "c=1 AND (c,d)=(1,2)",
       "0x2200 c cannot be restricted by more than one relation if it includes an Equal"},
      {in_partition + "(d,c)>(1,2)", "0x2200 Clustering columns must appear in the PRIMARY KEY"},
      {in_partition + "(c,v)>(1,2)", "0x2200 Multi-column relations can only be applied to"},
      {in_partition + "(c,c)>(1,2)", "0x2200 Column \"c\" appeared twice in a relation"},
      {in_partition + "(c,d)>(1,2,3)", "0x2200 Expected 2 elements in value tuple, but got 3"},
      {in_partition + "(c,d)>(1,2) AND (d)<(5)", "0x2200 Column \"d\" cannot be restricted by two"},
      {in_partition + "c!=1", "0x2200 Unsupported \"!=\" relation"},
  };
  for (const auto& [cql, error] : cases) EXPECT_THAT(prepare(cql), StartsWith(error)) << cql;
}

TEST_F(WritePlanTest, NamesMarkers) {
  EXPECT_THAT(marker_names("INSERT INTO kv(k,v) VALUES (?,:b) USING TTL ? AND TIMESTAMP ?"),
              ElementsAre("k int", "b int", "[ttl] int", "[timestamp] bigint"));
  EXPECT_THAT(marker_names("UPDATE kv SET v=? WHERE k IN ?"),
              ElementsAre("v int", "in(k) list<int>"));
  EXPECT_THAT(marker_names("UPDATE ck SET v=? WHERE b=? AND a=? AND (c,d)=?"),
              ElementsAre("v int", "b int", "a int", "(c,d) tuple<int, int>"));
  EXPECT_THAT(marker_names("UPDATE ck SET v=? WHERE b=? AND a=? AND (c,d) IN ?"),
              ElementsAre("v int", "b int", "a int", "in(c,d) list<tuple<int, int>>"));
  EXPECT_THAT(marker_names("UPDATE cnt SET n=n+?, m=m-? WHERE k=?"),
              ElementsAre("n counter", "m counter", "k int"));
}

TEST_F(WritePlanTest, NamesThePartitionKeysMarkers) {
  EXPECT_THAT(key_markers("INSERT INTO kv(v,k) VALUES (?,?)"), ElementsAre(1));
  EXPECT_THAT(key_markers("UPDATE ck SET v=? WHERE b=? AND a=? AND c=? AND d=?"),
              ElementsAre(2, 1));
  EXPECT_THAT(key_markers("DELETE FROM ck WHERE a=? AND b=1"), IsEmpty());
  EXPECT_THAT(key_markers("UPDATE kv SET v=1 WHERE k IN ?"), IsEmpty());
  EXPECT_THAT(key_markers("INSERT INTO ck(a,b,c,d) VALUES (?,1,?,?)"), IsEmpty());
}

}  // namespace
}  // namespace cqlperf::server

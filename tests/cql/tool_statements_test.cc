#include <array>
#include <string_view>

#include <gmock/gmock.h>

#include "parse_helpers.h"

// What drivers and benchmark tools send, as they write it: each text must be read.
namespace cqlperf::cql {
namespace {

constexpr auto kDrivers = std::to_array<std::string_view>({
    "SELECT * FROM system.peers_v2",
    "SELECT * FROM system.local WHERE key='local'",
    "select * from system.local where key = 'local'",
    "SELECT host_id, cluster_name, data_center, rack, partitioner, release_version, schema_version "
    "FROM system.local WHERE key='local'",
    "SELECT host_id, peer, peer_port, data_center, rack, native_address, native_port, "
    "release_version, schema_version FROM system.peers_v2",
    "SELECT rpc_address FROM system.local WHERE key='local'",
    "SELECT * FROM system.peers_v2 WHERE peer = :address and peer_port = :port",
    "SELECT * FROM system.peers WHERE peer = :address",
    "SELECT prepared_id FROM system.prepared_statements",
    "SELECT host_id, rpc_address, data_center, rack, tokens, cluster_name FROM system.local WHERE "
    "key='local'",
    "SELECT * from system_virtual_schema.columns",
    "SELECT * FROM system_schema.tables WHERE keyspace_name = 'k' AND table_name = 't'",
    "SELECT * FROM system_schema.keyspaces WHERE keyspace_name IN ('a','b')",
    "SELECT durable_writes, replication\n\t\tFROM system_schema.keyspaces\n\t\t"
    "WHERE keyspace_name = ?",
    "SELECT * FROM system_schema.views WHERE keyspace_name = ? AND base_table_name = ? ALLOW "
    "FILTERING",
    "select keyspace_name, view_name, base_table_name from system_schema.views where keyspace_name "
    "in ?",
    "SELECT keyspace_name, type_name, field_names, field_types FROM system_schema.types USING "
    "TIMEOUT 30000ms",
    "select keyspace_name, partitioner from system_schema.scylla_tables where keyspace_name in ? "
    "USING TIMEOUT 30000ms",
    "SELECT cluster_name, release_version FROM system.local",
    "SELECT version, build_id FROM system.versions",
    "USE \"keyspace1\"",
    "USE ks",
});

constexpr auto kTools = std::to_array<std::string_view>({
    // cassandra-stress
    "CREATE KEYSPACE IF NOT EXISTS \"keyspace1\" WITH replication = {'class': "
    "'org.apache.cassandra.locator.SimpleStrategy', 'replication_factor': '1'} AND durable_writes "
    "= true;\n",
    "CREATE TABLE IF NOT EXISTS standard1 (key blob PRIMARY KEY \n, \"C0\" blob\n, \"C1\" blob) "
    "WITH compression = {};\n",
    "CREATE TABLE IF NOT EXISTS counter1 (key blob PRIMARY KEY, \"C0\" counter) WITH compression = "
    "{'sstable_compression' : 'LZ4Compressor'} AND compaction = { 'class' : "
    "'SizeTieredCompactionStrategy' };",
    "UPDATE \"standard1\" USING TIMESTAMP 5 SET \"C0\" = ?,\"C1\" = ? WHERE KEY=?",
    "SELECT \"C0\",\"C1\" FROM \"standard1\" WHERE KEY=?",
    "UPDATE counter1 SET \"C0\"=\"C0\"+?,\"C1\"=\"C1\"+? WHERE KEY=?",
    "SELECT * FROM \"counter1\" WHERE KEY=?",
    "TRUNCATE keyspace1.standard1",
    "UPDATE t SET a = ?,cnt = cnt + ? WHERE pk = ? AND ck = ?",
    "INSERT INTO t (a,b) values(?,?)",
    "select * from typestest where name = ? and choice = ? and date >= ? LIMIT 100",
    "SELECT * FROM t WHERE pk = ? AND (a,b) >= (?,?) AND (a,b) <= (?,?)",
    "SELECT token(pk), a FROM t WHERE token(pk) > -9223372036854775808 AND token(pk) <= 5",
    // latte
    "CREATE KEYSPACE IF NOT EXISTS latte WITH REPLICATION = { 'class' : 'SimpleStrategy', "
    "'replication_factor' : 1 }",
    "DROP TABLE IF EXISTS latte.basic",
    "CREATE TABLE latte.blob(id bigint PRIMARY KEY, data BLOB)",
    "TRUNCATE TABLE latte.basic",
    "INSERT INTO latte.basic(id) VALUES (:id)",
    "SELECT * FROM latte.basic WHERE id = :id",
    "SELECT COUNT(*) FROM latte.basic LIMIT :max_limit",
    "CREATE CUSTOM INDEX IF NOT EXISTS ON ks.t(c) USING 'StorageAttachedIndex'",
    // scylla-bench
    "CREATE TABLE IF NOT EXISTS ks.test (pk bigint, ck bigint, v blob, PRIMARY KEY(pk, ck)) WITH "
    "compression = { }",
    "INSERT INTO ks.test (pk, ck, v) VALUES (?, ?, ?) USING TTL ?",
    "UPDATE ks.test_counters SET c1 = c1 + ?, c2 = c2 + ? WHERE pk = ? AND ck = ?",
    "SELECT pk, ck, v FROM ks.test WHERE pk = ? AND ck >= ? ORDER BY ck DESC LIMIT 10 BYPASS CACHE",
    "SELECT pk, ck, v FROM ks.test WHERE pk = ? AND ck IN (?,?,?) BYPASS CACHE",
    "SELECT * FROM ks.test WHERE token(pk) >= ? AND token(pk) <= ?",
    // cql_stress
    "DROP KEYSPACE IF EXISTS test_keyspace",
    "CREATE KEYSPACE test_keyspace WITH REPLICATION = {'class' : 'SimpleStrategy', "
    "'replication_factor' : 1}",
    "CREATE TABLE test_table (id INT PRIMARY KEY, va INT, vb INT, vc INT)",
    "INSERT INTO test_table (id, va, vb, vc) VALUES (?,?,?,?)",
    // YCSB
    "SELECT * FROM usertable WHERE y_id=? LIMIT 1;",
    "SELECT * FROM usertable WHERE token(y_id) >= token(?) LIMIT ?",
    "UPDATE usertable SET field0=? WHERE y_id=? IF EXISTS;",
    "INSERT INTO usertable (y_id,field0) VALUES (?,?) IF NOT EXISTS;",
    "DELETE FROM usertable WHERE y_id=?;",
});

TEST(ToolStatements, DriversTextsAreRead) {
  for (const std::string_view text : kDrivers) EXPECT_EQ(error_of(text), "parsed") << text;
}

TEST(ToolStatements, BenchmarksTextsAreRead) {
  for (const std::string_view text : kTools) EXPECT_EQ(error_of(text), "parsed") << text;
}

TEST(ToolStatements, OrIsNot) {
  EXPECT_THAT(error_of("SELECT * FROM t WHERE a = ? OR b = ? LIMIT 5"),
              testing::StartsWith("2000 line 1:28"));
}

}  // namespace
}  // namespace cqlperf::cql

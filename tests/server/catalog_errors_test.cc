#include <gtest/gtest.h>

#include "catalog_fixture.h"
#include "memory_engine.h"

namespace cqlperf::server {
namespace {

struct Case {
  const char* statement;
  const char* outcome;
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.statement; }

// Each is what Cassandra 5.0.8 answers, in a server with keyspace k and the tables below.
class CatalogAnswer : public testing::TestWithParam<Case> {
 protected:
  CatalogAnswer() : catalog_(open_catalog(engine_)) {
    run_text(*catalog_, kCreateKeyspace);
    run_text(*catalog_, "CREATE TABLE k.t1 (a int PRIMARY KEY, b int)");
    run_text(*catalog_,
             "CREATE TABLE k.x (a int, a2 int, b int, c int, d int, e text, u duration, "
             "PRIMARY KEY ((a, a2), b))");
    run_text(*catalog_, "CREATE TABLE k.cn (a int PRIMARY KEY, b counter)");
    run_text(*catalog_, "CREATE TABLE k.\"MixedT\" (a int PRIMARY KEY, \"Val\" int)");
    run_text(*catalog_, "CREATE INDEX ON k.x (c)");
    run_text(*catalog_, "CREATE CUSTOM INDEX sai1 ON k.x (d) USING 'StorageAttachedIndex'");
  }

  MemoryEngine engine_;
  std::unique_ptr<Catalog> catalog_;
};

TEST_P(CatalogAnswer, IsCassandras) {
  const SchemaPtr before = catalog_->schema();
  const std::string outcome = run_text(*catalog_, GetParam().statement);
  EXPECT_EQ(outcome, GetParam().outcome);
  // An error, and a statement that does nothing, change nothing.
  EXPECT_EQ(catalog_->schema(), before);
}

INSTANTIATE_TEST_SUITE_P(
    Keyspaces, CatalogAnswer,
    testing::Values(
        Case{"DROP KEYSPACE nope", "2200 Keyspace 'nope' doesn't exist"},
        Case{"ALTER KEYSPACE nope WITH durable_writes = false",
             "2200 Keyspace 'nope' doesn't exist"},
        Case{"CREATE KEYSPACE n WITH durable_writes = true",
             "2200 Missing mandatory option 'replication'"},
        Case{"CREATE KEYSPACE n WITH foo = 1", "2000 Unknown property 'foo'"},
        Case{"ALTER KEYSPACE k WITH foo = 1", "2000 Unknown property 'foo'"},
        Case{"CREATE KEYSPACE n WITH replication = {'class': 'FooStrategy'}",
             "2300 Unable to find replication strategy class "
             "'org.apache.cassandra.locator.FooStrategy'"},
        Case{"CREATE KEYSPACE n WITH replication = {'class': 'org.foo.Bar'}",
             "2300 Unable to find replication strategy class 'org.foo.Bar'"},
        Case{"CREATE KEYSPACE n WITH replication = {'replication_factor': 1}",
             "2300 Missing replication strategy class"},
        Case{"CREATE KEYSPACE n WITH replication = {}", "2300 Missing replication strategy class"},
        Case{"CREATE KEYSPACE n WITH replication = 'foo'",
             "2000 Invalid value for property 'replication'. It should be a map."},
        Case{"CREATE KEYSPACE n WITH replication = {'class': 'SimpleStrategy', "
             "'replication_factor': 'abc'}",
             "2300 For input string: \"abc\""},
        Case{"CREATE KEYSPACE n WITH replication = {'class': 'SimpleStrategy', "
             "'replication_factor': -1}",
             "2300 Replication factor must be non-negative, found -1"},
        Case{"CREATE KEYSPACE n WITH replication = {'class': 'SimpleStrategy', "
             "'replication_factor': '3/1'}",
             "2300 Transient replication is not enabled on this node"},
        Case{"CREATE KEYSPACE n WITH replication = {'class': 'SimpleStrategy', "
             "'replication_factor': 1, 'foo': 2}",
             "2300 Unrecognized strategy option {foo} passed to SimpleStrategy for keyspace n"},
        Case{"CREATE KEYSPACE n WITH replication = {'class': 'NetworkTopologyStrategy', 'dcx': 1}",
             "2300 Unrecognized strategy option {dcx} passed to NetworkTopologyStrategy for "
             "keyspace n"},
        Case{"CREATE KEYSPACE n WITH replication = {'class': 'NetworkTopologyStrategy', "
             "'replication_factor': 0}",
             "2300 Configuration for at least one datacenter must be present"},
        Case{
            "CREATE KEYSPACE n WITH replication = {'class': 'LocalStrategy'}",
            "2200 Unable to use given strategy class: LocalStrategy is reserved for internal use."},
        Case{"CREATE KEYSPACE \"n-1\" WITH replication = {'class': 'SimpleStrategy'}",
             "2200 Keyspace name must not be empty and must contain alphanumeric or underscore "
             "characters only (got \"n-1\")"},
        Case{"CREATE KEYSPACE nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn WITH replication = "
             "{'class': 'SimpleStrategy'}",
             "2200 Keyspace name must not be more than 48 characters long (got 49 characters for "
             "\"nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn\")"},
        Case{"CREATE KEYSPACE n WITH replication = {'class': 'SimpleStrategy'} AND durable_writes "
             "= 'maybe'",
             "2000 Invalid boolean value maybe for 'durable_writes'. Positive values can be '1', "
             "'true' or 'yes'. Negative values can be '0', 'false' or 'no'."},
        Case{"CREATE KEYSPACE n WITH replication = {'class': 'SimpleStrategy'} AND durable_writes "
             "= {}",
             "2000 Invalid value for property 'durable_writes'. It should be a string"},
        Case{"CREATE KEYSPACE IF NOT EXISTS k WITH foo = 1", "2000 Unknown property 'foo'"},
        Case{"CREATE KEYSPACE IF NOT EXISTS k WITH durable_writes = true",
             "2200 Missing mandatory option 'replication'"}));

INSTANTIATE_TEST_SUITE_P(
    SystemKeyspaces, CatalogAnswer,
    testing::Values(
        Case{"CREATE KEYSPACE IF NOT EXISTS system WITH replication = {'class': 'SimpleStrategy'}",
             "2200 System keyspace 'system' is not user-modifiable"},
        Case{"CREATE KEYSPACE \"System\" WITH replication = {'class': 'SimpleStrategy'}",
             "2200 System keyspace 'System' is not user-modifiable"},
        Case{"CREATE KEYSPACE IF NOT EXISTS system_auth WITH replication = {'class': "
             "'SimpleStrategy'}",
             "VOID"},
        Case{"ALTER KEYSPACE system WITH durable_writes = false",
             "2100 system keyspace is not user-modifiable."},
        Case{"DROP KEYSPACE system_schema", "2100 system_schema keyspace is not user-modifiable."},
        Case{"DROP KEYSPACE system_auth", "2100 Cannot DROP <keyspace system_auth>"},
        Case{"CREATE TABLE system.foo (a int PRIMARY KEY)",
             "2100 system keyspace is not user-modifiable."},
        Case{"CREATE TABLE system_auth.foo (a int PRIMARY KEY)",
             "2100 Cannot CREATE <all tables in system_auth>"},
        Case{"ALTER TABLE system.local ADD foo int",
             "2100 system keyspace is not user-modifiable."},
        Case{"ALTER TABLE system_auth.roles ADD foo int",
             "2100 Cannot ALTER <table system_auth.roles>"},
        Case{"DROP TABLE system.nope", "2100 system keyspace is not user-modifiable."},
        Case{"DROP TABLE system_auth.roles", "2100 Cannot DROP <table system_auth.roles>"},
        Case{"CREATE INDEX ON system.local (rack)", "2100 system keyspace is not user-modifiable."},
        Case{"CREATE INDEX ON system_auth.roles (salted_hash)",
             "2100 Cannot ALTER <table system_auth.roles>"},
        Case{"DROP INDEX system.foo", "2200 System keyspace 'system' is not user-modifiable"},
        Case{"DROP INDEX system_auth.foo", "2200 Index 'system_auth.foo' doesn't exist'"},
        Case{"TRUNCATE system_traces.sessions", "VOID"}, Case{"TRUNCATE system.peers_v2", "VOID"},
        Case{"TRUNCATE system_virtual_schema.tables",
             "2200 Truncation is not supported by table system_virtual_schema.tables"}));

// Cassandra empties these tables, and can then not be connected to; this server refuses.
INSTANTIATE_TEST_SUITE_P(
    MadeTables, CatalogAnswer,
    testing::Values(Case{"TRUNCATE system.local",
                         "2200 Truncation is not supported by table system.local"},
                    Case{"TRUNCATE system_schema.tables",
                         "2200 Truncation is not supported by table system_schema.tables"}));

INSTANTIATE_TEST_SUITE_P(
    CreateTable, CatalogAnswer,
    testing::Values(
        Case{"CREATE TABLE IF NOT EXISTS k.t1 (a foo PRIMARY KEY) WITH foo = 1", "VOID"},
        Case{"CREATE TABLE IF NOT EXISTS k.t1 (a int PRIMARY KEY) WITH gc_grace_seconds = -1",
             "VOID"},
        Case{"CREATE TABLE IF NOT EXISTS k.t1 (a int PRIMARY KEY) WITH gc_grace_seconds = 'a'",
             "2000 Invalid integer value a for 'gc_grace_seconds'"},
        Case{"CREATE TABLE IF NOT EXISTS k.t1 (a int)",
             "2200 No PRIMARY KEY specifed for table 'k.t1' (exactly one required)"},
        Case{"CREATE TABLE IF NOT EXISTS k.t1 (a int PRIMARY KEY, a int)",
             "2200 Duplicate column 'a' declaration for table 'k.t1'"},
        Case{"CREATE TABLE k.t2 (a int, b int, PRIMARY KEY (a, a))",
             "2200 Duplicate column 'a' in PRIMARY KEY clause for table 't2'"},
        Case{"CREATE TABLE k.t2 (a int, b int, PRIMARY KEY (a, c))",
             "2200 Unknown column 'c' referenced in PRIMARY KEY for table 't2'"},
        Case{"CREATE TABLE k.t2 (a int, b int, PRIMARY KEY (a)) WITH CLUSTERING ORDER BY (b DESC)",
             "2200 Only clustering key columns can be defined in CLUSTERING ORDER directive: [b] "
             "are not clustering columns"},
        Case{"CREATE TABLE k.t2 (a int, b int, c int, PRIMARY KEY (a, b, c)) WITH CLUSTERING ORDER "
             "BY (c DESC)",
             "2200 Missing CLUSTERING ORDER for column b"},
        Case{"CREATE TABLE k.t2 (a int, b int, c int, PRIMARY KEY (a, b, c)) WITH CLUSTERING ORDER "
             "BY (c DESC, b ASC)",
             "2200 The order of columns in the CLUSTERING ORDER directive must match that of the "
             "clustering columns (b must appear before c)"},
        Case{"CREATE TABLE k.t2 (a int, b int, c int, PRIMARY KEY (a, b, c)) WITH CLUSTERING ORDER "
             "BY (b DESC, c ASC, d ASC)",
             "2200 Only clustering key columns can be defined in CLUSTERING ORDER directive: [d] "
             "are not clustering columns"},
        Case{"CREATE TABLE k.t2 (a int, b int, PRIMARY KEY (a, b)) WITH CLUSTERING ORDER BY (b "
             "DESC, b ASC)",
             "2200 Duplicate column 'b' in CLUSTERING ORDER BY clause for table 'k.t2'"},
        Case{"CREATE TABLE nope.t2 (a int PRIMARY KEY)", "2200 Keyspace 'nope' doesn't exist"},
        Case{"CREATE TABLE IF NOT EXISTS nope.t2 (a int PRIMARY KEY)",
             "2200 Keyspace 'nope' doesn't exist"},
        Case{"CREATE TABLE t2 (a int PRIMARY KEY)",
             "2200 No keyspace has been specified. USE a keyspace, or explicitly specify "
             "keyspace.tablename"},
        Case{"CREATE TABLE k.t2 (a foo PRIMARY KEY)", "2200 Unknown type k.foo"},
        Case{"CREATE TABLE k.t2 (a foo PRIMARY KEY) WITH foo = 1", "2000 Unknown property 'foo'"},
        Case{"CREATE TABLE k.t2 (a int PRIMARY KEY, b frozen<nope>)", "2200 Unknown type k.nope"},
        Case{"CREATE TABLE k.t2 (a counter PRIMARY KEY)",
             "2200 counter type is not supported for PRIMARY KEY column 'a'"},
        Case{"CREATE TABLE k.t2 (a int, b duration, PRIMARY KEY (a, b))",
             "2200 duration type is not supported for PRIMARY KEY column 'b'"},
        Case{"CREATE TABLE k.t2 (a int PRIMARY KEY, b counter, c int)",
             "2200 Cannot mix counter and non counter columns in the same table"},
        Case{"CREATE TABLE k.t2 (a int PRIMARY KEY, b counter) WITH default_time_to_live = 10",
             "2200 Cannot set default_time_to_live on a table with counters"},
        Case{"CREATE TABLE k.t2 (a int static PRIMARY KEY)",
             "2200 Static column 'a' cannot be part of the PRIMARY KEY"},
        Case{"CREATE TABLE k.t2 (a int PRIMARY KEY, b int static)",
             "2200 Static columns are only useful (and thus allowed) if the table has at least one "
             "clustering column"},
        Case{"CREATE TABLE k.\"t-2\" (a int PRIMARY KEY)",
             "2300 k.t-2: Table name must not be empty or not contain non-alphanumeric-underscore "
             "characters (got \"t-2\")"},
        Case{"CREATE TABLE k.t2 (a int PRIMARY KEY) WITH id = 123", "2300 Invalid table id"},
        Case{"CREATE TABLE k.t2 (a int PRIMARY KEY) WITH compaction = {'class': 'Foo'} AND "
             "gc_grace_seconds = -1",
             "2300 Unable to find compaction strategy class "
             "'org.apache.cassandra.db.compaction.Foo'"},
        Case{"CREATE TABLE k.t2 (a int PRIMARY KEY, b counter, c int) WITH gc_grace_seconds = -1",
             "2300 gc_grace_seconds must be greater than or equal to 0 (got -1)"}));

INSTANTIATE_TEST_SUITE_P(
    AlterAndDropTable, CatalogAnswer,
    testing::Values(
        Case{"ALTER TABLE k.t1 ADD b int", "2200 Column with name 'b' already exists"},
        Case{"ALTER TABLE k.t1 ADD a int", "2200 Column with name 'a' already exists"},
        Case{"ALTER TABLE k.t1 ADD IF NOT EXISTS a int", "VOID"},
        Case{"ALTER TABLE k.t1 ADD (h int, h text)", "2200 Column with name 'h' already exists"},
        Case{"ALTER TABLE k.t1 ADD i counter",
             "2300 k.t1: Cannot have a counter column (\"i\") in a non counter table"},
        Case{"ALTER TABLE k.cn ADD i int",
             "2300 k.cn: Cannot have a non counter column (\"i\") in a counter table"},
        Case{"ALTER TABLE k.t1 ADD s int static",
             "2200 Static columns are only useful (and thus allowed) if the table has at least one "
             "clustering column"},
        Case{"ALTER TABLE k.t1 ADD u nope", "2200 Unknown type k.nope"},
        Case{"ALTER TABLE k.nope ADD u int", "2200 Table 'k.nope' doesn't exist"},
        Case{"ALTER TABLE nope.nope ADD u int", "2200 Table 'nope.nope' doesn't exist"},
        Case{"ALTER TABLE k.t1 WITH foo = 'c'", "2000 Unknown property 'foo'"},
        Case{"ALTER TABLE k.t1 WITH id = 5", "2300 Invalid table id"},
        Case{"ALTER TABLE k.t1 WITH gc_grace_seconds = -1",
             "2300 gc_grace_seconds must be greater than or equal to 0 (got -1)"},
        Case{"ALTER TABLE k.cn WITH default_time_to_live = 5",
             "2200 Cannot set default_time_to_live on a table with counters"},
        Case{"ALTER TABLE IF EXISTS k.nope WITH foo = 1", "VOID"},
        Case{"DROP TABLE k.nope", "2200 Table 'k.nope' doesn't exist"},
        Case{"DROP TABLE nope.nope", "2200 Table 'nope.nope' doesn't exist"},
        Case{"DROP TABLE IF EXISTS nope.nope", "VOID"},
        Case{"DROP TABLE nope",
             "2200 No keyspace has been specified. USE a keyspace, or explicitly specify "
             "keyspace.tablename"},
        Case{"TRUNCATE k.nope", "2200 table nope does not exist"},
        Case{"TRUNCATE nope.nope", "2200 keyspace nope does not exist"}));

INSTANTIATE_TEST_SUITE_P(
    Indexes, CatalogAnswer,
    testing::Values(
        Case{"CREATE INDEX ON k.x (c)",
             "2200 Index x_c_idx_1 is a duplicate of existing index x_c_idx"},
        Case{"CREATE INDEX foo ON k.x (c)",
             "2200 Index foo is a duplicate of existing index "
             "x_c_idx"},
        Case{"CREATE INDEX IF NOT EXISTS foo ON k.x (c)", "VOID"},
        Case{"CREATE INDEX x_c_idx ON k.t1 (b)", "2200 Index 'x_c_idx' already exists"},
        Case{"CREATE INDEX ON k.x (nope)", "2200 Undefined column name nope in table k.x"},
        Case{"CREATE INDEX ON k.\"MixedT\" (nope)",
             "2200 Undefined column name nope in table k.\"MixedT\""},
        Case{"CREATE INDEX ON k.nope (a)", "2200 Table 'nope' doesn't exist"},
        Case{"CREATE INDEX ON nope.nope (a)", "2200 Keyspace 'nope' doesn't exist"},
        Case{"CREATE INDEX ON k.t1 (a)",
             "2200 Cannot create secondary index on the only partition key column a"},
        Case{"CREATE INDEX ON k.cn (b)",
             "2200 Secondary indexes on counter tables aren't "
             "supported"},
        Case{"CREATE INDEX ON k.x (u)",
             "2200 Secondary indexes are not supported on duration columns"},
        Case{"CREATE INDEX \"bad-name\" ON k.x (e)", "2300 Illegal index name bad-name"},
        Case{"CREATE CUSTOM INDEX s2 ON k.x (d) USING 'StorageAttachedIndex'",
             "2200 Index s2 is a duplicate of existing index sai1"},
        Case{"CREATE CUSTOM INDEX IF NOT EXISTS s2 ON k.x (d) USING 'StorageAttachedIndex'",
             "VOID"},
        Case{"CREATE CUSTOM INDEX s2 ON k.x (d) USING "
             "'org.apache.cassandra.index.sai.StorageAttachedIndex'",
             "2200 Cannot create more than one storage-attached index on the same column: d"},
        Case{"CREATE CUSTOM INDEX f ON k.x (e) USING 'Foo'",
             "2300 Unable to find custom indexer class 'Foo'"},
        Case{"CREATE CUSTOM INDEX f ON k.x (e) USING 'StorageAttachedIndex' WITH OPTIONS = {'foo': "
             "'x'}",
             "2300 Properties specified [foo] are not understood by StorageAttachedIndex"},
        Case{"CREATE CUSTOM INDEX f ON k.x (e) USING 'StorageAttachedIndex' WITH OPTIONS = "
             "{'class_name': 'x'}",
             "2200 Cannot specify class_name as a CUSTOM option"},
        Case{"CREATE CUSTOM INDEX f ON k.x (e) USING 'StorageAttachedIndex' WITH OPTIONS = 5",
             "2000 Invalid value for property 'options'. It should be a map."},
        Case{"CREATE CUSTOM INDEX f ON k.x (e) USING 'StorageAttachedIndex' WITH foo = 1",
             "2000 Unknown property 'foo'"},
        Case{"DROP INDEX k.nope", "2200 Index 'k.nope' doesn't exist'"},
        Case{"DROP INDEX nope.nope", "2200 Index 'nope.nope' doesn't exist'"},
        Case{"DROP INDEX nope",
             "2200 No keyspace has been specified. USE a keyspace, or explicitly specify "
             "keyspace.tablename"}));

// What Cassandra has and this server has not: refused, never done by halves.
INSTANTIATE_TEST_SUITE_P(
    NotThereYet, CatalogAnswer,
    testing::Values(
        Case{"CREATE TABLE k.t2 (a int PRIMARY KEY, b list<int>)",
             "2200 line 1:38 the type list<int> of column b is not supported by this server"},
        Case{"CREATE TABLE k.t2 (a int, b int, s int static, PRIMARY KEY (a, b))",
             "2200 line 1:33 a static column is not supported by this server"},
        Case{"ALTER TABLE k.x ADD s int static",
             "2200 line 1:20 a static column is not supported by this server"},
        Case{"CREATE TABLE k.t2 (a int, b int, PRIMARY KEY (a, b)) WITH COMPACT STORAGE",
             "2200 COMPACT STORAGE is supported by this server only for a partition key of one "
             "column "
             "and no clustering key"},
        Case{"CREATE TABLE k.t2 (a int PRIMARY KEY) WITH COMPACT STORAGE",
             "2200 No definition found that is not part of the PRIMARY KEY"},
        Case{"CREATE CUSTOM INDEX f ON k.x (e) USING 'StorageAttachedIndex' WITH OPTIONS = "
             "{'case_sensitive': 'false'}",
             "2200 line 1:0 an index with 'case_sensitive': 'false' is not supported by this "
             "server"}));

}  // namespace
}  // namespace cqlperf::server

#include "thrift/call_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "idl_bytes.h"

namespace cqlperf::thrift {
namespace {

using testing::HasSubstr;

class CallReaderTest : public testing::Test {
 protected:
  // The call in a message that must be one.
  const CallMessage& read(const Bytes& message) {
    message_ = message;
    const auto received = reader_.read(message_);
    EXPECT_TRUE(received) << (received ? "" : received.error().message);
    static const CallMessage none;
    if (!received) return none;
    if (const auto* refusal = std::get_if<Refusal>(&*received)) {
      ADD_FAILURE() << refusal->why;
      return none;
    }
    return *std::get<const CallMessage*>(*received);
  }
  void expect_refusal(const Bytes& message, ApplicationError type, std::string_view why) {
    const auto received = reader_.read(message);
    ASSERT_TRUE(received) << received.error().message;
    const auto* refusal = std::get_if<Refusal>(&*received);
    ASSERT_NE(refusal, nullptr);
    EXPECT_EQ(refusal->type, type);
    EXPECT_THAT(refusal->why, HasSubstr(why));
  }
  void expect_error_when_cut(const Bytes& message) {
    for (size_t size = 0; size < message.size(); ++size) {
      const Bytes cut(message.begin(), message.begin() + static_cast<ptrdiff_t>(size));
      EXPECT_FALSE(reader_.read(cut)) << size;
    }
  }

  CallReader reader_;
  Bytes message_;
};

idl::Cassandra_batch_mutate_args batch() {
  idl::Cassandra_batch_mutate_args batch;
  idl::Mutation column;
  column.column_or_supercolumn.column.__set_name("C0");
  column.column_or_supercolumn.column.__set_value("v");
  column.column_or_supercolumn.column.__set_timestamp(3);
  column.column_or_supercolumn.column.__set_ttl(9);
  column.column_or_supercolumn.__isset.column = true;
  column.__isset.column_or_supercolumn = true;
  idl::Mutation counter;
  counter.column_or_supercolumn.counter_column.name = "C1";
  counter.column_or_supercolumn.counter_column.value = 4;
  counter.column_or_supercolumn.__isset.counter_column = true;
  counter.__isset.column_or_supercolumn = true;
  idl::Mutation deletion;
  deletion.deletion.__set_timestamp(8);
  deletion.deletion.predicate.__set_column_names({"C2", "C3"});
  deletion.deletion.__isset.predicate = true;
  deletion.__isset.deletion = true;
  batch.mutation_map["k1"]["t1"] = {column, deletion};
  batch.mutation_map["k1"]["t2"] = {counter};
  batch.mutation_map["k2"]["t1"] = {};
  batch.consistency_level = idl::ConsistencyLevel::ALL;
  return batch;
}

TEST_F(CallReaderTest, ReadsABatch) {
  const CallMessage& message = read(idl_call("batch_mutate", 11, batch()));
  EXPECT_EQ(message.call, Call::kBatchMutate);
  EXPECT_EQ(message.seqid, 11);
  EXPECT_EQ(message.consistency, Consistency::kAll);
  ASSERT_EQ(message.rows.size(), 3u);
  ASSERT_EQ(message.mutations.size(), 3u);
  EXPECT_EQ(text_of(message.rows[0].key), "k1");
  EXPECT_EQ(message.rows[0].column_family, "t1");
  EXPECT_EQ(message.rows[0].count, 2u);
  const Mutation& column = message.mutations[0];
  EXPECT_EQ(column.kind, Mutation::Kind::kColumn);
  EXPECT_EQ(text_of(column.name), "C0");
  EXPECT_EQ(text_of(column.value), "v");
  EXPECT_EQ(column.timestamp_us, 3);
  EXPECT_EQ(column.ttl_s, 9);
  const Mutation& deletion = message.mutations[1];
  EXPECT_EQ(deletion.kind, Mutation::Kind::kDeletion);
  EXPECT_TRUE(deletion.has_predicate);
  ASSERT_EQ(message.predicates.at(deletion.predicate).names.size(), 2u);
  EXPECT_EQ(text_of(message.predicates[0].names[1]), "C3");
  const Mutation& counter = message.mutations[2];
  EXPECT_EQ(counter.kind, Mutation::Kind::kCounter);
  EXPECT_EQ(counter.counter, 4);
  EXPECT_EQ(message.rows[1].first, 2u);
  EXPECT_EQ(message.rows[2].count, 0u);
  expect_error_when_cut(message_);
}

TEST_F(CallReaderTest, ReadsSingleWritesAsMutations) {
  idl::Cassandra_insert_args insert;
  insert.key = "k";
  insert.column_parent.column_family = "t";
  insert.column.__set_name("C0");
  const CallMessage& inserted = read(idl_call("insert", 1, insert));
  ASSERT_EQ(inserted.mutations.size(), 1u);
  EXPECT_FALSE(inserted.mutations[0].has_timestamp);
  EXPECT_FALSE(inserted.mutations[0].has_value);
  EXPECT_EQ(text_of(inserted.rows.at(0).key), "k");

  idl::Cassandra_add_args add;
  add.key = "k";
  add.column_parent.column_family = "t";
  add.column_parent.__set_super_column("s");
  add.column.name = "C1";
  add.column.value = -1;
  const CallMessage& added = read(idl_call("add", 1, add));
  EXPECT_TRUE(added.has_super_column);
  EXPECT_EQ(added.mutations.at(0).counter, -1);
  expect_error_when_cut(message_);
}

TEST_F(CallReaderTest, ReadsASlice) {
  idl::Cassandra_get_slice_args slice;
  slice.key = "k";
  slice.column_parent.column_family = "t";
  idl::SliceRange range;
  range.start = "a";
  range.finish = "b";
  range.reversed = true;
  range.count = -4;
  slice.predicate.__set_slice_range(range);
  const CallMessage& message = read(idl_call("get_slice", 1, slice));
  ASSERT_EQ(message.predicates.size(), 1u);
  ASSERT_TRUE(message.predicates[0].range);
  EXPECT_FALSE(message.predicates[0].has_names);
  EXPECT_EQ(message.predicates[0].range->count, -4);
  EXPECT_TRUE(message.predicates[0].range->reversed);
  expect_error_when_cut(message_);
}

TEST_F(CallReaderTest, ReadsCqlCalls) {
  idl::Cassandra_execute_cql3_query_args query;
  query.query = "SELECT";
  query.compression = idl::Compression::GZIP;
  query.consistency = idl::ConsistencyLevel::SERIAL;
  const CallMessage& queried = read(idl_call("execute_cql3_query", 1, query));
  EXPECT_EQ(text_of(queried.query), "SELECT");
  EXPECT_EQ(queried.compression, Compression::kGzip);
  EXPECT_EQ(queried.consistency, Consistency::kSerial);

  idl::Cassandra_execute_prepared_cql3_query_args execute;
  execute.itemId = 7;
  execute.values = {"a", ""};
  execute.consistency = idl::ConsistencyLevel::TWO;
  const CallMessage& executed = read(idl_call("execute_prepared_cql3_query", 1, execute));
  EXPECT_EQ(executed.item_id, 7);
  ASSERT_EQ(executed.values.size(), 2u);
  EXPECT_TRUE(executed.values[1].empty());
  expect_error_when_cut(message_);
}

TEST_F(CallReaderTest, ReadsSchemaCalls) {
  idl::Cassandra_system_add_keyspace_args call;
  call.ks_def.name = "ks";
  call.ks_def.strategy_class = "SimpleStrategy";
  call.ks_def.__set_strategy_options({{"replication_factor", "1"}});
  idl::CfDef table;
  table.keyspace = "ks";
  table.name = "t";
  table.__set_gc_grace_seconds(5);
  idl::ColumnDef column;
  column.name = "C0";
  column.validation_class = "BytesType";
  column.__set_index_type(idl::IndexType::KEYS);
  table.__set_column_metadata({column});
  call.ks_def.cf_defs = {table};
  const CallMessage& message = read(idl_call("system_add_keyspace", 1, call));
  EXPECT_EQ(message.keyspace.name, "ks");
  EXPECT_EQ(message.keyspace.strategy_options.at("replication_factor"), "1");
  EXPECT_TRUE(message.keyspace.durable_writes);
  ASSERT_EQ(message.keyspace.tables.size(), 1u);
  const TableDef& read_table = message.keyspace.tables[0];
  EXPECT_EQ(read_table.comparator, "BytesType");
  EXPECT_EQ(read_table.gc_grace_seconds, 5);
  EXPECT_FALSE(read_table.default_ttl_s);
  ASSERT_EQ(read_table.columns.size(), 1u);
  EXPECT_TRUE(read_table.columns[0].is_indexed);
  EXPECT_TRUE(read_table.columns[0].is_keys_index);
  expect_error_when_cut(message_);
}

TEST_F(CallReaderTest, KnowsEachCallByItsName) {
  for (size_t i = 0; i < kCallCount; ++i) {
    const auto call = static_cast<Call>(i);
    EXPECT_EQ(find_call(call_name(call)), call);
  }
  EXPECT_EQ(find_call("get"), std::nullopt);
}

TEST_F(CallReaderTest, RefusesUnknownMethodsAndGoesOn) {
  idl::Cassandra_truncate_args arguments;
  arguments.cfname = "t";
  expect_refusal(idl_call("get_range_slices", 5, arguments), ApplicationError::kUnknownMethod,
                 "Invalid method name: 'get_range_slices'");
}

TEST_F(CallReaderTest, RefusesMissingFieldsByName) {
  // A call with another one's arguments lacks its own.
  expect_refusal(idl_call("get_slice", 1, idl::Cassandra_describe_version_args()),
                 ApplicationError::kProtocolError, "Required field 'key' was not present!");
  idl::Cassandra_get_slice_args slice;
  slice.consistency_level = static_cast<idl::ConsistencyLevel::type>(99);
  expect_refusal(idl_call("get_slice", 1, slice), ApplicationError::kProtocolError,
                 "consistency_level");
}

TEST_F(CallReaderTest, SaysWhatIsWrongInAMutation) {
  idl::Cassandra_batch_mutate_args empty;
  empty.mutation_map["k"]["t"] = {idl::Mutation()};
  EXPECT_THAT(read(idl_call("batch_mutate", 1, empty)).invalid, HasSubstr("one and only one"));
  EXPECT_EQ(read(idl_call("batch_mutate", 1, batch())).invalid, "");
}

TEST_F(CallReaderTest, EndsForWhatIsNoCall) {
  EXPECT_FALSE(reader_.read({}));
  EXPECT_FALSE(reader_.read(view_of("GET / HTTP/1.1\r\n")));
  EXPECT_FALSE(reader_.read(idl_reply("insert", 1, idl::Cassandra_insert_result())));
  // The version word is obligatory: a message of the old form, which starts with its name.
  core::Buffer old;
  old.append_i32(16);
  old.append(std::string_view("describe_version"));
  old.append_u8(1);
  old.append_i32(0);
  old.append_u8(0);
  EXPECT_FALSE(reader_.read(old.bytes()));
}

TEST_F(CallReaderTest, BelievesNoCount) {
  Bytes message = idl_call("batch_mutate", 1, batch());
  const size_t map = 4 + 4 + 12 + 4 + 3;  // version, name, seqid, field: then types, count
  message[map + 2] = 0x7f;
  EXPECT_FALSE(reader_.read(message));
  message[map + 2] = 0x20;
  EXPECT_FALSE(reader_.read(message));
  message[map + 2] = 0xff;
  const auto negative = reader_.read(message);
  EXPECT_TRUE(!negative || std::holds_alternative<Refusal>(*negative));
}

TEST_F(CallReaderTest, BoundsWhatSmallElementsTake) {
  core::Buffer call;
  call.append_i32(static_cast<int32_t>(0x80010001));
  call.append_i32(12);
  call.append(std::string_view("batch_mutate"));
  call.append_i32(1);
  call.append_u8(13);  // field 1: a map of one row with one list of empty mutations
  call.append_u16(1);
  call.append_u8(11);
  call.append_u8(13);
  call.append_i32(1);
  call.append_i32(0);
  call.append_u8(11);
  call.append_u8(15);
  call.append_i32(1);
  call.append_i32(0);
  call.append_u8(12);
  call.append_i32(CallReader::kMutationsMax + 1);
  for (size_t i = 0; i <= CallReader::kMutationsMax; ++i) call.append_u8(0);
  const auto received = reader_.read(call.bytes());
  ASSERT_TRUE(received);
  ASSERT_TRUE(std::holds_alternative<Refusal>(*received));
  EXPECT_THAT(std::get<Refusal>(*received).why, HasSubstr("split it"));
}

TEST_F(CallReaderTest, KeepsWorkingAfterItGaveMemoryBack) {
  idl::Cassandra_execute_prepared_cql3_query_args execute;
  execute.values.resize(10'000);
  execute.consistency = idl::ConsistencyLevel::ONE;
  EXPECT_EQ(read(idl_call("execute_prepared_cql3_query", 1, execute)).values.size(), 10'000u);
  reader_.release();
  execute.values.resize(2);
  EXPECT_EQ(read(idl_call("execute_prepared_cql3_query", 2, execute)).values.size(), 2u);
}

}  // namespace
}  // namespace cqlperf::thrift

#include "thrift/call_writer.h"

#include <array>

#include <gtest/gtest.h>

#include "idl_bytes.h"
#include "thrift/call_reader.h"

namespace cqlperf::thrift {
namespace {

idl::Mutation column_mutation(const std::string& name, const std::string& value, int64_t time,
                              int32_t ttl) {
  idl::Column column;
  column.__set_name(name);
  column.__set_value(value);
  column.__set_timestamp(time);
  if (ttl > 0) column.__set_ttl(ttl);
  idl::ColumnOrSuperColumn holder;
  holder.__set_column(column);
  idl::Mutation mutation;
  mutation.__set_column_or_supercolumn(holder);
  return mutation;
}

idl::Mutation counter_mutation(const std::string& name, int64_t delta) {
  idl::CounterColumn counter;
  counter.__set_name(name);
  counter.__set_value(delta);
  idl::ColumnOrSuperColumn holder;
  holder.__set_counter_column(counter);
  idl::Mutation mutation;
  mutation.__set_column_or_supercolumn(holder);
  return mutation;
}

class CallWriterTest : public testing::Test {
 protected:
  CallWriter writer_;
  core::Buffer out_;
};

TEST_F(CallWriterTest, BatchMutateIsAsTheGeneratedCodeWritesIt) {
  idl::Cassandra_batch_mutate_args expected;
  expected.mutation_map["k1"]["Standard1"] = {column_mutation("C0", "zero", 5, 0),
                                              column_mutation("C1", "", 6, 60)};
  expected.mutation_map["k2"]["Counter1"] = {counter_mutation("C0", 1), counter_mutation("C1", -2)};
  expected.consistency_level = idl::ConsistencyLevel::LOCAL_QUORUM;

  const std::array columns = {ColumnWrite{view_of("C0"), view_of("zero"), 5, {}},
                              ColumnWrite{view_of("C1"), {}, 6, 60}};
  const std::array counters = {CounterWrite{view_of("C0"), 1}, CounterWrite{view_of("C1"), -2}};
  const std::array rows = {RowWrite{view_of("k1"), "Standard1", columns, {}},
                           RowWrite{view_of("k2"), "Counter1", {}, counters}};
  writer_.batch_mutate(7, rows, Consistency::kLocalQuorum, out_);
  EXPECT_EQ(bytes_of(out_), framed(idl_call("batch_mutate", 7, expected)));
}

TEST_F(CallWriterTest, GetSliceIsAsTheGeneratedCodeWritesIt) {
  idl::Cassandra_get_slice_args expected;
  expected.key = "key";
  expected.column_parent.column_family = "Standard1";
  idl::SliceRange range;
  range.start = "C1";
  range.reversed = true;
  range.count = 5;
  expected.predicate.__set_slice_range(range);
  writer_.get_slice(-1, view_of("key"), "Standard1", {view_of("C1"), {}, true, 5},
                    Consistency::kOne, out_);
  EXPECT_EQ(bytes_of(out_), framed(idl_call("get_slice", -1, expected)));
}

TEST_F(CallWriterTest, CqlCallsAreAsTheGeneratedCodeWritesThem) {
  idl::Cassandra_execute_cql3_query_args query;
  query.query = "SELECT 1";
  query.compression = idl::Compression::NONE;
  query.consistency = idl::ConsistencyLevel::QUORUM;
  writer_.execute_cql3_query(1, "SELECT 1", Consistency::kQuorum, out_);
  EXPECT_EQ(bytes_of(out_), framed(idl_call("execute_cql3_query", 1, query)));

  out_.clear();
  idl::Cassandra_prepare_cql3_query_args prepare;
  prepare.query = "SELECT 2";
  prepare.compression = idl::Compression::NONE;
  writer_.prepare_cql3_query(2, "SELECT 2", out_);
  EXPECT_EQ(bytes_of(out_), framed(idl_call("prepare_cql3_query", 2, prepare)));

  out_.clear();
  idl::Cassandra_execute_prepared_cql3_query_args execute;
  execute.itemId = -77;
  execute.values = {"a", "", std::string("\0b", 2)};
  execute.consistency = idl::ConsistencyLevel::ONE;
  const std::array values = {view_of("a"), ByteView(), view_of({"\0b", 2})};
  writer_.execute_prepared_cql3_query(3, -77, values, Consistency::kOne, out_);
  EXPECT_EQ(bytes_of(out_), framed(idl_call("execute_prepared_cql3_query", 3, execute)));
}

TEST_F(CallWriterTest, CallsOfConnectionsAreAsTheGeneratedCodeWritesThem) {
  idl::Cassandra_login_args login;
  login.auth_request.credentials = {{"username", "u"}, {"password", "p"}};
  writer_.login(1, "u", "p", out_);
  EXPECT_EQ(bytes_of(out_), framed(idl_call("login", 1, login)));

  out_.clear();
  idl::Cassandra_set_keyspace_args keyspace;
  keyspace.keyspace = "Keyspace1";
  writer_.set_keyspace(2, "Keyspace1", out_);
  EXPECT_EQ(bytes_of(out_), framed(idl_call("set_keyspace", 2, keyspace)));

  out_.clear();
  writer_.call_without_arguments(3, Call::kDescribeVersion, out_);
  EXPECT_EQ(bytes_of(out_),
            framed(idl_call("describe_version", 3, idl::Cassandra_describe_version_args())));
}

TEST_F(CallWriterTest, CallsFollowOneAnotherInOneBuffer) {
  writer_.set_keyspace(1, "a", out_);
  const size_t first = out_.size();
  writer_.set_keyspace(2, "b", out_);
  CallReader reader;
  const auto received = reader.read(out_.bytes().subspan(first + 4));
  ASSERT_TRUE(received);
  const auto* message = std::get<const CallMessage*>(*received);
  EXPECT_EQ(message->seqid, 2);
  EXPECT_EQ(message->text, "b");
}

TEST_F(CallWriterTest, ALargeValueTravelsWhole) {
  const std::string large(3'000'000, 'x');
  const std::array columns = {ColumnWrite{view_of("C0"), view_of(large), 1, {}}};
  const std::array rows = {RowWrite{view_of("k"), "t", columns, {}}};
  writer_.batch_mutate(1, rows, Consistency::kOne, out_);
  CallReader reader;
  const auto received = reader.read(content_of(out_));
  ASSERT_TRUE(received);
  const auto* message = std::get<const CallMessage*>(*received);
  ASSERT_EQ(message->mutations.size(), 1u);
  EXPECT_EQ(text_of(message->mutations[0].value), large);
}

}  // namespace
}  // namespace cqlperf::thrift

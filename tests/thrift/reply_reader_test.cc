#include "thrift/reply_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <thrift/TApplicationException.h>

#include "idl_bytes.h"

namespace cqlperf::thrift {
namespace {

using testing::HasSubstr;
using Outcome = ReplyReader::Outcome;
using Kind = Exception::Kind;

class ReplyReaderTest : public testing::Test {
 protected:
  void expect_exception(Call call, const Bytes& message, Kind kind, std::string_view why) {
    const auto outcome = reader_.read(call, message);
    ASSERT_TRUE(outcome) << outcome.error().message;
    ASSERT_EQ(*outcome, Outcome::kException);
    EXPECT_EQ(reader_.exception().kind, kind);
    EXPECT_EQ(reader_.exception().why, why);
  }
  void expect_error(Call call, const Bytes& message, std::string_view part) {
    const auto outcome = reader_.read(call, message);
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().code, core::ErrorCode::kProtocol);
    EXPECT_THAT(outcome.error().message, HasSubstr(part));
  }
  // Cut at any byte it is an error, and nothing worse.
  void expect_error_when_cut(Call call, const Bytes& message) {
    for (size_t size = 0; size < message.size(); ++size) {
      const Bytes cut(message.begin(), message.begin() + static_cast<ptrdiff_t>(size));
      EXPECT_FALSE(reader_.read(call, cut)) << size;
    }
  }

  ReplyReader reader_;
};

Bytes slice_reply() {
  idl::Column column;
  column.__set_name("C0");
  column.__set_value("value");
  column.__set_timestamp(12);
  column.__set_ttl(60);
  idl::CounterColumn counter;
  counter.__set_name("C1");
  counter.__set_value(-3);
  idl::Cassandra_get_slice_result result;
  result.__isset.success = true;
  result.success.resize(2);
  result.success[0].__set_column(column);
  result.success[1].__set_counter_column(counter);
  return idl_reply("get_slice", 9, result);
}

idl::CqlResult cql_rows() {
  idl::Column value;
  value.__set_name("a");
  value.__set_value("1");
  idl::Column null;
  null.__set_name("b");
  idl::CqlRow row;
  row.columns = {value, null};
  idl::CqlResult result;
  result.type = idl::CqlResultType::ROWS;
  result.__set_rows({row, idl::CqlRow(), row});
  idl::CqlMetadata schema;
  schema.name_types = {{"a", "UTF8Type"}};
  schema.value_types = {{"a", "BytesType"}};
  result.__set_schema(schema);
  return result;
}

Bytes rows_reply() {
  idl::Cassandra_execute_cql3_query_result result;
  result.success = cql_rows();
  result.__isset.success = true;
  return idl_reply("execute_cql3_query", 4, result);
}

TEST_F(ReplyReaderTest, ReadsCells) {
  const Bytes message = slice_reply();
  const auto outcome = reader_.read(Call::kGetSlice, message);
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(*outcome, Outcome::kResult);
  EXPECT_EQ(reader_.seqid(), 9);
  const auto cells = reader_.cells();
  ASSERT_EQ(cells.size(), 2u);
  EXPECT_EQ(text_of(cells[0].name), "C0");
  EXPECT_EQ(text_of(cells[0].value), "value");
  EXPECT_EQ(cells[0].timestamp_us, 12);
  EXPECT_EQ(cells[0].ttl_s, 60);
  EXPECT_FALSE(cells[0].is_counter);
  EXPECT_EQ(text_of(cells[1].name), "C1");
  EXPECT_TRUE(cells[1].is_counter);
  EXPECT_EQ(cells[1].counter, -3);
  expect_error_when_cut(Call::kGetSlice, message);
}

TEST_F(ReplyReaderTest, ReadsRowsOfCql) {
  const Bytes message = rows_reply();
  const auto outcome = reader_.read(Call::kExecuteCql3Query, message);
  ASSERT_TRUE(outcome) << outcome.error().message;
  ASSERT_EQ(reader_.row_count(), 3u);
  ASSERT_EQ(reader_.row(0).size(), 2u);
  EXPECT_EQ(text_of(reader_.row(0)[0].value), "1");
  EXPECT_FALSE(reader_.row(0)[0].is_null);
  EXPECT_TRUE(reader_.row(0)[1].is_null);
  EXPECT_TRUE(reader_.row(1).empty());
  EXPECT_EQ(text_of(reader_.row(2)[1].name), "b");
  expect_error_when_cut(Call::kExecuteCql3Query, message);
}

TEST_F(ReplyReaderTest, ReadsPreparedQueries) {
  idl::Cassandra_prepare_cql3_query_result result;
  result.success.itemId = -5;
  result.success.count = 1;
  result.success.__set_variable_types({"UTF8Type"});
  result.success.__set_variable_names({"key"});
  result.__isset.success = true;
  const Bytes message = idl_reply("prepare_cql3_query", 1, result);
  ASSERT_TRUE(reader_.read(Call::kPrepareCql3Query, message));
  EXPECT_EQ(reader_.prepared().item_id, -5);
  EXPECT_EQ(reader_.prepared().variable_count, 1);
  EXPECT_THAT(reader_.prepared().variable_types, testing::ElementsAre("UTF8Type"));
  EXPECT_THAT(reader_.prepared().variable_names, testing::ElementsAre("key"));
  expect_error_when_cut(Call::kPrepareCql3Query, message);
}

TEST_F(ReplyReaderTest, ForgetsTheLastReply) {
  const Bytes rows = rows_reply();
  const Bytes slice = slice_reply();
  ASSERT_TRUE(reader_.read(Call::kGetSlice, slice));
  ASSERT_TRUE(reader_.read(Call::kExecuteCql3Query, rows));
  EXPECT_TRUE(reader_.cells().empty());
  ASSERT_TRUE(reader_.read(Call::kGetSlice, slice));
  EXPECT_EQ(reader_.row_count(), 0u);
  EXPECT_EQ(reader_.cells().size(), 2u);
}

TEST_F(ReplyReaderTest, ReadsNothingAndTexts) {
  const Bytes nothing = idl_reply("batch_mutate", 2, idl::Cassandra_batch_mutate_result());
  const auto outcome = reader_.read(Call::kBatchMutate, nothing);
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(*outcome, Outcome::kResult);
  idl::Cassandra_describe_version_result version;
  version.success = "20.1.0";
  version.__isset.success = true;
  const Bytes text = idl_reply("describe_version", 3, version);
  ASSERT_TRUE(reader_.read(Call::kDescribeVersion, text));
  EXPECT_EQ(reader_.text(), "20.1.0");
}

// A reply to the call with one field set, by `set`.
template <class Result, class Set>
Bytes reply_with(Call call, Set set) {
  Result result;
  set(result);
  return idl_reply(std::string(call_name(call)), 1, result);
}

TEST_F(ReplyReaderTest, ReadsEachKindOfExceptionOfQueries) {
  using Result = idl::Cassandra_execute_cql3_query_result;
  const Call call = Call::kExecuteCql3Query;
  expect_exception(call,
                   reply_with<Result>(call,
                                      [](Result& result) {
                                        result.ire.why = "line 1:0";
                                        result.__isset.ire = true;
                                      }),
                   Kind::kInvalidRequest, "line 1:0");
  expect_exception(call,
                   reply_with<Result>(call, [](Result& result) { result.__isset.sde = true; }),
                   Kind::kSchemaDisagreement, "");
  expect_exception(call, reply_with<Result>(call, [](Result& result) { result.__isset.ue = true; }),
                   Kind::kUnavailable, "");
  expect_exception(call,
                   reply_with<Result>(call,
                                      [](Result& result) {
                                        result.te.__set_acknowledged_by(1);
                                        result.__isset.te = true;
                                      }),
                   Kind::kTimedOut, "");
  EXPECT_EQ(reader_.exception().acknowledged_by, 1);
  EXPECT_EQ(to_string(reader_.exception()), "TimedOutException: acknowledged by 1");
}

TEST_F(ReplyReaderTest, ReadsEachKindOfExceptionOfOtherCalls) {
  using Keyspace = idl::Cassandra_describe_keyspace_result;
  expect_exception(Call::kDescribeKeyspace,
                   reply_with<Keyspace>(Call::kDescribeKeyspace,
                                        [](Keyspace& result) { result.__isset.nfe = true; }),
                   Kind::kNotFound, "");
  using Login = idl::Cassandra_login_result;
  expect_exception(Call::kLogin,
                   reply_with<Login>(Call::kLogin,
                                     [](Login& result) {
                                       result.authnx.why = "wrong";
                                       result.__isset.authnx = true;
                                     }),
                   Kind::kAuthentication, "wrong");
  expect_exception(Call::kLogin,
                   reply_with<Login>(Call::kLogin,
                                     [](Login& result) {
                                       result.authzx.why = "no";
                                       result.__isset.authzx = true;
                                     }),
                   Kind::kAuthorization, "no");
  EXPECT_EQ(to_string(reader_.exception()), "AuthorizationException: no");
}

TEST_F(ReplyReaderTest, ReadsApplicationExceptions) {
  using apache::thrift::TApplicationException;
  const TApplicationException unknown(TApplicationException::UNKNOWN_METHOD, "Invalid method");
  const Bytes message = idl_message("get_slice", apache::thrift::protocol::T_EXCEPTION, 1, unknown);
  expect_exception(Call::kGetSlice, message, Kind::kApplication, "Invalid method");
  EXPECT_EQ(reader_.exception().application_type, 1);
}

TEST_F(ReplyReaderTest, RefusesWhatIsNoReplyToTheCall) {
  expect_error(Call::kBatchMutate, slice_reply(), "get_slice");
  expect_error(Call::kGetSlice, idl_call("get_slice", 1, idl::Cassandra_get_slice_args()),
               "not a reply");
  expect_error(Call::kGetSlice, idl_reply("get_slice", 1, idl::Cassandra_get_slice_result()),
               "without a result");
  expect_error(Call::kGetSlice, {'H', 'T', 'T', 'P'}, "get_slice");
  expect_error(Call::kGetSlice, {}, "get_slice");
}

// A count of 2^31-1 elements in a few bytes must neither be believed nor counted to.
TEST_F(ReplyReaderTest, BelievesNoCount) {
  const Bytes slice = slice_reply();
  const size_t list = 4 + 4 + 9 + 4 + 3;  // version, name, seqid, field: then element type, count
  for (const uint8_t element : {0, 1, 2, 3, 11, 12, 13, 15}) {
    Bytes hostile = slice;
    hostile[list] = element;
    hostile[list + 1] = 0x7f;
    EXPECT_FALSE(reader_.read(Call::kGetSlice, hostile)) << int{element};
    hostile[list + 1] = 0xff;
    EXPECT_FALSE(reader_.read(Call::kGetSlice, hostile)) << int{element};
    // 2^30 times 4 bytes is 0 in 32 bits.
    hostile[list + 1] = 0x40;
    EXPECT_FALSE(reader_.read(Call::kGetSlice, hostile)) << int{element};
  }
}

TEST_F(ReplyReaderTest, BoundsTheDepthOfFieldsThatItSkips) {
  Bytes hostile = idl_reply("batch_mutate", 1, idl::Cassandra_batch_mutate_result());
  hostile.pop_back();
  for (int i = 0; i < 100'000; ++i) hostile.insert(hostile.end(), {12, 0, 99});
  EXPECT_FALSE(reader_.read(Call::kBatchMutate, hostile));
}

}  // namespace
}  // namespace cqlperf::thrift

#include "thrift/reply_writer.h"

#include <array>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "idl_bytes.h"
#include "thrift/frame.h"
#include "thrift/reply_reader.h"

namespace cqlperf::thrift {
namespace {

using testing::HasSubstr;
using Outcome = ReplyReader::Outcome;
using Kind = Exception::Kind;

// What the generated code reads from the one frame in `buffer`.
template <class Result>
Result read_with_idl(const core::Buffer& buffer) {
  const std::string content = text_of(content_of(buffer));
  auto memory = std::make_shared<TMemoryBuffer>();
  memory->resetBuffer(reinterpret_cast<uint8_t*>(const_cast<char*>(content.data())),
                      static_cast<uint32_t>(content.size()));
  TBinaryProtocol protocol(memory);
  std::string name;
  TMessageType type = apache::thrift::protocol::T_CALL;
  int32_t seqid = 0;
  protocol.readMessageBegin(name, type, seqid);
  Result result;
  result.read(&protocol);
  EXPECT_EQ(memory->available_read(), 0u);
  return result;
}

class ReplyWriterTest : public testing::Test {
 protected:
  ReplyWriter writer_;
  core::Buffer out_;
};

TEST_F(ReplyWriterTest, CellsAreWhatTheGeneratedCodeReads) {
  Cell column = {view_of("C0"), view_of("v"), 5, 60};
  Cell counter = {.name = view_of("C1"), .counter = -9, .is_counter = true};
  writer_.cells(3, std::array{column, counter}, out_);
  const auto result = read_with_idl<idl::Cassandra_get_slice_result>(out_);
  ASSERT_EQ(result.success.size(), 2u);
  EXPECT_EQ(result.success[0].column.name, "C0");
  EXPECT_EQ(result.success[0].column.value, "v");
  EXPECT_EQ(result.success[0].column.timestamp, 5);
  EXPECT_EQ(result.success[0].column.ttl, 60);
  EXPECT_TRUE(result.success[1].__isset.counter_column);
  EXPECT_EQ(result.success[1].counter_column.value, -9);
}

TEST_F(ReplyWriterTest, RowsAreWhatTheGeneratedCodeReads) {
  const std::array columns = {ReplyWriter::CqlColumn{"a", "BytesType"},
                              ReplyWriter::CqlColumn{"b", "Int32Type"}};
  writer_.begin_rows(Call::kExecuteCql3Query, 4, 2, out_);
  writer_.append_row(columns, std::array<std::optional<ByteView>, 2>{view_of("1"), std::nullopt});
  writer_.append_row(columns, std::array<std::optional<ByteView>, 2>{view_of(""), view_of("2")});
  writer_.end_rows(columns);
  const auto result = read_with_idl<idl::Cassandra_execute_cql3_query_result>(out_).success;
  EXPECT_EQ(result.type, idl::CqlResultType::ROWS);
  ASSERT_EQ(result.rows.size(), 2u);
  EXPECT_EQ(result.rows[0].columns.at(0).value, "1");
  EXPECT_FALSE(result.rows[0].columns.at(1).__isset.value);
  EXPECT_TRUE(result.rows[1].columns.at(0).__isset.value);
  EXPECT_EQ(result.schema.value_types.at("b"), "Int32Type");
  EXPECT_EQ(result.schema.name_types.at("a"), "UTF8Type");
}

TEST_F(ReplyWriterTest, OtherResultsAreWhatTheGeneratedCodeReads) {
  writer_.cql_void(Call::kExecuteCql3Query, 1, out_);
  EXPECT_EQ(read_with_idl<idl::Cassandra_execute_cql3_query_result>(out_).success.type,
            idl::CqlResultType::VOID);
  out_.clear();
  writer_.nothing(Call::kInsert, 2, out_);
  EXPECT_EQ(bytes_of(out_), framed(idl_reply("insert", 2, idl::Cassandra_insert_result())));
  out_.clear();
  writer_.text(Call::kDescribeVersion, 3, "20.1.0", out_);
  EXPECT_EQ(read_with_idl<idl::Cassandra_describe_version_result>(out_).success, "20.1.0");
  out_.clear();
  const std::array variables = {ReplyWriter::CqlColumn{"key", "BytesType"}};
  writer_.prepared(Call::kPrepareCql3Query, 4, -6, variables, out_);
  const auto prepared = read_with_idl<idl::Cassandra_prepare_cql3_query_result>(out_).success;
  EXPECT_EQ(prepared.itemId, -6);
  EXPECT_EQ(prepared.count, 1);
  EXPECT_EQ(prepared.variable_names.at(0), "key");
}

TEST_F(ReplyWriterTest, KeyspacesAreWhatTheGeneratedCodeReads) {
  KeyspaceDef keyspace = {.name = "ks", .strategy_class = "SimpleStrategy"};
  TableDef table = {.keyspace = "ks", .name = "t"};
  table.gc_grace_seconds = 3;
  table.columns.push_back({.name = "C0",
                           .validation_class = "BytesType",
                           .is_indexed = true,
                           .is_keys_index = true,
                           .index_name = "i"});
  keyspace.tables.push_back(table);
  writer_.keyspace(1, keyspace, out_);
  const auto one = read_with_idl<idl::Cassandra_describe_keyspace_result>(out_).success;
  EXPECT_EQ(one.name, "ks");
  ASSERT_EQ(one.cf_defs.size(), 1u);
  EXPECT_EQ(one.cf_defs[0].gc_grace_seconds, 3);
  EXPECT_EQ(one.cf_defs[0].column_metadata.at(0).index_name, "i");
  out_.clear();
  writer_.keyspaces(1, std::array{keyspace, keyspace}, out_);
  EXPECT_EQ(read_with_idl<idl::Cassandra_describe_keyspaces_result>(out_).success.size(), 2u);
}

TEST_F(ReplyWriterTest, ExceptionsOfEachKindComeBack) {
  ReplyReader reader;
  const auto expect_back = [&](Call call, Kind kind, std::string why) {
    out_.clear();
    Exception sent;
    sent.kind = kind;
    sent.why = why;
    if (kind == Kind::kTimedOut) sent.acknowledged_by = 1;
    writer_.exception(call, 8, sent, out_);
    const auto outcome = reader.read(call, content_of(out_));
    ASSERT_TRUE(outcome) << outcome.error().message;
    ASSERT_EQ(*outcome, Outcome::kException);
    EXPECT_EQ(reader.exception().kind, kind);
    EXPECT_EQ(reader.exception().why, why);
    EXPECT_EQ(reader.exception().acknowledged_by, sent.acknowledged_by);
    EXPECT_EQ(reader.seqid(), 8);
  };
  expect_back(Call::kGetSlice, Kind::kInvalidRequest, "no such table");
  expect_back(Call::kGetSlice, Kind::kUnavailable, "");
  expect_back(Call::kGetSlice, Kind::kTimedOut, "");
  expect_back(Call::kDescribeKeyspace, Kind::kNotFound, "");
  expect_back(Call::kLogin, Kind::kAuthentication, "wrong");
  expect_back(Call::kLogin, Kind::kAuthorization, "not you");
  expect_back(Call::kExecuteCql3Query, Kind::kSchemaDisagreement, "");
  expect_back(Call::kDescribeVersion, Kind::kApplication, "broken");
}

TEST_F(ReplyWriterTest, AnExceptionThatTheCallDoesNotDeclareIsAnApplicationError) {
  Exception sent;
  sent.kind = Kind::kInvalidRequest;
  sent.why = "what";
  writer_.exception(Call::kLogin, 8, sent, out_);
  ReplyReader reader;
  ASSERT_TRUE(reader.read(Call::kLogin, content_of(out_)));
  EXPECT_EQ(reader.exception().kind, Kind::kApplication);
  EXPECT_EQ(reader.exception().why, "InvalidRequestException: what");
}

TEST_F(ReplyWriterTest, AReplyBeyondAFrameBecomesAnError) {
  out_.append(std::string_view("before"));
  const std::string large(kFrameBytesMax, 'x');
  Cell cell = {view_of("C0"), view_of(large), 5, 0};
  writer_.cells(3, std::array{cell}, out_);
  out_.consume(6);
  ReplyReader reader;
  const auto outcome = reader.read(Call::kGetSlice, content_of(out_));
  ASSERT_TRUE(outcome) << outcome.error().message;
  ASSERT_EQ(*outcome, Outcome::kException);
  EXPECT_THAT(reader.exception().why, HasSubstr("15 MiB"));
  EXPECT_LT(out_.size(), 1000u);
}

}  // namespace
}  // namespace cqlperf::thrift

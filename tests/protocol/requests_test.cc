// What the requests say, field by field, and what they refuse.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "samples.h"

namespace cqlperf::protocol {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

template <class Message>
Bytes encode(const Message& message, Version version = Version::kV4) {
  core::Buffer out;
  message.encode_body(version, out);
  return to_bytes(out.bytes());
}

// QUERY "" at consistency ONE with these flags and this rest.
std::string query_error(uint8_t flags, const Bytes& rest, Version version = Version::kV4) {
  Bytes body = {0, 0, 0, 0, 0, 1, flags};
  body.insert(body.end(), rest.begin(), rest.end());
  const auto query = Query::decode_body(version, body);
  return query ? "no error" : query.error().message;
}

TEST(QueryParameters, SayWhatTheySaid) {
  const Bytes body = encode(Execute{samples::kId, samples::all_parameters(Version::kV4)});
  const auto execute = Execute::decode_body(Version::kV4, body);
  ASSERT_TRUE(execute) << execute.error().message;
  EXPECT_EQ(to_bytes(execute->id), samples::kId);
  const QueryParameters& parameters = execute->parameters;
  EXPECT_EQ(parameters.consistency, Consistency::kLocalQuorum);
  EXPECT_FALSE(parameters.skip_metadata);
  ASSERT_EQ(parameters.values.size(), 4);
  EXPECT_EQ(to_bytes(parameters.values[0].bytes), samples::kInt7);
  EXPECT_EQ(parameters.values[1].kind, Value::Kind::kNull);
  EXPECT_EQ(parameters.values[2].kind, Value::Kind::kBytes);
  EXPECT_TRUE(parameters.values[2].bytes.empty());
  EXPECT_EQ(parameters.values[3].kind, Value::Kind::kUnset);
  EXPECT_EQ(parameters.page_size, 5000);
  EXPECT_EQ(to_bytes(*parameters.paging_state), samples::kPagingState);
  EXPECT_EQ(parameters.serial_consistency, Consistency::kLocalSerial);
  EXPECT_EQ(parameters.default_timestamp_us, 1'700'000'000'123'456);
}

TEST(QueryParameters, NamedValues) {
  QueryParameters parameters;
  parameters.values = {Value::of(samples::kInt7), Value::null()};
  parameters.names = {"a", "b"};
  const Bytes body = encode(Query{"q", parameters});
  const auto query = Query::decode_body(Version::kV4, body);
  ASSERT_TRUE(query);
  EXPECT_THAT(query->parameters.names, ElementsAre("a", "b"));
  EXPECT_EQ(query->parameters.values[1].kind, Value::Kind::kNull);
}

TEST(QueryParameters, NamesWithoutValuesAreIgnored) {
  EXPECT_EQ(query_error(kQueryFlagNames, {}), "no error");
}

TEST(QueryParameters, UnknownFlags) {
  EXPECT_THAT(query_error(0x80, {}), HasSubstr("unknown flags 0x80"));
}

TEST(QueryParameters, OfVersion5) {
  QueryParameters parameters;
  parameters.keyspace = "ks";
  parameters.now_seconds = 5;
  const Bytes body = encode(Query{"q", parameters}, Version::kV5);
  const auto query = Query::decode_body(Version::kV5, body);
  ASSERT_TRUE(query) << query.error().message;
  EXPECT_EQ(query->parameters.keyspace, "ks");
  EXPECT_EQ(query->parameters.now_seconds, 5);
  // Others have no place for them.
  const Bytes older = encode(Query{"q", parameters});
  EXPECT_EQ(older, encode(Query{"q", {}}));
}

TEST(QueryParameters, UnknownFlagsOfVersion5) {
  for (const uint32_t flags : {0x200u, 0x1'0000u, 0x8000'0000u}) {
    core::Buffer body;
    append_long_string(body, "");
    body.append_u16(1);
    body.append_i32(static_cast<int32_t>(flags));
    const auto query = Query::decode_body(Version::kV5, body.bytes());
    ASSERT_FALSE(query);
    EXPECT_THAT(query.error().message, HasSubstr("unknown flags 0x"));
  }
}

TEST(Prepare, KeyspaceOfVersion5) {
  const Prepare prepare{"q", "ks"};
  EXPECT_EQ(*Prepare::decode_body(Version::kV5, encode(prepare, Version::kV5)), prepare);
  EXPECT_EQ(encode(prepare), encode(Prepare{"q"}));
  const Bytes unknown = {0, 0, 0, 0, 0, 0, 0, 2};
  EXPECT_THAT(Prepare::decode_body(Version::kV5, unknown).error().message,
              HasSubstr("unknown flags 0x02"));
}

TEST(Execute, ResultMetadataIdOfVersion5) {
  const Execute execute{samples::kId, {}, samples::kMetadataId};
  const Bytes body = encode(execute, Version::kV5);
  const auto decoded = Execute::decode_body(Version::kV5, body);
  ASSERT_TRUE(decoded);
  EXPECT_EQ(to_bytes(decoded->id), samples::kId);
  EXPECT_EQ(to_bytes(decoded->result_metadata_id), samples::kMetadataId);
  EXPECT_EQ(encode(execute), encode(Execute{samples::kId, {}}));
}

TEST(Batch, FieldsOfVersion5) {
  Batch batch;
  batch.keyspace = "ks";
  batch.now_seconds = 7;
  const Bytes body = encode(batch, Version::kV5);
  const auto decoded = Batch::decode_body(Version::kV5, body);
  ASSERT_TRUE(decoded) << decoded.error().message;
  EXPECT_EQ(decoded->keyspace, "ks");
  EXPECT_EQ(decoded->now_seconds, 7);
  EXPECT_EQ(encode(batch), encode(Batch{}));
  const Bytes named = {0, 0, 0, 0, 1, 0, 0, 0, 0x40};
  EXPECT_THAT(Batch::decode_body(Version::kV5, named).error().message,
              HasSubstr("flags 0x40, which a batch cannot have"));
}

TEST(QueryParameters, PageSize) {
  EXPECT_THAT(query_error(kQueryFlagPageSize, {0, 0, 0, 0}), HasSubstr("page size 0"));
  const Bytes negative = {0, 0, 0, 0, 0, 1, kQueryFlagPageSize, 0xFF, 0xFF, 0xFF, 0xFF};
  const auto query = Query::decode_body(Version::kV4, negative);
  ASSERT_TRUE(query);
  EXPECT_FALSE(query->parameters.page_size);
}

TEST(QueryParameters, SerialConsistencyMustBeSerial) {
  EXPECT_THAT(query_error(kQueryFlagSerialConsistency, {0, 4}),
              HasSubstr("serial consistency QUORUM: it must be SERIAL or LOCAL_SERIAL"));
  EXPECT_EQ(query_error(kQueryFlagSerialConsistency, {0, 8}), "no error");
}

TEST(QueryParameters, TheLowestTimestampIsRefused) {
  EXPECT_THAT(query_error(kQueryFlagTimestamp, {0x80, 0, 0, 0, 0, 0, 0, 0}),
              HasSubstr("default timestamp"));
  EXPECT_EQ(query_error(kQueryFlagTimestamp, {0x80, 0, 0, 0, 0, 0, 0, 1}), "no error");
}

TEST(QueryParameters, NegativeLengthsByVersion) {
  const Bytes unset = {0, 1, 0xFF, 0xFF, 0xFF, 0xFE};
  const Bytes invalid = {0, 1, 0xFF, 0xFF, 0xFF, 0xFD};
  EXPECT_EQ(query_error(kQueryFlagValues, unset), "no error");
  EXPECT_THAT(query_error(kQueryFlagValues, invalid), HasSubstr("malformed QUERY"));
  EXPECT_EQ(query_error(kQueryFlagValues, invalid, Version::kV3), "no error");

  const Bytes body = {0, 0, 0, 0, 0, 1, kQueryFlagValues, 0, 1, 0xFF, 0xFF, 0xFF, 0xFE};
  EXPECT_EQ(Query::decode_body(Version::kV3, body)->parameters.values[0].kind, Value::Kind::kNull);
}

TEST(QueryParameters, CountOfValuesMustFit) {
  EXPECT_THAT(query_error(kQueryFlagValues, {0xFF, 0xFF, 0, 0, 0, 0}), HasSubstr("does not fit"));
  EXPECT_THAT(query_error(kQueryFlagValues | kQueryFlagNames, {0xFF, 0xFF, 0, 0, 0, 0, 0, 0}),
              HasSubstr("does not fit"));
}

TEST(QueryParametersDeathTest, BrokenRulesOfTheCaller) {
  core::Buffer out;
  QueryParameters parameters;
  parameters.page_size = 0;
  EXPECT_DEATH(parameters.encode(Version::kV4, out), "page size must be above 0");
  parameters = {};
  parameters.names = {"a"};
  EXPECT_DEATH(parameters.encode(Version::kV4, out), "a name for each value");
  EXPECT_DEATH(append_value(out, Version::kV3, Value::unset()), "need protocol v4");
}

TEST(Batch, SaysWhatItSaid) {
  Batch batch;
  batch.type = BatchType::kUnlogged;
  batch.statements = {{"INSERT", {Value::null()}}, {ByteView(samples::kId), {}}};
  batch.consistency = Consistency::kTwo;
  batch.serial_consistency = Consistency::kSerial;
  batch.default_timestamp_us = 9;
  const Bytes body = encode(batch);
  const auto decoded = Batch::decode_body(Version::kV4, body);
  ASSERT_TRUE(decoded) << decoded.error().message;
  EXPECT_EQ(decoded->type, BatchType::kUnlogged);
  ASSERT_EQ(decoded->statements.size(), 2);
  EXPECT_EQ(std::get<std::string_view>(decoded->statements[0].query_or_id), "INSERT");
  EXPECT_EQ(decoded->statements[0].values.size(), 1);
  EXPECT_EQ(to_bytes(std::get<ByteView>(decoded->statements[1].query_or_id)), samples::kId);
  EXPECT_EQ(decoded->consistency, Consistency::kTwo);
  EXPECT_EQ(decoded->serial_consistency, Consistency::kSerial);
  EXPECT_EQ(decoded->default_timestamp_us, 9);
}

std::string batch_error(const Bytes& body) {
  const auto batch = Batch::decode_body(Version::kV4, body);
  return batch ? "no error" : batch.error().message;
}

TEST(Batch, RefusesWhatItCannotHave) {
  EXPECT_EQ(batch_error({0, 0, 0, 0, 1, 0}), "no error");
  EXPECT_THAT(batch_error({3, 0, 0, 0, 1, 0}), HasSubstr("batch type 3"));
  for (const uint8_t flags : {0x01, 0x02, 0x04, 0x08, 0x40, 0x80}) {
    EXPECT_THAT(batch_error({0, 0, 0, 0, 1, flags}), HasSubstr("which a batch cannot have"));
  }
  EXPECT_THAT(batch_error({0, 0, 1, 2, 0, 0, 0, 0, 0, 0, 0, 1, 0}), HasSubstr("does not fit"));
  EXPECT_THAT(batch_error({0, 0xFF, 0xFF, 0, 1, 0}), HasSubstr("does not fit"));
  EXPECT_THAT(batch_error({0, 0, 0, 0, 1, kQueryFlagSerialConsistency, 0, 1}),
              HasSubstr("must be SERIAL"));
}

TEST(AuthResponse, PlainToken) {
  EXPECT_EQ(*plain_auth_response("u", "pw").token, (Bytes{0, 'u', 0, 'p', 'w'}));
  EXPECT_EQ(*plain_auth_response("", "").token, (Bytes{0, 0}));
}

TEST(Startup, SaysWhatItSaid) {
  const Startup startup{{{"CQL_VERSION", "3.0.0"}, {"COMPRESSION", "lz4"}}};
  EXPECT_EQ(*Startup::decode_body(Version::kV4, encode(startup)), startup);
}

}  // namespace
}  // namespace cqlperf::protocol

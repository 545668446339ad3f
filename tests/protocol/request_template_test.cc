#include "protocol/request_template.h"

#include <gtest/gtest.h>

#include "protocol/execute.h"
#include "protocol/query.h"
#include "protocol/values.h"
#include "samples.h"

namespace cqlperf::protocol {
namespace {

Bytes by_message(Version version, int16_t stream, const QueryParameters& parameters) {
  core::Buffer out;
  append_frame(out, version, stream, Execute{samples::kId, parameters, samples::kMetadataId});
  return to_bytes(out.bytes());
}

// A template with the options that `bits` choose, against the message with the same.
void expect_same_bytes(Version version, int bits) {
  QueryParameters parameters;
  parameters.values = {Value::of(samples::kInt7), Value::null()};
  if ((bits & 1) != 0) parameters.page_size = 100;
  if ((bits & 2) != 0) parameters.serial_consistency = Consistency::kLocalSerial;
  if ((bits & 4) != 0) parameters.consistency = Consistency::kQuorum;
  parameters.skip_metadata = (bits & 8) != 0;
  const RequestTemplate prepared(version, samples::kId, 2,
                                 {parameters.consistency, parameters.serial_consistency,
                                  parameters.page_size, parameters.skip_metadata},
                                 samples::kMetadataId);
  core::Buffer out;
  const size_t start = prepared.begin(out, -2);
  append_int(out, 7);
  append_null(out);
  prepared.finish(out, start);
  EXPECT_EQ(to_bytes(out.bytes()), by_message(version, -2, parameters)) << bits;
}

TEST(RequestTemplate, WritesWhatExecuteWrites) {
  for (int bits = 0; bits < 16; ++bits) {
    expect_same_bytes(Version::kV3, bits);
    expect_same_bytes(Version::kV4, bits);
    expect_same_bytes(Version::kV5, bits);
  }
}

TEST(RequestTemplate, WritesBehindOtherFrames) {
  const RequestTemplate prepared(Version::kV4, samples::kId, 1, {});
  core::Buffer out;
  append_frame(out, Version::kV4, 0, Options{});
  out.consume(kFrameHeaderSize - 1);  // partly sent: offsets count from data()
  for (const int16_t stream : {0, 255, 256, 32767}) {
    const size_t start = prepared.begin(out, stream);
    append_int(out, stream);
    prepared.finish(out, start);
  }
  out.consume(1);
  for (const int16_t stream : {0, 255, 256, 32767}) {
    const auto frame = next_frame(out.bytes(), Direction::kRequest);
    ASSERT_TRUE(frame && *frame);
    EXPECT_EQ((*frame)->header.stream, stream);
    const auto execute = Execute::decode_body(Version::kV4, (*frame)->body);
    ASSERT_TRUE(execute);
    EXPECT_EQ(*decode_int(execute->parameters.values[0].bytes), stream);
    out.consume((*frame)->size());
  }
  EXPECT_TRUE(out.empty());
}

TEST(RequestTemplate, PagesAsExecuteWritesThem) {
  const Bytes state = {1, 2, 3};
  for (const Version version : {Version::kV3, Version::kV4, Version::kV5}) {
    for (int bits = 0; bits < 8; ++bits) {
      QueryParameters parameters;
      parameters.values = {Value::of(samples::kInt7)};
      parameters.page_size = 5000;
      if ((bits & 1) != 0) parameters.paging_state = ByteView(state);
      if ((bits & 2) != 0) parameters.serial_consistency = Consistency::kSerial;
      parameters.skip_metadata = (bits & 4) != 0;
      const RequestTemplate prepared(version, samples::kId, 1,
                                     {.serial_consistency = parameters.serial_consistency,
                                      .skip_metadata = parameters.skip_metadata,
                                      .paged = true},
                                     samples::kMetadataId);
      core::Buffer out;
      // The second time: what one request had must not stay for the next.
      for (int i = 0; i < 2; ++i) {
        out.clear();
        const size_t start = prepared.begin(out, 3);
        append_int(out, 7);
        prepared.finish_page(out, start, 5000,
                             i == 0 || (bits & 1) != 0 ? ByteView(state) : ByteView());
      }
      EXPECT_EQ(to_bytes(out.bytes()), by_message(version, 3, parameters)) << bits;
    }
  }
}

TEST(RequestTemplate, BytesOutsideCountInTheLength) {
  const RequestTemplate prepared(Version::kV4, samples::kId, 1,
                                 {.serial_consistency = Consistency::kSerial});
  core::Buffer whole;
  size_t start = prepared.begin(whole, 3);
  append_blob(whole, as_bytes("abcdef"));
  prepared.finish(whole, start);
  core::Buffer head;
  start = prepared.begin(head, 3);
  head.append_i32(6);
  head.append("ab");
  const size_t place = head.size();
  prepared.finish(head, start, 4);
  Bytes sent = to_bytes(head.bytes());
  const ByteView outside = as_bytes("cdef");
  sent.insert(sent.begin() + static_cast<ptrdiff_t>(place), outside.begin(), outside.end());
  EXPECT_EQ(sent, to_bytes(whole.bytes()));
}

TEST(RequestTemplateDeathTest, PagesNeedATemplateForThem) {
  core::Buffer out;
  const RequestTemplate prepared(Version::kV4, samples::kId, 0, {});
  const size_t start = prepared.begin(out, 0);
  EXPECT_DEATH(prepared.finish_page(out, start, 1, {}), "not paged");
  EXPECT_DEATH(RequestTemplate(Version::kV4, samples::kId, 0, {.page_size = 1, .paged = true}),
               "their own page size");
}

Bytes by_query(Version version, std::string_view cql, const QueryParameters& parameters) {
  core::Buffer out;
  append_frame(out, version, 7, Query{cql, parameters});
  return to_bytes(out.bytes());
}

// The parameters of a QUERY that `bits` choose, and the settings that stand for them.
QueryParameters query_parameters(int bits, RequestTemplate::Settings& settings) {
  QueryParameters parameters;
  if ((bits & 1) != 0) parameters.page_size = settings.page_size = 100;
  if ((bits & 2) != 0)
    parameters.serial_consistency = settings.serial_consistency = Consistency::kSerial;
  if ((bits & 4) != 0) parameters.consistency = settings.consistency = Consistency::kAll;
  parameters.skip_metadata = settings.skip_metadata = (bits & 8) != 0;
  return parameters;
}

TEST(RequestTemplate, AQueryWithBoundValuesIsWhatQueryWrites) {
  for (const Version version : {Version::kV3, Version::kV4, Version::kV5})
    for (int bits = 0; bits < 32; ++bits) {
      RequestTemplate::Settings settings;
      QueryParameters parameters = query_parameters(bits, settings);
      const uint16_t values = (bits & 16) != 0 ? 2 : 0;
      if (values > 0) parameters.values = {Value::of(samples::kInt7), Value::null()};
      const auto request =
          RequestTemplate::for_query(version, "SELECT \"é\" FROM t", values, settings);
      EXPECT_EQ(request.value_count(), values);
      core::Buffer out;
      const size_t start = request.begin(out, 7);
      if (values > 0) {
        append_int(out, 7);
        append_null(out);
      }
      request.finish(out, start);
      EXPECT_EQ(to_bytes(out.bytes()), by_query(version, "SELECT \"é\" FROM t", parameters));
    }
}

TEST(RequestTemplate, TextsOfEachRequestAreWhatQueryWrites) {
  for (const Version version : {Version::kV3, Version::kV4, Version::kV5})
    for (int bits = 0; bits < 16; ++bits) {
      RequestTemplate::Settings settings;
      const QueryParameters parameters = query_parameters(bits, settings);
      const auto request = RequestTemplate::for_text(version, settings);
      core::Buffer out;
      append_frame(out, version, 0, Options{});
      out.consume(1);  // partly sent: offsets count from data()
      const size_t before = out.size();
      for (const std::string_view cql : {"", "a", "SELECT * FROM system.local"}) {
        const size_t start = request.begin(out, 7);
        out.append(cql);
        request.finish_text(out, start);
        EXPECT_EQ(to_bytes(out.bytes().subspan(start)), by_query(version, cql, parameters));
      }
      EXPECT_GT(out.size(), before);
    }
}

TEST(RequestTemplate, WithoutValues) {
  const RequestTemplate prepared(Version::kV4, samples::kId, 0, {});
  EXPECT_EQ(prepared.value_count(), 0);
  core::Buffer out;
  prepared.finish(out, prepared.begin(out, 9));
  EXPECT_EQ(to_bytes(out.bytes()), by_message(Version::kV4, 9, QueryParameters{}));
}

}  // namespace
}  // namespace cqlperf::protocol

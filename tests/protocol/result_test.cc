#include "protocol/result.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "samples.h"

namespace cqlperf::protocol {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Bytes encode(const ResultMessage& message, Version version = Version::kV4) {
  core::Buffer out;
  message.encode_body(version, out);
  return to_bytes(out.bytes());
}

core::Result<ResultMessage> decode(const Bytes& body) {
  return ResultMessage::decode_body(Version::kV4, body);
}

TEST(Result, KindsArePeeked) {
  samples::visit_results(Version::kV4, [](const char* name, const ResultMessage& message) {
    EXPECT_EQ(peek_result_kind(encode(message)), message.kind()) << name;
  });
  for (const Bytes& body : {Bytes{}, Bytes{0, 0, 0}, Bytes{0, 0, 0, 0}, Bytes{0, 0, 0, 6},
                            Bytes{1, 0, 0, 1}, Bytes{0, 0, 1, 1}}) {
    EXPECT_FALSE(peek_result_kind(body));
  }
}

TEST(Result, UnknownKindsAreErrors) {
  EXPECT_THAT(decode({0, 0, 0, 6}).error().message, HasSubstr("unknown kind 6"));
}

TEST(Result, PreparedSaysWhatItSaid) {
  Prepared prepared = samples::prepared_select();
  prepared.bind.partition_key_indexes = {1, 0};
  const Bytes body = encode({prepared});
  const auto message = decode(body);
  ASSERT_TRUE(message) << message.error().message;
  EXPECT_EQ(*message->as<Prepared>(), prepared);

  const Bytes older = encode({prepared}, Version::kV3);
  EXPECT_EQ(older.size(), body.size() - 8);  // no count and no two indexes
  prepared.bind.partition_key_indexes.clear();
  EXPECT_EQ(*ResultMessage::decode_body(Version::kV3, older)->as<Prepared>(), prepared);
}

TEST(Result, PreparedKeyIndexesMustBeBound) {
  Prepared prepared = samples::prepared_select();
  prepared.bind.partition_key_indexes = {2};
  EXPECT_THAT(decode(encode({prepared})).error().message, HasSubstr("beyond the 2 bind markers"));
}

TEST(Result, FlagsOfMetadataMustBeKnown) {
  EXPECT_THAT(decode({0, 0, 0, 2, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0}).error().message,
              HasSubstr("unknown flags 0x8"));
  EXPECT_THAT(decode({0, 0, 0, 4, 0, 0, 0x80, 0, 0, 2}).error().message,
              HasSubstr("unknown flags 0x80000002"));
}

TEST(Result, ChangedMetadataOfVersion5) {
  const core::Buffer body = samples::changed_rows();
  const auto rows = RowsView::decode(Version::kV5, body.bytes());
  ASSERT_TRUE(rows) << rows.error().message;
  EXPECT_EQ(rows->metadata().new_metadata_id, samples::kMetadataId);
  EXPECT_EQ(rows->metadata().columns[0].type, ColumnType::of(TypeId::kDuration));
  EXPECT_THAT(RowsView::decode(Version::kV4, body.bytes()).error().message,
              HasSubstr("unknown flags 0xb"));
  const Bytes both = {0, 0, 0, 2, 0, 0, 0, 0xC, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0};
  EXPECT_THAT(RowsView::decode(Version::kV5, both).error().message,
              HasSubstr("both No_metadata and Metadata_changed"));
  const Bytes none = {0, 0, 0, 2, 0, 0, 0, 8, 0, 0, 0, 0, 0, 1, 9, 0, 0, 0, 0};
  EXPECT_THAT(RowsView::decode(Version::kV5, none).error().message,
              HasSubstr("Metadata_changed without columns"));
}

TEST(Result, PreparedOfVersion5NamesItsMetadata) {
  Prepared prepared = samples::prepared_select();
  prepared.result_metadata_id = samples::kMetadataId;
  const Bytes body = encode({prepared}, Version::kV5);
  EXPECT_EQ(*ResultMessage::decode_body(Version::kV5, body)->as<Prepared>(), prepared);
  EXPECT_EQ(body.size(), encode({prepared}).size() + 2 + samples::kMetadataId.size());
}

TEST(Result, OneTableIsNamedOnce) {
  core::Buffer one, two;
  RowsMetadata metadata = RowsMetadata::of({samples::column("a", ColumnType::of(TypeId::kInt)),
                                            samples::column("b", ColumnType::of(TypeId::kInt))});
  metadata.encode(Version::kV4, one);
  EXPECT_EQ(one.bytes()[3], kMetadataGlobalSpec);
  metadata.columns[1].table = "u";
  metadata.encode(Version::kV4, two);
  EXPECT_EQ(two.bytes()[3], 0);
  EXPECT_EQ(two.size(), one.size() + 7);
}

TEST(Rows, AreWalkedInPlace) {
  core::Buffer out;
  const size_t start = begin_rows(out, Version::kV4, RowsMetadata{2, {}, {}, {}});
  for (int32_t i = 0; i < 3; ++i) {
    append_int(out, i);
    i == 1 ? append_null(out) : append_text(out, "row");
  }
  end_rows(out, start, 3);
  const auto rows = RowsView::decode(Version::kV4, out.bytes());
  ASSERT_TRUE(rows) << rows.error().message;
  EXPECT_EQ(rows->row_count(), 3);
  EXPECT_EQ(rows->column_count(), 2);
  EXPECT_FALSE(rows->has_more_pages());

  std::vector<std::string> seen;
  for (const RowView row : *rows) {
    for (const Cell cell : row) {
      seen.push_back(!cell               ? "null"
                     : cell->size() == 4 ? std::to_string(*decode_int(*cell))
                                         : std::string(decode_text(*cell)));
    }
    EXPECT_EQ(row.cell(1).has_value(), *decode_int(*row.cell(0)) != 1);
  }
  EXPECT_THAT(seen, ElementsAre("0", "row", "1", "null", "2", "row"));
}

TEST(Rows, ViewKeepsMetadata) {
  const core::Buffer body = samples::collection_rows(Version::kV4);
  const auto rows = RowsView::decode(Version::kV4, body.bytes());
  ASSERT_TRUE(rows);
  EXPECT_TRUE(rows->has_more_pages());
  EXPECT_EQ(rows->metadata().paging_state, samples::kPagingState);
  EXPECT_EQ(rows->metadata().columns[1].table, "other");
  EXPECT_EQ(rows->metadata().find("home"), 3);
  EXPECT_FALSE(rows->metadata().find("nowhere"));
}

// A Rows body without metadata: counts, then this content.
Bytes bare_body(uint8_t columns, Bytes rows_and_content) {
  const Bytes head = {0, 0, 0, 2, 0, 0, 0, 4, 0, 0, 0, columns};
  Bytes body(head.size() + rows_and_content.size());
  std::ranges::copy(rows_and_content, std::ranges::copy(head, body.begin()).out);
  return body;
}

TEST(Rows, CountsMustFit) {
  EXPECT_TRUE(decode(bare_body(1, {0, 0, 0, 1, 0, 0, 0, 0})));
  EXPECT_FALSE(decode(bare_body(1, {0, 0, 0, 2, 0, 0, 0, 0})));
  EXPECT_FALSE(decode(bare_body(1, {0x7F, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0})));
  EXPECT_FALSE(decode(bare_body(1, {0xFF, 0xFF, 0xFF, 0xFF})));
  EXPECT_FALSE(decode(bare_body(1, {0, 0, 0, 1, 0, 0, 0, 1})));
  // Rows of no columns would be many rows in no bytes.
  EXPECT_FALSE(decode(bare_body(0, {0x7F, 0xFF, 0xFF, 0xFF})));
  EXPECT_TRUE(decode(bare_body(0, {0, 0, 0, 0})));
  // Columns that the body cannot hold.
  EXPECT_FALSE(decode({0, 0, 0, 2, 0, 0, 0, 0, 0x7F, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0, 0, 0, 0}));
}

TEST(Rows, OwnedAreReadByName) {
  Rows rows;
  {
    const core::Buffer body = samples::scalar_rows(Version::kV4);
    rows = Rows(*RowsView::decode(Version::kV4, body.bytes()));
  }
  ASSERT_EQ(rows.size(), 2);
  EXPECT_EQ(rows.text(0, "text"), "h\u00e9llo");
  EXPECT_EQ(rows.text(0, "ascii"), "plain");
  EXPECT_EQ(rows.integer(0, "int"), -320'000);
  EXPECT_EQ(rows.bigint(0, "bigint"), -64'000'000'000);
  EXPECT_EQ(rows.bigint(0, "counter"), 42);
  EXPECT_EQ(rows.boolean(0, "boolean"), true);
  EXPECT_EQ(rows.uuid(0, "uuid"), samples::kUuid);
  EXPECT_EQ(rows.uuid(0, "timeuuid"), samples::kTimeuuid);
  EXPECT_EQ(rows.inet(0, "inet6"), samples::kIpv6);
  EXPECT_EQ(to_bytes(*rows.cell(0, "blob")), samples::kPagingState);
}

TEST(Rows, OwnedHaveNoValueForNullMissingOrOtherType) {
  const core::Buffer body = samples::scalar_rows(Version::kV4);
  const Rows rows(*RowsView::decode(Version::kV4, body.bytes()));
  EXPECT_FALSE(rows.text(1, "text"));
  EXPECT_FALSE(rows.uuid(1, "uuid"));
  EXPECT_FALSE(rows.cell(1, "int"));
  EXPECT_FALSE(rows.text(0, "nowhere"));
  EXPECT_FALSE(rows.text(0, "int"));
  EXPECT_FALSE(rows.integer(0, "bigint"));
  EXPECT_FALSE(rows.inet(0, "uuid"));
}

TEST(Rows, OwnedCollections) {
  const core::Buffer body = samples::collection_rows(Version::kV4);
  const Rows rows(*RowsView::decode(Version::kV4, body.bytes()));
  EXPECT_EQ(rows.size(), 1);
  EXPECT_EQ(rows.text_list(0, "tokens"), (StringList{"-1", "5"}));
  EXPECT_EQ(rows.text_map(0, "options"), (StringMap{{"a", "1"}, {"b", "2"}}));
  EXPECT_FALSE(rows.text_list(0, "options"));
}

TEST(Rows, OwnedMayBeEmpty) {
  EXPECT_TRUE(Rows().empty());
  const Bytes body = bare_body(3, {0, 0, 0, 0});
  const Rows rows(*RowsView::decode(Version::kV4, body));
  EXPECT_TRUE(rows.empty());
  EXPECT_EQ(rows.size(), 0);
}

TEST(SchemaChange, IsTheKeyspaceBelowVersion4) {
  const SchemaChange change{
      SchemaChangeType::kCreated, SchemaTarget::kFunction, "ks", "f", {"int"}};
  const Bytes body = encode({change}, Version::kV3);
  const SchemaChange expected{SchemaChangeType::kUpdated, SchemaTarget::kKeyspace, "ks", "", {}};
  EXPECT_EQ(*ResultMessage::decode_body(Version::kV3, body)->as<SchemaChange>(), expected);
}

std::string event_error(StringList texts) {
  core::Buffer out;
  for (const std::string& text : texts) append_string(out, text);
  const auto event = Event::decode_body(Version::kV4, out.bytes());
  return event ? "no error" : event.error().message;
}

TEST(Event, UnknownWordsAreErrors) {
  EXPECT_THAT(event_error({"SOME_CHANGE", "x"}), HasSubstr("unknown event type `SOME_CHANGE`"));
  EXPECT_THAT(event_error({"STATUS_CHANGE", "SIDEWAYS"}), HasSubstr("unknown change `SIDEWAYS`"));
  EXPECT_THAT(event_error({"TOPOLOGY_CHANGE", "UP"}), HasSubstr("unknown change `UP`"));
  EXPECT_THAT(event_error({"SCHEMA_CHANGE", "CREATED", "ROLE", "r"}),
              HasSubstr("unknown change `CREATED` of `ROLE`"));
}

TEST(Event, SaysWhatItSaid) {
  samples::visit_events(Version::kV4, [](const char* name, const Event& event) {
    core::Buffer out;
    event.encode_body(Version::kV4, out);
    EXPECT_EQ(*Event::decode_body(Version::kV4, out.bytes()), event) << name;
  });
}

}  // namespace
}  // namespace cqlperf::protocol

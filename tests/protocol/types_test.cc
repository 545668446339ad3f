#include "protocol/types.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "protocol/identifiers.h"
#include "samples.h"

namespace cqlperf::protocol {
namespace {

Bytes encode(const ColumnType& type, Version version) {
  core::Buffer out;
  type.encode(version, out);
  return to_bytes(out.bytes());
}

std::optional<ColumnType> decode(const Bytes& bytes, Version version = Version::kV4) {
  core::ByteReader in(bytes);
  ColumnType type = ColumnType::decode(version, in);
  return in.finished() ? std::optional(std::move(type)) : std::nullopt;
}

ColumnType nested_type() {
  return ColumnType::map_of(ColumnType::of(TypeId::kVarchar),
                            ColumnType::tuple_of({ColumnType::list_of(ColumnType::of(TypeId::kInt)),
                                                  ColumnType::set_of(samples::user_type())}));
}

std::vector<ColumnType> native_types() {
  std::vector<ColumnType> types;
  for (uint16_t id = 0x01; id <= 0x15; ++id) {
    if (id != 0x0A) types.push_back(ColumnType::of(static_cast<TypeId>(id)));
  }
  return types;
}

TEST(ColumnType, RoundTrips) {
  std::vector<ColumnType> types = native_types();
  types.push_back(nested_type());
  types.push_back(ColumnType::tuple_of({}));
  ColumnType custom = ColumnType::of(TypeId::kCustom);
  custom.custom_class = "org.apache.cassandra.db.marshal.VectorType(FloatType , 3)";
  types.push_back(custom);
  for (const Version version : {Version::kV3, Version::kV4}) {
    for (const ColumnType& type : types) {
      EXPECT_EQ(decode(encode(type, version), version), type) << type.cql_name();
    }
  }
}

TEST(ColumnType, TravelsAsItsClassWhereAVersionHasNoId) {
  const ColumnType date = ColumnType::of(TypeId::kDate);
  EXPECT_EQ(encode(date, Version::kV4), (Bytes{0x00, 0x11}));
  const Bytes wire = encode(date, Version::kV3);
  const std::string_view name = "org.apache.cassandra.db.marshal.SimpleDateType";
  EXPECT_EQ(wire.size(), 4 + name.size());
  EXPECT_EQ(std::string(wire.begin() + 4, wire.end()), name);
  EXPECT_EQ(encode(ColumnType::of(TypeId::kDuration), Version::kV4)[1], 0x00);
}

TEST(ColumnType, IsNamedAsInCql) {
  EXPECT_EQ(nested_type().cql_name(), "map<text, tuple<list<int>, set<ks.address>>>");
  std::vector<std::string> names;
  for (const ColumnType& type : native_types()) names.push_back(type.cql_name());
  EXPECT_THAT(names, testing::ElementsAre("ascii", "bigint", "blob", "boolean", "counter",
                                          "decimal", "double", "float", "int", "timestamp", "uuid",
                                          "text", "varint", "timeuuid", "inet", "date", "time",
                                          "smallint", "tinyint", "duration"));
  ColumnType custom = ColumnType::of(TypeId::kCustom);
  custom.custom_class = "a.B";
  EXPECT_EQ(custom.cql_name(), "'a.B'");
}

TEST(ColumnType, RefusesUnknownIdsAndTruncation) {
  for (const uint8_t id : {0x0A, 0x16, 0x23, 0x32}) EXPECT_FALSE(decode({0, id}));
  EXPECT_FALSE(decode({0x01, 0x01}));
  const Bytes wire = encode(nested_type(), Version::kV4);
  for (size_t size = 0; size < wire.size(); ++size) {
    EXPECT_FALSE(decode(Bytes(wire.begin(), wire.begin() + static_cast<ptrdiff_t>(size))));
  }
}

// List of list of ... of int, with so many lists.
Bytes nested_lists(int depth) {
  Bytes bytes;
  for (int i = 0; i < depth; ++i) bytes.insert(bytes.end(), {0x00, 0x20});
  bytes.insert(bytes.end(), {0x00, 0x09});
  return bytes;
}

TEST(ColumnType, RefusesDeepNesting) {
  EXPECT_TRUE(decode(nested_lists(kTypeDepthMax)));
  EXPECT_FALSE(decode(nested_lists(kTypeDepthMax + 1)));
  EXPECT_FALSE(decode(nested_lists(10'000)));
}

TEST(Identifier, IsQuotedWhenNeeded) {
  EXPECT_EQ(identifier_to_cql("standard1"), "standard1");
  EXPECT_EQ(identifier_to_cql("a_b2"), "a_b2");
  EXPECT_EQ(identifier_to_cql("MyKs"), "\"MyKs\"");
  EXPECT_EQ(identifier_to_cql("C0"), "\"C0\"");
  EXPECT_EQ(identifier_to_cql("2x"), "\"2x\"");
  EXPECT_EQ(identifier_to_cql("_x"), "\"_x\"");
  EXPECT_EQ(identifier_to_cql(""), "\"\"");
  EXPECT_EQ(identifier_to_cql("a\"b"), "\"a\"\"b\"");
  EXPECT_EQ(identifier_to_cql("default"), "\"default\"");
  EXPECT_EQ(identifier_to_cql("select"), "\"select\"");
  EXPECT_EQ(identifier_to_cql("key"), "key");
}

}  // namespace
}  // namespace cqlperf::protocol

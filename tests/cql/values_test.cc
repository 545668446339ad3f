#include "cql/values.h"

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "value_helpers.h"

namespace cqlperf::cql {
namespace {

using protocol::Bytes;
using protocol::ColumnType;
using protocol::TypeId;
using testing::HasSubstr;

TEST(Values, BoundBytesAreJudgedAsCassandraDoes) {
  expect_as_cassandra("bound_values.txt", [](const ColumnType& type, const std::string& bytes) {
    const Status status = check_value(type, from_hex(bytes), "v");
    return status ? bytes : to_code(status.error());
  });
}

TEST(Values, AreInCassandrasOrder) {
  for (const Vector& vector : read_vectors("order.txt")) {
    const ColumnType type = type_of(vector.type);
    std::istringstream words(vector.outcome + ' ' + vector.input);
    std::vector<Bytes> values;
    for (std::string word; words >> word;) values.push_back(from_hex(word));
    for (size_t i = 0; i < values.size(); ++i) {
      for (size_t j = 0; j < values.size(); ++j) {
        EXPECT_EQ(compare_values(type, values[i], values[j]), i <=> j)
            << vector.type << ' ' << to_hex(values[i]) << ' ' << to_hex(values[j]);
      }
    }
  }
}

TEST(Values, OfEqualWorthAreEqual) {
  const auto expect_equal = [](const char* type, const char* left, const char* right) {
    EXPECT_EQ(compare_values(type_of(type), from_hex(left), from_hex(right)),
              std::strong_ordering::equal)
        << type << ' ' << left << ' ' << right;
  };
  expect_equal("boolean", "01", "80");
  expect_equal("double", "7ff8000000000000", "fff8000000000001");
  expect_equal("float", "7fc00000", "ffc00001");
  expect_equal("varint", "01", "000001");
  expect_equal("varint", "ff", "ffffff");
  expect_equal("decimal", "0000000001", "000000010a");
  expect_equal("decimal", "0000000000", "7fffffff00");
  expect_equal("decimal", "fffffffeff", "00000000ff9c");
  expect_equal("counter", "0000000000000001", "0000000000000001");
  expect_equal("int", "-", "-");
}

TEST(Values, ErrorsNameLengthAndColumn) {
  const auto message = [](TypeId id, const char* bytes) {
    const Status status = check_value(ColumnType::of(id), from_hex(bytes), "price");
    return status ? std::string() : status.error().message;
  };
  EXPECT_EQ(message(TypeId::kInt, "00"), "Expected 4 or 0 byte int (1), for column price");
  EXPECT_EQ(message(TypeId::kCounter, "0000"), "Expected 8 or 0 byte long (2), for column price");
  EXPECT_EQ(message(TypeId::kVarchar, "ff"), "String didn't validate., for column price");
  EXPECT_EQ(message(TypeId::kAscii, "6180"), "Invalid byte for ascii: -128, for column price");
  EXPECT_THAT(message(TypeId::kDuration, "010202"), HasSubstr("differ in sign"));
  EXPECT_THAT(message(TypeId::kTimeuuid, "00000000000040008000000000000000"),
              HasSubstr("Invalid version for TimeUUID type: 0x4"));
}

// Wherever the eight bytes begin that are looked at together.
TEST(Values, TextIsCheckedAtEveryPlace) {
  const ColumnType text = ColumnType::of(TypeId::kVarchar);
  for (size_t before = 0; before < 20; ++before) {
    const std::string start(before, 'a');
    for (const char* good : {"\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\xc0\x80"}) {
      EXPECT_TRUE(check_value(text, protocol::as_bytes(start + good + "b"), "")) << before;
      const std::string cut = (start + good).substr(0, start.size() + strlen(good) - 1);
      EXPECT_FALSE(check_value(text, protocol::as_bytes(cut), "")) << before;
      EXPECT_FALSE(check_value(text, protocol::as_bytes(cut + "bcd"), "")) << before;
    }
    for (const char* bad : {"\xff", "\x80", "\xc1\xbf", "\xf8\x88\x80\x80\x80"}) {
      EXPECT_FALSE(check_value(text, protocol::as_bytes(start + bad + "bcdefghijk"), "")) << before;
    }
  }
}

TEST(Values, CollectionsAndCustomTypesAreNotScalar) {
  for (const char* name : {"ascii", "counter", "duration", "inet", "varint", "date"}) {
    EXPECT_TRUE(is_scalar(type_of(name))) << name;
  }
  ColumnType custom = ColumnType::of(TypeId::kCustom);
  custom.custom_class = "org.example.Type";
  for (const ColumnType& type :
       {custom, ColumnType::list_of(ColumnType::of(TypeId::kInt)), ColumnType::of(TypeId::kUdt)}) {
    EXPECT_FALSE(is_scalar(type));
    EXPECT_EQ(to_code(check_value(type, Bytes{0, 0, 0, 0}, "c").error()), "E2200");
  }
}

}  // namespace
}  // namespace cqlperf::cql

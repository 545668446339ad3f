#include "server/session_values.h"

#include <gtest/gtest.h>

namespace cqlperf::server {
namespace {

protocol::BindMetadata markers(const std::vector<std::string>& names) {
  protocol::BindMetadata bind;
  for (const std::string& name : names)
    bind.columns.push_back({"k", "t", name, protocol::ColumnType::of(protocol::TypeId::kInt)});
  return bind;
}

// The values' bytes as a text: one letter each.
std::string ordered(std::vector<std::string_view> names, std::string_view values,
                    const std::vector<std::string>& wanted) {
  protocol::QueryParameters parameters;
  parameters.names = std::move(names);
  for (const char& letter : values)
    parameters.values.push_back(protocol::Value::of(protocol::as_bytes({&letter, 1})));
  order_values(parameters, markers(wanted));
  std::string text;
  for (const protocol::Value& value : parameters.values) text += static_cast<char>(value.bytes[0]);
  return text;
}

TEST(SessionValues, NamedOnesGoWhereTheirMarkersAre) {
  EXPECT_EQ(ordered({"a", "b"}, "12", {"a", "b"}), "12");
  EXPECT_EQ(ordered({"b", "a"}, "12", {"a", "b"}), "21");
}

TEST(SessionValues, OneNameMayStandForManyMarkers) {
  EXPECT_EQ(ordered({"a", "b"}, "12", {"a", "b", "a"}), "121");
}

TEST(SessionValues, ThereAreTooFewWhenANameIsMissing) {
  EXPECT_EQ(ordered({"a", "c"}, "12", {"a", "b"}), "1");
}

TEST(SessionValues, WithoutNamesTheyStayAsTheyAre) { EXPECT_EQ(ordered({}, "123", {"a"}), "123"); }

}  // namespace
}  // namespace cqlperf::server

#include "server/key_values.h"

#include <gmock/gmock.h>

#include "storage/token.h"
#include "write_fixture.h"

namespace cqlperf::server {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class KeyValuesTest : public WriteFixture {
 protected:
  // Binds and evaluates the WHERE of `SELECT * FROM table WHERE …`, which has no markers.
  void evaluate(const std::string& name, const std::string& where) {
    auto parsed = cql::parse_statement("SELECT * FROM " + name + " WHERE " + where).value();
    const auto& select = std::get<cql::Select>(parsed.statement);
    cql::MarkerSpecs markers(parsed.markers);
    const auto split = split_where(table(name), select.where).value();
    others_ = split.others.size();
    partition_ = PartitionKeyRestrictions::bind(table(name), split.partition_key, markers).value();
    clustering_ = ClusteringRestrictions::bind(table(name), split.clustering, markers).value();
    cql::Arena arena;
    const cql::Evaluation evaluation{{}, kNow_us, &arena};
    if (partition_.missing().empty()) {
      ASSERT_TRUE(partition_.evaluate(evaluation, keys_));
    }
    ASSERT_TRUE(clustering_.evaluate(evaluation, ranges_));
  }
  // The key of the row of `ck` or its start.
  protocol::Bytes encoded(const std::string& name, const std::vector<int32_t>& values) {
    const auto columns = clustering_columns(table(name));
    core::Buffer out;
    for (size_t index = 0; index < values.size(); ++index) {
      core::Buffer value;
      value.append_i32(values[index]);
      storage::append_clustering_value(out, columns[index], value.bytes());
    }
    return protocol::to_bytes(out.bytes());
  }
  protocol::Bytes after(const std::string& name, const std::vector<int32_t>& values) {
    core::Buffer out;
    out.append(protocol::ByteView(encoded(name, values)));
    EXPECT_TRUE(storage::increment_prefix(out, 0));
    return protocol::to_bytes(out.bytes());
  }

  size_t others_ = 0;
  PartitionKeyRestrictions partition_;
  ClusteringRestrictions clustering_;
  std::vector<PartitionKey> keys_;
  std::vector<ClusteringRange> ranges_;
};

TEST_F(KeyValuesTest, KeysComeOnceInTheOrderOfTokens) {
  evaluate("kv", "k IN (1,2,3,4,2,1)");
  ASSERT_THAT(keys_, SizeIs(4));
  for (size_t index = 1; index < keys_.size(); ++index) {
    EXPECT_LT(keys_[index - 1].token, keys_[index].token);
  }
  for (const PartitionKey& key : keys_) EXPECT_EQ(key.token, storage::token_of(key.routing));
  EXPECT_FALSE(partition_.is_single());
  evaluate("kv", "k IN ()");
  EXPECT_THAT(keys_, IsEmpty());
}

TEST_F(KeyValuesTest, KeysOfTwoColumnsHaveParts) {
  evaluate("ck", "b = 2 AND a = 1");
  ASSERT_THAT(keys_, SizeIs(1));
  EXPECT_EQ(keys_[0].routing, (protocol::Bytes{0, 4, 0, 0, 0, 1, 0, 0, 4, 0, 0, 0, 2, 0}));
  const auto parts = split_routing_key(keys_[0].routing, 2);
  ASSERT_THAT(parts, SizeIs(2));
  EXPECT_EQ(protocol::decode_int(parts[1]).value(), 2);
  EXPECT_TRUE(partition_.is_single());
  EXPECT_THAT(partition_.single_terms(), SizeIs(2));
}

TEST_F(KeyValuesTest, SaysWhatIsMissing) {
  evaluate("ck", "b = 2 AND c = 1 AND v = 3");
  EXPECT_EQ(partition_.missing(), "a");
  EXPECT_EQ(clustering_.missing(), "d");
  EXPECT_EQ(clustering_.chosen_columns(), 1u);
  EXPECT_FALSE(clustering_.selects_rows());
  EXPECT_EQ(others_, 1u);
}

TEST_F(KeyValuesTest, TablesWithoutClusteringHaveOneRow) {
  evaluate("kv", "k = 1");
  EXPECT_TRUE(clustering_.selects_rows());
  EXPECT_THAT(ranges_, ElementsAre(ClusteringRange{{}, {}, true}));
}

TEST_F(KeyValuesTest, WithoutRestrictionsAllRows) {
  evaluate("ck", "a = 1 AND b = 2");
  EXPECT_TRUE(clustering_.empty());
  EXPECT_THAT(ranges_, ElementsAre(ClusteringRange{}));
}

TEST_F(KeyValuesTest, RowsComeOnceInTheOrderOfKeys) {
  evaluate("ck", "a = 1 AND b = 2 AND (c, d) IN ((3,4), (1,2), (3,4))");
  EXPECT_THAT(ranges_, ElementsAre(ClusteringRange{encoded("ck", {1, 2}), {}, true},
                                   ClusteringRange{encoded("ck", {3, 4}), {}, true}));
  evaluate("rev", "k = 1 AND c IN (1,2) AND d = 3");
  EXPECT_THAT(ranges_, ElementsAre(ClusteringRange{encoded("rev", {2, 3}), {}, true},
                                   ClusteringRange{encoded("rev", {1, 3}), {}, true}));
}

TEST_F(KeyValuesTest, SlicesAreRanges) {
  evaluate("ck", "a = 1 AND b = 2 AND c > 1 AND c <= 3");
  EXPECT_THAT(ranges_, ElementsAre(ClusteringRange{after("ck", {1}), after("ck", {3}), false}));
  evaluate("ck", "a = 1 AND b = 2 AND c >= 1");
  EXPECT_THAT(ranges_, ElementsAre(ClusteringRange{encoded("ck", {1}), {}, false}));
  evaluate("ck", "a = 1 AND b = 2 AND c = 1 AND d < 5");
  EXPECT_THAT(ranges_,
              ElementsAre(ClusteringRange{encoded("ck", {1}), encoded("ck", {1, 5}), false}));
  evaluate("ck", "a = 1 AND b = 2 AND (c, d) > (1, 2) AND (c) < (4)");
  EXPECT_THAT(ranges_,
              ElementsAre(ClusteringRange{after("ck", {1, 2}), encoded("ck", {4}), false}));
  evaluate("ck", "a = 1 AND b = 2 AND c > 3 AND c < 2");
  EXPECT_THAT(ranges_, IsEmpty());
}

TEST_F(KeyValuesTest, SlicesOfMixedOrdersAreSeveralRanges) {
  // The rows are ordered by c descending, then d ascending.
  evaluate("rev", "k = 1 AND (c, d) > (2, 2)");
  EXPECT_THAT(ranges_,
              ElementsAre(ClusteringRange{{}, encoded("rev", {2}), false},
                          ClusteringRange{after("rev", {2, 2}), after("rev", {2}), false}));
  evaluate("rev", "k = 1 AND (c, d) > (2, 2) AND (c, d) < (3, 1)");
  EXPECT_THAT(ranges_,
              ElementsAre(ClusteringRange{encoded("rev", {3}), encoded("rev", {3, 1}), false},
                          ClusteringRange{after("rev", {2, 2}), after("rev", {2}), false}));
}

}  // namespace
}  // namespace cqlperf::server

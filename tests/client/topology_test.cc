#include "client/topology.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "system_tables.h"

namespace cqlperf::client {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// The table as it comes over the wire.
protocol::Rows over_the_wire(const Table& table) {
  core::Buffer body;
  const size_t start = protocol::begin_rows(body, protocol::kVersionMax, table.metadata);
  for (const auto& row : table.rows)
    for (const auto& cell : row) protocol::append_bytes(body, cell);
  protocol::end_rows(body, start, static_cast<int32_t>(table.rows.size()));
  const auto view = protocol::RowsView::decode(protocol::kVersionMax, body.bytes());
  EXPECT_TRUE(view) << view.error().message;
  return protocol::Rows(*view);
}

net::SocketAddress address(const char* host) {
  return *net::SocketAddress::from_numeric(host, 9042);
}

Topology topology_of(const Table& peers) {
  const auto topology =
      make_topology(address("127.0.0.1"), over_the_wire(local_table(1)), over_the_wire(peers));
  EXPECT_TRUE(topology) << topology.error().message;
  return *topology;
}

std::vector<std::string> addresses_of(const Topology& topology) {
  std::vector<std::string> addresses;
  for (const NodeInfo& node : topology.nodes) addresses.push_back(node.address.to_string());
  return addresses;
}

TEST(Topology, ALoneNodeIsTheWholeCluster) {
  const Topology topology = topology_of(peers_table({}));
  EXPECT_EQ(topology.cluster_name, "Test Cluster");
  EXPECT_EQ(topology.release_version, "5.0.8");
  EXPECT_EQ(topology.partitioner, "org.apache.cassandra.dht.Murmur3Partitioner");
  ASSERT_EQ(topology.nodes.size(), 1u);
  EXPECT_EQ(topology.nodes[0].address, address("127.0.0.1"));
  EXPECT_EQ(topology.nodes[0].data_center, "dc1");
  EXPECT_EQ(topology.nodes[0].rack, "r1");
  EXPECT_EQ(topology.nodes[0].host_id, "00000000-0000-0000-0000-000000000064");
  EXPECT_TRUE(topology.skipped.empty());
}

TEST(Topology, PeersWithoutAPortHaveThePortOfTheOneThatWasAsked) {
  const Topology topology = topology_of(peers_table(
      {{inet_cell("10.0.0.2"), inet_cell("10.1.0.2")}, {inet_cell("::2"), inet_cell("fd00::2")}}));
  EXPECT_THAT(addresses_of(topology),
              ElementsAre("127.0.0.1:9042", "10.1.0.2:9042", "[fd00::2]:9042"));
}

TEST(Topology, PeersV2HaveTheirOwnPort) {
  const std::vector<PeerRow> rows{{inet_cell("10.0.0.2"), inet_cell("10.1.0.2")}};
  EXPECT_THAT(addresses_of(topology_of(peers_v2_table(rows, port_cell(9999)))),
              ElementsAre("127.0.0.1:9042", "10.1.0.2:9999"));
  EXPECT_THAT(addresses_of(topology_of(peers_v2_table(rows, std::nullopt))),
              ElementsAre("127.0.0.1:9042", "10.1.0.2:9042"));
}

TEST(Topology, APeerThatListensEverywhereIsReachedByItsPeerAddress) {
  const Topology topology = topology_of(peers_table(
      {{inet_cell("10.0.0.2"), inet_cell("0.0.0.0")}, {inet_cell("fd00::2"), inet_cell("::")}}));
  EXPECT_THAT(addresses_of(topology),
              ElementsAre("127.0.0.1:9042", "10.0.0.2:9042", "[fd00::2]:9042"));
}

TEST(Topology, PartialRowsAreSkippedWithTheReason) {
  PeerRow no_address{inet_cell("10.0.0.2"), std::nullopt};
  PeerRow no_id{inet_cell("10.0.0.3"), inet_cell("10.0.0.3")};
  no_id.host_id.reset();
  PeerRow no_dc{inet_cell("10.0.0.4"), inet_cell("10.0.0.4")};
  no_dc.data_center.reset();
  PeerRow nothing{std::nullopt, std::nullopt};
  nothing.host_id.reset();
  nothing.data_center.reset();
  const PeerRow whole{inet_cell("10.0.0.5"), inet_cell("10.0.0.5")};
  const Topology topology = topology_of(peers_table({no_address, no_id, no_dc, nothing, whole}));
  EXPECT_THAT(addresses_of(topology), ElementsAre("127.0.0.1:9042", "10.0.0.5:9042"));
  ASSERT_EQ(topology.skipped.size(), 4u);
  EXPECT_THAT(topology.skipped[0], testing::AllOf(HasSubstr("10.0.0.2"), HasSubstr("rpc_address")));
  EXPECT_THAT(topology.skipped[1], testing::AllOf(HasSubstr("10.0.0.3"), HasSubstr("host_id")));
  EXPECT_THAT(topology.skipped[2], testing::AllOf(HasSubstr("10.0.0.4"), HasSubstr("data_center")));
  EXPECT_THAT(topology.skipped[3], HasSubstr("rpc_address, host_id, data_center"));
}

TEST(Topology, APeerRowOfTheServerItselfIsNoSecondNode) {
  const Topology topology =
      topology_of(peers_table({{inet_cell("127.0.0.1"), inet_cell("127.0.0.1")}}));
  EXPECT_EQ(topology.nodes.size(), 1u);
  EXPECT_TRUE(topology.skipped.empty());
}

TEST(Topology, WithoutALocalRowThereIsNone) {
  Table empty = local_table(1);
  empty.rows.clear();
  const auto topology =
      make_topology(address("127.0.0.1"), over_the_wire(empty), over_the_wire(peers_table({})));
  ASSERT_FALSE(topology);
  EXPECT_THAT(topology.error().message, HasSubstr("system.local"));
}

TEST(Topology, NodesAreGroupedByTheirSchema) {
  PeerRow other{inet_cell("10.0.0.3"), inet_cell("10.0.0.3")};
  other.schema = uuid_cell(2);
  PeerRow none{inet_cell("10.0.0.4"), inet_cell("10.0.0.4")};
  none.schema.reset();
  const Topology topology =
      topology_of(peers_table({{inet_cell("10.0.0.2"), inet_cell("10.0.0.2")}, other, none}));
  const auto groups = group_by_schema(topology.nodes);
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups.at("00000000-0000-0000-0000-000000000001").size(), 2u);
  EXPECT_EQ(groups.at("00000000-0000-0000-0000-000000000002")[0]->address, address("10.0.0.3"));
}

}  // namespace
}  // namespace cqlperf::client

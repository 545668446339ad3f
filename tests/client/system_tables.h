#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/inet.h"
#include "protocol/metadata.h"
#include "protocol/strings.h"
#include "protocol/uuid.h"
#include "scripted_server.h"

// Rows of system.local, system.peers and system.peers_v2 as servers send them.

namespace cqlperf::client {

using RowCell = std::optional<protocol::Bytes>;

struct Table {
  protocol::RowsMetadata metadata;
  std::vector<std::vector<RowCell>> rows;

  Action action() const { return act::rows(metadata, rows); }
};

inline RowCell text_cell(std::string_view text) {
  return protocol::to_bytes(protocol::as_bytes(text));
}
inline RowCell inet_cell(std::string_view address) {
  return protocol::to_bytes(protocol::parse_inet_address(address)->view());
}
// A UUID that ends in `number`.
inline RowCell uuid_cell(uint8_t number) {
  protocol::Uuid uuid;
  uuid.bytes[15] = number;
  return protocol::to_bytes(uuid.bytes);
}
inline RowCell port_cell(uint16_t port) {
  return protocol::Bytes{0, 0, static_cast<uint8_t>(port >> 8), static_cast<uint8_t>(port)};
}

inline protocol::RowsMetadata columns(
    std::string_view table, const std::vector<std::pair<std::string, protocol::TypeId>>& list) {
  std::vector<protocol::ColumnSpec> specs;
  for (const auto& [name, type] : list)
    specs.push_back({"system", std::string(table), name, protocol::ColumnType::of(type)});
  return protocol::RowsMetadata::of(std::move(specs));
}

inline Table local_table(uint8_t schema) {
  using enum protocol::TypeId;
  return {columns("local", {{"cluster_name", kVarchar},
                            {"release_version", kVarchar},
                            {"partitioner", kVarchar},
                            {"data_center", kVarchar},
                            {"rack", kVarchar},
                            {"host_id", kUuid},
                            {"schema_version", kUuid}}),
          {{text_cell("Test Cluster"), text_cell("5.0.8"),
            text_cell("org.apache.cassandra.dht.Murmur3Partitioner"), text_cell("dc1"),
            text_cell("r1"), uuid_cell(100), uuid_cell(schema)}}};
}

struct PeerRow {
  RowCell peer;
  RowCell address;
  RowCell data_center = text_cell("dc1");
  RowCell host_id = uuid_cell(101);
  RowCell schema = uuid_cell(1);
};

inline Table peers_table(const std::vector<PeerRow>& peers) {
  using enum protocol::TypeId;
  Table table{columns("peers", {{"peer", kInet},
                                {"rpc_address", kInet},
                                {"data_center", kVarchar},
                                {"rack", kVarchar},
                                {"host_id", kUuid},
                                {"release_version", kVarchar},
                                {"schema_version", kUuid}}),
              {}};
  for (const PeerRow& row : peers)
    table.rows.push_back({row.peer, row.address, row.data_center, text_cell("r1"), row.host_id,
                          text_cell("5.0.8"), row.schema});
  return table;
}

inline Table peers_v2_table(const std::vector<PeerRow>& peers, RowCell port) {
  using enum protocol::TypeId;
  Table table = peers_table(peers);
  table.metadata = columns("peers_v2", {{"peer", kInet},
                                        {"native_address", kInet},
                                        {"data_center", kVarchar},
                                        {"rack", kVarchar},
                                        {"host_id", kUuid},
                                        {"release_version", kVarchar},
                                        {"schema_version", kUuid},
                                        {"native_port", kInt}});
  for (auto& row : table.rows) row.push_back(port);
  return table;
}

}  // namespace cqlperf::client

#include "protocol/event.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

namespace cqlperf::protocol {
namespace {

constexpr std::string_view kName = "EVENT";
constexpr std::string_view kTopology = "TOPOLOGY_CHANGE";
constexpr std::string_view kStatus = "STATUS_CHANGE";
constexpr std::string_view kSchema = "SCHEMA_CHANGE";
// In the order of TopologyChange::Change.
constexpr std::string_view kTopologyChanges[] = {"NEW_NODE", "REMOVED_NODE", "MOVED_NODE"};

struct EventEncoder {
  Version version;
  core::Buffer& out;

  void operator()(const TopologyChange& event) const {
    append_string(out, kTopology);
    append_string(out, kTopologyChanges[static_cast<size_t>(event.change)]);
    append_inet(out, event.node);
  }
  void operator()(const StatusChange& event) const {
    append_string(out, kStatus);
    append_string(out, event.is_up ? "UP" : "DOWN");
    append_inet(out, event.node);
  }
  void operator()(const SchemaChange& event) const {
    append_string(out, kSchema);
    event.encode(version, out);
  }
};

std::unexpected<core::Error> unknown_change(std::string_view type, std::string_view change) {
  return malformed(kName, fmt::format("{} with unknown change `{}`", type, change));
}

core::Result<Event> read_topology_change(core::ByteReader& in) {
  const std::string_view change = read_string(in);
  const auto* found = std::ranges::find(kTopologyChanges, change);
  if (in.ok() && found == std::end(kTopologyChanges)) return unknown_change(kTopology, change);
  const auto index = static_cast<TopologyChange::Change>(found - kTopologyChanges);
  return Event{TopologyChange{index, read_inet(in)}};
}

core::Result<Event> read_status_change(core::ByteReader& in) {
  const std::string_view change = read_string(in);
  if (in.ok() && change != "UP" && change != "DOWN") return unknown_change(kStatus, change);
  return Event{StatusChange{change == "UP", read_inet(in)}};
}

core::Result<Event> read_schema_event(Version version, core::ByteReader& in) {
  auto change = SchemaChange::decode(version, in);
  if (!change) return std::unexpected(std::move(change.error()));
  return Event{std::move(*change)};
}

core::Result<Event> read_event(Version version, core::ByteReader& in) {
  const std::string_view type = read_string(in);
  if (type == kTopology) return read_topology_change(in);
  if (type == kStatus) return read_status_change(in);
  if (type == kSchema) return read_schema_event(version, in);
  if (!in.ok()) return Event{};
  return malformed(kName, fmt::format("unknown event type `{}`", type));
}

}  // namespace

void Event::encode_body(Version version, core::Buffer& out) const {
  std::visit(EventEncoder{version, out}, event);
}

core::Result<Event> Event::decode_body(Version version, ByteView body) {
  core::ByteReader in(body);
  auto event = read_event(version, in);
  if (!event) return event;
  return finish_body(kName, in, std::move(*event));
}

}  // namespace cqlperf::protocol

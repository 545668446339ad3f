#pragma once

#include <variant>

#include "core/buffer.h"
#include "core/result.h"
#include "protocol/frame.h"
#include "protocol/schema_change.h"
#include "protocol/strings.h"

namespace cqlperf::protocol {

struct TopologyChange {
  enum class Change : uint8_t { kNewNode, kRemovedNode, kMovedNode };

  Change change = Change::kNewNode;
  InetEndpoint node;

  bool operator==(const TopologyChange&) const = default;
};

struct StatusChange {
  bool is_up = false;
  InetEndpoint node;

  bool operator==(const StatusChange&) const = default;
};

// EVENT (section 4.2.6): sent by the server on stream kEventStream to clients that asked with
// REGISTER. A type other than these three is an error; a client that wants none ignores the opcode.
struct Event {
  static constexpr Opcode kOpcode = Opcode::kEvent;

  std::variant<TopologyChange, StatusChange, SchemaChange> event;

  void encode_body(Version version, core::Buffer& out) const;
  static core::Result<Event> decode_body(Version version, ByteView body);
  bool operator==(const Event&) const = default;
};

}  // namespace cqlperf::protocol

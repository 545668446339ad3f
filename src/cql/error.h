#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <utility>

#include "protocol/error.h"

namespace cqlperf::cql {

// A place in a CQL text, as Cassandra counts it: lines from 1, characters of the line from 0.
struct Position {
  uint32_t line = 1;
  uint32_t column = 0;

  // `line 1:8`.
  std::string to_string() const;
  bool operator==(const Position&) const = default;
};

// What this room and the server answer: a value, or the ERROR message that goes to the client.
template <class T>
using Result = std::expected<T, protocol::ErrorMessage>;
using Status = Result<void>;

[[nodiscard]] inline std::unexpected<protocol::ErrorMessage> fail(protocol::ErrorCode code,
                                                                  std::string message) {
  return std::unexpected(protocol::ErrorMessage::of(code, std::move(message)));
}
// 0x2000 with the place: `line 1:8 no viable alternative at input 'FORM'`.
[[nodiscard]] std::unexpected<protocol::ErrorMessage> syntax_error(Position position,
                                                                   std::string message);
// 0x2200.
[[nodiscard]] inline std::unexpected<protocol::ErrorMessage> invalid(std::string message) {
  return fail(protocol::ErrorCode::kInvalid, std::move(message));
}
// 0x2200 for CQL that Cassandra has and this server has not, with the place.
[[nodiscard]] std::unexpected<protocol::ErrorMessage> unsupported(Position position,
                                                                  std::string what);

}  // namespace cqlperf::cql

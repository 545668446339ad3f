#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/result.h"

namespace cqlperf::protocol {

// An IPv4 or IPv6 address, without a port. The unspecified IPv4 address by default.
struct InetAddress {
  std::array<uint8_t, 16> bytes{};  // the first `size` count, in network order
  uint8_t size = 4;                 // 4 or 16

  std::span<const uint8_t> view() const { return {bytes.data(), size}; }
  // `127.0.0.1`, `::1`.
  std::string to_string() const;

  bool operator==(const InetAddress&) const = default;
};

// An [inet] of the protocol: an address and a port.
struct InetEndpoint {
  InetAddress address;
  int32_t port = 0;

  // `127.0.0.1:9042`, `[::1]:9042`.
  std::string to_string() const;

  bool operator==(const InetEndpoint&) const = default;
};

// Reads a numeric address; names and ports are errors.
core::Result<InetAddress> parse_inet_address(std::string_view text);

}  // namespace cqlperf::protocol

#include "protocol/inet.h"

#include <arpa/inet.h>
#include <fmt/format.h>

namespace cqlperf::protocol {

std::string InetAddress::to_string() const {
  char text[INET6_ADDRSTRLEN] = {};
  inet_ntop(size == 4 ? AF_INET : AF_INET6, bytes.data(), text, sizeof text);
  return text;
}

std::string InetEndpoint::to_string() const {
  return address.size == 4 ? fmt::format("{}:{}", address.to_string(), port)
                           : fmt::format("[{}]:{}", address.to_string(), port);
}

core::Result<InetAddress> parse_inet_address(std::string_view text) {
  const std::string terminated(text);
  InetAddress address;
  if (inet_pton(AF_INET, terminated.c_str(), address.bytes.data()) == 1) return address;
  address.size = 16;
  if (inet_pton(AF_INET6, terminated.c_str(), address.bytes.data()) == 1) return address;
  return core::fail(core::ErrorCode::kUsage,
                    fmt::format("`{}` is not an IP address: write it like 127.0.0.1 or ::1", text));
}

}  // namespace cqlperf::protocol

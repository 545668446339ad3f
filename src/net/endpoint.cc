#include "net/endpoint.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>

#include "core/check.h"
#include "core/interrupt.h"

namespace cqlperf::net {

namespace {

using core::ErrorCode;
using core::Result;

constexpr std::string_view kExample = "give host, host:port, or [address]:port for IPv6";

std::unexpected<core::Error> bad_endpoint(std::string_view text, std::string_view why) {
  return core::fail(ErrorCode::kUsage, fmt::format("`{}` {}; {}", text, why, kExample));
}

std::string_view trim(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

bool is_host_character(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' ||
         c == '-' || c == '_';
}

bool is_ipv6(std::string_view host) {
  const auto address = SocketAddress::from_numeric(std::string(host), 0);
  return address && address->family() == AF_INET6;
}

Result<uint16_t> parse_port(std::string_view whole, std::string_view text) {
  unsigned port = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, port);
  if (error != std::errc() || stop != end || port < 1 || port > 65535)
    return bad_endpoint(whole, fmt::format("has the port `{}`, which is not in 1-65535", text));
  return static_cast<uint16_t>(port);
}

Result<Endpoint> make_endpoint(std::string_view whole, std::string_view host,
                               std::optional<std::string_view> port_text, uint16_t default_port) {
  if (host.empty()) return bad_endpoint(whole, "names no host");
  if (!port_text) return Endpoint{std::string(host), default_port};
  const auto port = parse_port(whole, *port_text);
  if (!port) return std::unexpected(port.error());
  return Endpoint{std::string(host), *port};
}

Result<Endpoint> parse_bracketed(std::string_view text, uint16_t default_port) {
  const size_t close = text.find(']');
  if (close == std::string_view::npos) return bad_endpoint(text, "has no closing bracket");
  const std::string_view host = text.substr(1, close - 1);
  if (!is_ipv6(host)) return bad_endpoint(text, "has no IPv6 address in its brackets");
  const std::string_view rest = text.substr(close + 1);
  if (rest.empty()) return make_endpoint(text, host, std::nullopt, default_port);
  if (rest.front() != ':') return bad_endpoint(text, "has something else than a port after `]`");
  return make_endpoint(text, host, rest.substr(1), default_port);
}

// What a name look-up in a thread of its own shares with the one who waits for it; whoever is last
// frees it.
struct Lookup {
  std::mutex mutex;
  std::condition_variable finished;
  bool done = false;
  int error = 0;
  std::vector<SocketAddress> addresses;
};

void look_up(Lookup& lookup, const Endpoint& endpoint) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* list = nullptr;
  const int error = getaddrinfo(endpoint.host.c_str(), nullptr, &hints, &list);
  const std::lock_guard lock(lookup.mutex);
  lookup.error = error;
  for (const addrinfo* at = list; error == 0 && at != nullptr; at = at->ai_next)
    lookup.addresses.push_back(SocketAddress(at->ai_addr, at->ai_addrlen).with_port(endpoint.port));
  if (error == 0) freeaddrinfo(list);
  lookup.done = true;
  lookup.finished.notify_one();
}

Result<std::vector<SocketAddress>> take_addresses(Lookup& lookup, const Endpoint& endpoint) {
  if (lookup.error != 0)
    return core::fail(ErrorCode::kConnect, fmt::format("cannot resolve `{}`: {}", endpoint.host,
                                                       gai_strerror(lookup.error)));
  return std::move(lookup.addresses);
}

Result<std::vector<SocketAddress>> await(Lookup& lookup, const Endpoint& endpoint,
                                         int64_t deadline_ns) {
  std::unique_lock lock(lookup.mutex);
  while (!lookup.done) {
    const int64_t left_ns = deadline_ns - core::steady_clock().now_ns();
    if (core::interrupted()) return core::fail(ErrorCode::kInterrupted, "interrupted");
    if (left_ns <= 0)
      return core::fail(ErrorCode::kTimeout,
                        fmt::format("no answer to the look-up of `{}` in time", endpoint.host));
    const auto slice = std::min(left_ns, 100 * core::kNanosPerMilli);
    lookup.finished.wait_for(lock, std::chrono::nanoseconds(slice));
  }
  return take_addresses(lookup, endpoint);
}

// getaddrinfo() cannot be given a deadline, so it gets a thread that may be left behind.
std::shared_ptr<Lookup> start_lookup(const Endpoint& endpoint) {
  auto lookup = std::make_shared<Lookup>();
  if (const auto address = SocketAddress::from_numeric(endpoint.host, endpoint.port)) {
    lookup->addresses = {*address};
    lookup->done = true;
  } else {
    std::thread([lookup, endpoint] { look_up(*lookup, endpoint); }).detach();
  }
  return lookup;
}

}  // namespace

SocketAddress::SocketAddress(const sockaddr* address, socklen_t length) : length_(length) {
  CQLPERF_CHECK(length <= sizeof storage_, "a socket address that is too long");
  std::memcpy(&storage_, address, length);
}

std::optional<SocketAddress> SocketAddress::from_inet(std::span<const uint8_t> bytes,
                                                      uint16_t port) {
  if (bytes.size() == 4) {
    sockaddr_in v4{};
    v4.sin_family = AF_INET;
    v4.sin_port = htons(port);
    std::memcpy(&v4.sin_addr, bytes.data(), 4);
    return SocketAddress(reinterpret_cast<const sockaddr*>(&v4), sizeof v4);
  }
  if (bytes.size() != 16) return std::nullopt;
  sockaddr_in6 v6{};
  v6.sin6_family = AF_INET6;
  v6.sin6_port = htons(port);
  std::memcpy(&v6.sin6_addr, bytes.data(), 16);
  return SocketAddress(reinterpret_cast<const sockaddr*>(&v6), sizeof v6);
}

std::optional<SocketAddress> SocketAddress::from_numeric(const std::string& host, uint16_t port) {
  in_addr v4{};
  if (inet_pton(AF_INET, host.c_str(), &v4) == 1)
    return from_inet({reinterpret_cast<const uint8_t*>(&v4), sizeof v4}, port);
  // Unlike inet_pton this knows zones; a name without a colon would be looked up as a number.
  if (host.find(':') == std::string::npos) return std::nullopt;
  addrinfo hints{};
  hints.ai_family = AF_INET6;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICHOST;
  addrinfo* list = nullptr;
  if (getaddrinfo(host.c_str(), nullptr, &hints, &list) != 0) return std::nullopt;
  const auto address = SocketAddress(list->ai_addr, list->ai_addrlen).with_port(port);
  freeaddrinfo(list);
  return address;
}

uint16_t SocketAddress::port() const {
  if (family() == AF_INET) return ntohs(reinterpret_cast<const sockaddr_in*>(&storage_)->sin_port);
  return ntohs(reinterpret_cast<const sockaddr_in6*>(&storage_)->sin6_port);
}

SocketAddress SocketAddress::with_port(uint16_t port) const {
  SocketAddress copy = *this;
  if (family() == AF_INET)
    reinterpret_cast<sockaddr_in*>(&copy.storage_)->sin_port = htons(port);
  else
    reinterpret_cast<sockaddr_in6*>(&copy.storage_)->sin6_port = htons(port);
  return copy;
}

bool SocketAddress::is_unspecified() const {
  if (family() == AF_INET)
    return reinterpret_cast<const sockaddr_in*>(&storage_)->sin_addr.s_addr == INADDR_ANY;
  return IN6_IS_ADDR_UNSPECIFIED(&reinterpret_cast<const sockaddr_in6*>(&storage_)->sin6_addr);
}

bool SocketAddress::is_loopback() const {
  if (family() == AF_INET)
    return ntohl(reinterpret_cast<const sockaddr_in*>(&storage_)->sin_addr.s_addr) >> 24 == 127;
  return IN6_IS_ADDR_LOOPBACK(&reinterpret_cast<const sockaddr_in6*>(&storage_)->sin6_addr);
}

std::string SocketAddress::host() const {
  char text[NI_MAXHOST] = "";
  getnameinfo(data(), length_, text, sizeof text, nullptr, 0, NI_NUMERICHOST);
  return text;
}

std::string SocketAddress::to_string() const { return format_endpoint({host(), port()}); }

bool operator==(const SocketAddress& a, const SocketAddress& b) {
  return a.length_ == b.length_ && std::memcmp(&a.storage_, &b.storage_, a.length_) == 0;
}

Result<Endpoint> parse_endpoint(std::string_view text, uint16_t default_port) {
  const std::string_view item = trim(text);
  if (item.empty()) return bad_endpoint(text, "is empty");
  if (item.front() == '[') return parse_bracketed(item, default_port);
  if (is_ipv6(item)) return make_endpoint(item, item, std::nullopt, default_port);

  const size_t colon = item.find(':');
  const std::string_view host = item.substr(0, colon);
  if (item.find("://") != std::string_view::npos) return bad_endpoint(item, "is a URL");
  if (!std::ranges::all_of(host, is_host_character))
    return bad_endpoint(item, "holds characters that no host name has");
  if (colon == std::string_view::npos) return make_endpoint(item, host, std::nullopt, default_port);
  if (item.find(':', colon + 1) != std::string_view::npos)
    return bad_endpoint(item, "has several colons but is not an IPv6 address");
  return make_endpoint(item, host, item.substr(colon + 1), default_port);
}

Result<std::vector<Endpoint>> parse_endpoints(std::string_view text, uint16_t default_port) {
  std::vector<Endpoint> endpoints;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t comma = std::min(text.find(',', begin), text.size());
    const std::string_view item = text.substr(begin, comma - begin);
    if (trim(item).empty()) return bad_endpoint(text, "has an empty item");
    auto endpoint = parse_endpoint(item, default_port);
    if (!endpoint) return std::unexpected(endpoint.error());
    endpoints.push_back(std::move(*endpoint));
    begin = comma + 1;
  }
  return endpoints;
}

std::string format_endpoint(const Endpoint& endpoint) {
  const bool is_v6 = endpoint.host.find(':') != std::string::npos;
  return is_v6 ? fmt::format("[{}]:{}", endpoint.host, endpoint.port)
               : fmt::format("{}:{}", endpoint.host, endpoint.port);
}

Result<std::vector<SocketAddress>> resolve(const Endpoint& endpoint, int64_t timeout_ns) {
  return std::move(resolve_all({endpoint}, timeout_ns).front());
}

std::vector<Result<std::vector<SocketAddress>>> resolve_all(const std::vector<Endpoint>& endpoints,
                                                            int64_t timeout_ns) {
  const int64_t deadline_ns = core::steady_clock().now_ns() + timeout_ns;
  std::vector<std::shared_ptr<Lookup>> lookups;
  for (const Endpoint& endpoint : endpoints) lookups.push_back(start_lookup(endpoint));
  std::vector<Result<std::vector<SocketAddress>>> results;
  for (size_t i = 0; i < endpoints.size(); i++)
    results.push_back(await(*lookups[i], endpoints[i], deadline_ns));
  return results;
}

}  // namespace cqlperf::net

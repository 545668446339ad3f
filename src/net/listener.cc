#include "net/listener.h"

#include <utility>

#include <errno.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/check.h"

namespace cqlperf::net {

namespace {

using core::ErrorCode;

std::unexpected<core::Error> listen_error(const SocketAddress& address, int error_number) {
  return core::fail(ErrorCode::kSetup, fmt::format("cannot listen on {}: {}", address.to_string(),
                                                   strerror(error_number)));
}

bool set_option(int fd, int level, int option) {
  const int on = 1;
  return setsockopt(fd, level, option, &on, sizeof on) == 0;
}

bool prepare(int fd, const SocketAddress& address, const Listener::Settings& settings) {
  if (!set_option(fd, SOL_SOCKET, SO_REUSEADDR)) return false;
  if (settings.reuse_port && !set_option(fd, SOL_SOCKET, SO_REUSEPORT)) return false;
  if (address.family() == AF_INET6 && !set_option(fd, IPPROTO_IPV6, IPV6_V6ONLY)) return false;
  return bind(fd, address.data(), address.length()) == 0 && listen(fd, settings.queue_length) == 0;
}

SocketAddress bound_address(int fd) {
  sockaddr_storage name{};
  socklen_t length = sizeof name;
  getsockname(fd, reinterpret_cast<sockaddr*>(&name), &length);
  return {reinterpret_cast<sockaddr*>(&name), length};
}

// Errors of one connection that is gone already, or of the network that it came from (accept(2)):
// the next one may be well.
bool concerns_one_connection(int error_number) {
  switch (error_number) {
    case ECONNABORTED:
    case EHOSTDOWN:
    case EHOSTUNREACH:
    case EINTR:
    case ENETDOWN:
    case ENETUNREACH:
    case ENONET:
    case ENOPROTOOPT:
    case EOPNOTSUPP:
    case EPERM:
    case EPROTO:
      return true;
    default:
      return false;
  }
}

}  // namespace

core::Status Listener::listen(const SocketAddress& address, const Settings& settings) {
  CQLPERF_CHECK(fd_ < 0, "a listener listens once");
  const int fd = ::socket(address.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return listen_error(address, errno);
  if (!prepare(fd, address, settings)) {
    const int error_number = errno;
    ::close(fd);
    return listen_error(address, error_number);
  }
  fd_ = fd;
  address_ = bound_address(fd_);
  loop_.watch(fd_, EPOLLIN, *this);
  return {};
}

void Listener::on_events(uint32_t) {
  for (int i = 0; i < kAcceptsPerEvent; i++)
    if (fd_ < 0 || !accept_once()) return;
}

// Gives true when another connection may be waiting.
bool Listener::accept_once() {
  sockaddr_storage name{};
  socklen_t length = sizeof name;
  const int accepted =
      ::accept4(fd_, reinterpret_cast<sockaddr*>(&name), &length, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (accepted >= 0) {
    handler_.on_accepted(accepted, {reinterpret_cast<sockaddr*>(&name), length});
    return true;
  }
  if (errno == EAGAIN) return false;
  if (concerns_one_connection(errno)) return true;
  pause(errno);
  return false;
}

void Listener::pause(int error_number) {
  loop_.modify(fd_, 0);
  pause_timer_ = loop_.call_at(loop_.now_ns() + kPauseNs, [this] {
    pause_timer_ = kNoTimer;
    loop_.modify(fd_, EPOLLIN);
  });
  handler_.on_accept_paused(
      {ErrorCode::kIo, fmt::format("cannot accept connections on {}: {}", address_.to_string(),
                                   strerror(error_number))});
}

void Listener::close() {
  loop_.cancel(std::exchange(pause_timer_, kNoTimer));
  if (fd_ < 0) return;
  loop_.unwatch(fd_);
  ::close(std::exchange(fd_, -1));
}

}  // namespace cqlperf::net

#include "net/tcp_stream.h"

#include <algorithm>
#include <array>
#include <utility>

#include <errno.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/check.h"

namespace cqlperf::net {

namespace {

using core::Error;
using core::ErrorCode;

// Receives for one event, so that a peer that sends without end leaves the others their turn.
constexpr int kReceivesPerEvent = 8;

// strerror() of glibc is thread-safe for the numbers that it knows.
Error connect_error(const SocketAddress& address, int error_number) {
  return {ErrorCode::kConnect,
          fmt::format("cannot connect to {}: {}", address.to_string(), strerror(error_number))};
}

Error broken_error(const SocketAddress& address, int error_number) {
  return {ErrorCode::kIo, fmt::format("the connection to {} broke: {}", address.to_string(),
                                      strerror(error_number))};
}

// Without this, small messages would wait for acknowledgements of earlier ones.
void set_no_delay(int fd) {
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

void shrink(core::Buffer& buffer, size_t kept_bytes_max) {
  if (buffer.capacity() > kept_bytes_max && buffer.empty()) buffer.release();
}

}  // namespace

TcpStream::Counters& TcpStream::Counters::operator+=(const Counters& other) {
  sends += other.sends;
  receives += other.receives;
  bytes_sent += other.bytes_sent;
  bytes_received += other.bytes_received;
  return *this;
}

void TcpStream::connect(const SocketAddress& address, int64_t deadline_ns) {
  CQLPERF_CHECK(state_ == State::kIdle, "a stream connects once");
  address_ = address;
  state_ = State::kConnecting;
  if (auto started = start_connect(); !started) return fail_later(started.error());
  timer_ = loop_.call_at(deadline_ns, [this] {
    fail({ErrorCode::kTimeout,
          fmt::format("cannot connect to {}: no answer in time", address_.to_string())});
  });
}

core::Status TcpStream::start_connect() {
  fd_ = ::socket(address_.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd_ < 0) return std::unexpected(connect_error(address_, errno));
  set_no_delay(fd_);
  const bool failed = ::connect(fd_, address_.data(), address_.length()) != 0;
  if (failed && errno != EINPROGRESS && errno != EINTR) {
    const int error_number = errno;
    ::close(std::exchange(fd_, -1));
    return std::unexpected(connect_error(address_, error_number));
  }
  // The socket becomes writable when it is connected, also when that is so already.
  loop_.watch(fd_, EPOLLOUT, *this);
  return {};
}

void TcpStream::adopt(int fd, const SocketAddress& peer) {
  CQLPERF_CHECK(state_ == State::kIdle, "a stream adopts once");
  address_ = peer;
  fd_ = fd;
  set_no_delay(fd_);
  const int on = 1;
  setsockopt(fd_, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  receive_size_ = kReceiveSizeAdopted;
  kept_bytes_max_ = kKeptWhenAdopted;
  state_ = State::kOpen;
  loop_.watch(fd_, wanted_events(), *this);
}

void TcpStream::on_events(uint32_t events) {
  if (state_ == State::kConnecting) return finish_connect();
  if (state_ == State::kWaitingForRoom && (events & EPOLLOUT)) send_output();
  // Without reading, epoll would report a connection that is gone again and again.
  if ((paused_ || input_ended_) && !finishing_ && (events & (EPOLLHUP | EPOLLERR)))
    return fail(broken_error(address_, take_socket_error()));
  if (events & (EPOLLIN | EPOLLHUP | EPOLLERR)) receive();
}

uint32_t TcpStream::wanted_events() const {
  const uint32_t in = paused_ || input_ended_ ? 0 : uint32_t{EPOLLIN};
  return state_ == State::kWaitingForRoom ? in | EPOLLOUT : in;
}

void TcpStream::apply_wanted_events() { loop_.modify(fd_, wanted_events()); }

int TcpStream::take_socket_error() const {
  int error_number = 0;
  socklen_t length = sizeof error_number;
  getsockopt(fd_, SOL_SOCKET, SO_ERROR, &error_number, &length);
  return error_number != 0 ? error_number : ECONNRESET;
}

void TcpStream::finish_connect() {
  int error_number = 0;
  socklen_t length = sizeof error_number;
  getsockopt(fd_, SOL_SOCKET, SO_ERROR, &error_number, &length);
  if (error_number != 0) return fail(connect_error(address_, error_number));
  loop_.cancel(std::exchange(timer_, kNoTimer));
  loop_.modify(fd_, EPOLLIN);
  state_ = State::kOpen;
  handler_.on_connected();
  flush();
}

void TcpStream::receive() {
  for (int i = 0; i < kReceivesPerEvent; i++)
    if (fd_ < 0 || paused_ || !receive_once()) return;
}

// Gives true when the buffer was filled, so that more may be waiting. An error ends the stream,
// also by destruction: nothing of it may be touched after fail().
bool TcpStream::receive_once() {
  const bool is_large = expected_bytes_ > 0 && input_.size() + expected_bytes_ > 2 * receive_size_;
  uint8_t* at = input_.reserve(is_large ? expected_bytes_ : receive_size_);
  const size_t room = is_large ? expected_bytes_ : input_.writable();
  const ssize_t got = ::recv(fd_, at, room, 0);
  counters_.receives++;
  if (got <= 0) [[unlikely]] {
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return false;
    if (got == 0 && !finishing_ && handler_.on_input_ended()) {
      input_ended_ = true;
      apply_wanted_events();
      return false;
    }
    fail(got < 0 ? broken_error(address_, errno)
                 : Error{ErrorCode::kIo,
                         fmt::format("{} closed the connection", address_.to_string())});
    return false;
  }
  loop_.refresh_now();
  input_.commit(static_cast<size_t>(got));
  counters_.bytes_received += static_cast<uint64_t>(got);
  const bool filled = static_cast<size_t>(got) == room;
  if (filled) receive_size_ = std::min(receive_size_ * 2, kReceiveSizeMax);
  deliver();
  return filled;
}

void TcpStream::deliver() {
  if (finishing_) [[unlikely]]
    return input_.clear();
  expected_bytes_ = 0;
  handler_.on_bytes(input_);
  shrink(input_, kept_bytes_max_);
}

void TcpStream::pause_reading() {
  if (!is_open() || finishing_ || std::exchange(paused_, true)) return;
  apply_wanted_events();
}

void TcpStream::resume_reading() {
  if (fd_ < 0 || !std::exchange(paused_, false)) return;
  apply_wanted_events();
  if (delivery_timer_ == kNoTimer) deliver_later();
}

void TcpStream::deliver_later() {
  delivery_timer_ = loop_.call_at(loop_.now_ns(), [this] {
    delivery_timer_ = kNoTimer;
    if (!paused_) deliver();
  });
}

void TcpStream::finish(int64_t deadline_ns) {
  if (!is_open() || finishing_) return;
  finishing_ = true;
  paused_ = false;
  apply_wanted_events();
  loop_.cancel(std::exchange(timer_, kNoTimer));
  timer_ = loop_.call_at(deadline_ns, [this] {
    fail({ErrorCode::kTimeout,
          fmt::format("{} did not close the connection in time", address_.to_string())});
  });
  flush();
  if (backlog_bytes() == 0 && is_open()) ::shutdown(fd_, SHUT_WR);
}

void TcpStream::append_external(std::span<const uint8_t> bytes) {
  if (bytes.empty()) return;
  const size_t gap = output_.size() - gap_bytes_;
  externals_.push_back({gap, bytes});
  gap_bytes_ += gap;
  external_bytes_ += bytes.size();
}

ssize_t TcpStream::send_gathered() {
  std::array<iovec, kGatheredMax> pieces;
  msghdr message = {};
  message.msg_iov = pieces.data();
  message.msg_iovlen = gather(pieces);
  return ::sendmsg(fd_, &message, MSG_NOSIGNAL);
}

// Gives how many pieces it has set.
size_t TcpStream::gather(std::span<iovec> pieces) {
  uint8_t* at = output_.data();
  size_t count = 0;
  for (const External& external : externals_) {
    if (count + 2 > pieces.size()) return count;
    if (external.gap > 0) pieces[count++] = {at, external.gap};
    at += external.gap;
    // The kernel only reads it.
    pieces[count++] = {const_cast<uint8_t*>(external.bytes.data()), external.bytes.size()};
  }
  const size_t rest = output_.size() - gap_bytes_;
  if (rest > 0 && count < pieces.size()) pieces[count++] = {at, rest};
  return count;
}

void TcpStream::consume_gathered(size_t count) {
  size_t finished = 0;
  for (External& external : externals_) {
    const size_t own = std::min(count, external.gap);
    output_.consume(own);
    external.gap -= own;
    gap_bytes_ -= own;
    const size_t part = std::min(count - own, external.bytes.size());
    external.bytes = external.bytes.subspan(part);
    external_bytes_ -= part;
    count -= own + part;
    if (!external.bytes.empty()) break;
    finished++;
  }
  externals_.erase(externals_.begin(), externals_.begin() + static_cast<ptrdiff_t>(finished));
  output_.consume(count);  // none unless all externals are sent
}

void TcpStream::send_output() {
  const ssize_t put = externals_.empty() ? ::send(fd_, output_.data(), output_.size(), MSG_NOSIGNAL)
                                         : send_gathered();
  counters_.sends++;
  if (put < 0 && errno != EAGAIN && errno != EINTR)
    return fail_later(broken_error(address_, errno));
  const size_t sent = put > 0 ? static_cast<size_t>(put) : 0;
  if (externals_.empty())
    output_.consume(sent);
  else
    consume_gathered(sent);
  counters_.bytes_sent += sent;

  const State next = backlog_bytes() == 0 ? State::kOpen : State::kWaitingForRoom;
  if (next == State::kOpen) shrink(output_, kept_bytes_max_);
  if (next == state_) return;
  state_ = next;
  apply_wanted_events();
  if (finishing_ && next == State::kOpen) ::shutdown(fd_, SHUT_WR);
}

void TcpStream::fail(const Error& error) {
  release();
  handler_.on_closed(error);
}

// For failures that are found inside a caller's own call, where a callback would surprise it. The
// next poll() reads what has come before it fires the timer, so no reply is lost.
void TcpStream::fail_later(Error error) {
  state_ = State::kFailed;
  loop_.cancel(timer_);
  timer_ = loop_.call_at(loop_.now_ns(), [this, error = std::move(error)] { fail(error); });
}

void TcpStream::close() { release(); }

void TcpStream::release_buffers() {
  shrink(input_, 0);
  shrink(output_, 0);
}

void TcpStream::release() {
  loop_.cancel(std::exchange(timer_, kNoTimer));
  loop_.cancel(std::exchange(delivery_timer_, kNoTimer));
  if (fd_ >= 0) {
    loop_.unwatch(fd_);
    ::close(std::exchange(fd_, -1));
  }
  output_.clear();
  externals_.clear();
  gap_bytes_ = external_bytes_ = 0;
  state_ = State::kClosed;
}

}  // namespace cqlperf::net

#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/buffer.h"
#include "core/check.h"
#include "net/endpoint.h"
#include "thrift/call_reader.h"
#include "thrift/frame.h"
#include "thrift/messages.h"
#include "thrift/reply_writer.h"

// A Thrift server for tests, as scripted_server.h is one of CQL: each call is answered by the first
// rule that applies to it, and as a friendly server would when none does. One thread per connection
// with blocking sockets.

namespace cqlperf::client {

inline thrift::ByteView thrift_bytes(std::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}
inline std::string thrift_text(thrift::ByteView bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// One call and the means to answer it.
class ThriftExchange {
 public:
  ThriftExchange(int fd, int connection_in, const thrift::CallMessage& call_in,
                 thrift::ReplyWriter& writer_in)
      : connection(connection_in), call(call_in), writer(writer_in), fd_(fd) {}

  const int connection;  // counted from 0, over all connections so far
  const thrift::CallMessage& call;
  thrift::ReplyWriter& writer;
  core::Buffer out = {};
  bool is_open = true;

  void flush() { send(out.size()); }
  // Each byte in a packet of its own.
  void trickle() {
    while (!out.empty() && send(1)) {
    }
  }

 private:
  bool send(size_t count) {
    while (count > 0) {
      const ssize_t put = ::send(fd_, out.data(), count, MSG_NOSIGNAL);
      if (put <= 0) return false;
      out.consume(static_cast<size_t>(put));
      count -= static_cast<size_t>(put);
    }
    return true;
  }

  int fd_;
};

using ThriftAction = std::function<void(ThriftExchange&)>;

// Actions to compose.
namespace thrift_act {

inline ThriftAction silence() {
  return [](ThriftExchange&) {};
}
inline ThriftAction close() {
  return [](ThriftExchange& exchange) { exchange.is_open = false; };
}
inline ThriftAction bytes(std::string text) {
  return [text](ThriftExchange& exchange) { exchange.out.append(text); };
}
inline ThriftAction then(ThriftAction first, ThriftAction second) {
  return [first, second](ThriftExchange& exchange) {
    first(exchange);
    second(exchange);
  };
}
inline ThriftAction exception(thrift::Exception what) {
  return [what](ThriftExchange& exchange) {
    exchange.writer.exception(exchange.call.call, exchange.call.seqid, what, exchange.out);
  };
}
inline ThriftAction exception(thrift::Exception::Kind kind, std::string why) {
  return exception(thrift::Exception{.kind = kind, .why = std::move(why)});
}
// The reply of a call that gives nothing, to call `seqid` + `off`.
inline ThriftAction nothing(int32_t off = 0) {
  return [off](ThriftExchange& exchange) {
    exchange.writer.nothing(exchange.call.call, exchange.call.seqid + off, exchange.out);
  };
}

}  // namespace thrift_act

class ScriptedThriftServer {
 public:
  ScriptedThriftServer() { listen(*net::SocketAddress::from_numeric("127.0.0.1", 0)); }
  ~ScriptedThriftServer() { stop(); }

  net::SocketAddress address() const { return address_; }

  // Rules that were added last come first. `times` limits how often this one applies.
  void on(thrift::Call call, ThriftAction action, int times = 1 << 30) {
    const std::lock_guard lock(mutex_);
    rules_.insert(rules_.begin(), {call, std::move(action), times});
  }
  void clear_rules() {
    const std::lock_guard lock(mutex_);
    rules_.clear();
  }
  // Whatever comes first on a connection is answered with these bytes, and the connection closed.
  void answer_all_with(std::string bytes) {
    const std::lock_guard lock(mutex_);
    raw_answer_ = std::move(bytes);
  }
  // Connections are closed as soon as they are made.
  void close_at_once() { closes_at_once_ = true; }

  int connections() const { return connections_; }
  int count(thrift::Call call) const { return counts_[static_cast<size_t>(call)]; }
  uint64_t bytes_received() const { return bytes_received_; }
  // How many calls of that kind each connection had, by its number.
  std::map<int, int> counts_by_connection(thrift::Call call) const {
    const std::lock_guard lock(mutex_);
    std::map<int, int> counts;
    for (const auto& [connection, noted] : noted_)
      if (noted == call) counts[connection]++;
    return counts;
  }
  std::vector<thrift::Call> calls_of(int connection) const {
    const std::lock_guard lock(mutex_);
    std::vector<thrift::Call> calls;
    for (const auto& [from, call] : noted_)
      if (from == connection) calls.push_back(call);
    return calls;
  }

  // Sends the same to all connections, asked or not.
  void send_to_all(std::string_view bytes) {
    const std::lock_guard lock(mutex_);
    for (const int fd : open_fds_) ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  }
  // Ends all connections; new ones are accepted.
  void drop_connections() {
    const std::lock_guard lock(mutex_);
    for (const int fd : open_fds_) ::shutdown(fd, SHUT_RDWR);
  }
  // The server is gone: new connections are refused, until start_again().
  void stop() {
    stopping_ = true;
    drop_connections();
    if (acceptor_.joinable()) acceptor_.join();
    drop_connections();
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
    if (listener_ >= 0) ::close(std::exchange(listener_, -1));
  }
  void start_again() { listen(address_); }

  // What PREPARE gives on a connection.
  static int32_t item_id_of(int connection) { return 1000 + 7 * connection; }

 private:
  struct Rule {
    thrift::Call call;
    ThriftAction action;
    int times;
  };
  // A connection.
  struct Wire {
    int fd;
    int connection;
    core::Buffer in = {};
    thrift::CallReader reader = {};
    thrift::ReplyWriter writer = {};
  };

  void listen(const net::SocketAddress& address) {
    listener_ = ::socket(address.family(), SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int on = 1;
    ::setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    CQLPERF_CHECK(::bind(listener_, address.data(), address.length()) == 0, "bind failed");
    CQLPERF_CHECK(::listen(listener_, 64) == 0, "listen failed");
    sockaddr_storage name{};
    socklen_t length = sizeof name;
    ::getsockname(listener_, reinterpret_cast<sockaddr*>(&name), &length);
    address_ = {reinterpret_cast<sockaddr*>(&name), length};
    stopping_ = false;
    acceptor_ = std::thread([this] { accept_all(); });
  }

  void accept_all() {
    while (!stopping_) {
      pollfd waiting{listener_, POLLIN, 0};
      if (::poll(&waiting, 1, 5) <= 0) continue;
      const int fd = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      if (fd < 0) continue;
      const int on = 1;
      ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
      const std::lock_guard lock(mutex_);
      open_fds_.insert(fd);
      threads_.emplace_back([this, fd, number = connections_++] { serve(fd, number); });
    }
  }

  void serve(int fd, int connection) {
    Wire wire{fd, connection};
    bool is_open = !closes_at_once_;
    while (is_open && !stopping_) {
      const ssize_t got = ::recv(fd, wire.in.reserve(64 * 1024), 64 * 1024, 0);
      if (got <= 0) break;
      wire.in.commit(static_cast<size_t>(got));
      bytes_received_ += static_cast<uint64_t>(got);
      is_open = answer_all(wire);
    }
    const std::lock_guard lock(mutex_);
    open_fds_.erase(fd);
    ::close(fd);
  }

  bool answer_all(Wire& wire) {
    if (const auto raw = raw_answer()) {
      ::send(wire.fd, raw->data(), raw->size(), MSG_NOSIGNAL);
      return false;
    }
    for (;;) {
      const auto message = thrift::next_frame(wire.in.bytes());
      CQLPERF_CHECK(message, "a frame that cannot be one");
      if (!*message) return true;
      const auto received = wire.reader.read(**message);
      CQLPERF_CHECK(received, "a call that cannot be read");
      const auto* const* call = std::get_if<const thrift::CallMessage*>(&*received);
      CQLPERF_CHECK(call, "a call with wrong arguments");
      ThriftExchange exchange(wire.fd, wire.connection, **call, wire.writer);
      choose(exchange)(exchange);
      exchange.flush();
      if (!exchange.is_open) return false;
      wire.in.consume(thrift::kFrameHeaderSize + (*message)->size());
    }
  }

  std::optional<std::string> raw_answer() const {
    const std::lock_guard lock(mutex_);
    return raw_answer_;
  }

  ThriftAction choose(const ThriftExchange& exchange) {
    const thrift::Call call = exchange.call.call;
    const std::lock_guard lock(mutex_);
    noted_.emplace_back(exchange.connection, call);
    counts_[static_cast<size_t>(call)]++;
    for (Rule& rule : rules_) {
      if (rule.call != call || rule.times <= 0) continue;
      rule.times--;
      return rule.action;
    }
    return answer_friendly;
  }

  static void answer_friendly(ThriftExchange& exchange) {
    const thrift::CallMessage& call = exchange.call;
    switch (call.call) {
      case thrift::Call::kLogin:
      case thrift::Call::kSetKeyspace:
      case thrift::Call::kBatchMutate:
        return exchange.writer.nothing(call.call, call.seqid, exchange.out);
      case thrift::Call::kDescribeVersion:
        return exchange.writer.text(call.call, call.seqid, "20.1.0", exchange.out);
      case thrift::Call::kPrepareCql3Query:
        return exchange.writer.prepared(call.call, call.seqid, item_id_of(exchange.connection), {},
                                        exchange.out);
      case thrift::Call::kExecuteCql3Query:
        return answer_query(exchange);
      case thrift::Call::kGetSlice:
        return answer_slice(exchange);
      default:
        return answer_execute(exchange);
    }
  }

  // One row that says what was asked.
  static void answer_query(ThriftExchange& exchange) {
    const thrift::CallMessage& call = exchange.call;
    const std::vector<thrift::ReplyWriter::CqlColumn> columns = {
        {"query", "org.apache.cassandra.db.marshal.UTF8Type"}};
    const std::vector<std::optional<thrift::ByteView>> values = {call.query};
    exchange.writer.begin_rows(call.call, call.seqid, 1, exchange.out);
    exchange.writer.append_row(columns, values);
    exchange.writer.end_rows(columns);
  }
  // One cell that says which row was asked.
  static void answer_slice(ThriftExchange& exchange) {
    const std::vector<thrift::Cell> cells = {
        {.name = thrift_bytes("key"), .value = exchange.call.key, .timestamp_us = 5}};
    exchange.writer.cells(exchange.call.seqid, cells, exchange.out);
  }
  // As a server does that knows what was prepared on this connection only.
  static void answer_execute(ThriftExchange& exchange) {
    const thrift::CallMessage& call = exchange.call;
    if (call.call == thrift::Call::kExecutePreparedCql3Query &&
        call.item_id == item_id_of(exchange.connection))
      return exchange.writer.cql_void(call.call, call.seqid, exchange.out);
    thrift_act::exception(thrift::Exception::Kind::kInvalidRequest, "not in the script")(exchange);
  }

  mutable std::mutex mutex_;
  net::SocketAddress address_;
  int listener_ = -1;
  std::atomic<bool> stopping_{false};
  std::atomic<bool> closes_at_once_{false};
  std::atomic<int> connections_{0};
  std::atomic<int> counts_[thrift::kCallCount] = {};
  std::atomic<uint64_t> bytes_received_{0};
  std::vector<Rule> rules_;
  std::optional<std::string> raw_answer_;
  std::vector<std::pair<int, thrift::Call>> noted_;  // connection and call, in their order
  std::set<int> open_fds_;
  std::vector<std::thread> threads_;
  std::thread acceptor_;
};

}  // namespace cqlperf::client

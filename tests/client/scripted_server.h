#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/buffer.h"
#include "core/check.h"
#include "core/clock.h"
#include "net/endpoint.h"
#include "protocol/auth_response.h"
#include "protocol/auth_success.h"
#include "protocol/authenticate.h"
#include "protocol/error.h"
#include "protocol/execute.h"
#include "protocol/frame.h"
#include "protocol/frame_stream.h"
#include "protocol/options.h"
#include "protocol/prepare.h"
#include "protocol/query.h"
#include "protocol/ready.h"
#include "protocol/result.h"
#include "protocol/startup.h"
#include "protocol/supported.h"

// A CQL server for tests that does what a script says: each request is answered by the first rule
// that applies to it, and as a friendly server would when none does. One thread per connection with
// blocking sockets, so that nothing of the code under test is used but the protocol.

namespace cqlperf::client {

// A connection of the server: how its frames travel, and where to.
struct ServerWire {
  int fd;
  protocol::FrameReader reader{protocol::Direction::kRequest};
  protocol::FrameWriter writer = {};
  core::Buffer in = {};
  core::Buffer frames = {};  // answers
  core::Buffer out = {};     // what is sent

  void flush() {
    writer.write(frames, out);
    while (!out.empty()) {
      const ssize_t put = ::send(fd, out.data(), out.size(), MSG_NOSIGNAL);
      if (put <= 0) break;
      out.consume(static_cast<size_t>(put));
    }
    out.clear();
  }
};

// One request and the means to answer it.
class Exchange {
 public:
  Exchange(const protocol::Frame& request_in, ServerWire& wire)
      : request(request_in), out(wire.frames), wire_(wire) {}

  const protocol::Frame& request;
  core::Buffer& out;  // frames
  bool is_open = true;

  protocol::Version version() const { return request.header.version; }
  template <class Message>
  void reply(const Message& message) {
    protocol::append_frame(out, version(), request.header.stream, message);
  }
  template <class Kind>
  void reply_result(Kind kind) {
    reply(protocol::ResultMessage{std::move(kind)});
  }
  void flush() { wire_.flush(); }
  void close() { is_open = false; }
  // Bytes that are no frames, behind what was answered so far.
  void append_raw(std::string_view bytes) {
    wire_.writer.write(out, wire_.out);
    wire_.out.append(bytes);
  }
  // What follows travels as the version and STARTUP's options ask for.
  void start_transport(protocol::Compression compression) {
    flush();
    wire_.reader.set_compression(compression);
    if (version() >= protocol::Version::kV5) wire_.reader.start_segments();
    wire_.writer.start(version(), compression);
  }

 private:
  ServerWire& wire_;
};

using Action = std::function<void(Exchange&)>;

// Actions to compose.
namespace act {

inline Action silence() {
  return [](Exchange&) {};
}
inline Action close() {
  return [](Exchange& exchange) { exchange.close(); };
}
inline Action bytes(std::string text) {
  return [text](Exchange& exchange) { exchange.out.append(text); };
}
inline Action raw(std::string text) {
  return [text](Exchange& exchange) { exchange.append_raw(text); };
}
inline Action error(protocol::ErrorMessage message) {
  return [message](Exchange& exchange) { exchange.reply(message); };
}
inline Action error(protocol::ErrorCode code, std::string text) {
  return error(protocol::ErrorMessage::of(code, std::move(text)));
}
inline Action result_void() {
  return [](Exchange& exchange) { exchange.reply_result(protocol::VoidResult{}); };
}
inline Action then(Action first, Action second) {
  return [first, second](Exchange& exchange) {
    first(exchange);
    second(exchange);
  };
}
// Waits before it acts; holds up this connection only.
inline Action after_ms(int millis, Action action) {
  return [millis, action](Exchange& exchange) {
    exchange.flush();
    std::this_thread::sleep_for(std::chrono::milliseconds(millis));
    action(exchange);
  };
}
// A frame with any header, also of versions that cannot be encoded.
inline Action frame(uint8_t version, std::optional<int16_t> stream, protocol::Opcode opcode,
                    std::string body) {
  return [=](Exchange& exchange) {
    exchange.out.append_u8(0x80 | version);
    exchange.out.append_u8(0);
    exchange.out.append_u16(static_cast<uint16_t>(stream.value_or(exchange.request.header.stream)));
    exchange.out.append_u8(static_cast<uint8_t>(opcode));
    exchange.out.append_i32(static_cast<int32_t>(body.size()));
    exchange.out.append(body);
  };
}
// An ERROR in a header of any version.
inline Action error_in_version(uint8_t version, protocol::ErrorCode code, const std::string& text) {
  core::Buffer body;
  body.append_i32(static_cast<int32_t>(code));
  protocol::append_string(body, text);
  return frame(version, std::nullopt, protocol::Opcode::kError,
               std::string(reinterpret_cast<const char*>(body.data()), body.size()));
}
// Refuses versions above `newest` as Cassandra does, with `header_version` in the answer.
inline Action refuse_above(
    protocol::Version newest, uint8_t header_version, Action otherwise,
    const std::string& text =
        "Invalid or unsupported protocol version (4); supported versions are (3/v3)") {
  const Action refuse = error_in_version(header_version, protocol::ErrorCode::kProtocolError, text);
  return [=](Exchange& exchange) {
    if (exchange.version() <= newest) return otherwise(exchange);
    refuse(exchange);
    exchange.flush();
    exchange.close();
  };
}
inline Action rows(protocol::RowsMetadata metadata,
                   std::vector<std::vector<std::optional<protocol::Bytes>>> cells) {
  return [=](Exchange& exchange) {
    const size_t start =
        protocol::begin_frame(exchange.out, exchange.version(), true, 0,
                              exchange.request.header.stream, protocol::Opcode::kResult);
    const size_t count_at = protocol::begin_rows(exchange.out, exchange.version(), metadata);
    for (const auto& row : cells)
      for (const auto& cell : row) protocol::append_bytes(exchange.out, cell);
    protocol::end_rows(exchange.out, count_at, static_cast<int32_t>(cells.size()));
    protocol::end_frame(exchange.out, start);
  };
}

}  // namespace act

class ScriptedServer {
 public:
  struct Login {
    std::string user;
    std::string password;
  };

  explicit ScriptedServer(const std::string& host = "127.0.0.1", uint16_t port = 0) {
    listen(*net::SocketAddress::from_numeric(host, port));
  }
  ~ScriptedServer() { stop(); }

  net::SocketAddress address() const { return address_; }
  net::Endpoint endpoint() const { return {address_.host(), address_.port()}; }

  // Rules that were added last come first. `times` limits how often this one applies.
  void on(protocol::Opcode opcode, Action action, int times = 1 << 30) {
    const std::lock_guard lock(mutex_);
    rules_.insert(rules_.begin(), {opcode, "", std::move(action), times});
  }
  // For QUERY and PREPARE whose text contains `part`.
  void on_cql(std::string part, Action action, int times = 1 << 30) {
    const std::lock_guard lock(mutex_);
    rules_.insert(rules_.begin(), {std::nullopt, std::move(part), std::move(action), times});
  }
  void clear_rules() {
    const std::lock_guard lock(mutex_);
    rules_.clear();
  }
  // What SUPPORTED offers.
  void set_compressions(protocol::StringList names) { compressions_ = std::move(names); }
  void require_login(Login login) { login_ = std::move(login); }
  // As after a restart: what was prepared is unknown, and the next ids differ when `other_ids`.
  void forget_prepared(bool other_ids = false) {
    const std::lock_guard lock(mutex_);
    known_ids_.clear();
    if (other_ids) id_salt_++;
  }
  // The columns of the result of what is prepared from now on.
  void set_result_columns(std::vector<protocol::ColumnSpec> columns) {
    const std::lock_guard lock(mutex_);
    result_columns_ = std::move(columns);
  }

  int connections() const { return connections_; }
  int count(protocol::Opcode opcode) const { return counts_[static_cast<size_t>(opcode)]; }
  std::vector<std::string> texts() const {  // of QUERY and PREPARE
    const std::lock_guard lock(mutex_);
    return texts_;
  }
  std::vector<int64_t> connect_times_ns() const {
    const std::lock_guard lock(mutex_);
    return connect_times_ns_;
  }
  protocol::StringMap startup_options() const {
    const std::lock_guard lock(mutex_);
    return startup_options_;
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

 private:
  struct Rule {
    std::optional<protocol::Opcode> opcode;
    std::string part;
    Action action;
    int times;
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
      const std::lock_guard lock(mutex_);
      connections_++;
      connect_times_ns_.push_back(core::steady_clock().now_ns());
      open_fds_.insert(fd);
      threads_.emplace_back([this, fd] { serve(fd); });
    }
  }

  void serve(int fd) {
    ServerWire wire{fd};
    bool is_open = true;
    while (is_open && !stopping_) {
      uint8_t* at = wire.in.reserve(64 * 1024);
      const ssize_t got = ::recv(fd, at, 64 * 1024, 0);
      if (got <= 0) break;
      wire.in.commit(static_cast<size_t>(got));
      is_open = answer_all(wire);
    }
    const std::lock_guard lock(mutex_);
    open_fds_.erase(fd);
    ::close(fd);
  }

  bool answer_all(ServerWire& wire) {
    for (;;) {
      const auto frame = wire.reader.next(wire.in);
      if (!frame) return false;
      if (!*frame) break;
      Exchange exchange(**frame, wire);
      counts_[static_cast<size_t>(exchange.request.header.opcode)]++;
      choose(exchange)(exchange);
      if (exchange.is_open) continue;
      exchange.flush();
      return false;
    }
    wire.flush();
    return true;
  }

  static std::string text_of(const protocol::Frame& frame) {
    if (frame.header.opcode == protocol::Opcode::kQuery) {
      const auto query = protocol::Query::decode_body(frame.header.version, frame.body);
      return query ? std::string(query->query) : "";
    }
    if (frame.header.opcode != protocol::Opcode::kPrepare) return "";
    const auto prepare = protocol::Prepare::decode_body(frame.header.version, frame.body);
    return prepare ? std::string(prepare->query) : "";
  }

  Action choose(Exchange& exchange) {
    const std::string text = text_of(exchange.request);
    const std::lock_guard lock(mutex_);
    if (!text.empty()) texts_.push_back(text);
    for (Rule& rule : rules_) {
      const bool applies = rule.opcode ? *rule.opcode == exchange.request.header.opcode
                                       : text.find(rule.part) != std::string::npos;
      if (!applies || rule.times <= 0) continue;
      rule.times--;
      return rule.action;
    }
    return [this, text](Exchange& unruled) { answer_friendly(unruled, text); };
  }

  void answer_friendly(Exchange& exchange, const std::string& text) {
    switch (exchange.request.header.opcode) {
      case protocol::Opcode::kOptions:
        return exchange.reply(
            protocol::Supported{{{"CQL_VERSION", {"3.4.7"}}, {"COMPRESSION", compressions_}}});
      case protocol::Opcode::kStartup:
        return answer_startup(exchange);
      case protocol::Opcode::kAuthResponse:
        return answer_login(exchange);
      case protocol::Opcode::kPrepare:
        return answer_prepare(exchange, text);
      case protocol::Opcode::kExecute:
        return answer_execute(exchange);
      case protocol::Opcode::kQuery:
        if (text.starts_with("USE ")) return exchange.reply_result(protocol::SetKeyspace{text});
        return exchange.reply_result(protocol::VoidResult{});
      default:
        return exchange.reply(
            protocol::ErrorMessage::of(protocol::ErrorCode::kServerError, "not in the script"));
    }
  }

  void answer_startup(Exchange& exchange) {
    const auto startup = protocol::Startup::decode_body(exchange.version(), exchange.request.body);
    {
      const std::lock_guard lock(mutex_);
      startup_options_ = startup ? startup->options : protocol::StringMap();
    }
    if (!login_)
      exchange.reply(protocol::Ready{});
    else
      exchange.reply(protocol::Authenticate{"org.apache.cassandra.auth.PasswordAuthenticator"});
    const protocol::StringMap options = startup_options();
    const auto name = options.find("COMPRESSION");
    exchange.start_transport(name == options.end() ? protocol::Compression::kNone
                                                   : *protocol::parse_compression(name->second));
  }

  void answer_login(Exchange& exchange) {
    const auto response =
        protocol::AuthResponse::decode_body(exchange.version(), exchange.request.body);
    if (response && *response == protocol::plain_auth_response(login_->user, login_->password))
      return exchange.reply(protocol::AuthSuccess{});
    exchange.reply(protocol::ErrorMessage::of(protocol::ErrorCode::kBadCredentials,
                                              "Provided username x and/or password are incorrect"));
  }

  void answer_prepare(Exchange& exchange, const std::string& text) {
    const std::lock_guard lock(mutex_);
    const std::string id = std::to_string(id_salt_) + ":" + text;
    known_ids_.insert(id);
    protocol::Prepared prepared;
    prepared.id = protocol::to_bytes(protocol::as_bytes(id));
    for (const char c : text)
      if (c == '?')
        prepared.bind.columns.push_back(
            {"ks", "t", "c", protocol::ColumnType::of(protocol::TypeId::kInt)});
    prepared.result = protocol::RowsMetadata::of(result_columns_);
    prepared.result_metadata_id = metadata_id(id);
    exchange.reply_result(std::move(prepared));
  }

  void answer_execute(Exchange& exchange) {
    const auto execute = protocol::Execute::decode_body(exchange.version(), exchange.request.body);
    CQLPERF_CHECK(execute, "an EXECUTE that cannot be decoded");
    const std::string id(reinterpret_cast<const char*>(execute->id.data()), execute->id.size());
    const bool is_v5 = exchange.version() >= protocol::Version::kV5;
    if (is_v5 && protocol::to_bytes(execute->result_metadata_id) != metadata_id(id))
      return exchange.reply(
          protocol::ErrorMessage::of(protocol::ErrorCode::kInvalid, "another result metadata id"));
    const std::lock_guard lock(mutex_);
    if (known_ids_.contains(id)) return exchange.reply_result(protocol::VoidResult{});
    protocol::ErrorMessage unprepared = protocol::ErrorMessage::of(
        protocol::ErrorCode::kUnprepared, "Prepared query with ID is not found");
    unprepared.details = protocol::UnpreparedDetails{protocol::to_bytes(execute->id)};
    exchange.reply(unprepared);
  }

  // Of v5: any bytes that depend on the statement.
  static protocol::Bytes metadata_id(std::string id) {
    return protocol::to_bytes(protocol::as_bytes("metadata of " + std::move(id)));
  }

  mutable std::mutex mutex_;
  net::SocketAddress address_;
  int listener_ = -1;
  std::atomic<bool> stopping_{false};
  std::atomic<int> connections_{0};
  std::atomic<int> counts_[32] = {};
  std::vector<Rule> rules_;
  std::optional<Login> login_;
  protocol::StringList compressions_;
  std::vector<std::string> texts_;
  std::vector<int64_t> connect_times_ns_;
  protocol::StringMap startup_options_;
  std::set<std::string> known_ids_;
  int id_salt_ = 0;
  std::vector<protocol::ColumnSpec> result_columns_;
  std::set<int> open_fds_;
  std::vector<std::thread> threads_;
  std::thread acceptor_;
};

}  // namespace cqlperf::client

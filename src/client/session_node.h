#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "client/connection.h"
#include "client/reopen_delay.h"
#include "client/session.h"
#include "core/result.h"
#include "protocol/error.h"
#include "protocol/request_template.h"
#include "protocol/result.h"

// The parts of Session (session.h): a Node for each server and a Channel for each connection. All
// of it belongs to the session's thread and lives as long as the session.

namespace cqlperf::client {

// One operation as it travels through a connection's 64-bit token.
struct Operation {
  uint32_t token;
  uint16_t statement;
  uint16_t generation;  // of the statement on its node when it was sent; 15 bits
  bool sent_again;

  uint64_t pack() const {
    return uint64_t{token} | uint64_t{statement} << 32 | uint64_t{generation} << 48 |
           uint64_t{sent_again} << 63;
  }
  static Operation unpack(uint64_t packed) {
    return {static_cast<uint32_t>(packed), static_cast<uint16_t>(packed >> 32),
            static_cast<uint16_t>(packed >> 48 & 0x7FFF), packed >> 63 != 0};
  }
};

// One connection of a session: executes operations, and opens itself again when it has ended.
class Session::Channel final : public Connection::Owner, public RequestHandler {
 public:
  Channel(Session& session, Node& node);
  ~Channel();

  void open();
  Connection& connection() { return connection_; }
  const Connection& connection() const { return connection_; }

  // Writes an operation; the connection must have a free stream.
  void send(uint16_t statement, uint32_t token, bool sent_again);

  void on_ready(Connection& connection) override;
  void on_closed(Connection& connection, const core::Error& error) override;
  void on_response(uint64_t token, const protocol::Frame& frame, int64_t received_ns) override;
  void on_no_response(uint64_t token, RequestFault fault, std::string_view reason,
                      int64_t now_ns) override;

  // Ends the connection for a reason that its server gave, and tries again later.
  void give_up(const core::Error& error);

 private:
  void finish_with_extras(uint16_t statement, uint32_t token, size_t start);
  void on_error(Operation operation, const protocol::Frame& frame, int64_t received_ns);
  void open_later();

  Session& session_;
  Node& node_;
  Connection connection_;
  ReopenDelay delay_;
  bool was_ready_ = false;
  net::TimerId open_timer_ = net::kNoTimer;
};

// One server of a session and what is prepared there.
class Session::Node final : public RequestHandler {
 public:
  Node(Session& session, const net::SocketAddress& address);

  const net::SocketAddress& address() const { return address_; }
  std::vector<std::unique_ptr<Channel>>& channels() { return channels_; }
  const std::vector<std::unique_ptr<Channel>>& channels() const { return channels_; }
  NodeStatus status() const;
  // True while operations may be sent to it: connected, all prepared, nothing being prepared again.
  bool is_usable() const { return usable_; }
  bool is_given_up() const { return given_up_; }
  bool has_been_usable() const { return has_been_usable_; }

  void on_channel_ready(Channel& channel);
  void on_channel_closed(const core::Error& error);
  // The server does not know the statement of this operation, which waits from here on.
  void on_unprepared(Channel& channel, Operation operation);

  const protocol::RequestTemplate& request_template(uint16_t statement) const {
    return *slots_[statement].request;
  }
  uint16_t generation(uint16_t statement) const { return slots_[statement].generation; }
  // True when an operation of it is other than values alone.
  bool has_extras(uint16_t statement) const { return slots_[statement].has_extras; }

  // Answers to PREPARE; the token is the index of the statement.
  void on_response(uint64_t token, const protocol::Frame& frame, int64_t received_ns) override;
  void on_no_response(uint64_t token, RequestFault fault, std::string_view reason,
                      int64_t now_ns) override;

 private:
  // A statement on this node.
  struct Slot {
    std::optional<protocol::RequestTemplate> request;  // none: to be prepared
    uint16_t generation = 0;                           // counts successful prepares, in 15 bits
    bool has_extras = false;                           // a tail, a page or a text
    Channel* preparing = nullptr;
    std::vector<Operation> waiting;
  };

  bool is_connected() const;
  Channel* channel_with_free_stream() const;
  void prepare_missing();
  void make_unprepared();
  void prepare(uint16_t statement, Channel& channel);
  void adopt(uint16_t statement, const protocol::Prepared& prepared);
  void on_prepare_failed(uint16_t statement, Channel& channel, const core::Error& error,
                         const RequestFailure& failure);
  void send_waiting_again(uint16_t statement);
  void fail_waiting(uint16_t statement, const RequestFailure& failure);
  void forget_prepared();
  void update_usable();
  void report(std::string text) const;

  Session& session_;
  net::SocketAddress address_;
  std::vector<std::unique_ptr<Channel>> channels_;
  std::vector<Slot> slots_;
  protocol::Version version_ = protocol::Version::kV4;  // of what is prepared
  bool usable_ = false;
  bool has_been_usable_ = false;
  bool reported_lost_ = false;
  bool given_up_ = false;
  std::optional<core::Error> last_error_;
};

struct Session::Statement {
  StatementSpec spec;
  protocol::BindMetadata bind;
  protocol::RowsMetadata result;
};

// What an ERROR of the server says about an operation.
RequestFailure describe_error(int32_t code, std::string_view message, const protocol::Frame& frame);

}  // namespace cqlperf::client

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "client/connection.h"
#include "client/connection_options.h"
#include "core/buffer.h"
#include "core/random.h"
#include "core/result.h"
#include "net/endpoint.h"
#include "net/event_loop.h"
#include "protocol/consistency.h"
#include "protocol/frame.h"
#include "protocol/metadata.h"
#include "protocol/request_template.h"
#include "protocol/result.h"
#include "protocol/strings.h"

namespace cqlperf::client {

enum class StatementKind {
  kPrepared,    // prepared on every node: EXECUTE
  kBoundQuery,  // QUERY with the text and the values
  kTextQuery,   // QUERY with a text that comes with each operation
};

// A statement that a Session executes by its index.
struct StatementSpec {
  std::string cql;  // not of kTextQuery
  protocol::RequestTemplate::Settings settings = {};
  // The last value of each operation ends in bytes that SessionClient::value_tail() names.
  bool tail = false;
  // Each operation asks for one page, which SessionClient::page_of() names. The settings have no
  // page size then.
  bool paged = false;
  // Tail and pages are for prepared statements only.
  StatementKind kind = StatementKind::kPrepared;
  uint16_t values = 0;  // of kBoundQuery: how many bind markers `cql` has
};

// One page of a paged statement.
struct PageRequest {
  int32_t rows = 0;               // at most; above 0
  protocol::ByteView state = {};  // RowsView::paging_state() of the page before; empty: the first
};

struct SessionOptions {
  std::vector<net::SocketAddress> nodes;  // at least one
  int connections_per_node = 1;           // at least 1
  ConnectionOptions connection = {};
  std::vector<StatementSpec> statements = {};
  uint64_t seed = 1;  // of the jitter of reconnect delays
  // Told, in the loop's thread, when a node is lost and when it is back: once for each outage.
  std::function<void(std::string)> log = {};
};

// Why an operation has failed. The views are valid during the call.
struct RequestFailure {
  // protocol::error_name(), or ClientTimeout, ConnectionLost, ProtocolError. Static text.
  std::string_view kind;
  std::string_view message;  // the server's own text, or ours
  bool overloaded = false;   // the server asks for less: back off
  bool in_doubt = false;     // it is unknown whether the operation was applied
  // The ERROR frame, for its further fields; nullptr when no answer came.
  const protocol::Frame* frame = nullptr;
};

// Who executes operations on a Session. Tokens are the client's own.
class SessionClient {
 public:
  // Appends one [value] for each bind marker of the statement (protocol/values.h), nothing else,
  // and the same ones each time that it is called for one operation: an operation that the server
  // had forgotten the statement for is written again.
  virtual void write_values(uint16_t statement, uint32_t token, core::Buffer& out) = 0;
  // For StatementKind::kTextQuery, instead: appends the text, nothing else.
  virtual void write_query(uint16_t /*statement*/, uint32_t /*token*/, core::Buffer& /*out*/) {}
  // For statements with a tail, right after write_values(), which has written the [int] length of
  // the whole last value and none or some of its first bytes: the rest of it, none included. Where
  // frames travel as they are (v3 and v4 without compression), long ones are not copied but read by
  // the kernel when it has room, which can be long after the operation has failed: the memory must
  // stay valid and unchanged as long as the session lives. Called again as write_values() is; the
  // whole frame must stay within protocol::kFrameBodyMax.
  virtual protocol::ByteView value_tail(uint16_t /*statement*/, uint32_t /*token*/) { return {}; }
  // For paged statements, after the values: which page. Called again as write_values() is, so the
  // state must stay valid until the operation has ended.
  virtual PageRequest page_of(uint16_t /*statement*/, uint32_t /*token*/) { return {}; }
  // The RESULT frame is valid during the call only. Its body may begin with what its flags say (see
  // protocol/envelope.h).
  virtual void on_success(uint32_t token, const protocol::Frame& frame, int64_t received_ns) = 0;
  virtual void on_failure(uint32_t token, const RequestFailure& failure, int64_t received_ns) = 0;

 protected:
  ~SessionClient() = default;
};

enum class ExecuteStatus {
  kSent,         // written; on_success() or on_failure() will come
  kNotReady,     // no node is connected and prepared now; poll() and try again
  kStreamsBusy,  // each has all its stream ids in use, or its peer does not read; likewise
};

struct NodeStatus {
  net::SocketAddress address;
  int ready_connections = 0;
  bool usable = false;    // connected and prepared
  bool given_up = false;  // it refused the credentials: no further attempts
  std::optional<core::Error> last_error;
};

// Executes statements on a set of nodes. Opens connections_per_node connections to each, prepares
// every statement that is to be once per node, and is usable as soon as one node is; others join
// later.
// Connections that end are opened again after delays that grow from 100 ms to 5 s, with jitter, for
// as long as the session lives; only a node that refuses the credentials is given up.
// When a server has forgotten a statement (UNPREPARED), it is prepared again once per node while
// the operations concerned wait, then they are sent again; an operation is sent twice at most.
// Owner thread: the loop's. The loop outlives it. It must not be destroyed inside a callback.
// execute() and the handling of answers do not allocate in the steady state.
class Session {
 public:
  Session(net::EventLoop& loop, SessionClient& client, SessionOptions options);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // Starts to connect; poll() of the loop does the rest.
  void start();
  // Polls the loop until a node can be used. kAuth or kSetup with the server's text when all nodes
  // have refused for such a reason; kConnect with the reason of each node at the deadline;
  // kInterrupted within 100 ms.
  core::Status wait_until_ready(int64_t deadline_ns);

  // Writes one operation; see SessionClient. May be called inside on_success() and on_failure().
  ExecuteStatus execute(uint16_t statement, uint32_t token);
  // Sends all that was written since the last time: one system call per connection concerned. Call
  // it at the end of each turn of the loop.
  void flush();

  // Operations that were sent and have had neither on_success() nor on_failure() yet.
  size_t in_flight() const { return in_flight_; }
  size_t ready_connections() const;
  std::vector<NodeStatus> nodes() const;
  // Answers that came after their operation had timed out.
  uint64_t late_answers() const;
  uint64_t reconnects() const { return reconnects_; }
  // Sums over all connections so far.
  net::TcpStream::Counters counters() const;

  // The metadata that the last PREPARE gave; valid once ready. The references stay valid, and a
  // prepare that finds a changed table replaces what they refer to.
  const protocol::RowsMetadata& result_metadata(uint16_t statement) const;
  const protocol::BindMetadata& bind_metadata(uint16_t statement) const;

 private:
  class Node;
  class Channel;
  struct Statement;

  Channel* next_channel();
  void update_active();
  void fail_operation(uint32_t token, const RequestFailure& failure, int64_t now_ns);
  std::optional<core::Error> refusal() const;
  core::Error not_ready_error() const;

  net::EventLoop& loop_;
  SessionClient& client_;
  const SessionOptions options_;
  core::Random random_;
  std::vector<std::unique_ptr<Statement>> statements_;
  std::vector<std::unique_ptr<Node>> nodes_;
  std::vector<Channel*> channels_;  // of all nodes
  // Those that operations may use now, and the one that was used last.
  std::vector<Channel*> active_;
  size_t last_ = 0;
  size_t in_flight_ = 0;
  uint64_t reconnects_ = 0;
};

}  // namespace cqlperf::client

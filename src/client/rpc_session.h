#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "client/connection_options.h"
#include "client/session.h"
#include "core/buffer.h"
#include "core/random.h"
#include "core/result.h"
#include "net/endpoint.h"
#include "net/event_loop.h"
#include "net/tcp_stream.h"
#include "thrift/call_writer.h"
#include "thrift/messages.h"
#include "thrift/reply_reader.h"

namespace cqlperf::client {

struct RpcSessionOptions {
  std::vector<net::SocketAddress> nodes;  // of Thrift; at least one
  // To all nodes together, dealt out round robin; at least 1. A connection has one request at a
  // time, so this is how many operations can be in flight.
  uint32_t connections = 1;
  // Credentials, keyspace and time-outs; the rest is of the native protocol and not looked at.
  ConnectionOptions connection = {};
  std::string prepare = {};  // CQL that each connection prepares before it is used; empty: nothing
  thrift::Call call = thrift::Call::kBatchMutate;  // what all operations are
  uint64_t seed = 1;                               // of the jitter of reconnect delays
  std::function<void(std::string)> log = {};       // as SessionOptions::log
};

// Who executes operations on an RpcSession. Tokens are the client's own.
class RpcClient {
 public:
  // Appends one call, RpcSessionOptions::call, whose seqid is `seqid`. `item_id` is what PREPARE
  // gave on this connection.
  virtual void write_call(uint32_t token, int32_t seqid, int32_t item_id,
                          thrift::CallWriter& writer, core::Buffer& out) = 0;
  // The reply is a result, valid during the call only.
  virtual void on_reply(uint32_t token, const thrift::ReplyReader& reply, int64_t received_ns) = 0;
  // Kinds: thrift::exception_name(), or ClientTimeout, ConnectionLost, ProtocolError; the last
  // three end the connection, and leave it in doubt whether the operation was applied.
  // RequestFailure::frame is always null: `answered` says whether the server did.
  virtual void on_failure(uint32_t token, const RequestFailure& failure, bool answered,
                          int64_t received_ns) = 0;

 protected:
  ~RpcClient() = default;
};

// Executes calls over Thrift (framed transport, strict binary protocol) on a set of nodes, as
// Session does over the native protocol: the same loop, time-outs, and delays before connections
// are opened again. Thrift has no stream ids, so a connection has one request in flight, and one
// that is not answered in time ends its connection.
// Owner thread: the loop's. The loop and the client outlive it. It must not be destroyed inside a
// callback. execute() and the handling of answers do not allocate in the steady state.
class RpcSession {
 public:
  RpcSession(net::EventLoop& loop, RpcClient& client, RpcSessionOptions options);
  ~RpcSession();
  RpcSession(const RpcSession&) = delete;
  RpcSession& operator=(const RpcSession&) = delete;

  // Starts to connect; poll() of the loop does the rest.
  void start();
  // Polls the loop until all connections are ready. kAuth or kSetup with the server's text when it
  // refuses the login, the keyspace or the statement; kConnect with the reasons at the deadline,
  // and at once when a server is no Thrift server (kProtocol's text says what it seems to be) or
  // when every connection was refused; kInterrupted within 100 ms.
  core::Status wait_until_ready(int64_t deadline_ns);

  // Writes one operation to a connection that has none. May be called inside the client's calls.
  // kStreamsBusy: each has one.
  ExecuteStatus execute(uint32_t token);
  // Sends what was written since the last time.
  void flush();

  size_t in_flight() const;
  size_t ready_connections() const;
  uint64_t reconnects() const;
  // Sums over all connections so far.
  net::TcpStream::Counters counters() const;

 private:
  class Channel;
  struct State;

  std::unique_ptr<State> state_;
};

}  // namespace cqlperf::client

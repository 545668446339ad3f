#pragma once

#include <cstdint>

#include "core/buffer.h"
#include "net/endpoint.h"
#include "net/tcp_stream.h"
#include "protocol/frame.h"
#include "server/request.h"
#include "server/thrift_session.h"

namespace cqlperf::server {

class ThriftHost;

// One client of the RPC side: its socket, the frames on it, and that it has one request at a time.
// The answers of the worker's writer and reader come to it as those of the native protocol, and its
// session makes Thrift's of them. Owner thread: the worker's; the host destroys it.
class ThriftConnection final : public ReplyTarget, private net::TcpStream::Handler {
 public:
  // Owns `fd` from here on. `host` outlives this.
  ThriftConnection(ThriftHost& host, uint64_t number, int fd, const net::SocketAddress& peer);
  ~ThriftConnection() = default;

  protocol::Version version() const override { return protocol::Version::kV4; }
  core::Buffer& begin_reply(int16_t stream, protocol::Opcode opcode) override;
  void end_reply() override;

  uint64_t number() const { return number_; }
  // Where the session appends an answer, then calls end_answer().
  core::Buffer& output() { return stream_.output(); }
  void end_answer();
  // Ends when what was answered is sent.
  void end_after_answer() { ending_ = true; }

  // For the host.

  void flush();
  void resume();
  void sweep();
  void stop_reading() { stream_.pause_reading(); }
  bool is_quiet() const { return !busy_ && stream_.backlog_bytes() == 0; }

 private:
  void on_connected() override {}
  void on_bytes(core::Buffer& input) override;
  void on_closed(const core::Error&) override { drop(); }

  bool handle_next(core::Buffer& input);
  bool must_wait() const;
  void hold();
  void touch();
  void drop();

  ThriftHost& host_;
  const uint64_t number_;
  net::TcpStream stream_;
  ThriftSession session_;
  core::Buffer native_;  // the answer at hand, in the native protocol
  protocol::Opcode native_opcode_ = protocol::Opcode::kError;
  bool busy_ = false;  // a request is not answered
  bool touched_ = false;
  bool held_ = false;
  bool ending_ = false;
  bool ended_ = false;
  // Of the sweep.
  uint64_t received_bytes_seen_ = 0;
  uint64_t sent_bytes_seen_ = 0;
  int sweeps_outside_ = 0;
  int sweeps_unread_ = 0;
};

}  // namespace cqlperf::server

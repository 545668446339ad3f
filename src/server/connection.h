#pragma once

#include <cstdint>
#include <optional>

#include "core/buffer.h"
#include "net/endpoint.h"
#include "net/tcp_stream.h"
#include "protocol/compression.h"
#include "protocol/error.h"
#include "protocol/event.h"
#include "protocol/frame.h"
#include "protocol/frame_stream.h"
#include "server/fault.h"
#include "server/limits.h"
#include "server/request.h"
#include "server/session.h"

namespace cqlperf::server {

class Worker;

// One client: its socket, how frames travel on it, and the limits on what it can take. What the
// frames mean is the Session's matter. Owner thread: the worker's, which destroys it.
class Connection final : public ReplyTarget, private net::TcpStream::Handler {
 public:
  // Owns `fd` from here on. `number` counts connections from 1; `worker` outlives this.
  Connection(Worker& worker, uint64_t number, int fd, const net::SocketAddress& peer);
  ~Connection() = default;

  protocol::Version version() const override { return version_; }
  core::Buffer& begin_reply(int16_t stream, protocol::Opcode opcode) override;
  void end_reply() override;
  bool has_room() const override { return ended_ || backlog_bytes() <= kBacklogBytesMax; }

  uint64_t number() const { return number_; }
  // STARTUP was answered: from the next byte on, frames are compressed, and in segments in v5.
  void agree(protocol::Compression compression);
  // Answers an error, and ends the connection when what came before is answered.
  void end_with(int16_t stream, const protocol::ErrorMessage& error);
  void send_event(const protocol::Event& event);

  // For the worker, at the end of a turn.
  void flush();
  // Goes on reading when there is room for more answers.
  void resume();
  // Once in a while: ends what takes too long, and gives back memory that is not used.
  void sweep();
  void stop_reading() { stream_.pause_reading(); }
  // Nothing is to be answered or sent.
  bool is_quiet() const { return in_flight_ == 0 && backlog_bytes() == 0; }

 private:
  void on_connected() override {}
  void on_bytes(core::Buffer& input) override;
  // Sends no more, but waits for its answers: `nc`, for one, and scripts.
  bool on_input_ended() override;
  void on_closed(const core::Error& error) override;

  // Handles the frames that have come, until there are no more or the connection is held.
  void pump(core::Buffer& input);
  bool handle_next(core::Buffer& input);
  void refuse(core::Buffer& input, const core::Error& error);
  // For what is no request: it has an answer all the same.
  void refuse_with(int16_t stream, const protocol::ErrorMessage& error);
  void handle(const protocol::Frame& frame);
  void dispatch(const protocol::Frame& frame);
  void apply_fault(const FaultRule& rule, const protocol::Frame& frame);
  void delay(const protocol::Frame& frame, int64_t delay_ns);
  void dispatch_delayed(const protocol::Bytes& frame);

  bool is_over() const { return ended_ || ending_; }
  size_t backlog_bytes() const { return stream_.backlog_bytes() + frames_.size(); }
  bool must_wait() const;
  void hold();
  core::Buffer& reply_buffer();
  void touch();
  void drop();
  void give_back_memory();

  Worker& worker_;
  const uint64_t number_;
  net::TcpStream stream_;
  protocol::FrameReader reader_;
  protocol::FrameWriter writer_;
  core::Buffer frames_;  // to be sent, when they do not travel as they are
  Session session_;
  std::optional<FaultInjector> faults_;
  protocol::Version version_ = protocol::kVersionMax;
  bool is_version_fixed_ = false;  // STARTUP was answered
  bool is_let_in_ = false;         // and was told so
  bool touched_ = false;
  bool held_ = false;         // in the worker's list
  bool input_ended_ = false;  // ends likewise, because the client sends no more
  bool ending_ = false;       // ends when all that came is answered
  bool ended_ = false;        // the socket is gone
  size_t in_flight_ = 0;
  size_t answer_bytes_ = kAnswerBytesAtFirst;  // about so large are this client's answers
  int16_t reply_stream_ = 0;
  size_t reply_start_ = 0;
  // Of the sweep: what had come and gone, and for how many sweeps the client was not let in, or
  // took nothing of what waits for it.
  uint64_t received_bytes_seen_ = 0;
  uint64_t sent_bytes_seen_ = 0;
  int sweeps_outside_ = 0;
  int sweeps_unread_ = 0;
};

}  // namespace cqlperf::server

#include "server/thrift_connection.h"

#include <utility>

#include "server/limits.h"
#include "server/thrift_host.h"
#include "server/worker.h"
#include "thrift/frame.h"

namespace cqlperf::server {

ThriftConnection::ThriftConnection(ThriftHost& host, uint64_t number, int fd,
                                   const net::SocketAddress& peer)
    : host_(host), number_(number), stream_(host.worker().loop(), *this), session_(host, *this) {
  stream_.adopt(fd, peer);
}

core::Buffer& ThriftConnection::begin_reply(int16_t, protocol::Opcode opcode) {
  native_.clear();
  native_opcode_ = opcode;
  return native_;
}

void ThriftConnection::end_reply() {
  if (!ended_) session_.answer(native_opcode_, native_.bytes());
  native_.clear();
  busy_ = false;
}

void ThriftConnection::end_answer() {
  busy_ = false;
  touch();
}

void ThriftConnection::touch() {
  if (!std::exchange(touched_, true)) host_.touch(*this);
}

void ThriftConnection::on_bytes(core::Buffer& input) {
  host_.worker().on_received(input.size());
  while (!ended_ && !ending_) {
    if (must_wait()) {
      if (!input.empty()) hold();
      return;
    }
    if (!handle_next(input)) return;
  }
  // Nothing of a client that was told to go is of interest.
  if (ending_) input.clear();
}

// One request at a time, and answers that are taken.
bool ThriftConnection::must_wait() const {
  return busy_ || stream_.backlog_bytes() > kBacklogBytesMax;
}

void ThriftConnection::hold() {
  stream_.pause_reading();
  if (!std::exchange(held_, true)) host_.hold(*this);
}

void ThriftConnection::resume() {
  held_ = false;
  if (ended_) return;
  if (must_wait()) return hold();
  stream_.resume_reading();  // calls on_bytes() in the next turn
}

// False when there is no whole frame, or the connection ends: there is no telling what comes after
// bytes that are no message.
bool ThriftConnection::handle_next(core::Buffer& input) {
  const size_t bytes_max = session_.is_logged_in() ? thrift::kFrameBytesMax : kHandshakeBytesMax;
  const auto frame = thrift::next_frame(input.bytes(), bytes_max);
  if (!frame) {
    drop();
    return false;
  }
  if (!*frame) return false;
  busy_ = true;
  const auto received = host_.calls().read(**frame);
  if (!received) {
    drop();
    return false;
  }
  session_.handle(*received);
  input.consume(thrift::kFrameHeaderSize + (*frame)->size());
  return true;
}

void ThriftConnection::flush() {
  touched_ = false;
  if (ended_) return;
  stream_.flush();
  if (ending_ && !busy_) stream_.finish(host_.worker().loop().now_ns() + kFarewellTimeoutNs);
}

// At once: what was not sent is lost.
void ThriftConnection::drop() {
  if (std::exchange(ended_, true)) return;
  stream_.close();
  host_.bury(*this);
}

void ThriftConnection::sweep() {
  if (ended_) return;
  const uint64_t sent_bytes = stream_.counters().bytes_sent;
  const bool has_taken = std::exchange(sent_bytes_seen_, sent_bytes) != sent_bytes;
  sweeps_unread_ = has_taken || stream_.backlog_bytes() == 0 ? 0 : sweeps_unread_ + 1;
  if (!session_.is_logged_in()) ++sweeps_outside_;
  if (sweeps_unread_ > kUnreadSweepsMax || sweeps_outside_ > kHandshakeSweepsMax) return drop();
  const uint64_t received_bytes = stream_.counters().bytes_received;
  if (std::exchange(received_bytes_seen_, received_bytes) != received_bytes) return;
  if (!busy_) native_.release();
  stream_.release_buffers();
}

}  // namespace cqlperf::server

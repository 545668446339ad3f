#include "server/connection.h"

#include <utility>

#include <fmt/format.h>

#include "protocol/envelope.h"
#include "protocol/execute.h"
#include "protocol/negotiation.h"
#include "server/limits.h"
#include "server/worker.h"

namespace cqlperf::server {
namespace {

using protocol::ErrorCode;
using protocol::ErrorMessage;
using protocol::Opcode;

bool is_spoken(int version) {
  return version >= static_cast<int>(protocol::kVersionMin) &&
         version <= static_cast<int>(protocol::kVersionMax);
}

}  // namespace

Connection::Connection(Worker& worker, uint64_t number, int fd, const net::SocketAddress& peer)
    : worker_(worker),
      number_(number),
      stream_(worker.loop(), *this),
      reader_(protocol::Direction::kRequest),
      session_(worker, *this) {
  const Database::Options& options = worker.database().options();
  if (!options.faults.empty()) faults_.emplace(options.faults, options.fault_seed, number);
  stream_.adopt(fd, peer);
}

core::Buffer& Connection::reply_buffer() {
  if (ended_) return worker_.scratch();
  return writer_.is_plain() ? stream_.output() : frames_;
}

core::Buffer& Connection::begin_reply(int16_t stream, Opcode opcode) {
  core::Buffer& out = reply_buffer();
  reply_stream_ = stream;
  reply_start_ = protocol::begin_frame(out, version_, true, 0, stream, opcode);
  return out;
}

void Connection::end_reply() {
  core::Buffer& out = reply_buffer();
  const size_t size = out.size() - reply_start_;
  if (size - protocol::kFrameHeaderSize > protocol::kFrameBodyMax) [[unlikely]] {
    out.truncate(reply_start_);
    protocol::append_frame(out, version_, reply_stream_,
                           ErrorMessage::of(ErrorCode::kServerError,
                                            "the result is over 256 MiB: ask for fewer rows or "
                                            "columns, or for smaller pages"));
  } else {
    protocol::end_frame(out, reply_start_);
  }
  if (in_flight_ > 0) --in_flight_;
  answer_bytes_ = (answer_bytes_ * 7 + size) / 8;
  if (ended_) return out.clear();
  touch();
}

void Connection::touch() {
  if (!std::exchange(touched_, true)) worker_.touch(*this);
}

void Connection::agree(protocol::Compression compression) {
  is_version_fixed_ = true;
  writer_.start(version_, compression);
  reader_.set_compression(compression);
  if (version_ >= protocol::Version::kV5) reader_.start_segments();
}

void Connection::end_with(int16_t stream, const ErrorMessage& error) {
  if (is_over()) return;
  reply_error({this, stream}, error);
  ending_ = true;
}

void Connection::send_event(const protocol::Event& event) {
  if (is_over() || !session_.wants(event)) return;
  protocol::append_frame(reply_buffer(), version_, protocol::kEventStream, event);
  touch();
}

void Connection::on_bytes(core::Buffer& input) {
  worker_.on_received(input.size());
  pump(input);
  if (input_ended_) touch();
  if (session_.is_ready() || stream_.counters().bytes_received <= kHandshakeBytesMax) return;
  refuse_with(0,
              ErrorMessage::of(ErrorCode::kProtocolError,
                               fmt::format("{} bytes and no complete login", kHandshakeBytesMax)));
}

void Connection::pump(core::Buffer& input) {
  while (!is_over()) {
    if (must_wait()) return hold();
    if (!handle_next(input)) return;
  }
  // Nothing of a client that was told to go is of interest.
  if (ending_) input.clear();
}

// The answers that are still to come need room, too.
bool Connection::must_wait() const {
  return in_flight_ >= kInFlightMax ||
         backlog_bytes() + in_flight_ * answer_bytes_ > kBacklogBytesMax;
}

void Connection::hold() {
  stream_.pause_reading();
  if (!std::exchange(held_, true)) worker_.hold(*this);
}

void Connection::resume() {
  held_ = false;
  if (is_over()) return;
  if (must_wait()) return hold();
  stream_.resume_reading();  // calls on_bytes() in the next turn
}

// False when there is no whole frame, or the connection ends. Until STARTUP was answered each
// request may name another version.
bool Connection::handle_next(core::Buffer& input) {
  const auto frame = reader_.next(input);
  if (!frame) [[unlikely]] {
    refuse(input, frame.error());
    return false;
  }
  if (!*frame) return false;
  if (!is_version_fixed_) version_ = (*frame)->header.version;
  handle(**frame);
  return true;
}

// What is at the front of the input is no frame. The answer to a version that is not spoken here
// has the newest that is, by which clients know what to try next.
void Connection::refuse(core::Buffer& input, const core::Error& error) {
  const auto header = protocol::peek_raw_header(input.bytes());
  if (!is_version_fixed_ && (input.data()[0] & 0x80) == 0 && !is_spoken(input.data()[0])) {
    if (!header) return;  // its stream id is still to come
    version_ = protocol::kVersionMax;
    return refuse_with(header->stream, protocol::unsupported_version_error(header->version));
  }
  const bool in_segments = is_version_fixed_ && version_ >= protocol::Version::kV5;
  refuse_with(header && !in_segments ? header->stream : int16_t{0},
              ErrorMessage::of(ErrorCode::kProtocolError, error.message));
}

void Connection::refuse_with(int16_t stream, const ErrorMessage& error) {
  if (is_over()) return;
  ++in_flight_;
  end_with(stream, error);
}

void Connection::handle(const protocol::Frame& frame) {
  if (frame.header.version != version_)
    return refuse_with(frame.header.stream,
                       ErrorMessage::of(ErrorCode::kProtocolError,
                                        fmt::format("Invalid message version. Got {} but previous "
                                                    "messages on this connection had version {}",
                                                    static_cast<int>(frame.header.version),
                                                    static_cast<int>(version_))));
  if (faults_) [[unlikely]]
    if (const FaultRule* rule = faults_->next(frame.header.opcode))
      return apply_fault(*rule, frame);
  dispatch(frame);
}

void Connection::dispatch(const protocol::Frame& frame) {
  ++in_flight_;
  const auto envelope = protocol::split_request(frame);
  if (envelope) [[likely]]
    return session_.handle(frame.header, envelope->body);
  end_with(frame.header.stream,
           ErrorMessage::of(ErrorCode::kProtocolError, envelope.error().message));
}

void Connection::apply_fault(const FaultRule& rule, const protocol::Frame& frame) {
  const protocol::FrameHeader& header = frame.header;
  switch (rule.kind) {
    case FaultRule::Kind::kDelay:
      return delay(frame, rule.delay_ns);
    case FaultRule::Kind::kError: {
      ++in_flight_;
      protocol::ByteView id;
      if (header.opcode == Opcode::kExecute)
        if (const auto envelope = protocol::split_request(frame))
          if (const auto execute = protocol::Execute::decode_body(version_, envelope->body))
            id = execute->id;
      return reply_error({this, header.stream}, injected_error(rule.error_code, id));
    }
    case FaultRule::Kind::kSilence:
      return;
    case FaultRule::Kind::kClose:
      return drop();
  }
}

// The frame is kept until its time has come; the connection may be gone by then.
void Connection::delay(const protocol::Frame& frame, int64_t delay_ns) {
  core::Buffer copy;
  const size_t start = protocol::begin_frame(copy, frame.header.version, false, frame.header.flags,
                                             frame.header.stream, frame.header.opcode);
  copy.append(frame.body);
  protocol::end_frame(copy, start);
  ++in_flight_;
  const auto at_ns = worker_.loop().now_ns() + delay_ns;
  worker_.loop().call_at(
      at_ns, [&worker = worker_, number = number_, bytes = protocol::to_bytes(copy.bytes())] {
        if (Connection* connection = worker.find(number)) connection->dispatch_delayed(bytes);
      });
}

void Connection::dispatch_delayed(const protocol::Bytes& frame) {
  --in_flight_;
  if (is_over()) return touch();
  const auto whole = protocol::next_frame(frame, protocol::Direction::kRequest);
  if (whole && *whole) dispatch(**whole);
}

void Connection::flush() {
  touched_ = false;
  if (ended_) return;
  if (!frames_.empty()) writer_.write(frames_, stream_.output());
  stream_.flush();
  // Many clients connect and then wait: they must cost next to nothing at once.
  if (session_.is_ready() && !std::exchange(is_let_in_, true)) give_back_memory();
  if ((ending_ || (input_ended_ && !held_)) && in_flight_ == 0)
    stream_.finish(worker_.loop().now_ns() + kFarewellTimeoutNs);
}

bool Connection::on_input_ended() {
  if (is_over() || (is_quiet() && !held_)) return false;
  input_ended_ = true;
  touch();
  return true;
}

void Connection::on_closed(const core::Error&) { drop(); }

// At once: what was not sent is lost.
void Connection::drop() {
  if (std::exchange(ended_, true)) return;
  stream_.close();
  worker_.bury(*this);
}

void Connection::sweep() {
  if (ended_) return;
  const uint64_t sent_bytes = stream_.counters().bytes_sent;
  const bool has_taken = std::exchange(sent_bytes_seen_, sent_bytes) != sent_bytes;
  sweeps_unread_ = has_taken || backlog_bytes() == 0 ? 0 : sweeps_unread_ + 1;
  if (!session_.is_ready()) ++sweeps_outside_;
  if (sweeps_unread_ > kUnreadSweepsMax || sweeps_outside_ > kHandshakeSweepsMax) return drop();
  const uint64_t received_bytes = stream_.counters().bytes_received;
  if (std::exchange(received_bytes_seen_, received_bytes) == received_bytes) give_back_memory();
}

void Connection::give_back_memory() {
  if (frames_.empty()) frames_.release();
  stream_.release_buffers();
}

}  // namespace cqlperf::server

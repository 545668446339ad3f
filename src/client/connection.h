#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "client/connection_options.h"
#include "client/handshake.h"
#include "core/buffer.h"
#include "core/result.h"
#include "net/endpoint.h"
#include "net/event_loop.h"
#include "net/tcp_stream.h"
#include "protocol/frame.h"
#include "protocol/frame_stream.h"
#include "protocol/strings.h"

namespace cqlperf::client {

// Why a request got no answer.
enum class RequestFault {
  kClientTimeout,   // none within the request timeout
  kConnectionLost,  // the connection ended first
};

// Who sends requests on a Connection. Every begin_request() leads to exactly one of these calls,
// from EventLoop::poll() or from Connection::close(). New requests may be begun inside both.
class RequestHandler {
 public:
  // The frame views the receive buffer: it is valid during the call only.
  virtual void on_response(uint64_t token, const protocol::Frame& frame, int64_t received_ns) = 0;
  // `reason` is text for people, valid during the call.
  virtual void on_no_response(uint64_t token, RequestFault fault, std::string_view reason,
                              int64_t now_ns) = 0;

 protected:
  ~RequestHandler() = default;
};

// One connection to a server: TCP, handshake, stream ids, requests in flight and their timeouts.
// Requests are encoded by the caller straight into output() and sent by flush(), many at a time.
// A stream id stays taken until its answer comes, also when the request has timed out; when half of
// the ids wait for such answers, the connection ends itself.
// Owner thread: the loop's. Loop, owner and handlers outlive it; it must not be destroyed inside a
// callback. Nothing allocates once the largest number of requests in flight was reached.
class Connection final : private net::TcpStream::Handler {
 public:
  class Owner {
   public:
    virtual void on_ready(Connection& connection) = 0;
    // The connection could not be made, or has ended; once for each open(), never after close().
    // All requests in flight have failed before. kConnect, kTimeout, kAuth, kSetup, kProtocol,
    // kServer or kIo, with the address in the text. Another open() may follow, not inside this
    // call.
    virtual void on_closed(Connection& connection, const core::Error& error) = 0;

   protected:
    ~Owner() = default;
  };

  Connection(net::EventLoop& loop, Owner& owner, ConnectionOptions options);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Starts to connect; on_ready() or on_closed() comes within the connect timeout. Only when
  // closed. The version that the server took is remembered for the next time.
  void open(const net::SocketAddress& address);
  // Ends it at once; requests in flight fail with kConnectionLost, the owner is not told.
  void close();

  bool is_ready() const { return state_ == State::kReady; }
  bool is_closed() const { return state_ == State::kClosed; }
  const net::SocketAddress& address() const { return address_; }
  protocol::Version version() const { return version_; }

  // True when another request can be begun: ready, a stream id is free and the backlog is short.
  bool has_room() const {
    return state_ == State::kReady && has_free_stream() &&
           stream_->backlog_bytes() + frames_.size() < options_.backlog_max_bytes;
  }
  bool has_free_stream() const {
    return !free_streams_.empty() || pending_.size() < static_cast<size_t>(options_.stream_ids);
  }
  // Takes a stream id for a request that the caller now appends to output(); empty when not ready
  // or when all ids are taken. The request's time starts at EventLoop::now_ns().
  std::optional<int16_t> begin_request(RequestHandler& handler, uint64_t token) {
    if (state_ != State::kReady || !has_free_stream()) return std::nullopt;
    const int16_t stream = take_stream();
    pending_[static_cast<size_t>(stream)] = {&handler, token, loop_.now_ns()};
    in_flight_++;
    return stream;
  }
  // Whole frames are appended here. Only while is_ready().
  core::Buffer& output() { return *output_; }
  // Appends bytes of a frame without a copy where that is cheaper; they must stay valid and
  // unchanged as long as the connection lives. Returns how many of them output() does not hold.
  size_t append_tail(protocol::ByteView bytes);
  void flush() {
    if (!stream_) return;
    if (!frames_.empty()) [[unlikely]]
      writer_.write(frames_, stream_->output());
    stream_->flush();
  }

  // Requests that were begun and have neither been answered nor failed.
  size_t in_flight() const { return in_flight_; }
  // Requests that timed out and whose answer has not come yet.
  size_t orphans() const { return orphans_; }
  // Answers that came after their request had timed out.
  uint64_t late_answers() const { return late_answers_; }
  net::TcpStream::Counters counters() const;

 private:
  enum class State { kClosed, kConnecting, kHandshake, kReady };

  // What a stream id is used for. Without a handler it is free, or waits for the answer to a
  // request that has timed out; then sent_ns tells so.
  struct Pending {
    RequestHandler* handler = nullptr;
    uint64_t token = 0;
    int64_t sent_ns = 0;
  };

  int16_t take_stream() {
    if (free_streams_.empty()) {
      pending_.emplace_back();
      return static_cast<int16_t>(pending_.size() - 1);
    }
    const int16_t stream = free_streams_.back();
    free_streams_.pop_back();
    return stream;
  }

  void on_connected() override;
  void on_bytes(core::Buffer& input) override;
  void on_closed(const core::Error& error) override;

  void connect();
  void restart(protocol::Version version);
  void on_connect_deadline();
  bool dispatch(const protocol::Frame& frame, int64_t received_ns);
  bool dispatch_rarity(const protocol::Frame& frame);
  bool dispatch_handshake(const protocol::Frame& frame);
  void start_transport();
  void become_ready();
  void sweep_timeouts();
  void time_out(size_t stream);
  void schedule_sweep();
  void stop();
  void fail(const core::Error& error);
  void fail_pending(std::string_view reason);

  // Bytes that are fewer than this are cheaper to copy than to gather: see benchmarks/wire_cost.cc.
  static constexpr size_t kGatheredMin = 4 * 1024;

  net::EventLoop& loop_;
  Owner& owner_;
  const ConnectionOptions options_;
  protocol::Version version_;  // of the present attempt
  std::optional<protocol::Version> accepted_version_;
  State state_ = State::kClosed;
  net::SocketAddress address_;
  std::unique_ptr<net::TcpStream> stream_;
  std::optional<Handshake> handshake_;
  protocol::FrameReader reader_{protocol::Direction::kResponse};
  protocol::FrameWriter writer_;
  // Where requests are written: straight to the stream's buffer, or to frames_ when they get
  // another form at flush().
  core::Buffer* output_ = nullptr;
  core::Buffer frames_;
  int64_t connect_deadline_ns_ = 0;
  net::TimerId deadline_timer_ = net::kNoTimer;
  net::TimerId sweep_timer_ = net::kNoTimer;
  net::TimerId restart_timer_ = net::kNoTimer;
  std::string timeout_text_;
  net::TcpStream::Counters earlier_counters_;  // of the streams before stream_

  // Indexed by stream id; grows to the largest number in flight. Free ids are used last in, first
  // out, so that few cache lines are touched.
  std::vector<Pending> pending_;
  std::vector<int16_t> free_streams_;
  size_t in_flight_ = 0;
  size_t orphans_ = 0;
  uint64_t late_answers_ = 0;
};

}  // namespace cqlperf::client

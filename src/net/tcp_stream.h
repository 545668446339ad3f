#pragma once

#include <cstddef>
#include <cstdint>

#include "core/buffer.h"
#include "core/result.h"
#include "net/endpoint.h"
#include "net/event_loop.h"

namespace cqlperf::net {

// A non-blocking TCP connection on an EventLoop. Writes gather in output() until flush() hands all
// of them to the kernel in one call; a receive brings all that has come to one on_bytes() call,
// which parses in place. Both buffers are kept for reuse: in the steady state nothing allocates.
// Owner thread: the loop's. The loop and the handler outlive it.
class TcpStream final : private EventHandler {
 public:
  // Every call comes from EventLoop::poll(), never from inside connect(), flush() or close().
  class Handler {
   public:
    virtual void on_connected() = 0;
    // `input` holds what has come and was not consumed yet; whole messages should be consumed, the
    // rest stays for the next call. EventLoop::now_ns() is the time at which the bytes were
    // received.
    virtual void on_bytes(core::Buffer& input) = 0;
    // The connection could not be made or has ended; comes at most once, and after close() never.
    // kConnect, kTimeout or kIo; the text names the address and the reason. The stream may be
    // destroyed here, but neither in on_connected() nor in on_bytes().
    virtual void on_closed(const core::Error& error) = 0;

   protected:
    ~Handler() = default;
  };

  // How often the kernel was called, and with how much.
  struct Counters {
    uint64_t sends = 0;
    uint64_t receives = 0;
    uint64_t bytes_sent = 0;
    uint64_t bytes_received = 0;

    Counters& operator+=(const Counters& other);
  };

  TcpStream(EventLoop& loop, Handler& handler) : loop_(loop), handler_(handler) {}
  ~TcpStream() { close(); }
  TcpStream(const TcpStream&) = delete;
  TcpStream& operator=(const TcpStream&) = delete;

  // Starts to connect; on_connected() or on_closed() tells how it went, at `deadline_ns` at the
  // latest. Once per stream.
  void connect(const SocketAddress& address, int64_t deadline_ns);

  // Where bytes to be sent are appended; flush() sends them. Before on_connected() they wait.
  core::Buffer& output() { return output_; }
  // Sends what output() holds in one call. What the kernel does not take is sent as it makes room,
  // without further flushes. Costs a comparison when there is nothing to send.
  void flush() {
    if (!output_.empty() && state_ == State::kOpen) send_output();
  }
  // Bytes that were written but not yet taken by the kernel. The caller stops writing when a peer
  // that does not read makes this large.
  size_t backlog_bytes() const { return output_.size(); }

  // Ends the connection without a callback; what is in output() is lost. Any state, any number of
  // times, inside callbacks too.
  void close();

  bool is_open() const { return state_ == State::kOpen || state_ == State::kWaitingForRoom; }
  const SocketAddress& address() const { return address_; }
  const Counters& counters() const { return counters_; }

 private:
  // The room for one receive. It doubles when a receive fills it, so that large replies need few.
  static constexpr size_t kReceiveSizeMin = 64 * 1024;
  static constexpr size_t kReceiveSizeMax = 256 * 1024;

  enum class State {
    kIdle,
    kConnecting,
    kOpen,
    kWaitingForRoom,  // open, and the kernel has not taken all of output(): EPOLLOUT is watched
    kFailed,          // a call failed; what has come is still read, then on_closed() follows
    kClosed,
  };

  void on_events(uint32_t events) override;
  core::Status start_connect();
  void finish_connect();
  void receive();
  bool receive_once();
  void send_output();
  void fail(const core::Error& error);
  void fail_later(core::Error error);
  void release();

  EventLoop& loop_;
  Handler& handler_;
  SocketAddress address_;
  int fd_ = -1;
  State state_ = State::kIdle;
  TimerId timer_ = kNoTimer;
  size_t receive_size_ = kReceiveSizeMin;
  core::Buffer output_;
  core::Buffer input_;
  Counters counters_;
};

}  // namespace cqlperf::net

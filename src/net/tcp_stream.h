#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <sys/types.h>
#include <sys/uio.h>

#include "core/buffer.h"
#include "core/result.h"
#include "net/endpoint.h"
#include "net/event_loop.h"

namespace cqlperf::net {

// A non-blocking TCP connection on an EventLoop, made by connect() or taken over by adopt(). Writes
// gather in output() until flush() hands all of them to the kernel in one call; a receive brings
// all that has come to one on_bytes() call, which parses in place. Both buffers are kept for reuse:
// in the steady state nothing allocates. Owner thread: the loop's. The loop and the handler outlive
// it.
class TcpStream final : private EventHandler {
 public:
  // Every call comes from EventLoop::poll(), never from inside a call of this class.
  class Handler {
   public:
    // After connect(); an adopted stream is connected already.
    virtual void on_connected() = 0;
    // `input` holds what has come and was not consumed yet; whole messages should be consumed, the
    // rest stays for the next call. EventLoop::now_ns() is the time at which the bytes were
    // received.
    virtual void on_bytes(core::Buffer& input) = 0;
    // The peer sends no more, and may still read. True keeps the stream open for what is still to
    // be said; finish() or close() ends it, or the peer, by going altogether. Not asked again.
    virtual bool on_input_ended() { return false; }
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

  // Takes over a connected, non-blocking socket, such as one that a Listener accepted, and owns it
  // from here on. The stream is open at once. It is one of many: it starts with a smaller receive
  // buffer, gives buffers that a large message needed back after it, and lets the kernel find out
  // when the peer's host is gone. Once per stream, instead of connect().
  void adopt(int fd, const SocketAddress& peer);

  // Where bytes to be sent are appended; flush() sends them. Before on_connected() they wait.
  core::Buffer& output() { return output_; }
  // Has `bytes` sent after what output() holds now, and before what is appended to it later. They
  // are not copied: they must stay valid and unchanged until they are sent or the stream is closed.
  void append_external(std::span<const uint8_t> bytes);
  // Sends what was appended, in one call. What the kernel does not take is sent as it makes room,
  // without further flushes. Costs a comparison when there is nothing to send.
  void flush() {
    if (backlog_bytes() > 0 && state_ == State::kOpen) send_output();
  }
  // Bytes that were written, external ones too, but not yet taken by the kernel. The caller stops
  // writing when a peer that does not read makes this large.
  size_t backlog_bytes() const { return output_.size() + external_bytes_; }

  // For on_bytes(): the message at the front of its input lacks `count` bytes. When it is a large
  // one, the next receive has room for all of it at once and takes nothing behind it, so that it is
  // moved neither as the buffer grows nor for what follows it. Holds until the next on_bytes().
  void expect(size_t count) { expected_bytes_ = count; }

  // Stops reading, so that a peer that sends faster than it is served is slowed down by TCP. What
  // is in the input buffer waits too: on_bytes() should return soon after it has called this. A
  // peer that goes away meanwhile is noticed when it resets the connection, else after
  // resume_reading(), which calls on_bytes() once in the next poll(), also with an empty buffer:
  // the handler may keep messages elsewhere. Only while open; each does nothing when it is so
  // already.
  void pause_reading();
  void resume_reading();
  bool is_paused() const { return paused_; }

  // The last words: sends what was appended, then ends the stream's own direction, so that the
  // peer receives all of it, and drops what still comes. on_closed() follows when the peer closes
  // too, at `deadline_ns` at the latest (kTimeout). Nothing may be written after this. Only while
  // open.
  void finish(int64_t deadline_ns);

  // Ends the connection without a callback; what was not sent yet is lost. Any state, any number of
  // times, inside callbacks too.
  void close();

  // Gives back the memory of the buffers that are empty: for connections that have been quiet.
  void release_buffers();

  bool is_open() const { return state_ == State::kOpen || state_ == State::kWaitingForRoom; }
  const SocketAddress& address() const { return address_; }
  const Counters& counters() const { return counters_; }

 private:
  // The room for one receive. It doubles when a receive fills it, so that large replies need few.
  static constexpr size_t kReceiveSizeAdopted = 16 * 1024;
  static constexpr size_t kReceiveSizeMin = 64 * 1024;
  static constexpr size_t kReceiveSizeMax = 256 * 1024;

  enum class State {
    kIdle,
    kConnecting,
    kOpen,
    kWaitingForRoom,  // open, and the kernel has not taken all there is: EPOLLOUT is watched
    kFailed,          // a call failed; what has come is still read, then on_closed() follows
    kClosed,
  };

  // Buffers of an adopted stream that are larger than this are given back when they are empty.
  static constexpr size_t kKeptWhenAdopted = 1024 * 1024;

  // Pieces that one call gathers; a stream may have more, which wait for the next. Below IOV_MAX.
  static constexpr size_t kGatheredMax = 512;

  // Bytes of the caller's, behind `gap` bytes of output_ that follow the piece before.
  struct External {
    size_t gap;
    std::span<const uint8_t> bytes;
  };

  void on_events(uint32_t events) override;
  uint32_t wanted_events() const;
  void apply_wanted_events();
  core::Status start_connect();
  void finish_connect();
  void receive();
  bool receive_once();
  void deliver();
  void deliver_later();
  void send_output();
  ssize_t send_gathered();
  size_t gather(std::span<iovec> pieces);
  void consume_gathered(size_t count);
  int take_socket_error() const;
  void fail(const core::Error& error);
  void fail_later(core::Error error);
  void release();

  EventLoop& loop_;
  Handler& handler_;
  SocketAddress address_;
  int fd_ = -1;
  State state_ = State::kIdle;
  bool paused_ = false;
  bool finishing_ = false;
  bool input_ended_ = false;  // and on_input_ended() wants to go on
  TimerId timer_ = kNoTimer;
  TimerId delivery_timer_ = kNoTimer;
  size_t receive_size_ = kReceiveSizeMin;
  size_t expected_bytes_ = 0;
  size_t kept_bytes_max_ = std::numeric_limits<size_t>::max();
  core::Buffer output_;
  size_t external_bytes_ = 0;  // of all externals_
  size_t gap_bytes_ = 0;       // likewise
  std::vector<External> externals_;
  core::Buffer input_;
  Counters counters_;
};

}  // namespace cqlperf::net

#pragma once

#include <cstdint>

#include "core/result.h"
#include "net/endpoint.h"
#include "net/event_loop.h"

namespace cqlperf::net {

// A listening TCP socket on an EventLoop. When the process or the system has no descriptor left, it
// stops accepting for a moment instead of spinning; clients wait in the kernel's queue meanwhile.
// Owner thread: the loop's. The loop and the handler outlive it.
class Listener final : private EventHandler {
 public:
  // Every call comes from EventLoop::poll().
  class Handler {
   public:
    // A connected, non-blocking, close-on-exec socket, which the handler owns from here on: for
    // TcpStream::adopt() here or in another thread, or close(). The listener may be closed here,
    // but not destroyed.
    virtual void on_accepted(int fd, const SocketAddress& peer) = 0;
    // Accepting pauses for kPauseNs; the text (kIo) says why. Comes once for each pause.
    virtual void on_accept_paused(const core::Error& error) = 0;

   protected:
    ~Handler() = default;
  };

  struct Settings {
    // Several listeners, such as one for each thread, share one address, and the kernel spreads
    // connections over them.
    bool reuse_port = false;
    int queue_length = 4096;  // connections that wait to be accepted; the kernel may allow fewer
  };

  static constexpr int64_t kPauseNs = 50'000'000;

  Listener(EventLoop& loop, Handler& handler) : loop_(loop), handler_(handler) {}
  ~Listener() { close(); }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  // Binds and starts to accept; port 0 takes a free one. kSetup, with the address and the reason.
  // Once per listener.
  core::Status listen(const SocketAddress& address, const Settings& settings);
  core::Status listen(const SocketAddress& address) { return listen(address, Settings()); }

  // What it is bound to, with the true port.
  const SocketAddress& address() const { return address_; }

  // Stops accepting and frees the address; connections that were accepted go on. Any number of
  // times.
  void close();

 private:
  // Accepts for one event, so that a storm of connections leaves those that are open their turn.
  static constexpr int kAcceptsPerEvent = 64;

  void on_events(uint32_t events) override;
  bool accept_once();
  void pause(int error_number);

  EventLoop& loop_;
  Handler& handler_;
  SocketAddress address_;
  int fd_ = -1;
  TimerId pause_timer_ = kNoTimer;
};

}  // namespace cqlperf::net

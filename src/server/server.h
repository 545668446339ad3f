#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "net/endpoint.h"
#include "net/event_loop.h"
#include "net/listener.h"
#include "server/database.h"
#include "server/worker.h"

namespace cqlperf::server {

// The embedded server: a Database behind a listening socket, served by worker threads. Connections
// go to the workers in turn, so that few of them are spread as well as many.
class Server final : private net::Listener::Handler {
 public:
  struct Options {
    net::SocketAddress address;                             // port 0: a free one
    std::optional<net::SocketAddress> thrift_address = {};  // none: no Thrift
    uint32_t threads = 1;
    Database::Options database = {};  // the address in its node description is filled in
    // Told what people should know while it serves, in the thread of serve().
    std::function<void(const std::string&)> on_note = [](const std::string&) {};
  };

  // Opens the data and listens. kSetup or kIo with the reason.
  static core::Result<std::unique_ptr<Server>> open(Options options);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // With the true port.
  const net::SocketAddress& address() const { return listener_.address(); }
  // Where Thrift is spoken; likewise.
  std::optional<net::SocketAddress> thrift_address() const;
  Database& database() { return *database_; }

  // Serves until core::interrupted(), or `must_stop` gives true; it is asked each 100 ms. Then
  // answers and sends what is at hand, and closes. Once.
  void serve(const std::function<bool()>& must_stop);

 private:
  // What the listener of Thrift calls.
  class ThriftAcceptor final : public net::Listener::Handler {
   public:
    explicit ThriftAcceptor(Server& server) : server_(server) {}
    void on_accepted(int fd, const net::SocketAddress& peer) override;
    void on_accept_paused(const core::Error& error) override { server_.on_accept_paused(error); }

   private:
    Server& server_;
  };

  explicit Server(Options options);

  void on_accepted(int fd, const net::SocketAddress& peer) override;
  void on_accept_paused(const core::Error& error) override;
  void watch_catalog();
  void wait_for_workers();
  void refuse(int fd);
  size_t connection_count() const;
  void stop();

  Options options_;
  std::unique_ptr<Database> database_;
  net::EventLoop loop_;
  net::Listener listener_;
  ThriftAcceptor thrift_acceptor_{*this};
  net::Listener thrift_listener_{loop_, thrift_acceptor_};
  std::vector<std::unique_ptr<Worker>> workers_;
  uint64_t accepted_ = 0;
  size_t connections_max_ = 0;
  bool is_full_ = false;  // clients are being refused
  int64_t next_pause_note_ns_ = 0;
};

}  // namespace cqlperf::server

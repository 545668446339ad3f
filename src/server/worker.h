#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <vector>

#include "core/buffer.h"
#include "net/endpoint.h"
#include "net/event_loop.h"
#include "protocol/event.h"
#include "server/database.h"
#include "server/prepared_cache.h"
#include "server/reader.h"
#include "server/writer.h"

namespace cqlperf::server {

class Connection;
class ThriftHost;

// One thread of the server with its event loop and its connections. All that arrives in one turn of
// the loop is executed together: one commit for the writes, one read of many keys, one send for
// each connection.
class Worker {
 public:
  // `database` outlives the worker.
  explicit Worker(Database& database);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  void start();
  // Answers what it has, sends it as far as clients take it within a second, closes all connections
  // and ends the thread.
  void stop();

  // Any thread. Runs `function` in the worker's thread, between two turns: all that was received
  // before is committed, and what comes after sees the newest schema.
  void post(std::function<void()> function);
  // Any thread. Takes over an accepted socket; `number` counts connections from 1.
  void adopt(int fd, const net::SocketAddress& peer, uint64_t number);
  // The same for a client that speaks Thrift.
  void adopt_thrift(int fd, const net::SocketAddress& peer, uint64_t number);
  // Any thread.
  size_t connection_count() const { return connection_count_.load(std::memory_order_relaxed); }

  // The rest is for the worker's connections, in its thread.
  Database& database() { return database_; }
  net::EventLoop& loop() { return loop_; }
  Writer& writer() { return writer_; }
  Reader& reader() { return reader_; }
  PreparedView& prepared() { return prepared_; }
  // The newest schema.
  const SchemaPtr& schema();
  // Microseconds since 1970, read once for each receive.
  int64_t now_us();
  void on_received(size_t bytes);

  // The connection has something to send, or to end, when the turn is over.
  void touch(Connection& connection);
  // The connection stopped reading; the worker looks each turn whether it can go on.
  void hold(Connection& connection);
  // The connection is gone: destroyed at the end of the turn.
  void bury(Connection& connection);
  // nullptr when it is gone.
  Connection* find(uint64_t number);
  // Where answers to connections that are gone are written, and bodies are unpacked.
  core::Buffer& scratch() { return scratch_; }

  // Sends the event to all connections that asked for its kind.
  void send_event(const protocol::Event& event);

 private:
  void run();
  void turn();
  void finish();
  void run_mailbox();
  void flush_touched();
  void resume_held();
  void destroy_buried();
  void sweep();
  bool is_idle() const;

  Database& database_;
  net::EventLoop loop_;
  Writer writer_;
  Reader reader_;
  PreparedView prepared_;
  SchemaPtr schema_;
  uint64_t generation_ = 0;  // database_.generation() that schema_ is of
  int64_t now_us_ = 0;       // 0: to be read
  size_t turn_bytes_ = 0;    // received since the last commit
  core::Buffer scratch_;

  std::unordered_map<uint64_t, std::unique_ptr<Connection>> connections_;
  std::vector<Connection*> touched_;
  std::vector<Connection*> held_;
  std::vector<Connection*> buried_;
  std::unique_ptr<ThriftHost> thrift_;
  std::atomic<size_t> connection_count_{0};

  std::mutex mailbox_mutex_;
  std::vector<std::function<void()>> mailbox_;
  std::vector<std::function<void()>> mailbox_taken_;
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

}  // namespace cqlperf::server

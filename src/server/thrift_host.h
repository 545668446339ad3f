#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "net/endpoint.h"
#include "server/thrift_plans.h"
#include "server/thrift_writes.h"
#include "thrift/call_reader.h"
#include "thrift/reply_writer.h"

namespace cqlperf::server {

class ThriftConnection;
class Worker;

// The Thrift connections of one worker, and what they share. Owner thread: the worker's, which
// calls the functions of the second part.
class ThriftHost {
 public:
  explicit ThriftHost(Worker& worker);
  ~ThriftHost();
  ThriftHost(const ThriftHost&) = delete;
  ThriftHost& operator=(const ThriftHost&) = delete;

  // For the connections.

  Worker& worker() { return worker_; }
  thrift::CallReader& calls() { return calls_; }
  thrift::ReplyWriter& replies() { return replies_; }
  ThriftPlans& plans() { return plans_; }
  ThriftWrites& writes() { return writes_; }
  // It has something to send when the turn is over.
  void touch(ThriftConnection& connection) { touched_.push_back(&connection); }
  // It stopped reading; the worker looks each turn whether it can go on.
  void hold(ThriftConnection& connection) { held_.push_back(&connection); }
  // It is gone: destroyed at the end of the turn.
  void bury(ThriftConnection& connection) { buried_.push_back(&connection); }
  // nullptr when it is gone.
  ThriftConnection* find(uint64_t number);

  // For the worker.

  // Takes over an accepted socket; `number` counts connections from 1.
  void adopt(int fd, const net::SocketAddress& peer, uint64_t number);
  bool has_touched() const { return !touched_.empty(); }
  // Sends, goes on reading, and destroys what is gone; says how many that were. After the commit
  // and the reads of a turn.
  size_t end_turn();
  // Once in a while: ends what takes too long, and gives back memory.
  void sweep();
  void stop_reading();
  // Nothing is to be answered or sent.
  bool is_idle() const;
  void close_all();

 private:
  Worker& worker_;
  thrift::CallReader calls_;
  thrift::ReplyWriter replies_;
  ThriftPlans plans_;
  ThriftWrites writes_{plans_};
  std::unordered_map<uint64_t, std::unique_ptr<ThriftConnection>> connections_;
  std::vector<ThriftConnection*> touched_;
  std::vector<ThriftConnection*> held_;
  std::vector<ThriftConnection*> buried_;
};

}  // namespace cqlperf::server

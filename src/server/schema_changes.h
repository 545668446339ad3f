#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace cqlperf::server {

// The one thread in which the schema is changed: a change waits for the disk, and for the workers,
// while these go on. Any thread may post.
class SchemaChanges {
 public:
  SchemaChanges() = default;
  ~SchemaChanges() { stop(); }
  SchemaChanges(const SchemaChanges&) = delete;
  SchemaChanges& operator=(const SchemaChanges&) = delete;

  // What is to be done, or, with `is_refused`, only to be answered: the server stops.
  using Change = std::function<void(bool is_refused)>;
  // Runs `change` after those that were posted before. False when too many wait, or after stop().
  bool post(Change change);
  // Ends the thread after the change that it is at; those that wait are refused.
  void stop();

 private:
  void run();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Change> waiting_;
  bool stopping_ = false;
  std::thread thread_;  // started with the first change
};

}  // namespace cqlperf::server

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

  // Runs `change` after those that were posted before. False when too many wait.
  bool post(std::function<void()> change);
  // Ends the thread after the change that it is at; what waits is dropped.
  void stop();

 private:
  void run();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> waiting_;
  bool stopping_ = false;
  std::thread thread_;  // started with the first change
};

}  // namespace cqlperf::server

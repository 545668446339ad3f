#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "bench/listener.h"

namespace cqlperf::bench {

// Carries notes of the worker threads to the listener, which is told in the thread that called
// run(). Equal notes that wait together are told once: each worker sees a node go.
class NoteRelay {
 public:
  // Any thread.
  void add(std::string note);
  // The listener's thread.
  void tell(Listener& listener);

 private:
  std::mutex mutex_;
  std::vector<std::string> waiting_;
};

}  // namespace cqlperf::bench

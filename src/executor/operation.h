#pragma once

#include <cstdint>
#include <string_view>

namespace cqlperf::executor {

class Completions;

// One unit of work, handed to an OperationSource when it is to be started.
struct Operation {
  uint64_t index;  // its number in the whole run, over all workers: unique, from 0
  uint32_t slot;   // names it while it is in flight: below the worker's share of the window
  int64_t due_ns;  // when it should start, on the steady clock; never after the call to start()
};

enum class StartResult {
  kStarted,
  // Nothing was started (no connection, no stream id, too much unsent): the operation stays due.
  kNotReady,
};

// Why an operation failed. The views are read before Completions::failed() returns.
struct Failure {
  std::string_view kind;  // of a small fixed set, such as `write_timeout`: errors are counted by it
  std::string_view message;  // for people; the first of each kind is kept
  bool overloaded = false;   // the peer asks for less: the worker backs off
  bool answered = true;      // false: it was given up without an answer, as by a time-out
};

// What the operations are. One per worker; every call comes from that worker's thread. A source is
// used by one run at a time and may be used by any number of runs, one after the other.
class OperationSource {
 public:
  virtual ~OperationSource() = default;

  // A run starts: completions of what start() starts go to `completions`, which lives until end().
  virtual void begin(Completions& completions) = 0;
  // kStarted: exactly one later call of succeeded() or failed() for this slot, never from within
  // start(), flush() or ready(), unless end() comes first.
  virtual StartResult start(const Operation& operation) = 0;
  // Comes once after the last start of a turn: hand everything to the network now.
  virtual void flush() = 0;
  // False when start() would only answer kNotReady. Cheap: asked up to once per turn.
  virtual bool ready() = 0;
  // The run is over. Operations that are still in flight were abandoned (counted so) and must not
  // be reported any more, neither to this run nor to the next one.
  virtual void end() = 0;
};

}  // namespace cqlperf::executor

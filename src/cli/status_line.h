#pragma once

#include <cstddef>
#include <string>

#include "bench/listener.h"

namespace cqlperf::cli {

// The last line of a terminal, on standard error: shown again and again in the same place, and
// taken away before anything else is printed. One thread.
class StatusLine {
 public:
  StatusLine();
  ~StatusLine() { clear(); }
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  // Standard error is a terminal; if not, show() does nothing.
  bool is_terminal() const { return is_terminal_; }
  // The columns that a line may take.
  size_t width() const;

  // `text` has no line break and width() columns at most.
  void show(const std::string& text);
  void clear();
  // Prints `text`, which ends with a line break, on standard error.
  void print(const std::string& text);

 private:
  bool is_terminal_;
  size_t shown_ = 0;  // columns
};

// `cluster Test, release 5.0.8, protocol v4: load goes to 127.0.0.1:9042`, for people.
std::string server_line(const bench::ServerInfo& server);

}  // namespace cqlperf::cli

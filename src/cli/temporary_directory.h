#pragma once

#include <string>

#include <sys/types.h>

#include "core/result.h"

namespace cqlperf::cli {

// A directory under TMPDIR (or /tmp) that is gone when the process is, however that ends: a small
// process of its own waits for it, and removes what is left. Made before any thread is started.
class TemporaryDirectory {
 public:
  // The directory that all of them are in, absolute.
  static std::string root();

  // `name` begins the directory's name. kSetup with the reason.
  static core::Result<TemporaryDirectory> make(const std::string& name);

  TemporaryDirectory(TemporaryDirectory&& other) noexcept;
  TemporaryDirectory& operator=(TemporaryDirectory&&) = delete;
  ~TemporaryDirectory();

  const std::string& path() const { return path_; }

 private:
  explicit TemporaryDirectory(std::string path) : path_(std::move(path)) {}
  core::Status start_guard();

  std::string path_;   // absolute; empty when it was moved
  int guard_fd_ = -1;  // a pipe that the guard reads: its end tells it
  pid_t guard_ = -1;
};

}  // namespace cqlperf::cli

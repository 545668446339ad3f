#include "cli/temporary_directory.h"

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/close_range.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace cqlperf::cli {
namespace {

using core::ErrorCode;
using core::fail;

// What the guard does, with the end of the pipe as its only open file.
[[noreturn]] void guard(const std::string& path, int pipe_end) {
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) signal(number, SIG_IGN);
  prctl(PR_SET_NAME, "cqlperf-guard");
  (void)dup2(pipe_end, STDIN_FILENO);
  close_range(STDOUT_FILENO, ~0U, 0);
  (void)chdir("/");
  char ignored = 0;
  while (read(STDIN_FILENO, &ignored, 1) < 0 && errno == EINTR) continue;
  std::error_code error;
  std::filesystem::remove_all(path, error);
  _exit(0);
}

}  // namespace

std::string TemporaryDirectory::root() {
  const char* root = std::getenv("TMPDIR");
  std::error_code ignored;
  return std::filesystem::absolute(root != nullptr && *root != '\0' ? root : "/tmp", ignored)
      .string();
}

core::Result<TemporaryDirectory> TemporaryDirectory::make(const std::string& name) {
  std::string path = fmt::format("{}/{}-XXXXXX", root(), name);
  if (mkdtemp(path.data()) == nullptr)
    return fail(ErrorCode::kSetup,
                fmt::format("cannot make a temporary directory in {}: {}; set TMPDIR to another",
                            root(), std::strerror(errno)));
  TemporaryDirectory directory(path);
  if (auto started = directory.start_guard(); !started) return std::unexpected(started.error());
  return directory;
}

core::Status TemporaryDirectory::start_guard() {
  int ends[2] = {-1, -1};
  const bool has_pipe = pipe2(ends, O_CLOEXEC) == 0;
  guard_ = has_pipe ? fork() : -1;
  if (guard_ == 0) guard(path_, ends[0]);
  const int error_number = errno;
  if (has_pipe) ::close(ends[0]);
  guard_fd_ = ends[1];
  if (guard_ > 0) return {};
  return fail(ErrorCode::kSetup, fmt::format("cannot watch over the temporary directory: {}",
                                             std::strerror(error_number)));
}

TemporaryDirectory::TemporaryDirectory(TemporaryDirectory&& other) noexcept
    : path_(std::exchange(other.path_, {})),
      guard_fd_(std::exchange(other.guard_fd_, -1)),
      guard_(std::exchange(other.guard_, -1)) {}

TemporaryDirectory::~TemporaryDirectory() {
  if (!path_.empty()) {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  if (guard_fd_ >= 0) ::close(guard_fd_);
  if (guard_ > 0) waitpid(guard_, nullptr, 0);
}

}  // namespace cqlperf::cli

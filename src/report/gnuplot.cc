#include "report/gnuplot.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/clock.h"
#include "core/interrupt.h"
#include "core/text.h"

namespace cqlperf::report {
namespace {

using core::ErrorCode;
using core::fail;
using core::Result;
using core::Status;

constexpr size_t kErrorTextMax = 16 * 1024;
// How often the end of a process is asked for that has closed its error output already.
constexpr int kReapIntervalMs = 5;
constexpr int kLookEveryMs = 100;

// When to give up: at the deadline, or when an interrupt comes that was not there before.
struct Patience {
  int64_t deadline_ns;
  bool was_interrupted = core::interrupted();

  bool interrupted() const { return !was_interrupted && core::interrupted(); }
  // 0 when it is over.
  int left_ms() const {
    if (interrupted()) return 0;
    const int64_t left_ns = deadline_ns - core::steady_clock().now_ns();
    return static_cast<int>(std::max<int64_t>(0, (left_ns + 999'999) / core::kNanosPerMilli));
  }
};

class Fd {
 public:
  explicit Fd(int fd) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&&) = delete;
  ~Fd() { close(); }
  void close() {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

std::unexpected<core::Error> cannot(std::string_view what, int error) {
  return fail(ErrorCode::kIo, fmt::format("cannot {} gnuplot: {}", what, strerror(error)));
}

std::optional<std::string> find_gnuplot() {
  const char* path = std::getenv("PATH");
  std::string_view rest = path != nullptr ? path : "";
  while (!rest.empty()) {
    const size_t end = std::min(rest.find(':'), rest.size());
    const std::string candidate = std::string(rest.substr(0, end)) + "/gnuplot";
    if (end > 0 && ::access(candidate.c_str(), X_OK) == 0) return candidate;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return std::nullopt;
}

// The script as a file without a name, at its start.
Result<Fd> script_file(const std::string& script) {
  Fd file(::memfd_create("gnuplot-script", MFD_CLOEXEC));
  if (file.get() < 0) return cannot("write the script of", errno);
  for (size_t done = 0; done < script.size();) {
    const ssize_t written = ::write(file.get(), script.data() + done, script.size() - done);
    if (written < 0 && errno != EINTR) return cannot("write the script of", errno);
    done += static_cast<size_t>(std::max<ssize_t>(written, 0));
  }
  if (::lseek(file.get(), 0, SEEK_SET) != 0) return cannot("write the script of", errno);
  return file;
}

// Starts the program with the script as its input, and `errors` as its error output.
Result<pid_t> start(const std::string& program, const Fd& script, const Fd& errors) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, script.get(), STDIN_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, errors.get(), STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  // Signals that this thread blocks would else be blocked there too.
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  // A group of its own: what it starts is ended with it, and Ctrl-C is ours to pass on.
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
  std::string name = "gnuplot", no_settings = "-d";
  std::array<char*, 3> arguments = {name.data(), no_settings.data(), nullptr};
  pid_t pid = -1;
  const int error =
      ::posix_spawn(&pid, program.c_str(), &actions, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return cannot("start", error);
  return pid;
}

// What arrives until the other end is closed, or patience ends; of long texts the beginning.
std::string read_errors(const Fd& pipe, const Patience& patience) {
  std::string text;
  std::array<char, 4096> piece;
  pollfd poll_fd{.fd = pipe.get(), .events = POLLIN, .revents = 0};
  while (const int left = patience.left_ms()) {
    if (::poll(&poll_fd, 1, std::min(left, kLookEveryMs)) <= 0) continue;
    const ssize_t size = ::read(pipe.get(), piece.data(), piece.size());
    if (size == 0 || (size < 0 && errno != EINTR)) break;
    if (size > 0 && text.size() < kErrorTextMax) text.append(piece.data(), size);
  }
  return text;
}

// The status of the process; it is killed when patience ends, and there is none then.
std::optional<int> reap(pid_t pid, const Patience& patience) {
  int status = 0;
  while (true) {
    const pid_t ended = ::waitpid(pid, &status, WNOHANG);
    if (ended == pid) return status;
    if (ended < 0 && errno != EINTR) return status;
    const int left = patience.left_ms();
    if (left == 0) break;
    ::poll(nullptr, 0, std::min(left, kReapIntervalMs));
  }
  ::kill(-pid, SIGKILL);
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return std::nullopt;
}

// gnuplot shows the line of the script and a mark under it before it says what is wrong with it:
// `line 0: undefined variable: x`, of which the number is that of a terminal's line, not ours.
std::string first_error_line(std::string_view text) {
  std::string first;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string line = core::printable(text.substr(0, end), 200);
    const size_t number = line.find("line ");
    const size_t colon = line.find(": ", std::min(number, line.size()));
    if (colon != std::string::npos) return line.substr(colon + 2);
    if (first.empty()) first = line;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return first;
}

std::string how_it_ended(int status) {
  if (WIFSIGNALED(status)) return fmt::format("ended by signal {}", WTERMSIG(status));
  return fmt::format("exit code {}", WEXITSTATUS(status));
}

}  // namespace

Status run_gnuplot(const std::string& script, int64_t timeout_ms) {
  const Patience patience{core::steady_clock().now_ns() + timeout_ms * core::kNanosPerMilli};
  const auto program = find_gnuplot();
  if (!program)
    return fail(ErrorCode::kSetup, "gnuplot is not installed: apt-get install gnuplot-nox");
  const auto input = script_file(script);
  if (!input) return std::unexpected(input.error());
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return cannot("start", errno);
  const Fd errors(ends[0]);
  Fd errors_in(ends[1]);
  const auto pid = start(*program, *input, errors_in);
  if (!pid) return std::unexpected(pid.error());
  errors_in.close();
  const std::string text = read_errors(errors, patience);
  const auto status = reap(*pid, patience);
  if (patience.interrupted())
    return fail(ErrorCode::kInterrupted, "interrupted while gnuplot was at work");
  if (!status)
    return fail(ErrorCode::kTimeout,
                fmt::format("gnuplot was not done after {} ms, and was ended", timeout_ms));
  if (*status == 0) return {};
  const std::string line = first_error_line(text);
  return fail(ErrorCode::kIo,
              fmt::format("gnuplot failed: {}", line.empty() ? how_it_ended(*status) : line));
}

}  // namespace cqlperf::report

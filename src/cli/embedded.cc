#include "cli/embedded.h"

#include <cstdio>
#include <cstring>
#include <utility>
#include <vector>

#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/flag.h"
#include "cli/temporary_directory.h"
#include "core/clock.h"
#include "core/interrupt.h"
#include "core/units.h"
#include "net/endpoint.h"

namespace cqlperf::cli {
namespace {

using core::ErrorCode;
using core::fail;

constexpr int64_t kThreadsMax = 256;
constexpr int64_t kStartTimeoutNs = 30 * core::kNanosPerSecond;
constexpr int kStopTimeoutMs = 10'000;
constexpr int kLookEveryMs = 100;
constexpr std::string_view kReady = "listening on ";
constexpr std::string_view kThriftReady = "listening for Thrift on ";

std::unexpected<core::Error> cannot_start(std::string_view why) {
  return fail(ErrorCode::kSetup, fmt::format("the embedded server cannot be started: {}", why));
}

core::Result<bool> parse_storage(std::string_view text) {
  if (text == "rocksdb" || text == "null") return text == "null";
  return fail(ErrorCode::kUsage,
              fmt::format("'{}' is no storage: write rocksdb, or null, which keeps nothing", text));
}

struct Pipe {
  int read_end = -1;
  int write_end = -1;
  bool open() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return false;
    read_end = ends[0];
    write_end = ends[1];
    return true;
  }
};

// In the child, between fork and exec: system calls only.
[[noreturn]] void become_server(const std::vector<char*>& arguments, pid_t parent, int in,
                                int out) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(1);
  dup2(in, STDIN_FILENO);
  dup2(out, STDOUT_FILENO);
  execv("/proc/self/exe", arguments.data());
  _exit(127);
}

std::string describe_end(int status) {
  if (WIFSIGNALED(status))
    return fmt::format("it was ended by signal {} ({})", WTERMSIG(status),
                       strsignal(WTERMSIG(status)));
  return fmt::format("it has ended with code {}", WEXITSTATUS(status));
}

// True when the process has ended by then.
bool wait_for_end(pid_t process, int timeout_ms) {
  const int fd = static_cast<int>(syscall(SYS_pidfd_open, process, 0));
  if (fd < 0) return false;
  pollfd waiting = {.fd = fd, .events = POLLIN, .revents = 0};
  int got = 0;
  do got = ::poll(&waiting, 1, timeout_ms);
  while (got < 0 && errno == EINTR);
  ::close(fd);
  return got > 0;
}

}  // namespace

std::string describe(const EmbeddedOptions& options) {
  return fmt::format("embedded server, {}", options.null_storage
                                                ? "null storage: it keeps nothing"
                                                : "RocksDB in a temporary directory");
}

void add_embedded_options(CLI::App& command, EmbeddedOptions& options) {
  command
      .add_flag("--embedded", options.enabled,
                "Start a server for this run on a free port, with a temporary directory: nothing "
                "else is needed")
      ->group("Server");
  add_value(command, "--embedded-storage", "rocksdb|null",
            "null keeps nothing, and shows what the client alone can do (default rocksdb)",
            parse_storage, [&](bool is_null) { options.null_storage = is_null; })
      ->needs(command.get_option("--embedded"))
      ->group("Server");
  add_value(command, "--embedded-threads", "N", "Its worker threads (default 1)",
            within(core::parse_count, 1, kThreadsMax),
            [&](int64_t n) { options.threads = static_cast<uint32_t>(n); })
      ->needs(command.get_option("--embedded"))
      ->group("Server");
}

core::Status validate_embedded(const EmbeddedOptions& options, bool has_server) {
  if (options.enabled && has_server)
    return fail(ErrorCode::kUsage,
                "--embedded starts a server of its own: leave out --server, or --embedded");
  return {};
}

core::Status refuse_null_storage(const EmbeddedOptions& options, std::string_view reader,
                                 std::string_view instead) {
  if (!options.enabled || !options.null_storage) return {};
  return fail(
      ErrorCode::kUsage,
      fmt::format("--embedded-storage null keeps no rows, and {} reads some: {}, or rocksdb",
                  reader, instead));
}

core::Result<EmbeddedServer> EmbeddedServer::start(const EmbeddedOptions& options) {
  EmbeddedServer server;
  if (!options.null_storage) server.data_root_ = TemporaryDirectory::root();
  if (auto spawned = server.spawn(options); !spawned) return std::unexpected(spawned.error());
  if (auto ready = server.read_addresses(options.thrift); !ready)
    return std::unexpected(ready.error());
  return server;
}

core::Status EmbeddedServer::spawn(const EmbeddedOptions& options) {
  std::vector<std::string> words = {"cqlperf",
                                    "serve",
                                    "--until-stdin-closes",
                                    "--listen",
                                    "127.0.0.1:0",
                                    "--storage",
                                    std::string(options.storage_name()),
                                    "--threads",
                                    std::to_string(options.threads)};
  if (options.thrift) words.insert(words.end(), {"--thrift-port", "0"});
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  Pipe in;
  Pipe out;
  const bool has_pipes = in.open() && out.open();
  const pid_t parent = getpid();
  process_ = has_pipes ? fork() : -1;
  if (process_ == 0) become_server(arguments, parent, in.read_end, out.write_end);
  const int error_number = errno;
  for (const int fd : {in.read_end, out.write_end})
    if (fd >= 0) ::close(fd);
  stdin_fd_ = in.write_end;
  stdout_fd_ = out.read_end;
  if (process_ < 0) return cannot_start(std::strerror(error_number));
  return {};
}

// Its first lines tell that it is ready; the end of its output, that it is not going to be.
core::Status EmbeddedServer::read_addresses(bool thrift) {
  auto address = read_line(kReady);
  if (!address) return std::unexpected(address.error());
  address_ = std::move(*address);
  if (!thrift) return {};
  const auto thrift_address = read_line(kThriftReady);
  if (!thrift_address) return std::unexpected(thrift_address.error());
  const auto endpoint = net::parse_endpoint(*thrift_address, 0);
  if (!endpoint) return std::unexpected(endpoint.error());
  thrift_port_ = endpoint->port;
  return {};
}

// What follows `start` in its next line.
core::Result<std::string> EmbeddedServer::read_line(std::string_view start) {
  const int64_t deadline_ns = core::steady_clock().now_ns() + kStartTimeoutNs;
  std::string line;
  while (!line.ends_with('\n')) {
    if (core::interrupted()) return fail(ErrorCode::kInterrupted, "interrupted");
    if (core::steady_clock().now_ns() > deadline_ns) return cannot_start("it is not ready in time");
    pollfd waiting = {.fd = stdout_fd_, .events = POLLIN, .revents = 0};
    if (::poll(&waiting, 1, kLookEveryMs) <= 0) continue;
    char letter = 0;
    const ssize_t got = ::read(stdout_fd_, &letter, 1);
    if (got == 0) return cannot_start(wait_for_reason());
    if (got == 1) line += letter;
  }
  line.pop_back();
  if (!line.starts_with(start)) return cannot_start("it says: " + line);
  return line.substr(start.size());
}

EmbeddedServer::EmbeddedServer(EmbeddedServer&& other) noexcept
    : process_(std::exchange(other.process_, -1)),
      stdin_fd_(std::exchange(other.stdin_fd_, -1)),
      stdout_fd_(std::exchange(other.stdout_fd_, -1)),
      address_(std::move(other.address_)),
      thrift_port_(other.thrift_port_),
      data_root_(std::move(other.data_root_)) {}

// After its output has ended. What it wrote to standard error is there already.
std::string EmbeddedServer::wait_for_reason() {
  int status = 0;
  if (!wait_for_end(process_, kStopTimeoutMs) || waitpid(process_, &status, WNOHANG) != process_)
    return "it has closed its output";
  process_ = -1;
  const std::string end = describe_end(status);
  return WIFEXITED(status) ? end + "; its message is above" : end;
}

// One that has ended before it was asked to was killed, or failed: that explains what a run met.
void EmbeddedServer::report_early_end() {
  int status = 0;
  if (process_ <= 0 || waitpid(process_, &status, WNOHANG) != process_) return;
  process_ = -1;
  const std::string text =
      fmt::format("cqlperf: the embedded server did not last: {}\n", describe_end(status));
  std::fputs(text.c_str(), stderr);
}

void EmbeddedServer::stop() {
  report_early_end();
  if (stdin_fd_ >= 0) ::close(std::exchange(stdin_fd_, -1));
  if (process_ > 0) {
    ::kill(process_, SIGTERM);
    if (!wait_for_end(process_, kStopTimeoutMs)) ::kill(process_, SIGKILL);
    waitpid(std::exchange(process_, -1), nullptr, 0);
  }
  // Not before it has ended: it may be about to print its address.
  if (stdout_fd_ >= 0) ::close(std::exchange(stdout_fd_, -1));
}

}  // namespace cqlperf::cli

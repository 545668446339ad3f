#include "cli/serve_command.h"

#include <atomic>
#include <cstdio>
#include <new>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include "cli/temporary_directory.h"
#include "core/text.h"
#include "core/units.h"
#include "server/server.h"

namespace cqlperf::cli {
namespace {

using core::ErrorCode;
using core::fail;
using core::Result;

void print_note(const std::string& text) {
  std::fputs(("cqlperf: " + core::printable(text) + "\n").c_str(), stderr);
}

Result<net::SocketAddress> find_address(const ServeConfig& config) {
  auto addresses = net::resolve(config.listen);
  if (!addresses) return std::unexpected(std::move(addresses.error()));
  const net::SocketAddress& address = addresses->front();
  if (address.is_loopback() || config.allow_remote) return address;
  return fail(ErrorCode::kUsage,
              fmt::format("--listen {} is {}, which other machines can reach: say --allow-remote, "
                          "or listen on 127.0.0.1",
                          config.listen.host, address.host()));
}

server::Server::Options server_options(const ServeConfig& config, const net::SocketAddress& address,
                                       const std::string& directory) {
  server::Server::Options options;
  options.address = address;
  if (config.thrift_port) options.thrift_address = address.with_port(*config.thrift_port);
  options.threads = config.threads;
  options.on_note = print_note;
  server::Database::Options& database = options.database;
  database.null_storage = config.null_storage;
  database.storage = {.directory = directory,
                      .memory_bytes = static_cast<size_t>(config.memory_bytes),
                      .sync = config.sync};
  if (!config.user.empty())
    database.credentials = server::Credentials(config.user, config.password);
  database.faults = config.faults;
  database.fault_seed = config.fault_seed;
  return options;
}

std::string describe(const ServeConfig& config, const std::string& directory) {
  const std::string threads =
      fmt::format("{} worker thread{}", config.threads, config.threads == 1 ? "" : "s");
  if (config.null_storage)
    return fmt::format("null storage: answers at once and keeps nothing; {}", threads);
  const bool is_temporary = config.data_directory.empty();
  return fmt::format("data in {}{}, {} of memory, {}; {}", directory,
                     is_temporary ? " (removed at the end)" : "",
                     core::format_byte_size(config.memory_bytes),
                     config.sync ? "fsync per commit" : "log without fsync", threads);
}

// True when nothing more will come: the process that started this one is gone.
bool stdin_has_ended() {
  pollfd waiting = {.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
  if (::poll(&waiting, 1, 0) <= 0) return false;
  char ignored[256];
  return ::read(STDIN_FILENO, ignored, sizeof ignored) <= 0;
}

core::Status serve(const ServeConfig& config) {
  auto address = find_address(config);
  if (!address) return std::unexpected(std::move(address.error()));
  std::optional<TemporaryDirectory> temporary;
  std::string directory = config.data_directory;
  if (directory.empty() && !config.null_storage) {
    auto made = TemporaryDirectory::make("cqlperf-serve");
    if (!made) return std::unexpected(std::move(made.error()));
    directory = temporary.emplace(std::move(*made)).path();
  }
  auto server = server::Server::open(server_options(config, *address, directory));
  if (!server) return std::unexpected(std::move(server.error()));
  if (!config.until_stdin_closes) print_note(describe(config, directory));
  std::fputs(fmt::format("listening on {}\n", (*server)->address().to_string()).c_str(), stdout);
  if (const auto thrift = (*server)->thrift_address())
    std::fputs(fmt::format("listening for Thrift on {}\n", thrift->to_string()).c_str(), stdout);
  std::fflush(stdout);
  (*server)->serve([&] { return config.until_stdin_closes && stdin_has_ended(); });
  return {};
}

// Throws when so many threads cannot be had. In the midst of RocksDB, which starts some as well,
// that would end the process without a word.
void try_threads(uint32_t count) {
  std::atomic<bool> may_end = false;
  std::vector<std::jthread> threads;
  try {
    for (uint32_t i = 0; i < count; ++i) threads.emplace_back([&may_end] { may_end.wait(false); });
  } catch (const std::system_error&) {
    may_end = true;
    may_end.notify_all();
    throw;
  }
  may_end = true;
  may_end.notify_all();
}

core::Status serve_or_say_why(const ServeConfig& config) {
  // RocksDB opens files with 16 threads, and goes on with some; there are those of schema changes
  // and removals.
  constexpr uint32_t kThreadsBesidesWorkers = 24;
  try {
    if (!config.null_storage) try_threads(config.threads + kThreadsBesidesWorkers);
    return serve(config);
  } catch (const std::system_error& error) {
    return fail(ErrorCode::kSetup,
                fmt::format("cannot start a thread: {}; raise the limits of processes and memory "
                            "(ulimit -u, -v), or give fewer --threads",
                            error.what()));
  } catch (const std::bad_alloc&) {
    return fail(ErrorCode::kSetup,
                "there is too little memory to start: raise its limit (ulimit -v), or give less "
                "--memory or fewer --threads");
  }
}

}  // namespace

ExitCode serve_command(const ServeConfig& config) {
  const auto served = serve_or_say_why(config);
  if (served || served.error().code == ErrorCode::kInterrupted) return ExitCode::kDone;
  std::fputs(("cqlperf: " + core::printable(served.error().message) + "\n").c_str(), stderr);
  return served.error().code == ErrorCode::kUsage ? ExitCode::kUsage : ExitCode::kSetup;
}

}  // namespace cqlperf::cli

#include "cli/serve_options.h"

#include <algorithm>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "bench/run_config.h"
#include "cli/flag.h"
#include "core/units.h"

namespace cqlperf::cli {
namespace {

using core::ErrorCode;
using core::fail;
using core::Result;
using core::Status;

constexpr int64_t kThreadsMax = 256;
constexpr int64_t kPortMax = 65'535;
constexpr int64_t kMemoryMin = int64_t{16} << 20;
constexpr int64_t kMemoryMax = int64_t{1} << 40;

constexpr const char* kServeFooter = R"(Examples:
  cqlperf serve                                       a server to try things with, on 127.0.0.1:9042
  cqlperf serve --listen 127.0.0.1:0 --data /var/tmp/rows --memory 1GiB --threads 2
  CQLPERF_AUTH=loader:secret cqlperf serve            with a login
  cqlperf serve --storage null                        keeps nothing: how fast is a client?
  cqlperf serve --fault delay=50ms,probability=0.1 --fault error=0x1001,every=100,opcode=EXECUTE

When it is ready it prints one line on standard output: listening on 127.0.0.1:9042
With --thrift-port a second line follows: listening for Thrift on 127.0.0.1:9160
SIGTERM or Ctrl-C stops it; a second signal ends it at once.

A fault is WHAT[,CONDITION...]. WHAT is delay=TIME (the request waits, others do not), error=CODE
(instead of doing it), silence (no answer) or close (the connection ends). The conditions:
probability=P, every=N (each N-th request), after=N (not the first N), opcode=QUERY|PREPARE|EXECUTE|
BATCH|OPTIONS|STARTUP|REGISTER|AUTH_RESPONSE (else QUERY, PREPARE, EXECUTE and BATCH),
connection=K (only the K-th that was accepted). Requests are counted on each connection by itself,
and the same --fault-seed gives the same faults. The first rule that applies counts.

Without --auth everybody who can connect is let in. On a command line a password can be read by
other users of the machine: CQLPERF_AUTH=user:password in the environment cannot.
Exit codes: 0 stopped by a signal; 2 usage; 3 could not listen or open the data.)";

// Half of the machine is for whoever loads it.
uint32_t default_threads() {
  return std::clamp<uint32_t>(std::thread::hardware_concurrency() / 2, 1, 16);
}

struct Auth {
  std::string user;
  std::string password;
};

Result<Auth> parse_auth(std::string_view text) {
  const size_t colon = text.find(':');
  if (colon == std::string_view::npos || colon == 0)
    return fail(ErrorCode::kUsage,
                "a login is written as user:password, with a user name that is not empty");
  return Auth{std::string(text.substr(0, colon)), std::string(text.substr(colon + 1))};
}

Result<bool> parse_storage(std::string_view text) {
  if (text == "rocksdb" || text == "null") return text == "null";
  return fail(ErrorCode::kUsage,
              fmt::format("'{}' is no storage: write rocksdb, or null, which keeps nothing", text));
}

// As for a server to connect to, and with port 0, which is any that is free.
Result<net::Endpoint> parse_listen(std::string_view text) {
  constexpr std::string_view kAnyPort = ":0";
  auto endpoint = net::parse_endpoint(text, bench::kDefaultPort);
  if (endpoint || !text.ends_with(kAnyPort)) return endpoint;
  text.remove_suffix(kAnyPort.size());
  endpoint = net::parse_endpoint(text, bench::kDefaultPort);
  if (endpoint) endpoint->port = 0;
  return endpoint;
}

void add_data_options(CLI::App& app, ServeConfig& config) {
  const auto add = [&app](auto... arguments) { add_value(app, arguments...)->group("Data"); };
  add("--data", "DIR",
      "Where the data is kept; made when missing (default: a temporary directory, removed at the "
      "end)",
      path_text, [&](std::string path) { config.data_directory = std::move(path); });
  add("--memory", "SIZE", "For caches and buffers of the data together (default 256MiB)",
      within(core::parse_byte_size, kMemoryMin, kMemoryMax),
      [&](int64_t bytes) { config.memory_bytes = bytes; });
  app.add_flag("--sync", config.sync,
               "fsync each commit: outlives a crash of the machine, not of the process only")
      ->group("Data");
  add("--storage", "rocksdb|null", "null answers at once and keeps nothing (default rocksdb)",
      parse_storage, [&](bool is_null) { config.null_storage = is_null; });
}

void add_listen_options(CLI::App& app, ServeConfig& config) {
  const auto add = [&app](auto... arguments) { add_value(app, arguments...)->group("Server"); };
  add("--listen", "HOST[:PORT]", "Port 0 takes a free one (default 127.0.0.1:9042)", parse_listen,
      [&](net::Endpoint endpoint) { config.listen = std::move(endpoint); });
  add("--thrift-port", "PORT",
      "Speak Thrift too, on the same address: 9160 is usual, 0 takes a free one (default: no "
      "Thrift)",
      within(core::parse_count, 0, kPortMax),
      [&](int64_t port) { config.thrift_port = static_cast<uint16_t>(port); });
  app.add_flag("--allow-remote", config.allow_remote,
               "Listen on an address that other machines can reach")
      ->group("Server");
  add("--threads", "N", "Worker threads (default: half of the processors)",
      within(core::parse_count, 1, kThreadsMax),
      [&](int64_t n) { config.threads = static_cast<uint32_t>(n); });
  add("--auth", "USER:PASSWORD",
      "Let in only this user; better given in the environment, as CQLPERF_AUTH", parse_auth,
      [&](Auth auth) {
        config.user = std::move(auth.user);
        config.password = std::move(auth.password);
      });
}

void add_fault_options(CLI::App& app, ServeConfig& config) {
  add_repeated(app, "--fault", "WHAT[,CONDITION...]",
               "Do wrong on purpose, see below; may be repeated", server::parse_fault,
               [&](const server::FaultRule& rule) { config.faults.push_back(rule); })
      ->group("Faults");
  add_value(app, "--fault-seed", "N", "Of faults by probability (default 1)", core::parse_count,
            [&](int64_t seed) { config.fault_seed = static_cast<uint64_t>(seed); })
      ->group("Faults");
}

}  // namespace

void add_serve_options(CLI::App& command, ServeConfig& config) {
  config.threads = default_threads();
  add_listen_options(command, config);
  add_data_options(command, config);
  add_fault_options(command, config);
  command.add_flag("--until-stdin-closes", config.until_stdin_closes)->group("");
  command.footer(kServeFooter);
}

Status take_auth_from_environment(ServeConfig& config, const char* environment) {
  if (environment == nullptr || !config.user.empty()) return {};
  auto auth = parse_auth(environment);
  if (!auth) return fail(ErrorCode::kUsage, "CQLPERF_AUTH: " + auth.error().message);
  config.user = std::move(auth->user);
  config.password = std::move(auth->password);
  return {};
}

Status validate_serve(const ServeConfig& config) {
  if (config.null_storage && !config.data_directory.empty())
    return fail(ErrorCode::kUsage, "--storage null keeps nothing: leave out --data");
  if (config.null_storage && config.sync)
    return fail(ErrorCode::kUsage, "--storage null keeps nothing: leave out --sync");
  if (config.thrift_port && *config.thrift_port != 0 && *config.thrift_port == config.listen.port)
    return fail(
        ErrorCode::kUsage,
        fmt::format("--thrift-port {} is the port of --listen: choose another, or 0 for any "
                    "that is free",
                    *config.thrift_port));
  const auto address = net::SocketAddress::from_numeric(config.listen.host, config.listen.port);
  if (address && !address->is_loopback() && !config.allow_remote)
    return fail(ErrorCode::kUsage,
                fmt::format("--listen {}: other machines can reach that address; say "
                            "--allow-remote, or listen on 127.0.0.1",
                            net::format_endpoint(config.listen)));
  return {};
}

}  // namespace cqlperf::cli

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <CLI/CLI.hpp>
#include <sys/types.h>

#include "core/result.h"

namespace cqlperf::cli {

// The server that `--embedded` starts for one command.
struct EmbeddedOptions {
  bool enabled = false;
  bool null_storage = false;
  uint32_t threads = 1;
  bool thrift = false;  // it is to speak Thrift too

  std::string_view storage_name() const { return null_storage ? "null" : "rocksdb"; }
};

// For people, next to the figures: `embedded server, null storage: it keeps nothing`.
std::string describe(const EmbeddedOptions& options);

// Adds --embedded and what belongs to it to a command that has --server.
void add_embedded_options(CLI::App& command, EmbeddedOptions& options);
// Checks what no flag can check alone; `has_server` says that --server was given.
core::Status validate_embedded(const EmbeddedOptions& options, bool has_server);
// A usage error when the server keeps no rows, for a command line on which `reader` reads some;
// `instead` is what would do: `use insert`.
core::Status refuse_null_storage(const EmbeddedOptions& options, std::string_view reader,
                                 std::string_view instead);

// `cqlperf serve` as a child process on a free loopback port, with a temporary directory. It ends
// when this object does, and also when this process ends in any other way; it is in a process group
// of its own, so that Ctrl-C does not end it before the clean-up.
class EmbeddedServer {
 public:
  // Returns when it is ready. kSetup with what went wrong; its own messages go to standard error.
  static core::Result<EmbeddedServer> start(const EmbeddedOptions& options);

  EmbeddedServer(EmbeddedServer&& other) noexcept;
  EmbeddedServer& operator=(EmbeddedServer&&) = delete;
  ~EmbeddedServer() { stop(); }

  // `127.0.0.1:40123`.
  const std::string& address() const { return address_; }
  // Of Thrift; none unless it was asked for.
  std::optional<uint16_t> thrift_port() const { return thrift_port_; }
  // The directory that its own is in, so that one can see how much room there is; empty when it
  // keeps nothing.
  const std::string& data_root() const { return data_root_; }
  // Ends it: kindly, then not. Says on standard error when it had ended by itself.
  void stop();

 private:
  EmbeddedServer() = default;
  core::Status spawn(const EmbeddedOptions& options);
  core::Status read_addresses(bool thrift);
  core::Result<std::string> read_line(std::string_view start);
  std::string wait_for_reason();
  void report_early_end();

  pid_t process_ = -1;
  int stdin_fd_ = -1;   // it ends when this is closed
  int stdout_fd_ = -1;  // it prints its address there
  std::string address_;
  std::optional<uint16_t> thrift_port_;
  std::string data_root_;
};

}  // namespace cqlperf::cli

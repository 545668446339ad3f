#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "core/result.h"
#include "net/endpoint.h"
#include "server/fault.h"

namespace cqlperf::cli {

// Everything that `cqlperf serve` can be told, validated. The defaults are the program's.
struct ServeConfig {
  net::Endpoint listen = {"127.0.0.1", 9042};
  std::optional<uint16_t> thrift_port;  // 0: a free one; none: no Thrift
  bool allow_remote = false;
  std::string data_directory;  // empty: a temporary one
  bool null_storage = false;   // keeps nothing
  int64_t memory_bytes = int64_t{256} << 20;
  bool sync = false;
  uint32_t threads = 1;
  std::string user;  // empty: everybody is let in
  std::string password;
  std::vector<server::FaultRule> faults;
  uint64_t fault_seed = 1;
  // For a server that belongs to another process: it ends when its standard input does, and prints
  // nothing but errors and the address.
  bool until_stdin_closes = false;
};

// Adds the flags and the help of `cqlperf serve` to `command`; parsing then fills `config`, which
// must live as long as `command`.
void add_serve_options(CLI::App& command, ServeConfig& config);

// `user:password` in the environment stands in for --auth, so that it is not in the list of
// processes; `environment` is CQLPERF_AUTH, nullptr when it is not set. kUsage when it is no such.
core::Status take_auth_from_environment(ServeConfig& config, const char* environment);

// Checks what no flag can check alone. Nothing is opened.
core::Status validate_serve(const ServeConfig& config);

}  // namespace cqlperf::cli

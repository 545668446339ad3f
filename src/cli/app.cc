#include "cli/app.h"

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "cli/command_line.h"
#include "cli/command_report.h"
#include "cli/cql_stress_options.h"
#include "cli/exit_code.h"
#include "cli/forms_command.h"
#include "cli/run_command.h"
#include "cli/serve_command.h"
#include "cli/store_command.h"
#include "core/interrupt.h"

namespace cqlperf::cli {
namespace {

// Where a command line that is wrong wanted its JSON, so that even then there is a document.
std::string wanted_json_path(const std::vector<std::string>& arguments) {
  constexpr std::string_view kFlag = "--json=";
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == "--json" && i + 1 < arguments.size()) return arguments[i + 1];
    if (arguments[i].starts_with(kFlag)) return arguments[i].substr(kFlag.size());
  }
  return {};
}

// A standard stream that was closed would be the number of the next file or socket that is opened,
// and take our texts there.
void open_closed_streams() {
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream)
    if (fcntl(stream, F_GETFD) < 0) (void)open("/dev/null", O_RDWR);
}

// What was printed has arrived, as far as the system knows.
ExitCode printed(ExitCode code) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  std::fputs("cqlperf: standard output cannot be written\n", stderr);
  return code == ExitCode::kDone ? ExitCode::kFellShort : code;
}

// Does what the command line asks for; `help` is what to call for help with it.
ExitCode execute(const core::Result<CommandLine>& command, const std::string& help,
                 const std::vector<std::string>& arguments, Measured measured) {
  if (!command) {
    core::Error error = command.error();
    error.message += "\nSee: " + help;
    return report_usage_error(error, wanted_json_path(arguments), measured);
  }
  if (command->run) return run_command(*command->run, command->embedded);
  if (command->store) return store_command(*command->store, command->embedded);
  if (command->forms) return forms_command(*command->forms, command->embedded, arguments);
  if (command->serve) return serve_command(*command->serve);
  std::fputs(command->text.c_str(), stdout);
  return ExitCode::kDone;
}

Measured measured_by(const std::string& command) {
  if (command == "store") return Measured::kStore;
  return command == "forms" ? Measured::kForms : Measured::kRun;
}

ExitCode run_cqlperf(const std::vector<std::string>& arguments) {
  const std::string name = arguments.empty() ? "" : arguments[0];
  const bool is_command = name == "run" || name == "serve" || name == "store" || name == "forms";
  return execute(parse_command_line(arguments),
                 is_command ? fmt::format("cqlperf {} --help", name) : "cqlperf --help", arguments,
                 measured_by(name));
}

ExitCode run_cql_stress(const std::string& program, const std::vector<std::string>& arguments) {
  const auto command = parse_cql_stress(arguments);
  if (!command) {
    std::fputs((command.error().message + "\n" + cql_stress_usage(program)).c_str(), stderr);
    return ExitCode::kUsage;
  }
  if (!command->help) return run_command(command->config, command->embedded);
  std::fputs(cql_stress_usage(program).c_str(), stdout);
  return ExitCode::kDone;
}

}  // namespace

int run_program(int argc, char** argv) {
  open_closed_streams();
  core::install_interrupt_handler();
  const std::string program = argc > 0 ? argv[0] : "cqlperf";
  const std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
  const std::string name = program.substr(program.rfind('/') + 1);
  if (name == "cql_stress") return static_cast<int>(printed(run_cql_stress(program, arguments)));
  const bool as_store_stress = name == "cassandra_store_stress";
  return static_cast<int>(printed(
      as_store_stress
          ? execute(parse_store_stress(arguments), name + " --help", arguments, Measured::kStore)
          : run_cqlperf(arguments)));
}

}  // namespace cqlperf::cli

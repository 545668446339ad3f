#pragma once

#include <expected>
#include <string>
#include <utility>

namespace cqlperf::core {

// What kind of thing went wrong; it decides the exit code (cli) and what a caller may try next.
enum class ErrorCode {
  kUsage,        // the user asked for something that cannot be: exit code 2
  kIo,           // a local file or socket call failed
  kConnect,      // no connection could be made: exit code 3
  kAuth,         // the server refused the credentials or the permission: exit code 3
  kProtocol,     // the peer sent bytes that are not the protocol
  kServer,       // the server answered ERROR
  kTimeout,      // a deadline passed
  kSetup,        // schema or preparation failed or was refused: exit code 3
  kInterrupted,  // the user asked to stop: exit code 130
};

// An error as a value. `message` is for people: it names what was expected and what was found.
struct Error {
  ErrorCode code;
  std::string message;
};

template <class T>
using Result = std::expected<T, Error>;
using Status = Result<void>;

[[nodiscard]] inline std::unexpected<Error> fail(ErrorCode code, std::string message) {
  return std::unexpected(Error{code, std::move(message)});
}

}  // namespace cqlperf::core

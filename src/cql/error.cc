#include "cql/error.h"

#include <fmt/format.h>

namespace cqlperf::cql {

std::string Position::to_string() const { return fmt::format("line {}:{}", line, column); }

std::unexpected<protocol::ErrorMessage> syntax_error(Position position, std::string message) {
  return fail(protocol::ErrorCode::kSyntaxError,
              fmt::format("{} {}", position.to_string(), message));
}

std::unexpected<protocol::ErrorMessage> unsupported(Position position, std::string what) {
  return invalid(fmt::format("{} {} is not supported by this server", position.to_string(), what));
}

}  // namespace cqlperf::cql

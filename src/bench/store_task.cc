#include "bench/store_task.h"

#include <algorithm>

#include "protocol/error.h"

namespace cqlperf::bench {

bool is_final(const client::RequestFailure& failure) {
  constexpr protocol::ErrorCode kFinal[] = {
      protocol::ErrorCode::kSyntaxError, protocol::ErrorCode::kUnauthorized,
      protocol::ErrorCode::kInvalid, protocol::ErrorCode::kConfigError};
  return failure.frame != nullptr && std::ranges::any_of(kFinal, [&](protocol::ErrorCode code) {
           return failure.kind == protocol::error_name(static_cast<int32_t>(code));
         });
}

bool is_connection_lost(const client::RequestFailure& failure) {
  return failure.kind == "ConnectionLost";
}

executor::Failure to_executor(const client::RequestFailure& failure) {
  return {.kind = failure.kind,
          .message = failure.message,
          .overloaded = failure.overloaded,
          .answered = failure.frame != nullptr};
}

}  // namespace cqlperf::bench

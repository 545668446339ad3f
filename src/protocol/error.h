#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/buffer.h"
#include "core/result.h"
#include "protocol/consistency.h"
#include "protocol/frame.h"
#include "protocol/strings.h"

namespace cqlperf::protocol {

// Error codes (section 9 of the specification; 0xF000 is ScyllaDB's).
enum class ErrorCode : int32_t {
  kServerError = 0x0000,
  kProtocolError = 0x000A,
  kBadCredentials = 0x0100,
  kUnavailable = 0x1000,
  kOverloaded = 0x1001,
  kIsBootstrapping = 0x1002,
  kTruncateError = 0x1003,
  kWriteTimeout = 0x1100,
  kReadTimeout = 0x1200,
  kReadFailure = 0x1300,
  kFunctionFailure = 0x1400,
  kWriteFailure = 0x1500,
  kCdcWriteFailure = 0x1600,
  kCasWriteUnknown = 0x1700,
  kSyntaxError = 0x2000,
  kUnauthorized = 0x2100,
  kInvalid = 0x2200,
  kConfigError = 0x2300,
  kAlreadyExists = 0x2400,
  kUnprepared = 0x2500,
  kRateLimitReached = 0xF000,
};

// The name by which people know the code: `WriteTimeout`; `UnknownError` for any other code.
std::string_view error_name(int32_t code);

// What follows the message, by code. The counts are of replicas.
struct UnavailableDetails {
  Consistency consistency = Consistency::kOne;
  int32_t required = 0;
  int32_t alive = 0;
  bool operator==(const UnavailableDetails&) const = default;
};
struct WriteTimeoutDetails {
  Consistency consistency = Consistency::kOne;
  int32_t received = 0;
  int32_t block_for = 0;
  std::string write_type;  // SIMPLE BATCH UNLOGGED_BATCH COUNTER BATCH_LOG CAS VIEW CDC
  std::optional<uint16_t> contentions = {};  // v5, of CAS: how often others came in between
  bool operator==(const WriteTimeoutDetails&) const = default;
};
struct ReadTimeoutDetails {
  Consistency consistency = Consistency::kOne;
  int32_t received = 0;
  int32_t block_for = 0;
  bool data_present = false;
  bool operator==(const ReadTimeoutDetails&) const = default;
};
// Why a replica failed (v5), and which one.
struct FailureReason {
  InetAddress replica;
  uint16_t code = 0;
  bool operator==(const FailureReason&) const = default;
};
using FailureReasons = std::vector<FailureReason>;

// `failures`: how many replicas failed. v5 says them one by one, and only them: written for v5, the
// number is that of the reasons.
struct ReadFailureDetails {
  Consistency consistency = Consistency::kOne;
  int32_t received = 0;
  int32_t block_for = 0;
  int32_t failures = 0;
  bool data_present = false;
  FailureReasons reasons = {};
  bool operator==(const ReadFailureDetails&) const = default;
};
struct WriteFailureDetails {
  Consistency consistency = Consistency::kOne;
  int32_t received = 0;
  int32_t block_for = 0;
  int32_t failures = 0;
  std::string write_type;
  FailureReasons reasons = {};
  bool operator==(const WriteFailureDetails&) const = default;
};
struct CasWriteUnknownDetails {
  Consistency consistency = Consistency::kOne;
  int32_t received = 0;
  int32_t block_for = 0;
  bool operator==(const CasWriteUnknownDetails&) const = default;
};
struct FunctionFailureDetails {
  std::string keyspace;
  std::string function;
  StringList argument_types;
  bool operator==(const FunctionFailureDetails&) const = default;
};
struct AlreadyExistsDetails {
  std::string keyspace;
  std::string table;  // empty when it is the keyspace that exists
  bool operator==(const AlreadyExistsDetails&) const = default;
};
struct UnpreparedDetails {
  Bytes id;
  bool operator==(const UnpreparedDetails&) const = default;
};
struct RateLimitDetails {
  bool is_write = false;
  bool by_coordinator = false;
  bool operator==(const RateLimitDetails&) const = default;
};
// The rest of the body after a code that is not in ErrorCode.
struct UnknownErrorDetails {
  Bytes rest;
  bool operator==(const UnknownErrorDetails&) const = default;
};
// std::monostate: the code has a message only.
using ErrorDetails =
    std::variant<std::monostate, UnavailableDetails, WriteTimeoutDetails, ReadTimeoutDetails,
                 ReadFailureDetails, WriteFailureDetails, CasWriteUnknownDetails,
                 FunctionFailureDetails, AlreadyExistsDetails, UnpreparedDetails, RateLimitDetails,
                 UnknownErrorDetails>;

// ERROR (section 4.2.1).
struct ErrorMessage {
  static constexpr Opcode kOpcode = Opcode::kError;

  int32_t code = 0;  // an ErrorCode, or a value that is none
  std::string message = {};
  ErrorDetails details = {};

  // An error without details.
  static ErrorMessage of(ErrorCode code, std::string message) {
    return {static_cast<int32_t>(code), std::move(message), {}};
  }
  bool is(ErrorCode wanted) const { return code == static_cast<int32_t>(wanted); }

  // `details` must be of the code's kind. A message over kShortMax bytes is cut. Below v4, read and
  // write failures are written as timeouts and function and CDC failures as Invalid, as Cassandra
  // does.
  void encode_body(Version version, core::Buffer& out) const;
  // An unknown code is no error: its bytes are kept. Bytes after a known code's fields are ignored,
  // as section 4.2 asks, so that no server's addition hides its message.
  static core::Result<ErrorMessage> decode_body(Version version, ByteView body);

  // One line for people: `WriteTimeout: text (consistency ONE, received 0 of 1, SIMPLE)`.
  std::string describe() const;

  bool operator==(const ErrorMessage&) const = default;
};

// The code and message of an ERROR body without decoding the rest or allocating; std::nullopt when
// the body is too short for them. The message points into the body.
struct ErrorHead {
  int32_t code = 0;
  std::string_view message;
};
std::optional<ErrorHead> peek_error(ByteView body);

}  // namespace cqlperf::protocol

#include "protocol/error.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/check.h"

namespace cqlperf::protocol {
namespace {

constexpr std::string_view kName = "ERROR";

struct NamedCode {
  ErrorCode code;
  std::string_view name;
};
constexpr NamedCode kCodes[] = {
    {ErrorCode::kServerError, "ServerError"},
    {ErrorCode::kProtocolError, "ProtocolError"},
    {ErrorCode::kBadCredentials, "BadCredentials"},
    {ErrorCode::kUnavailable, "Unavailable"},
    {ErrorCode::kOverloaded, "Overloaded"},
    {ErrorCode::kIsBootstrapping, "IsBootstrapping"},
    {ErrorCode::kTruncateError, "TruncateError"},
    {ErrorCode::kWriteTimeout, "WriteTimeout"},
    {ErrorCode::kReadTimeout, "ReadTimeout"},
    {ErrorCode::kReadFailure, "ReadFailure"},
    {ErrorCode::kFunctionFailure, "FunctionFailure"},
    {ErrorCode::kWriteFailure, "WriteFailure"},
    {ErrorCode::kCdcWriteFailure, "CdcWriteFailure"},
    {ErrorCode::kCasWriteUnknown, "CasWriteUnknown"},
    {ErrorCode::kSyntaxError, "SyntaxError"},
    {ErrorCode::kUnauthorized, "Unauthorized"},
    {ErrorCode::kInvalid, "Invalid"},
    {ErrorCode::kConfigError, "ConfigError"},
    {ErrorCode::kAlreadyExists, "AlreadyExists"},
    {ErrorCode::kUnprepared, "Unprepared"},
    {ErrorCode::kRateLimitReached, "RateLimitReached"},
};

const NamedCode* find_code(int32_t code) {
  const auto* found = std::ranges::find(kCodes, static_cast<ErrorCode>(code), &NamedCode::code);
  return found == std::end(kCodes) ? nullptr : found;
}

void append_consistency(core::Buffer& out, Consistency consistency) {
  out.append_u16(static_cast<uint16_t>(consistency));
}

constexpr std::string_view kCas = "CAS";

void append_failures(core::Buffer& out, Version version, int32_t failures,
                     const FailureReasons& reasons) {
  if (version < Version::kV5) return out.append_i32(failures);
  out.append_i32(static_cast<int32_t>(reasons.size()));
  for (const FailureReason& reason : reasons) {
    append_inetaddr(out, reason.replica);
    out.append_u16(reason.code);
  }
}

struct DetailsEncoder {
  Version version;
  core::Buffer& out;

  void operator()(std::monostate) const {}
  void operator()(const UnavailableDetails& details) const {
    append_consistency(out, details.consistency);
    out.append_i32(details.required);
    out.append_i32(details.alive);
  }
  void operator()(const WriteTimeoutDetails& details) const {
    append_counts(details);
    append_string(out, details.write_type);
    const bool has_contentions = version >= Version::kV5 && details.write_type == kCas;
    if (has_contentions && details.contentions) out.append_u16(*details.contentions);
  }
  void operator()(const ReadTimeoutDetails& details) const {
    append_counts(details);
    out.append_u8(details.data_present ? 1 : 0);
  }
  void operator()(const ReadFailureDetails& details) const {
    append_counts(details);
    append_failures(out, version, details.failures, details.reasons);
    out.append_u8(details.data_present ? 1 : 0);
  }
  void operator()(const WriteFailureDetails& details) const {
    append_counts(details);
    append_failures(out, version, details.failures, details.reasons);
    append_string(out, details.write_type);
  }
  void operator()(const CasWriteUnknownDetails& details) const { append_counts(details); }
  void operator()(const FunctionFailureDetails& details) const {
    append_string(out, details.keyspace);
    append_string(out, details.function);
    append_string_list(out, details.argument_types);
  }
  void operator()(const AlreadyExistsDetails& details) const {
    append_string(out, details.keyspace);
    append_string(out, details.table);
  }
  void operator()(const UnpreparedDetails& details) const { append_short_bytes(out, details.id); }
  void operator()(const RateLimitDetails& details) const {
    out.append_u8(details.is_write ? 1 : 0);
    out.append_u8(details.by_coordinator ? 1 : 0);
  }
  void operator()(const UnknownErrorDetails& details) const { out.append(ByteView(details.rest)); }

  template <class Details>
  void append_counts(const Details& details) const {
    append_consistency(out, details.consistency);
    out.append_i32(details.received);
    out.append_i32(details.block_for);
  }
};

template <class Details>
Details read_counts(core::ByteReader& in) {
  Details details;
  details.consistency = read_consistency(in);
  details.received = in.read_i32();
  details.block_for = in.read_i32();
  return details;
}

ErrorDetails read_unavailable(core::ByteReader& in) {
  const Consistency consistency = read_consistency(in);
  const int32_t required = in.read_i32();
  return UnavailableDetails{consistency, required, in.read_i32()};
}

ErrorDetails read_write_timeout(core::ByteReader& in, Version version) {
  auto details = read_counts<WriteTimeoutDetails>(in);
  details.write_type = read_string(in);
  // Cassandra leaves it out when the time ran out in the commit.
  if (version >= Version::kV5 && details.write_type == kCas && in.remaining() > 0) {
    details.contentions = in.read_u16();
  }
  return details;
}

// The [int] of v4 or the <reason_map> of v5.
template <class Details>
void read_failures(core::ByteReader& in, Version version, Details& details) {
  details.failures = in.read_i32();
  if (version < Version::kV5) return;
  constexpr size_t kReasonSizeMin = 7;  // an IPv4 address and a code
  const auto count = static_cast<uint32_t>(details.failures);
  if (count > in.remaining() / kReasonSizeMin) return in.set_failed();
  for (uint32_t i = 0; i < count && in.ok(); ++i) {
    const InetAddress replica = read_inetaddr(in);
    details.reasons.push_back({replica, in.read_u16()});
  }
}

ErrorDetails read_read_timeout(core::ByteReader& in) {
  auto details = read_counts<ReadTimeoutDetails>(in);
  details.data_present = read_flag(in);
  return details;
}

ErrorDetails read_read_failure(core::ByteReader& in, Version version) {
  auto details = read_counts<ReadFailureDetails>(in);
  read_failures(in, version, details);
  details.data_present = read_flag(in);
  return details;
}

ErrorDetails read_write_failure(core::ByteReader& in, Version version) {
  auto details = read_counts<WriteFailureDetails>(in);
  read_failures(in, version, details);
  details.write_type = read_string(in);
  return details;
}

ErrorDetails read_function_failure(core::ByteReader& in) {
  FunctionFailureDetails details;
  details.keyspace = read_string(in);
  details.function = read_string(in);
  details.argument_types = read_string_list(in);
  return details;
}

ErrorDetails read_already_exists(core::ByteReader& in) {
  AlreadyExistsDetails details;
  details.keyspace = read_string(in);
  details.table = read_string(in);
  return details;
}

ErrorDetails read_rate_limit(core::ByteReader& in) {
  const bool is_write = read_flag(in);
  return RateLimitDetails{is_write, read_flag(in)};
}

ErrorDetails read_details(core::ByteReader& in, Version version, int32_t code) {
  if (find_code(code) == nullptr) return UnknownErrorDetails{to_bytes(in.read_rest())};
  switch (static_cast<ErrorCode>(code)) {
    case ErrorCode::kUnavailable:
      return read_unavailable(in);
    case ErrorCode::kWriteTimeout:
      return read_write_timeout(in, version);
    case ErrorCode::kReadTimeout:
      return read_read_timeout(in);
    case ErrorCode::kReadFailure:
      return read_read_failure(in, version);
    case ErrorCode::kFunctionFailure:
      return read_function_failure(in);
    case ErrorCode::kWriteFailure:
      return read_write_failure(in, version);
    case ErrorCode::kCasWriteUnknown:
      return read_counts<CasWriteUnknownDetails>(in);
    case ErrorCode::kAlreadyExists:
      return read_already_exists(in);
    case ErrorCode::kUnprepared:
      return UnpreparedDetails{to_bytes(read_short_bytes(in))};
    case ErrorCode::kRateLimitReached:
      return read_rate_limit(in);
    default:
      return std::monostate{};
  }
}

// What describe() puts in parentheses; empty for nothing.
struct DetailsText {
  std::string operator()(std::monostate) const { return {}; }
  std::string operator()(const UnavailableDetails& details) const {
    return fmt::format("consistency {}, {} required, {} alive",
                       consistency_name(details.consistency), details.required, details.alive);
  }
  std::string operator()(const WriteTimeoutDetails& details) const {
    return fmt::format("{}, {}", counts(details), details.write_type);
  }
  std::string operator()(const ReadTimeoutDetails& details) const {
    return fmt::format("{}, {}", counts(details), data(details.data_present));
  }
  std::string operator()(const ReadFailureDetails& details) const {
    return fmt::format("{}, {} failed, {}", counts(details), details.failures,
                       data(details.data_present));
  }
  std::string operator()(const WriteFailureDetails& details) const {
    return fmt::format("{}, {} failed, {}", counts(details), details.failures, details.write_type);
  }
  std::string operator()(const CasWriteUnknownDetails& details) const { return counts(details); }
  std::string operator()(const FunctionFailureDetails& details) const {
    return fmt::format("function {}.{}({})", details.keyspace, details.function,
                       fmt::join(details.argument_types, ", "));
  }
  std::string operator()(const AlreadyExistsDetails& details) const {
    if (details.table.empty()) return fmt::format("keyspace {}", details.keyspace);
    return fmt::format("table {}.{}", details.keyspace, details.table);
  }
  std::string operator()(const UnpreparedDetails& details) const {
    return fmt::format("id {:02x}", fmt::join(details.id, ""));
  }
  std::string operator()(const RateLimitDetails& details) const {
    return fmt::format("{} refused by a {}", details.is_write ? "write" : "read",
                       details.by_coordinator ? "coordinator" : "replica");
  }
  std::string operator()(const UnknownErrorDetails&) const { return {}; }

  template <class Details>
  static std::string counts(const Details& details) {
    return fmt::format("consistency {}, received {} of {}", consistency_name(details.consistency),
                       details.received, details.block_for);
  }
  static std::string_view data(bool present) { return present ? "data present" : "no data"; }
};

// The error as a version below v4 can say it.
ErrorMessage below_v4(const ErrorMessage& error) {
  if (const auto* read = std::get_if<ReadFailureDetails>(&error.details)) {
    return {
        static_cast<int32_t>(ErrorCode::kReadTimeout), error.message,
        ReadTimeoutDetails{read->consistency, read->received, read->block_for, read->data_present}};
  }
  if (const auto* write = std::get_if<WriteFailureDetails>(&error.details)) {
    return {static_cast<int32_t>(ErrorCode::kWriteTimeout), error.message,
            WriteTimeoutDetails{
                write->consistency, write->received, write->block_for, write->write_type, {}}};
  }
  if (error.is(ErrorCode::kFunctionFailure) || error.is(ErrorCode::kCdcWriteFailure)) {
    return ErrorMessage::of(ErrorCode::kInvalid, error.message);
  }
  return error;
}

void append_error(core::Buffer& out, Version version, const ErrorMessage& error) {
  out.append_i32(error.code);
  append_string(out, std::string_view(error.message).substr(0, kShortMax));
  std::visit(DetailsEncoder{version, out}, error.details);
}

}  // namespace

std::string_view error_name(int32_t code) {
  const NamedCode* found = find_code(code);
  return found ? found->name : "UnknownError";
}

void ErrorMessage::encode_body(Version version, core::Buffer& out) const {
  append_error(out, version, version < Version::kV4 ? below_v4(*this) : *this);
}

core::Result<ErrorMessage> ErrorMessage::decode_body(Version version, ByteView body) {
  core::ByteReader in(body);
  ErrorMessage error;
  error.code = in.read_i32();
  error.message = read_string(in);
  error.details = read_details(in, version, error.code);
  in.read_rest();
  return finish_body(kName, in, std::move(error));
}

std::string ErrorMessage::describe() const {
  std::string text(error_name(code));
  if (find_code(code) == nullptr) text += fmt::format(" {:#06x}", static_cast<uint32_t>(code));
  text += ": " + message;
  const std::string more = std::visit(DetailsText{}, details);
  if (!more.empty()) text += fmt::format(" ({})", more);
  return text;
}

std::optional<ErrorHead> peek_error(ByteView body) {
  core::ByteReader in(body);
  ErrorHead head;
  head.code = in.read_i32();
  head.message = read_string(in);
  if (!in.ok()) return std::nullopt;
  return head;
}

}  // namespace cqlperf::protocol

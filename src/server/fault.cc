#include "server/fault.h"

#include <charconv>
#include <set>

#include <fmt/format.h>

#include "core/units.h"

namespace cqlperf::server {
namespace {

using core::ErrorCode;
using core::fail;
using core::Result;
using core::Status;
using protocol::Opcode;

// `name` or `name=value`.
struct Part {
  std::string_view name;
  std::optional<std::string_view> value;
};

Part split_part(std::string_view text) {
  const size_t equals = text.find('=');
  if (equals == std::string_view::npos) return {text, std::nullopt};
  return {text.substr(0, equals), text.substr(equals + 1)};
}

std::unexpected<core::Error> wrong(const Part& part, std::string_view why) {
  return fail(ErrorCode::kUsage, fmt::format("'{}{}{}': {}", part.name, part.value ? "=" : "",
                                             part.value.value_or(""), why));
}

Result<int32_t> parse_code(std::string_view text) {
  const bool is_hex = text.starts_with("0x") || text.starts_with("0X");
  const std::string_view digits = is_hex ? text.substr(2) : text;
  int32_t code = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), code, is_hex ? 16 : 10);
  if (error != std::errc() || end != digits.data() + digits.size() || code < 0)
    return fail(ErrorCode::kUsage,
                "write an error code of the protocol, for example 0x1001 (Overloaded), 0x1100 "
                "(WriteTimeout) or 0x2500 (Unprepared)");
  return code;
}

Result<Opcode> parse_opcode(std::string_view text) {
  for (uint8_t value = 0; value < 32; ++value) {
    const auto opcode = static_cast<Opcode>(value);
    const bool is_request = (protocol::kRequestOpcodes >> value & 1) != 0;
    if (is_request && protocol::opcode_name(opcode) == text) return opcode;
  }
  return fail(ErrorCode::kUsage,
              "write QUERY, PREPARE, EXECUTE, BATCH, OPTIONS, STARTUP, REGISTER or AUTH_RESPONSE");
}

Result<double> parse_probability(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !(value > 0 && value <= 1))
    return fail(ErrorCode::kUsage, "write a number above 0 and at most 1, for example 0.1");
  return value;
}

Result<uint64_t> parse_number(std::string_view text) {
  const auto count = core::parse_count(text);
  if (!count) return std::unexpected(count.error());
  if (*count < 1) return fail(ErrorCode::kUsage, "write a whole number of at least 1");
  return static_cast<uint64_t>(*count);
}

// Takes the value of `part` into `to` when `parse` can read it.
template <class Parse, class To>
Status take(const Part& part, Parse parse, To& to) {
  if (!part.value) return wrong(part, "it needs a value after =");
  auto value = parse(*part.value);
  if (!value) return wrong(part, value.error().message);
  to = *value;
  return {};
}

constexpr std::string_view kKinds =
    "begin with what goes wrong: delay=TIME, error=CODE, silence or close";

Result<FaultRule> parse_kind(const Part& part) {
  FaultRule rule;
  Status taken;
  if (part.name == "delay") {
    taken = take(part, core::parse_duration_ns, rule.delay_ns);
  } else if (part.name == "error") {
    rule.kind = FaultRule::Kind::kError;
    taken = take(part, parse_code, rule.error_code);
  } else if (part.name == "silence" || part.name == "close") {
    rule.kind = part.name == "close" ? FaultRule::Kind::kClose : FaultRule::Kind::kSilence;
    if (part.value) taken = wrong(part, "it takes no value");
  } else {
    taken = wrong(part, kKinds);
  }
  if (!taken) return std::unexpected(taken.error());
  return rule;
}

Status parse_condition(const Part& part, FaultRule& rule) {
  if (part.name == "probability") return take(part, parse_probability, rule.probability);
  if (part.name == "every") return take(part, parse_number, rule.every);
  if (part.name == "after") return take(part, parse_number, rule.after);
  if (part.name == "opcode") return take(part, parse_opcode, rule.opcode);
  if (part.name == "connection") return take(part, parse_number, rule.connection);
  return wrong(part,
               "the conditions are probability=P, every=N, after=N, opcode=NAME and "
               "connection=N");
}

bool is_load(Opcode opcode) {
  return opcode == Opcode::kQuery || opcode == Opcode::kPrepare || opcode == Opcode::kExecute ||
         opcode == Opcode::kBatch;
}

}  // namespace

Result<FaultRule> parse_fault(std::string_view text) {
  size_t comma = text.find(',');
  auto rule = parse_kind(split_part(text.substr(0, comma)));
  std::set<std::string_view> given;
  while (rule && comma != std::string_view::npos) {
    text.remove_prefix(comma + 1);
    comma = text.find(',');
    const Part part = split_part(text.substr(0, comma));
    auto taken = parse_condition(part, *rule);
    if (taken && !given.insert(part.name).second) taken = wrong(part, "it is given twice");
    if (!taken) return std::unexpected(taken.error());
  }
  if (rule && rule->every && rule->probability)
    return fail(ErrorCode::kUsage, "every and probability exclude each other: give one of them");
  return rule;
}

FaultInjector::FaultInjector(const std::vector<FaultRule>& rules, uint64_t seed,
                             uint64_t connection)
    : random_(core::mix64(seed) ^ connection) {
  for (const FaultRule& rule : rules)
    if (!rule.connection || *rule.connection == connection) armed_.push_back({&rule});
}

const FaultRule* FaultInjector::next(Opcode opcode) {
  const FaultRule* found = nullptr;
  for (Armed& armed : armed_) {
    const FaultRule& rule = *armed.rule;
    if (rule.opcode ? *rule.opcode != opcode : !is_load(opcode)) continue;
    // Each rule counts all that it is about, also what another one was quicker to take.
    if (strikes(armed) && found == nullptr) found = &rule;
  }
  return found;
}

bool FaultInjector::strikes(Armed& armed) {
  const FaultRule& rule = *armed.rule;
  if (++armed.matched <= rule.after) return false;
  if (rule.every) return (armed.matched - rule.after) % *rule.every == 0;
  return !rule.probability || random_.unit() < *rule.probability;
}

protocol::ErrorMessage injected_error(int32_t code, protocol::ByteView prepared_id) {
  protocol::ErrorMessage error{code, "injected by --fault", {}};
  switch (static_cast<protocol::ErrorCode>(code)) {
    case protocol::ErrorCode::kUnavailable:
      error.details = protocol::UnavailableDetails{protocol::Consistency::kOne, 1, 0};
      break;
    case protocol::ErrorCode::kWriteTimeout:
      error.details = protocol::WriteTimeoutDetails{protocol::Consistency::kOne, 0, 1, "SIMPLE"};
      break;
    case protocol::ErrorCode::kReadTimeout:
      error.details = protocol::ReadTimeoutDetails{protocol::Consistency::kOne, 0, 1, false};
      break;
    case protocol::ErrorCode::kReadFailure:
      error.details = protocol::ReadFailureDetails{protocol::Consistency::kOne, 0, 1, 1, false};
      break;
    case protocol::ErrorCode::kWriteFailure:
      error.details = protocol::WriteFailureDetails{protocol::Consistency::kOne, 0, 1, 1, "SIMPLE"};
      break;
    case protocol::ErrorCode::kCasWriteUnknown:
      error.details = protocol::CasWriteUnknownDetails{protocol::Consistency::kOne, 0, 1};
      break;
    case protocol::ErrorCode::kFunctionFailure:
      error.details = protocol::FunctionFailureDetails{"keyspace", "function", {}};
      break;
    case protocol::ErrorCode::kAlreadyExists:
      error.details = protocol::AlreadyExistsDetails{"keyspace", "table"};
      break;
    case protocol::ErrorCode::kUnprepared:
      error.details = protocol::UnpreparedDetails{protocol::to_bytes(prepared_id)};
      break;
    case protocol::ErrorCode::kRateLimitReached:
      error.details = protocol::RateLimitDetails{false, true};
      break;
    default:
      break;
  }
  return error;
}

}  // namespace cqlperf::server

#include "thrift/exceptions.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <iterator>
#include <span>

namespace cqlperf::thrift {
namespace {

using Kind = Exception::Kind;
using Kinds = std::span<const Kind>;

// What a call may throw: the first has field 1.
Kinds exceptions_of(Call call) {
  static constexpr std::array kLogin = {Kind::kAuthentication, Kind::kAuthorization};
  static constexpr std::array kRequest = {Kind::kInvalidRequest};
  static constexpr std::array kFind = {Kind::kNotFound, Kind::kInvalidRequest};
  static constexpr std::array kSchema = {Kind::kInvalidRequest, Kind::kSchemaDisagreement};
  static constexpr std::array kData = {Kind::kInvalidRequest, Kind::kUnavailable, Kind::kTimedOut};
  static constexpr std::array kQuery = {Kind::kInvalidRequest, Kind::kUnavailable, Kind::kTimedOut,
                                        Kind::kSchemaDisagreement};
  switch (call) {
    case Call::kLogin:
      return kLogin;
    case Call::kDescribeKeyspace:
      return kFind;
    case Call::kGetSlice:
    case Call::kInsert:
    case Call::kAdd:
    case Call::kBatchMutate:
    case Call::kTruncate:
      return kData;
    case Call::kSystemAddColumnFamily:
    case Call::kSystemDropColumnFamily:
    case Call::kSystemAddKeyspace:
    case Call::kSystemDropKeyspace:
      return kSchema;
    case Call::kExecuteCqlQuery:
    case Call::kExecuteCql3Query:
    case Call::kExecutePreparedCqlQuery:
    case Call::kExecutePreparedCql3Query:
      return kQuery;
    case Call::kDescribeClusterName:
    case Call::kDescribeVersion:
      return {};
    default:
      return kRequest;
  }
}

}  // namespace

std::optional<Kind> exception_kind(Call call, int16_t field) {
  const Kinds kinds = exceptions_of(call);
  if (field < 1 || static_cast<size_t>(field) > kinds.size()) return std::nullopt;
  return kinds[static_cast<size_t>(field) - 1];
}

std::optional<int16_t> exception_field(Call call, Kind kind) {
  const Kinds kinds = exceptions_of(call);
  const auto found = std::ranges::find(kinds, kind);
  if (found == kinds.end()) return std::nullopt;
  return static_cast<int16_t>(found - kinds.begin() + 1);
}

bool gives_something(Call call) {
  switch (call) {
    case Call::kLogin:
    case Call::kSetKeyspace:
    case Call::kInsert:
    case Call::kAdd:
    case Call::kBatchMutate:
    case Call::kTruncate:
    case Call::kSetCqlVersion:
      return false;
    default:
      return true;
  }
}

Exception read_exception(ReadProtocol& in, Kind kind) {
  Exception exception;
  exception.kind = kind;
  in.fields([&](int16_t id, tp::TType type) {
    if (id != 1) return false;
    if (kind == Kind::kTimedOut) {
      if (type != tp::T_I32) return false;
      exception.acknowledged_by = in.i32();
      return true;
    }
    if (type != tp::T_STRING) return false;
    exception.why = in.text();
    return true;
  });
  return exception;
}

Exception read_application_exception(ReadProtocol& in) {
  Exception exception;
  in.fields([&](int16_t id, tp::TType type) {
    if (id == 1 && type == tp::T_STRING) return exception.why = in.text(), true;
    if (id == 2 && type == tp::T_I32) return exception.application_type = in.i32(), true;
    return false;
  });
  return exception;
}

}  // namespace cqlperf::thrift

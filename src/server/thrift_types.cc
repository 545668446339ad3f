#include "server/thrift_types.h"

#include <algorithm>
#include <array>
#include <utility>

namespace cqlperf::server {
namespace {

using protocol::TypeId;

struct TypeClass {
  TypeId id;
  std::string_view name;
};
constexpr std::string_view kPackage = "org.apache.cassandra.db.marshal.";
constexpr TypeClass kTypeClasses[] = {
    {TypeId::kAscii, "AsciiType"},
    {TypeId::kBigint, "LongType"},
    {TypeId::kBlob, "BytesType"},
    {TypeId::kBoolean, "BooleanType"},
    {TypeId::kCounter, "CounterColumnType"},
    {TypeId::kDecimal, "DecimalType"},
    {TypeId::kDouble, "DoubleType"},
    {TypeId::kFloat, "FloatType"},
    {TypeId::kInt, "Int32Type"},
    {TypeId::kTimestamp, "TimestampType"},
    {TypeId::kUuid, "UUIDType"},
    {TypeId::kVarchar, "UTF8Type"},
    {TypeId::kVarint, "IntegerType"},
    {TypeId::kTimeuuid, "TimeUUIDType"},
    {TypeId::kInet, "InetAddressType"},
    {TypeId::kDate, "SimpleDateType"},
    {TypeId::kTime, "TimeType"},
    {TypeId::kSmallint, "ShortType"},
    {TypeId::kTinyint, "ByteType"},
};

}  // namespace

std::string type_class(const protocol::ColumnType& type) {
  const auto* found = std::ranges::find(kTypeClasses, type.id, &TypeClass::id);
  if (found == std::end(kTypeClasses)) return type.cql_name();
  return std::string(kPackage) + std::string(found->name);
}

std::optional<protocol::ColumnType> type_of_class(std::string_view name) {
  if (name.starts_with(kPackage)) name.remove_prefix(kPackage.size());
  const auto* found = std::ranges::find(kTypeClasses, name, &TypeClass::name);
  if (found == std::end(kTypeClasses)) return std::nullopt;
  return protocol::ColumnType::of(found->id);
}

protocol::Consistency native_consistency(thrift::Consistency consistency) {
  using From = thrift::Consistency;
  using To = protocol::Consistency;
  constexpr std::pair<From, To> kPairs[] = {
      {From::kOne, To::kOne},
      {From::kQuorum, To::kQuorum},
      {From::kLocalQuorum, To::kLocalQuorum},
      {From::kEachQuorum, To::kEachQuorum},
      {From::kAll, To::kAll},
      {From::kAny, To::kAny},
      {From::kTwo, To::kTwo},
      {From::kThree, To::kThree},
      {From::kSerial, To::kSerial},
      {From::kLocalSerial, To::kLocalSerial},
      {From::kLocalOne, To::kLocalOne},
  };
  const auto* found = std::ranges::find(kPairs, consistency, &std::pair<From, To>::first);
  return found == std::end(kPairs) ? To::kOne : found->second;
}

thrift::Exception invalid_request(std::string why) {
  thrift::Exception exception;
  exception.kind = thrift::Exception::Kind::kInvalidRequest;
  exception.why = std::move(why);
  return exception;
}

thrift::Exception to_exception(const protocol::ErrorMessage& error) {
  using protocol::ErrorCode;
  using Kind = thrift::Exception::Kind;
  thrift::Exception exception = invalid_request(error.message);
  switch (static_cast<ErrorCode>(error.code)) {
    case ErrorCode::kUnavailable:
    case ErrorCode::kOverloaded:
    case ErrorCode::kIsBootstrapping:
      exception.kind = Kind::kUnavailable;
      break;
    case ErrorCode::kWriteTimeout:
    case ErrorCode::kReadTimeout:
    case ErrorCode::kReadFailure:
    case ErrorCode::kWriteFailure:
      exception.kind = Kind::kTimedOut;
      exception.acknowledged_by = 0;
      break;
    case ErrorCode::kBadCredentials:
      exception.kind = Kind::kAuthentication;
      break;
    case ErrorCode::kServerError:
    case ErrorCode::kTruncateError:
      exception.kind = Kind::kApplication;
      exception.application_type = static_cast<int32_t>(thrift::ApplicationError::kInternalError);
      break;
    default:
      break;
  }
  return exception;
}

}  // namespace cqlperf::server

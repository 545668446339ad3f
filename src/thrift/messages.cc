#include "thrift/messages.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace cqlperf::thrift {
namespace {

// In the order of Call.
constexpr std::array<std::string_view, kCallCount> kCallNames = {
    "login",
    "set_keyspace",
    "get_slice",
    "insert",
    "add",
    "batch_mutate",
    "truncate",
    "describe_keyspaces",
    "describe_keyspace",
    "describe_cluster_name",
    "describe_version",
    "system_add_column_family",
    "system_drop_column_family",
    "system_add_keyspace",
    "system_drop_keyspace",
    "execute_cql_query",
    "execute_cql3_query",
    "prepare_cql_query",
    "prepare_cql3_query",
    "execute_prepared_cql_query",
    "execute_prepared_cql3_query",
    "set_cql_version",
};

// In the order of Exception::Kind.
constexpr std::array<std::string_view, 8> kExceptionNames = {
    "InvalidRequestException",     "NotFoundException",       "UnavailableException",
    "TimedOutException",           "AuthenticationException", "AuthorizationException",
    "SchemaDisagreementException", "TApplicationException",
};

}  // namespace

std::string_view call_name(Call call) { return kCallNames[static_cast<size_t>(call)]; }

std::optional<Call> find_call(std::string_view name) {
  const auto found = std::ranges::find(kCallNames, name);
  if (found == kCallNames.end()) return std::nullopt;
  return static_cast<Call>(found - kCallNames.begin());
}

std::string_view exception_name(Exception::Kind kind) {
  return kExceptionNames[static_cast<size_t>(kind)];
}

std::string to_string(const Exception& exception) {
  const std::string_view name = exception_name(exception.kind);
  if (exception.acknowledged_by)
    return fmt::format("{}: acknowledged by {}", name, *exception.acknowledged_by);
  if (exception.why.empty()) return std::string(name);
  return fmt::format("{}: {}", name, exception.why);
}

}  // namespace cqlperf::thrift

#include "server/write_attributes.h"

#include <limits>
#include <utility>

#include <fmt/format.h>

#include "protocol/types.h"
#include "protocol/values.h"

namespace cqlperf::server {
namespace {

using Kind = protocol::Value::Kind;
constexpr int64_t kMicrosPerSecond = 1'000'000;

cql::Result<std::optional<cql::TypedTerm>> bind_attribute(const std::optional<cql::Term>& term,
                                                          const Table& table, const char* name,
                                                          protocol::TypeId type,
                                                          cql::MarkerSpecs& markers) {
  if (!term) return std::nullopt;
  auto bound = cql::TypedTerm::bind(
      *term, {table.keyspace, table.name, name, protocol::ColumnType::of(type)}, markers);
  if (!bound) return std::unexpected(std::move(bound.error()));
  return std::move(*bound);
}

// The integer of a value that is not null; 0x2200 for an empty one.
template <class Integer>
cql::Result<Integer> to_integer(core::Result<Integer> decoded, const char* name) {
  if (decoded) return *decoded;
  return cql::invalid(fmt::format("Invalid {} value: {}", name, decoded.error().message));
}

cql::Status check_ttl(int32_t ttl_s) {
  if (ttl_s < 0) {
    return cql::invalid(fmt::format("A TTL must be greater or equal to 0, but was {}", ttl_s));
  }
  if (ttl_s <= kTtlMax_s) return {};
  return cql::invalid(
      fmt::format("ttl is too large. requested ({}) maximum ({})", ttl_s, kTtlMax_s));
}

// The expiry of a TTL that was checked.
cql::Result<storage::Expiry> expires_after(int32_t ttl_s, int64_t now_us, const Table& table) {
  if (ttl_s == 0) return storage::Expiry{};
  const int64_t expires_at_s = now_us / kMicrosPerSecond + ttl_s;
  if (expires_at_s <= kExpiryMax_s) return storage::Expiry{ttl_s, expires_at_s};
  return cql::invalid(fmt::format(
      "Request on table {}.{} with ttl of {} seconds exceeds maximum supported expiration date of "
      "2038-01-19T03:14:06+00:00. In order to avoid this use a lower TTL.",
      table.keyspace, table.name, ttl_s));
}

}  // namespace

cql::Result<WriteAttributes> WriteAttributes::bind(const cql::Using& attributes, const Table& table,
                                                   cql::MarkerSpecs& markers) {
  WriteAttributes bound;
  auto timestamp = bind_attribute(attributes.timestamp, table, "[timestamp]",
                                  protocol::TypeId::kBigint, markers);
  if (!timestamp) return std::unexpected(std::move(timestamp.error()));
  auto ttl = bind_attribute(attributes.ttl, table, "[ttl]", protocol::TypeId::kInt, markers);
  if (!ttl) return std::unexpected(std::move(ttl.error()));
  bound.timestamp_ = std::move(*timestamp);
  bound.ttl_ = std::move(*ttl);
  return bound;
}

cql::Result<std::optional<int64_t>> WriteAttributes::timestamp_us(
    const cql::Evaluation& evaluation) const {
  if (!timestamp_) return std::nullopt;
  auto value = timestamp_->evaluate(evaluation);
  if (!value) return std::unexpected(std::move(value.error()));
  if (value->kind == Kind::kUnset) return std::nullopt;
  if (value->kind == Kind::kNull) return cql::invalid("Invalid null value of timestamp");
  auto timestamp = to_integer(protocol::decode_bigint(value->bytes), "timestamp");
  if (!timestamp) return std::unexpected(std::move(timestamp.error()));
  if (*timestamp != std::numeric_limits<int64_t>::min()) return *timestamp;
  return cql::invalid(fmt::format("Out of bound timestamp, must be in [{}, {}]",
                                  std::numeric_limits<int64_t>::min() + 1,
                                  std::numeric_limits<int64_t>::max()));
}

cql::Result<storage::Expiry> WriteAttributes::expiry(const cql::Evaluation& evaluation,
                                                     const Table& table) const {
  int32_t ttl_s = table.options.default_ttl_s;
  if (ttl_) {
    auto value = ttl_->evaluate(evaluation);
    if (!value) return std::unexpected(std::move(value.error()));
    if (value->kind == Kind::kNull) ttl_s = 0;
    if (value->kind == Kind::kBytes) {
      auto given_s = to_integer(protocol::decode_int(value->bytes), "TTL");
      if (!given_s) return std::unexpected(std::move(given_s.error()));
      ttl_s = *given_s;
    }
  }
  if (auto status = check_ttl(ttl_s); !status) return std::unexpected(std::move(status.error()));
  return expires_after(ttl_s, evaluation.now_us, table);
}

}  // namespace cqlperf::server

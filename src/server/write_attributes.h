#pragma once

#include <cstdint>
#include <optional>

#include "cql/error.h"
#include "cql/statement.h"
#include "cql/typed_term.h"
#include "server/schema.h"
#include "storage/row.h"

namespace cqlperf::server {

// The longest time to live, as Cassandra has it: 20 years, in seconds.
inline constexpr int32_t kTtlMax_s = 20 * 365 * 24 * 3600;
// The last second that a value may live until. Cassandra's too, in its default compatibility mode:
// 2038-01-19T03:14:06Z.
inline constexpr int64_t kExpiryMax_s = 2'147'483'646;

// USING TIMESTAMP and TTL, bound. Immutable.
class WriteAttributes {
 public:
  WriteAttributes() = default;
  // Their markers are named `[timestamp]` and `[ttl]`.
  static cql::Result<WriteAttributes> bind(const cql::Using& attributes, const Table& table,
                                           cql::MarkerSpecs& markers);

  bool has_timestamp() const { return timestamp_.has_value(); }
  bool has_ttl() const { return ttl_.has_value(); }

  // Microseconds since 1970; std::nullopt when the statement does not say (or says unset). 0x2200
  // for null and INT64_MIN.
  cql::Result<std::optional<int64_t>> timestamp_us(const cql::Evaluation& evaluation) const;
  // When values written now expire. Without TTL (or with an unset one) by the table's default. 0
  // and null mean never. 0x2200 for what is negative, above kTtlMax_s or beyond kExpiryMax_s.
  cql::Result<storage::Expiry> expiry(const cql::Evaluation& evaluation, const Table& table) const;

 private:
  std::optional<cql::TypedTerm> timestamp_;
  std::optional<cql::TypedTerm> ttl_;
};

}  // namespace cqlperf::server

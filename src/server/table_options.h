#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cql/error.h"
#include "cql/statement.h"
#include "protocol/strings.h"
#include "protocol/uuid.h"
#include "server/schema.h"

namespace cqlperf::server {

// What WITH may say of a table, checked and shown as Cassandra 5.0 does. Most of it does nothing
// here; it is kept so that tools find what they set.

inline constexpr int32_t kTimeToLiveMax = 630'720'000;  // seconds: 20 years

// Those of a table without WITH.
TableOptions default_table_options();

// `base` with what WITH says; 0x2000 for values of a wrong type, 0x2300 for those that are not
// taken. Unknown names are ignored: see check_table_option_names().
cql::Result<TableOptions> apply_table_options(const cql::Options& with, TableOptions base);
// 0x2000 for properties that a table does not have.
cql::Status check_table_option_names(const cql::Options& with);
// 0x2300 for numbers out of their ranges.
cql::Status check_table_options(const TableOptions& options);
// `WITH id = …`; 0x2300 when it is no UUID.
cql::Result<std::optional<protocol::Uuid>> table_id_option(const cql::Options& with);

// The maps as they are kept, with Cassandra's defaults and class names in full; 0x2300 for what is
// unknown or does not fit together (table_options_maps.cc).
cql::Result<protocol::StringMap> caching_options(const protocol::StringMap& given);
cql::Result<protocol::StringMap> compaction_options(const protocol::StringMap& given);
cql::Result<protocol::StringMap> compression_options(const protocol::StringMap& given);
// `99p`, `ALWAYS`, `MIN(99p,50ms)`: a retry policy in its plain form (table_options_retry.cc).
cql::Result<std::string> retry_policy(std::string_view given);

}  // namespace cqlperf::server

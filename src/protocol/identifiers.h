#pragma once

#include <string>
#include <string_view>

#include "core/result.h"

namespace cqlperf::protocol {

// Whether `word`, in lower case, is one that CQL does not take as a name without quotes, as
// Cassandra 5.0 reads it.
bool is_reserved_word(std::string_view word);

// `name`, exactly as it is to be, as CQL text: bare when it is a plain lower-case word that no
// server reserves, else in double quotes with its own quotes doubled. `MyKs` gives `"MyKs"`.
std::string identifier_to_cql(std::string_view name);

// `keyspace.table`, each as above.
std::string table_to_cql(std::string_view keyspace, std::string_view table);

// Whether a server can take `name` for a keyspace or table: 1 to 48 letters, digits and
// underscores, in either case. kUsage otherwise, with `what` ("keyspace") in the text.
core::Status check_schema_name(std::string_view what, std::string_view name);

}  // namespace cqlperf::protocol

#pragma once

#include <string>
#include <string_view>

namespace cqlperf::protocol {

// A name as CQL text must write it: as it is when it is a lower-case identifier that is no reserved
// word, else in double quotes: `"MyKs"`, `"default"`.
std::string quote_identifier(std::string_view name);

}  // namespace cqlperf::protocol

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "protocol/error.h"
#include "protocol/version.h"

namespace cqlperf::protocol {

// How the two sides come to one version: the client tries its newest, and a server that does not
// have it says which ones it has, in the text of an error.

// The server's answer to a request of that version, to be sent with its own newest version and the
// request's stream id. The text is Cassandra's, which all drivers know.
ErrorMessage unsupported_version_error(int version);

// The newest version below `tried` that the server has, by the text of its error, else by the
// version in the error's header, else the next one; std::nullopt when there is none.
std::optional<Version> older_version(Version tried, Version header, std::string_view text);

}  // namespace cqlperf::protocol

#pragma once

#include <cstddef>
#include <string>

#include "core/result.h"
#include "thrift/messages.h"

namespace cqlperf::thrift {

// The text of a query that was sent with Compression::kGzip, which is a zlib stream (RFC 1950).
// kProtocol when it is none, is cut off, or holds more than `bytes_max`.
core::Result<std::string> inflate(ByteView compressed, size_t bytes_max);

}  // namespace cqlperf::thrift

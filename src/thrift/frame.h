#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "core/result.h"

namespace cqlperf::thrift {

// Framed transport: each message is a 4-byte big-endian length and so many bytes.
inline constexpr size_t kFrameHeaderSize = 4;
// thrift_framed_transport_size_in_mb of Cassandra 3.11, its default.
inline constexpr size_t kFrameBytesMax = size_t{15} << 20;

// The message of the first frame in `bytes`, without its length; none while it is not whole. To be
// consumed: kFrameHeaderSize and the message's size. kProtocol as soon as the length is seen to be
// negative or above `bytes_max`; when what comes is an answer of the native protocol, or text, the
// error says so.
core::Result<std::optional<std::span<const uint8_t>>> next_frame(std::span<const uint8_t> bytes,
                                                                 size_t bytes_max = kFrameBytesMax);

}  // namespace cqlperf::thrift

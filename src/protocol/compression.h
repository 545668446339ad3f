#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/buffer.h"
#include "core/result.h"
#include "protocol/frame.h"
#include "protocol/strings.h"
#include "protocol/version.h"

namespace cqlperf::protocol {

// What STARTUP's COMPRESSION may ask for.
enum class Compression : uint8_t { kNone, kLz4, kSnappy };

// As in STARTUP and SUPPORTED: `lz4`, `snappy`; `none` is only for people.
std::string_view compression_name(Compression compression);
// Reads a name in either case; std::nullopt for any other.
std::optional<Compression> parse_compression(std::string_view name);
// Version 5 has no Snappy.
constexpr bool is_available(Compression compression, Version version) {
  return compression != Compression::kSnappy || version < Version::kV5;
}

// Bodies of v3 and v4 (flag 0x01). LZ4: the length as four bytes, big-endian, and a block; Snappy:
// its raw format.

// Appends the compressed form of `body`, which must not be empty.
void append_compressed(core::Buffer& out, Compression compression, ByteView body);
// Appends what was compressed. kProtocol when it is broken, when the length that it claims is over
// `body_max`, or larger than so few bytes can hold; then nothing is allocated.
core::Status append_decompressed(core::Buffer& out, Compression compression, ByteView compressed,
                                 uint32_t body_max);

// Appends the frames, which must be whole, with the bodies compressed that get smaller by it.
void append_compressed_frames(core::Buffer& out, Compression compression, ByteView frames);

}  // namespace cqlperf::protocol

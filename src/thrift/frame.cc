#include "thrift/frame.h"

#include <cctype>

#include <fmt/format.h>

namespace cqlperf::thrift {
namespace {

// What a length that cannot be one may come from, for the error.
const char* guess(std::span<const uint8_t> header) {
  const bool is_native = header[0] >= 0x81 && header[0] <= 0x86;
  if (is_native) return "; is this the port of the native protocol?";
  for (const uint8_t byte : header)
    if (std::isprint(byte) == 0) return "";
  return "; that is text, not Thrift";
}

}  // namespace

core::Result<std::optional<std::span<const uint8_t>>> next_frame(std::span<const uint8_t> bytes,
                                                                 size_t bytes_max) {
  if (bytes.size() < kFrameHeaderSize) return std::nullopt;
  const uint32_t length = static_cast<uint32_t>(bytes[0]) << 24 | bytes[1] << 16 | bytes[2] << 8 |
                          static_cast<uint32_t>(bytes[3]);
  if (length > bytes_max)
    return core::fail(
        core::ErrorCode::kProtocol,
        fmt::format("Frame size ({}) larger than max length ({}){}", static_cast<int32_t>(length),
                    bytes_max, guess(bytes.first(kFrameHeaderSize))));
  if (bytes.size() - kFrameHeaderSize < length) return std::nullopt;
  return bytes.subspan(kFrameHeaderSize, length);
}

}  // namespace cqlperf::thrift

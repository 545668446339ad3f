#include "core/text.h"

#include <cstdint>
#include <cstring>

#include <fmt/format.h>

namespace cqlperf::core {
namespace {

// The bytes of the character that starts `text`, or 0 when it is not UTF-8.
size_t utf8_character(std::string_view text) {
  const auto byte = [text](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  const size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  const bool overlong = (lead == 0xE0 && byte(1) < 0xA0) || (lead == 0xF0 && byte(1) < 0x90);
  const bool surrogate = lead == 0xED && byte(1) > 0x9F;
  const bool beyond = lead == 0xF4 && byte(1) > 0x8F;
  return overlong || surrogate || beyond ? 0 : length;
}

// True when the first eight bytes are ASCII.
bool is_ascii_block(std::string_view text) {
  constexpr uint64_t kHighBits = 0x8080808080808080;
  uint64_t block = 0;
  std::memcpy(&block, text.data(), sizeof(block));
  return (block & kHighBits) == 0;
}

}  // namespace

std::string printable(std::string_view text, size_t bytes_max) {
  std::string out;
  for (const char c : text.substr(0, bytes_max)) {
    const auto byte = static_cast<unsigned char>(c);
    const bool control = (byte < 0x20 && c != '\n') || byte == 0x7f;
    if (control)
      out += fmt::format("\\x{:02x}", byte);
    else
      out += c;
  }
  if (text.size() > bytes_max) out += "...";
  return out;
}

size_t utf8_prefix(std::string_view text) {
  size_t at = 0;
  while (at < text.size()) {
    const std::string_view rest = text.substr(at);
    const size_t length = rest.size() >= 8 && is_ascii_block(rest) ? 8 : utf8_character(rest);
    if (length == 0) break;
    at += length;
  }
  return at;
}

}  // namespace cqlperf::core

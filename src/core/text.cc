#include "core/text.h"

#include <fmt/format.h>

namespace cqlperf::core {

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

}  // namespace cqlperf::core

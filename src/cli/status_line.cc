#include "cli/status_line.h"

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "core/text.h"

namespace cqlperf::cli {

StatusLine::StatusLine() : is_terminal_(isatty(STDERR_FILENO) == 1) {}

size_t StatusLine::width() const {
  winsize size = {};
  constexpr size_t kUsualWidth = 80;
  const bool is_known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  // In the last column some terminals begin a new line.
  return (is_known ? size.ws_col : kUsualWidth) - 1;
}

void StatusLine::show(const std::string& text) {
  if (!is_terminal_) return;
  const std::string blanks(text.size() < shown_ ? shown_ - text.size() : 0, ' ');
  std::fputs(("\r" + text + blanks).c_str(), stderr);
  shown_ = std::max<size_t>(text.size(), 1);
}

void StatusLine::clear() {
  // Back to the start of the line, and erase it (ECMA-48 EL).
  if (shown_ > 0) std::fputs("\r\x1b[K", stderr);
  shown_ = 0;
}

void StatusLine::print(const std::string& text) {
  clear();
  std::fputs(text.c_str(), stderr);
}

std::string server_line(const bench::ServerInfo& server) {
  std::string nodes;
  for (const std::string& node : server.nodes) nodes += (nodes.empty() ? "" : ", ") + node;
  const bool is_compressed = server.compression != protocol::Compression::kNone;
  const std::string compression =
      is_compressed ? fmt::format(" with {}", protocol::compression_name(server.compression)) : "";
  return core::printable(fmt::format("cluster {}, release {}, protocol v{}{}: load goes to {}",
                                     server.cluster, server.release, server.protocol, compression,
                                     nodes));
}

}  // namespace cqlperf::cli

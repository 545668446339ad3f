#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace cqlperf::report {

// What is wrong with the nesting of tags and the quotes in them, of XML or of HTML as this program
// writes it; empty when nothing is.
inline std::string markup_fault(std::string_view text) {
  constexpr std::array<std::string_view, 2> kEmptyElements = {"meta", "link"};
  std::vector<std::string_view> open;
  while (true) {
    const size_t start = text.find('<');
    if (start == text.npos) break;
    size_t end = start;
    for (char quote = 0; end < text.size() && (quote != 0 || text[end] != '>'); ++end) {
      const char c = text[end];
      if (quote == 0 && (c == '"' || c == '\''))
        quote = c;
      else if (c == quote)
        quote = 0;
    }
    if (end == text.size()) return "a tag that does not end";
    const std::string_view tag = text.substr(start + 1, end - start - 1);
    text.remove_prefix(end + 1);
    if (tag.starts_with('?') || tag.starts_with('!')) continue;
    const bool closes = tag.starts_with('/');
    const std::string_view name = tag.substr(closes, tag.find_first_of(" \n\t/", closes) - closes);
    if (closes) {
      if (open.empty() || open.back() != name) return "unexpected </" + std::string(name) + ">";
      open.pop_back();
    } else if (!tag.ends_with('/') && name != kEmptyElements[0] && name != kEmptyElements[1]) {
      open.push_back(name);
    }
    // What is in a style sheet is no markup.
    if (name == "style" && !closes) text.remove_prefix(text.find("</style"));
  }
  return open.empty() ? "" : "<" + std::string(open.back()) + "> is not closed";
}

}  // namespace cqlperf::report

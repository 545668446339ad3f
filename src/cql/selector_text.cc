#include "cql/selector_text.h"

#include <array>

#include <fmt/format.h>

namespace cqlperf::cql {
namespace {

// These three are no functions to Cassandra, so they bear no keyspace.
bool is_bare_function(const Term& term) {
  return term.text == "writetime" || term.text == "maxwritetime" || term.text == "ttl";
}

std::string marker_text(const Marker& marker) {
  return marker.name.empty() ? "?" : ":" + marker.name;
}

std::string call_text(const Term& call, const std::vector<Marker>& markers) {
  std::string text = is_bare_function(call) ? call.text : "system." + call.text;
  text += '(';
  for (size_t i = 0; i < call.items.size(); ++i) {
    if (i > 0) text += ", ";
    text += selector_text(call.items[i], markers);
  }
  return text + ')';
}

}  // namespace

std::string selector_text(const Term& expression, const std::vector<Marker>& markers) {
  switch (expression.kind) {
    case Term::Kind::kNull:
      return "NULL";
    case Term::Kind::kString:
      return fmt::format("'{}'", expression.text);
    case Term::Kind::kBlob:
      return "0x" + expression.text;
    case Term::Kind::kMarker:
      return marker_text(markers.at(expression.marker));
    case Term::Kind::kFunction:
      return call_text(expression, markers);
    default:
      return expression.text;  // a selection has no collections
  }
}

}  // namespace cqlperf::cql

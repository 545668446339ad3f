#include <string_view>

#include "cql/parser.h"
#include "fuzz_input.h"

namespace cqlperf::cql {
namespace {

// What a client may be told of a text.
bool is_answer(const protocol::ErrorMessage& error) {
  using enum protocol::ErrorCode;
  return (error.is(kSyntaxError) || error.is(kInvalid) || error.is(kConfigError)) &&
         error.message.size() < 1000;
}

void check_terms(const std::vector<Term>& terms, size_t markers) {
  for (const Term& term : terms) {
    CQLPERF_CHECK(term.kind != Term::Kind::kMarker || term.marker < markers, "an unknown marker");
    check_terms(term.items, markers);
  }
}

void check_statement(const ParsedStatement& parsed) {
  const size_t markers = parsed.markers.size();
  if (const auto* insert = std::get_if<Insert>(&parsed.statement)) {
    CQLPERF_CHECK(insert->columns.size() == insert->values.size(), "a value for each column");
    check_terms(insert->values, markers);
  } else if (const auto* select = std::get_if<Select>(&parsed.statement)) {
    for (const Relation& relation : select->where) {
      CQLPERF_CHECK(!relation.columns.empty(), "a condition has columns");
      check_terms(relation.values, markers);
    }
  }
}

}  // namespace
}  // namespace cqlperf::cql

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace cqlperf;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const cql::Result<cql::ParsedStatement> parsed = cql::parse_statement(text);
  if (parsed) {
    cql::check_statement(*parsed);
  } else {
    CQLPERF_CHECK(cql::is_answer(parsed.error()), "an answer that has its code");
  }
  if (const auto type = cql::parse_type(text); type)
    CQLPERF_CHECK(!type->cql_name().empty(), "a type has a name");
  return 0;
}

#include <array>
#include <compare>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cql/json.h"
#include "cql/parser.h"
#include "cql/typed_term.h"
#include "cql/values.h"
#include "fuzz_input.h"

// Literals, terms with functions, JSON and bound bytes, as values of each scalar type: what a
// conversion gives is a value of the type, and values have an order.
namespace cqlperf::cql {
namespace {

using fuzz::FuzzInput;
using protocol::ByteView;
using protocol::ColumnType;
using protocol::TypeId;

constexpr auto kTypes = std::to_array<TypeId>(
    {TypeId::kAscii,   TypeId::kBigint,  TypeId::kBlob,     TypeId::kBoolean,  TypeId::kCounter,
     TypeId::kDecimal, TypeId::kDouble,  TypeId::kFloat,    TypeId::kInt,      TypeId::kTimestamp,
     TypeId::kUuid,    TypeId::kVarchar, TypeId::kVarint,   TypeId::kTimeuuid, TypeId::kInet,
     TypeId::kDate,    TypeId::kTime,    TypeId::kSmallint, TypeId::kTinyint,  TypeId::kDuration});

constexpr auto kLiterals = std::to_array<Term::Kind>(
    {Term::Kind::kString, Term::Kind::kInteger, Term::Kind::kFloat, Term::Kind::kBoolean,
     Term::Kind::kUuid, Term::Kind::kBlob, Term::Kind::kDuration});

std::string_view as_text(ByteView bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void check_valid(const ColumnType& type, ByteView value) {
  CQLPERF_CHECK(check_value(type, value, "c").has_value(), "what is converted is a value");
  CQLPERF_CHECK(compare_values(type, value, value) == std::strong_ordering::equal,
                "a value equals itself");
}

void fuzz_literal(const ColumnType& type, FuzzInput& input) {
  Term literal;
  literal.kind = kLiterals[input.take_below(kLiterals.size())];
  literal.text = as_text(input.take_rest());
  if (const auto bytes = literal_to_bytes(literal, type, "c"); bytes) check_valid(type, *bytes);
}

void fuzz_json(const ColumnType& type, FuzzInput& input) {
  const auto columns = parse_json_row(as_text(input.take_rest()));
  if (!columns) return;
  for (const JsonColumn& column : *columns) {
    if (column.value.kind == JsonValue::Kind::kNull) continue;
    if (const auto bytes = json_to_bytes(column.value, type, "c"); bytes) check_valid(type, *bytes);
  }
}

void fuzz_order(const ColumnType& type, FuzzInput& input) {
  const ByteView one = input.take_block();
  const ByteView other = input.take_rest();
  if (!check_value(type, one, "c") || !check_value(type, other, "c")) return;
  CQLPERF_CHECK(compare_values(type, one, other) == 0 <=> compare_values(type, other, one),
                "the order is the same from both sides");
}

// One term of a statement with the bytes in between as the value of its first marker.
void fuzz_term(const ColumnType& type, FuzzInput& input) {
  const ByteView bound = input.take_block();
  std::string text = "INSERT INTO t (a) VALUES (";
  text.append(as_text(input.take_rest())).append(")");
  const auto parsed = parse_statement(text);
  if (!parsed) return;
  const auto* insert = std::get_if<Insert>(&parsed->statement);
  if (insert == nullptr || insert->values.size() != 1) return;
  MarkerSpecs markers(parsed->markers);
  const auto term = TypedTerm::bind(insert->values[0], {"k", "t", "a", type}, markers);
  if (!term) return;
  const std::vector<protocol::Value> values(parsed->markers.size(), protocol::Value::of(bound));
  Arena arena;
  const auto value = term->evaluate({values, 1'700'000'000'000'000, &arena});
  if (value && value->kind == protocol::Value::Kind::kBytes) check_valid(type, value->bytes);
}

}  // namespace
}  // namespace cqlperf::cql

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace cqlperf::cql;
  FuzzInput input(data, size);
  const ColumnType type = ColumnType::of(kTypes[input.take_below(kTypes.size())]);
  switch (input.take_below(4)) {
    case 0:
      fuzz_literal(type, input);
      break;
    case 1:
      fuzz_json(type, input);
      break;
    case 2:
      fuzz_order(type, input);
      break;
    default:
      fuzz_term(type, input);
      break;
  }
  return 0;
}

#include <algorithm>
#include <array>
#include <vector>

#include "core/buffer.h"
#include "fuzz_input.h"
#include "storage/key.h"

// Keys from bytes that may be anything, and clustering values there and back again, in an order
// that their bytes have, too.
namespace cqlperf::storage {
namespace {

using fuzz::FuzzInput;
using protocol::Bytes;
using protocol::ByteView;
using protocol::ColumnType;
using protocol::TypeId;

// A type and the sizes that its values have; 0: any.
struct Shape {
  TypeId type;
  size_t size;
};
constexpr auto kShapes = std::to_array<Shape>({{TypeId::kVarchar, 0},
                                               {TypeId::kBlob, 0},
                                               {TypeId::kAscii, 0},
                                               {TypeId::kInt, 4},
                                               {TypeId::kBigint, 8},
                                               {TypeId::kSmallint, 2},
                                               {TypeId::kTinyint, 1},
                                               {TypeId::kBoolean, 1},
                                               {TypeId::kDate, 4},
                                               {TypeId::kTime, 8},
                                               {TypeId::kTimestamp, 8},
                                               {TypeId::kDouble, 8},
                                               {TypeId::kFloat, 4},
                                               {TypeId::kUuid, 16},
                                               {TypeId::kTimeuuid, 16},
                                               {TypeId::kInet, 4},
                                               {TypeId::kVarint, 0},
                                               {TypeId::kDecimal, 0}});

std::vector<ClusteringColumn> take_columns(FuzzInput& input) {
  std::vector<ClusteringColumn> columns(input.take_below(5));
  for (ClusteringColumn& column : columns) {
    column.type = ColumnType::of(kShapes[input.take_below(kShapes.size())].type);
    column.descending = input.take_below(2) == 1;
  }
  return columns;
}

core::Buffer encode(const std::vector<ClusteringColumn>& columns,
                    const std::vector<Bytes>& values) {
  core::Buffer out;
  for (size_t i = 0; i < values.size(); ++i) append_clustering_value(out, columns[i], values[i]);
  return out;
}

// What can be read can be written, and is then read as the same.
void fuzz_key(FuzzInput& input) {
  const std::vector<ClusteringColumn> columns = take_columns(input);
  const ByteView bytes = input.take_rest();
  const auto key = read_key(bytes);
  if (!key) return;
  CQLPERF_CHECK(key->partition_prefix_size <= bytes.size(), "a part of the key");
  core::Buffer prefix;
  append_partition_prefix(prefix, key->token, key->partition_key);
  prefix.append_u8(key->entry);
  const auto same = read_key(prefix.bytes());
  CQLPERF_CHECK(same.has_value(), "a key that was written can be read");
  CQLPERF_CHECK(same->token == key->token && same->partition_key == key->partition_key,
                "partitions there and back");
  const auto values = read_clustering_values(key->clustering, columns);
  if (!values) return;
  const core::Buffer once = encode(columns, *values);
  const auto again = read_clustering_values(once.bytes(), columns);
  CQLPERF_CHECK(again.has_value(), "clustering values that were written can be read");
  CQLPERF_CHECK(std::ranges::equal(encode(columns, *again).bytes(), once.bytes()),
                "clustering values there and back");
}

Bytes take_value(FuzzInput& input, const Shape& shape) {
  Bytes value = protocol::to_bytes(shape.size == 0 ? input.take_block() : input.take(shape.size));
  if (shape.size != 0 && !value.empty()) value.resize(shape.size);
  if (shape.type == TypeId::kDecimal && !value.empty() && value.size() < 5) value.resize(5);
  if (shape.type == TypeId::kBoolean && !value.empty()) value[0] &= 1;
  return value;
}

// Two values of a column: what is read of one has its bytes, and a descending column has the
// reverse order.
void fuzz_values(FuzzInput& input) {
  const Shape shape = kShapes[input.take_below(kShapes.size())];
  const std::vector<ClusteringColumn> up = {{ColumnType::of(shape.type), false}};
  const std::vector<ClusteringColumn> down = {{ColumnType::of(shape.type), true}};
  const Bytes one = take_value(input, shape);
  const Bytes other = take_value(input, shape);
  const core::Buffer one_up = encode(up, {one});
  const auto read = read_clustering_values(one_up.bytes(), up);
  CQLPERF_CHECK(read.has_value() && read->size() == 1, "a value can be read");
  CQLPERF_CHECK(std::ranges::equal(encode(up, *read).bytes(), one_up.bytes()), "and is the same");
  const core::Buffer other_up = encode(up, {other});
  const core::Buffer one_down = encode(down, {one});
  const core::Buffer other_down = encode(down, {other});
  const bool less_up = std::ranges::lexicographical_compare(one_up.bytes(), other_up.bytes());
  const bool less_down = std::ranges::lexicographical_compare(other_down.bytes(), one_down.bytes());
  CQLPERF_CHECK(less_up == less_down, "descending is the reverse");
}

void fuzz_prefix(FuzzInput& input) {
  core::Buffer next;
  const ByteView bytes = input.take_rest();
  next.append(bytes);
  if (!increment_prefix(next, 0)) return;
  CQLPERF_CHECK(std::ranges::lexicographical_compare(bytes, next.bytes()), "it is above");
  CQLPERF_CHECK(!std::ranges::equal(bytes, next.bytes().first(std::min(next.size(), bytes.size()))),
                "it does not begin with it");
}

}  // namespace
}  // namespace cqlperf::storage

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace cqlperf::storage;
  FuzzInput input(data, size);
  switch (input.take_below(3)) {
    case 0:
      fuzz_key(input);
      break;
    case 1:
      fuzz_values(input);
      break;
    default:
      fuzz_prefix(input);
      break;
  }
  return 0;
}

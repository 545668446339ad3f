#include "storage/key.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "storage/ordered_bytes.h"
#include "storage/ordered_number.h"

namespace cqlperf::storage {
namespace {

using protocol::Bytes;
using protocol::ByteView;
using protocol::TypeId;

constexpr size_t kTokenBytes = 8;
constexpr uint64_t kSignBit = uint64_t{1} << 63;

// How a type's values are written. Values of a fixed size take just that, but for the one that
// would be all zeros, which has a 1 behind it: there a 0 stands for the empty value.
enum class Form : uint8_t {
  kUnsigned,  // the bytes as they are
  kSigned,    // the first bit flipped
  kFloating,  // ordered as Java does: -0.0 below 0.0, one NaN above all
  kUuid,      // by version, then by time or bytes
  kTimeuuid,  // by time, then by bytes, which count as signed
  kVarint,
  kDecimal,
  kBytes,  // any length
};

struct Layout {
  Form form = Form::kBytes;
  size_t size = 0;  // of the fixed ones
};

Layout layout_of(TypeId type) {
  switch (type) {
    case TypeId::kTinyint:
      return {Form::kSigned, 1};
    case TypeId::kSmallint:
      return {Form::kSigned, 2};
    case TypeId::kInt:
      return {Form::kSigned, 4};
    case TypeId::kBigint:
    case TypeId::kCounter:
    case TypeId::kTimestamp:
    case TypeId::kTime:
      return {Form::kSigned, 8};
    case TypeId::kBoolean:
      return {Form::kUnsigned, 1};
    case TypeId::kDate:
      return {Form::kUnsigned, 4};
    case TypeId::kFloat:
      return {Form::kFloating, 4};
    case TypeId::kDouble:
      return {Form::kFloating, 8};
    case TypeId::kUuid:
      return {Form::kUuid, 16};
    case TypeId::kTimeuuid:
      return {Form::kTimeuuid, 16};
    case TypeId::kVarint:
      return {Form::kVarint};
    case TypeId::kDecimal:
      return {Form::kDecimal};
    default:
      return {Form::kBytes};
  }
}

uint64_t load_u64(const uint8_t* at) {
  uint64_t wire = 0;
  std::memcpy(&wire, at, sizeof wire);
  return __builtin_bswap64(wire);
}

void store_u64(uint8_t* at, uint64_t value) {
  const uint64_t wire = __builtin_bswap64(value);
  std::memcpy(at, &wire, sizeof wire);
}

// An exponent of all ones with a fraction.
bool is_nan(const uint8_t* bytes, size_t size) {
  if (size == 4) {
    uint32_t wire = 0;
    std::memcpy(&wire, bytes, sizeof wire);
    return (__builtin_bswap32(wire) & 0x7FFF'FFFFU) > 0x7F80'0000U;
  }
  return (load_u64(bytes) & ~kSignBit) > 0x7FF0'0000'0000'0000ULL;
}

void write_nan(uint8_t* bytes, size_t size) {
  std::fill_n(bytes, size, uint8_t{0});
  bytes[0] = 0x7F;
  bytes[1] = size == 4 ? 0xC0 : 0xF8;
}

void order_floating(uint8_t* bytes, size_t size) {
  if (is_nan(bytes, size)) write_nan(bytes, size);
  const uint8_t mask = (bytes[0] & 0x80) != 0 ? 0xFF : 0;
  for (size_t i = 0; i < size; ++i) bytes[i] ^= mask;
  if (mask == 0) bytes[0] ^= 0x80;
}

void restore_floating(uint8_t* bytes, size_t size) {
  if ((bytes[0] & 0x80) != 0) {
    bytes[0] ^= 0x80;
    return;
  }
  for (size_t i = 0; i < size; ++i) bytes[i] ^= 0xFF;
}

// Time bits from the highest to the lowest; the version stays in the first four.
uint64_t time_first(uint64_t high) {
  return high << 48 | (high << 16 & 0xFFFF'0000'0000ULL) | high >> 32;
}
uint64_t time_as_sent(uint64_t ordered) {
  return ordered << 32 | (ordered >> 16 & 0xFFFF'0000ULL) | ordered >> 48;
}

constexpr uint64_t kVersionShift = 12;
constexpr uint64_t kBelowVersion = 0xFFF;

void order_uuid(uint8_t* bytes) {
  const uint64_t high = load_u64(bytes);
  const uint64_t version = high >> kVersionShift & 0xF;
  const uint64_t ordered = version << 60 | (high >> 16) << kVersionShift | (high & kBelowVersion);
  store_u64(bytes, version == 1 ? time_first(high) : ordered);
}

void restore_uuid(uint8_t* bytes) {
  const uint64_t ordered = load_u64(bytes);
  const uint64_t version = ordered >> 60;
  const uint64_t high = (ordered >> kVersionShift & 0xFFFF'FFFF'FFFFULL) << 16 |
                        version << kVersionShift | (ordered & kBelowVersion);
  store_u64(bytes, version == 1 ? time_as_sent(ordered) : high);
}

constexpr uint64_t kEachSign = 0x8080'8080'8080'8080ULL;

void order_fixed(Form form, uint8_t* bytes, size_t size) {
  if (form == Form::kSigned) bytes[0] ^= 0x80;
  if (form == Form::kFloating) order_floating(bytes, size);
  if (form == Form::kUuid) order_uuid(bytes);
  if (form == Form::kTimeuuid) {
    store_u64(bytes, time_first(load_u64(bytes)));
    store_u64(bytes + 8, load_u64(bytes + 8) ^ kEachSign);
  }
}

void restore_fixed(Form form, uint8_t* bytes, size_t size) {
  if (form == Form::kSigned) bytes[0] ^= 0x80;
  if (form == Form::kFloating) restore_floating(bytes, size);
  if (form == Form::kUuid) restore_uuid(bytes);
  if (form == Form::kTimeuuid) {
    store_u64(bytes, time_as_sent(load_u64(bytes)));
    store_u64(bytes + 8, load_u64(bytes + 8) ^ kEachSign);
  }
}

bool all_zero(const uint8_t* bytes, size_t size) {
  return std::all_of(bytes, bytes + size, [](uint8_t byte) { return byte == 0; });
}

void append_fixed(core::Buffer& out, Layout layout, ByteView value) {
  uint8_t* const bytes = out.reserve(layout.size + 1);
  if (value.empty()) {
    std::fill_n(bytes, layout.size + 1, uint8_t{0});
    return out.commit(layout.size + 1);
  }
  CQLPERF_CHECK(value.size() == layout.size, "a clustering value of its type's size");
  std::memcpy(bytes, value.data(), layout.size);
  order_fixed(layout.form, bytes, layout.size);
  const bool is_least = all_zero(bytes, layout.size);
  bytes[layout.size] = 1;
  out.commit(layout.size + (is_least ? 1 : 0));
}

void read_fixed(KeyReader& in, Layout layout, Bytes& value) {
  value.resize(layout.size);
  for (uint8_t& byte : value) byte = in.read_u8();
  if (all_zero(value.data(), value.size())) {
    const uint8_t what = in.read_u8();
    if (what > 1) in.set_failed();
    if (what == 0) return value.clear();
  }
  restore_fixed(layout.form, value.data(), value.size());
}

void append_number(core::Buffer& out, Form form, ByteView value) {
  if (value.empty()) return out.append_u8(0);
  form == Form::kVarint ? append_ordered_varint(out, value) : append_ordered_decimal(out, value);
}

void read_number(KeyReader& in, Form form, Bytes& value) {
  const uint8_t first = in.read_u8();
  if (first == 0) return value.clear();
  form == Form::kVarint ? read_ordered_varint(first, in, value)
                        : read_ordered_decimal(first, in, value);
}

void read_value(KeyReader& in, const ClusteringColumn& column, Bytes& value) {
  in.set_inverted(column.descending);
  const Layout layout = layout_of(column.type.id);
  if (layout.size > 0) return read_fixed(in, layout, value);
  layout.form == Form::kBytes ? read_ordered_bytes(in, value) : read_number(in, layout.form, value);
}

std::unexpected<core::Error> damaged(const char* what) {
  return core::fail(core::ErrorCode::kIo, std::string("the data directory is damaged: ") + what);
}

}  // namespace

void append_partition_prefix(core::Buffer& out, int64_t token, ByteView partition_key) {
  append_token_start(out, token);
  append_ordered_bytes(out, partition_key);
}

void append_token_start(core::Buffer& out, int64_t token) {
  out.append_i64(static_cast<int64_t>(static_cast<uint64_t>(token) ^ kSignBit));
}

bool append_token_end(core::Buffer& out, int64_t token) {
  if (token == std::numeric_limits<int64_t>::max()) return false;
  append_token_start(out, token + 1);
  return true;
}

void append_clustering_value(core::Buffer& out, const ClusteringColumn& column, ByteView value) {
  const size_t start = out.size();
  const Layout layout = layout_of(column.type.id);
  if (layout.size > 0) {
    append_fixed(out, layout, value);
  } else if (layout.form == Form::kBytes) {
    append_ordered_bytes(out, value);
  } else {
    append_number(out, layout.form, value);
  }
  if (!column.descending) return;
  for (size_t i = start; i < out.size(); ++i) out.data()[i] ^= 0xFF;
}

bool increment_prefix(core::Buffer& out, size_t start) {
  for (size_t size = out.size(); size > start; --size) {
    if (out.data()[size - 1] == 0xFF) continue;
    ++out.data()[size - 1];
    out.truncate(size);
    return true;
  }
  return false;
}

core::Status read_key_into(ByteView key, KeyView& view) {
  if (key.size() < kTokenBytes) return damaged("a key without a token");
  view.token = static_cast<int64_t>(load_u64(key.data()) ^ kSignBit);
  KeyReader in(key.subspan(kTokenBytes));
  read_ordered_bytes(in, view.partition_key);
  view.partition_prefix_size = kTokenBytes + in.position();
  view.entry = in.read_u8();
  if (!in.ok() || (view.entry != kPartitionEntry && view.entry != kRowEntry)) {
    return damaged("a key without a partition key and an entry");
  }
  view.clustering = key.subspan(view.partition_prefix_size + 1);
  return {};
}

core::Result<KeyView> read_key(ByteView key) {
  KeyView view;
  if (auto status = read_key_into(key, view); !status) {
    return std::unexpected(std::move(status.error()));
  }
  return view;
}

core::Result<std::vector<Bytes>> read_clustering_values(
    ByteView encoded, const std::vector<ClusteringColumn>& columns) {
  std::vector<Bytes> values(columns.size());
  KeyReader in(encoded);
  for (size_t i = 0; i < columns.size() && in.ok(); ++i) read_value(in, columns[i], values[i]);
  if (!in.ok() || !in.at_end()) return damaged("clustering values that do not fit their columns");
  return values;
}

}  // namespace cqlperf::storage

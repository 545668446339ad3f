#include "workload/form_rows.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>

#include <fmt/format.h>

#include "core/check.h"
#include "core/random.h"

namespace cqlperf::workload {

FormRows::FormRows(const FormRowsConfig& config, uint32_t cardinality)
    : config_(config), cardinality_(cardinality), salt_(core::mix64(config.seed)) {
  CQLPERF_CHECK(config.rows >= 1 && config.rows <= kFormRowsMax, "rows out of range");
  CQLPERF_CHECK(config.columns >= 1 && config.columns <= kFormColumnsMax, "columns out of range");
  const int digits = config.columns > 10 ? 2 : 1;
  for (uint32_t column = 0; column < config.columns; ++column)
    names_.push_back(fmt::format("C{:0{}}", column, digits));
}

void FormRows::write_key(uint64_t key, uint8_t* out) {
  for (size_t i = kKeyBytes; i-- > 0; key /= 10) out[i] = static_cast<uint8_t>('0' + key % 10);
}

std::optional<uint64_t> FormRows::key_of(protocol::ByteView bytes) const {
  if (bytes.size() != kKeyBytes) return std::nullopt;
  uint64_t key = 0;
  for (const uint8_t digit : bytes) {
    if (digit < '0' || digit > '9') return std::nullopt;
    key = key * 10 + (digit - '0');
  }
  if (key >= config_.rows) return std::nullopt;
  return key;
}

void FormRows::write_value(uint64_t key, uint32_t column, uint8_t* out) const {
  // 128 is above every column, so that no two of them have the same place.
  static_assert(kFormColumnsMax < 128);
  uint64_t source = key;
  if (cardinality_ != 0 && column == kIndexedColumn) source = core::mix64(key) % cardinality_;
  uint64_t word = core::mix64(salt_ ^ (source * 128 + column));
  for (size_t left = config_.value_bytes; left > 0;) {
    const size_t count = std::min(left, sizeof word);
    std::memcpy(out, &word, count);
    out += count;
    left -= count;
    word = core::mix64(word);
  }
}

FormRow::FormRow(const FormRows& rows) : rows_(rows) {
  const size_t value_bytes = rows.config().value_bytes;
  bytes_.resize(FormRows::kKeyBytes + rows.config().columns * value_bytes);
  items_.emplace_back(bytes_.data(), FormRows::kKeyBytes);
  for (uint32_t column = 0; column < rows.config().columns; ++column)
    items_.emplace_back(bytes_.data() + FormRows::kKeyBytes + column * value_bytes, value_bytes);
}

void FormRow::set(uint64_t key, bool with_values) {
  FormRows::write_key(key, bytes_.data());
  if (!with_values) return;
  uint8_t* out = bytes_.data() + FormRows::kKeyBytes;
  for (uint32_t column = 0; column < rows_.config().columns; ++column) {
    rows_.write_value(key, column, out);
    out += rows_.config().value_bytes;
  }
}

FormKeys::FormKeys(Order order, uint64_t rows, uint64_t seed)
    : order_(order), rows_(rows), salt_(core::mix64(seed ^ 0x6b657973)) {}

uint64_t FormKeys::key_of(uint64_t index) const {
  if (order_ == Order::kSerial) return index < rows_ ? index : index % rows_;
  uint64_t hash = core::mix64(salt_ + index);
  const auto uniform = [&] {
    return static_cast<uint64_t>((static_cast<unsigned __int128>(hash) * rows_) >> 64);
  };
  if (order_ == Order::kUniform) return uniform();
  // Box and Muller (1958). Beyond five deviations there are no rows: one in two million is drawn
  // again.
  const auto rows = static_cast<double>(rows_);
  while (true) {
    const double first = (static_cast<double>(hash >> 11) + 0.5) * 0x1.0p-53;
    hash = core::mix64(hash);
    const double second = static_cast<double>(hash >> 11) * 0x1.0p-53;
    const double normal = std::sqrt(-2 * std::log(first)) * std::cos(2 * std::numbers::pi * second);
    const double key = std::floor(rows * (0.5 + 0.1 * normal));
    if (key >= 0 && key < rows) return static_cast<uint64_t>(key);
    hash = core::mix64(hash);
  }
}

}  // namespace cqlperf::workload

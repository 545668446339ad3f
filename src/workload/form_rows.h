#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "protocol/strings.h"

namespace cqlperf::workload {

inline constexpr uint32_t kFormColumnsMax = 100;
inline constexpr uint32_t kFormValueBytesMax = 1 << 20;
// Of all columns of a row together: as a literal each byte takes two, and the frames of Thrift end
// at 15 MiB.
inline constexpr uint64_t kFormRowBytesMax = 4 << 20;
inline constexpr uint64_t kFormRowsMax = 1'000'000'000;

// What the rows of a statement-form comparison are: functions of (seed, key, column) alone, so that
// every form sends the same ones, and every row can be checked without remembering it.
struct FormRowsConfig {
  uint64_t rows = 1'000'000;  // different keys, [1, kFormRowsMax]
  uint32_t columns = 5;       // [1, kFormColumnsMax]
  uint32_t value_bytes = 34;  // of each column, [1, kFormValueBytesMax]
  uint64_t seed = 1;
};

// As cassandra-stress of 2011 has them: the key is the number in ten decimal digits, the columns
// are C0, C1, ... (with leading zeros from 11 columns on, so that their order as bytes is that of
// their numbers).
class FormRows {
 public:
  static constexpr size_t kKeyBytes = 10;

  // `cardinality`: how many different values the column kIndexedColumn has; 0: each row its own.
  FormRows(const FormRowsConfig& config, uint32_t cardinality);

  static constexpr uint32_t kIndexedColumn = 1;

  const FormRowsConfig& config() const { return config_; }
  const std::vector<std::string>& column_names() const { return names_; }

  // Writes kKeyBytes.
  static void write_key(uint64_t key, uint8_t* out);
  // The number in a key; none when it is no key of these rows.
  std::optional<uint64_t> key_of(protocol::ByteView bytes) const;
  // Writes value_bytes.
  void write_value(uint64_t key, uint32_t column, uint8_t* out) const;

 private:
  FormRowsConfig config_;
  uint32_t cardinality_;
  uint64_t salt_;
  std::vector<std::string> names_;
};

// The bytes of one row, made anew for each operation in the same memory. One owner thread.
class FormRow {
 public:
  explicit FormRow(const FormRows& rows);

  // `with_values`: the values too, for statements that send or check them.
  void set(uint64_t key, bool with_values);
  protocol::ByteView key() const { return items_[0]; }
  protocol::ByteView value(uint32_t column) const { return items_[1 + column]; }
  // The key and then the values.
  const std::vector<protocol::ByteView>& items() const { return items_; }

 private:
  const FormRows& rows_;
  protocol::Bytes bytes_;
  std::vector<protocol::ByteView> items_;
};

// Which key operation `index` works on: a function of the index and the seed alone.
class FormKeys {
 public:
  enum class Order {
    kSerial,    // 0, 1, 2... and again from 0 after the last row
    kUniform,   // any row
    kGaussian,  // normal: the mean in the middle of the rows, the deviation a tenth of them, as
                // cassandra-stress of 2011 reads
  };

  FormKeys(Order order, uint64_t rows, uint64_t seed);

  uint64_t key_of(uint64_t index) const;

 private:
  Order order_;
  uint64_t rows_;
  uint64_t salt_;
};

}  // namespace cqlperf::workload

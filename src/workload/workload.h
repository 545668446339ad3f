#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "core/buffer.h"
#include "core/result.h"
#include "protocol/rows.h"
#include "workload/keys.h"
#include "workload/mix.h"
#include "workload/schema.h"
#include "workload/values.h"

namespace cqlperf::workload {

// What a workload is made from, as the user gives it.
struct WorkloadSpec {
  std::string name = "insert";  // insert, read or mixed
  std::string mix;              // of mixed, and only there: `insert=1,read=3`, which is its default
  std::string keyspace = "test_keyspace";
  std::string table = "test_table";
  std::string replication = "1";  // see replication_map()
  std::optional<int64_t> keys;    // size of the key space, [1, 2^31]; unset: default_keys()
  bool serial = false;            // keys in order instead of random
  uint64_t seed = 1;              // of keys and values
};

// 2^31 for insert, so that a random key is any non-negative int; 100,000 for the workloads that
// read, whose keys are all written first.
int64_t default_keys(std::string_view workload_name);

// One statement to prepare.
struct PreparedText {
  OperationKind kind;
  std::string cql;
  uint16_t parameters;  // the number of its bind markers
};

// What an operation that read a row found.
enum class RowState {
  kOk,
  kMissing,  // no row
  kWrong,    // not the row that was written
};

// What to send: for the operation of each index its kind, its key and its values. Everything is a
// function of the index and the spec, so that workers share one without talking to each other.
// Immutable after create(); any thread.
class Workload {
 public:
  // kUsage, with what is wrong and what would be right.
  static core::Result<Workload> create(const WorkloadSpec& spec);

  // The insert workload that writes each key of this one's key space exactly once, in keys()
  // operations: to be run before a workload that reads.
  Workload populating() const;
  // Some operations read, so that the key space has to be populated.
  bool reads() const;

  const Schema& schema() const { return schema_; }
  int64_t keys() const { return sequence_.keys(); }

  // The statements, one for each kind of operation that there is; `kind` is a position in it below.
  // They name the columns, so one that is added to the table changes nothing.
  const std::vector<PreparedText>& statements() const { return statements_; }
  // The names of those, in the same order.
  std::vector<std::string> kind_names() const;

  size_t kind_of(uint64_t index) const { return pattern_.part_of(index); }
  int32_t key_of(uint64_t index) const { return sequence_.key_of(index); }

  // Appends the [value]s of a statement's bind markers.
  void write_values(size_t kind, int32_t key, core::Buffer& out) const {
    uint8_t* at = out.reserve(kValueSize * (1 + RowValues::kColumns));
    at = write_int(at, key);
    if (statements_[kind].kind == OperationKind::kInsert) {
      for (uint32_t column = 0; column < RowValues::kColumns; ++column)
        at = write_int(at, values_.value(key, column));
    }
    out.commit(static_cast<size_t>(at - out.reserve(0)));
  }

  // Judges the answer to a read of `key`.
  RowState check_rows(int32_t key, const protocol::RowsView& rows) const;
  // For people, when it is not kOk: names key and column, and what was expected and found.
  std::string describe_rows(int32_t key, const protocol::RowsView& rows) const;

 private:
  // An int as a [value]: its length, 4, and its bytes.
  static constexpr size_t kValueSize = 8;

  Workload(Schema schema, std::vector<MixPart> mix, KeySequence sequence, uint64_t seed);

  static uint8_t* write_int(uint8_t* at, int32_t value) {
    const uint64_t wire = __builtin_bswap64((uint64_t{4} << 32) |
                                            static_cast<uint64_t>(static_cast<uint32_t>(value)));
    std::memcpy(at, &wire, kValueSize);
    return at + kValueSize;
  }

  int32_t expected(int32_t key, size_t column) const;
  PreparedText prepared_text(OperationKind kind) const;

  Schema schema_;
  MixPattern pattern_;
  KeySequence sequence_;
  RowValues values_;
  uint64_t seed_;
  std::vector<PreparedText> statements_;
};

}  // namespace cqlperf::workload

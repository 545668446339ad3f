#pragma once

#include <cstdint>
#include <string_view>

#include "core/byte_reader.h"
#include "core/result.h"

namespace cqlperf::protocol {

// [consistency] levels (section 3 of the specification).
enum class Consistency : uint16_t {
  kAny = 0,
  kOne = 1,
  kTwo = 2,
  kThree = 3,
  kQuorum = 4,
  kAll = 5,
  kLocalQuorum = 6,
  kEachQuorum = 7,
  kSerial = 8,
  kLocalSerial = 9,
  kLocalOne = 10,
};

// `LOCAL_QUORUM`.
std::string_view consistency_name(Consistency consistency);
// Reads a name in either case; `-` counts as `_`. The error lists the names.
core::Result<Consistency> parse_consistency(std::string_view name);
// SERIAL or LOCAL_SERIAL.
bool is_serial(Consistency consistency);

// Reads a [consistency]; a value without a name makes the reader fail.
Consistency read_consistency(core::ByteReader& in);

}  // namespace cqlperf::protocol

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/buffer.h"
#include "core/byte_reader.h"
#include "core/result.h"
#include "protocol/consistency.h"
#include "protocol/strings.h"
#include "protocol/version.h"

namespace cqlperf::protocol {

// A [value] to bind: bytes, null, or unset (v4; leaves the column as it is). Views its bytes.
struct Value {
  enum class Kind : uint8_t { kBytes, kNull, kUnset };

  Kind kind = Kind::kNull;
  ByteView bytes = {};

  static Value of(ByteView bytes) { return {Kind::kBytes, bytes}; }
  static Value null() { return {Kind::kNull, {}}; }
  static Value unset() { return {Kind::kUnset, {}}; }
};

// Below v4 an unset value must not be written, and every negative length is read as null.
void append_value(core::Buffer& out, Version version, const Value& value);
Value read_value(core::ByteReader& in, Version version);
// [short] count and the values; at most kShortMax.
void append_values(core::Buffer& out, Version version, const std::vector<Value>& values);
std::vector<Value> read_values(core::ByteReader& in, Version version);

// The rules for the two fields that QUERY, EXECUTE and BATCH share: a serial consistency must be
// serial, a default timestamp above INT64_MIN.
[[nodiscard]] core::Status check_conditions(const std::optional<Consistency>& serial_consistency,
                                            const std::optional<int64_t>& default_timestamp_us);

// Flags of <query_parameters> (section 4.1.4): a [byte] in v3 and v4, an [int] in v5.
inline constexpr uint32_t kQueryFlagValues = 0x01;
inline constexpr uint32_t kQueryFlagSkipMetadata = 0x02;
inline constexpr uint32_t kQueryFlagPageSize = 0x04;
inline constexpr uint32_t kQueryFlagPagingState = 0x08;
inline constexpr uint32_t kQueryFlagSerialConsistency = 0x10;
inline constexpr uint32_t kQueryFlagTimestamp = 0x20;
inline constexpr uint32_t kQueryFlagNames = 0x40;
inline constexpr uint32_t kQueryFlagKeyspace = 0x80;       // v5
inline constexpr uint32_t kQueryFlagNowInSeconds = 0x100;  // v5

void append_query_flags(core::Buffer& out, Version version, uint32_t flags);
uint32_t read_query_flags(core::ByteReader& in, Version version);

// What QUERY and EXECUTE say besides the statement. Values, names and paging state are views: of
// the caller's bytes when written, of the frame's body when read.
struct QueryParameters {
  Consistency consistency = Consistency::kOne;
  bool skip_metadata = false;
  std::vector<Value> values = {};
  std::vector<std::string_view> names = {};  // none, or one for each value
  std::optional<int32_t> page_size = {};     // rows, above 0; none means no paging
  std::optional<ByteView> paging_state = {};
  std::optional<Consistency> serial_consistency = {};  // SERIAL or LOCAL_SERIAL
  std::optional<int64_t> default_timestamp_us = {};    // microseconds since 1970
  // v5, and ignored when written for others: the keyspace of names without one, and the time that
  // TTLs count from, in seconds since 1970.
  std::optional<std::string_view> keyspace = {};
  std::optional<int32_t> now_seconds = {};

  void encode(Version version, core::Buffer& out) const;
  // Reads to where the parameters end. Errors: unknown flags, page size 0 (a negative one means no
  // paging, as in Cassandra), a serial consistency that is not serial, timestamp INT64_MIN.
  static core::Result<QueryParameters> decode(Version version, core::ByteReader& in);
};

}  // namespace cqlperf::protocol

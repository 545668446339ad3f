#include "protocol/query_parameters.h"

#include <fmt/format.h>

#include "core/check.h"

namespace cqlperf::protocol {
namespace {

constexpr uint32_t kFlagsV3 = 0x7F;
constexpr uint32_t kFlagsV5 = kFlagsV3 | kQueryFlagKeyspace | kQueryFlagNowInSeconds;
constexpr std::string_view kWhat = "query parameters";

uint32_t flags_of(Version version, const QueryParameters& parameters) {
  uint32_t flags = 0;
  if (!parameters.values.empty()) flags |= kQueryFlagValues;
  if (!parameters.names.empty()) flags |= kQueryFlagNames;
  if (parameters.skip_metadata) flags |= kQueryFlagSkipMetadata;
  if (parameters.page_size) flags |= kQueryFlagPageSize;
  if (parameters.paging_state) flags |= kQueryFlagPagingState;
  if (parameters.serial_consistency) flags |= kQueryFlagSerialConsistency;
  if (parameters.default_timestamp_us) flags |= kQueryFlagTimestamp;
  if (version < Version::kV5) return flags;
  if (parameters.keyspace) flags |= kQueryFlagKeyspace;
  if (parameters.now_seconds) flags |= kQueryFlagNowInSeconds;
  return flags;
}

void append_named_values(core::Buffer& out, Version version, const QueryParameters& parameters) {
  CQLPERF_CHECK(parameters.names.size() == parameters.values.size(), "a name for each value");
  CQLPERF_CHECK(parameters.values.size() <= kShortMax, "too many values");
  out.append_u16(static_cast<uint16_t>(parameters.values.size()));
  for (size_t i = 0; i < parameters.values.size(); ++i) {
    append_string(out, parameters.names[i]);
    append_value(out, version, parameters.values[i]);
  }
}

void read_named_values(core::ByteReader& in, Version version, QueryParameters& parameters) {
  const size_t count = in.read_u16();
  if (count * 6 > in.remaining()) return in.set_failed();
  parameters.names.reserve(count);
  parameters.values.reserve(count);
  for (size_t i = 0; i < count && in.ok(); ++i) {
    parameters.names.push_back(read_string(in));
    parameters.values.push_back(read_value(in, version));
  }
}

// Reads what the flags say, in the order of the specification.
void read_fields(core::ByteReader& in, Version version, uint32_t flags,
                 QueryParameters& parameters) {
  if ((flags & kQueryFlagValues) != 0) {
    if ((flags & kQueryFlagNames) != 0) {
      read_named_values(in, version, parameters);
    } else {
      parameters.values = read_values(in, version);
    }
  }
  parameters.skip_metadata = (flags & kQueryFlagSkipMetadata) != 0;
  if ((flags & kQueryFlagPageSize) != 0) parameters.page_size = in.read_i32();
  if ((flags & kQueryFlagPagingState) != 0) parameters.paging_state = read_bytes(in);
  if ((flags & kQueryFlagSerialConsistency) != 0) {
    parameters.serial_consistency = read_consistency(in);
  }
  if ((flags & kQueryFlagTimestamp) != 0) parameters.default_timestamp_us = in.read_i64();
  if ((flags & kQueryFlagKeyspace) != 0) parameters.keyspace = read_string(in);
  if ((flags & kQueryFlagNowInSeconds) != 0) parameters.now_seconds = in.read_i32();
}

}  // namespace

void append_query_flags(core::Buffer& out, Version version, uint32_t flags) {
  if (version >= Version::kV5) return out.append_i32(static_cast<int32_t>(flags));
  out.append_u8(static_cast<uint8_t>(flags));
}

uint32_t read_query_flags(core::ByteReader& in, Version version) {
  return version >= Version::kV5 ? static_cast<uint32_t>(in.read_i32()) : in.read_u8();
}

void append_value(core::Buffer& out, Version version, const Value& value) {
  switch (value.kind) {
    case Value::Kind::kBytes:
      return append_bytes(out, value.bytes);
    case Value::Kind::kNull:
      return out.append_i32(-1);
    case Value::Kind::kUnset:
      CQLPERF_CHECK(version >= Version::kV4, "unset values need protocol v4");
      return out.append_i32(-2);
  }
}

Value read_value(core::ByteReader& in, Version version) {
  const int32_t size = in.read_i32();
  if (size >= 0) return Value::of(in.read_bytes(static_cast<size_t>(size)));
  if (size == -1 || version < Version::kV4) return Value::null();
  if (size != -2) in.set_failed();
  return Value::unset();
}

void append_values(core::Buffer& out, Version version, const std::vector<Value>& values) {
  CQLPERF_CHECK(values.size() <= kShortMax, "too many values");
  out.append_u16(static_cast<uint16_t>(values.size()));
  for (const Value& value : values) append_value(out, version, value);
}

std::vector<Value> read_values(core::ByteReader& in, Version version) {
  const size_t count = in.read_u16();
  if (count * 4 > in.remaining()) {
    in.set_failed();
    return {};
  }
  std::vector<Value> values(count);
  for (Value& value : values) value = read_value(in, version);
  return values;
}

core::Status check_conditions(const std::optional<Consistency>& serial_consistency,
                              const std::optional<int64_t>& default_timestamp_us) {
  if (serial_consistency && !is_serial(*serial_consistency)) {
    return malformed(kWhat, fmt::format("serial consistency {}: it must be SERIAL or LOCAL_SERIAL",
                                        consistency_name(*serial_consistency)));
  }
  if (default_timestamp_us == INT64_MIN) {
    return malformed(kWhat, fmt::format("default timestamp {}: it must be above that", INT64_MIN));
  }
  return {};
}

void QueryParameters::encode(Version version, core::Buffer& out) const {
  CQLPERF_CHECK(!page_size || *page_size > 0, "page size must be above 0");
  out.append_u16(static_cast<uint16_t>(consistency));
  const uint32_t flags = flags_of(version, *this);
  append_query_flags(out, version, flags);
  if (!names.empty()) {
    append_named_values(out, version, *this);
  } else if (!values.empty()) {
    append_values(out, version, values);
  }
  if (page_size) out.append_i32(*page_size);
  if (paging_state) append_bytes(out, paging_state);
  if (serial_consistency) out.append_u16(static_cast<uint16_t>(*serial_consistency));
  if (default_timestamp_us) out.append_i64(*default_timestamp_us);
  if ((flags & kQueryFlagKeyspace) != 0) append_string(out, *keyspace);
  if ((flags & kQueryFlagNowInSeconds) != 0) out.append_i32(*now_seconds);
}

core::Result<QueryParameters> QueryParameters::decode(Version version, core::ByteReader& in) {
  QueryParameters parameters;
  parameters.consistency = read_consistency(in);
  const uint32_t flags = read_query_flags(in, version);
  const uint32_t unknown = flags & ~(version < Version::kV5 ? kFlagsV3 : kFlagsV5);
  if (unknown != 0) return malformed(kWhat, fmt::format("unknown flags {:#04x}", unknown));
  read_fields(in, version, flags, parameters);
  if (!in.ok()) return parameters;
  if (parameters.page_size == 0)
    return malformed(kWhat, "page size 0: it must be above 0; leave it out for no paging");
  if (parameters.page_size && *parameters.page_size < 0) parameters.page_size.reset();
  if (auto status =
          check_conditions(parameters.serial_consistency, parameters.default_timestamp_us);
      !status) {
    return std::unexpected(std::move(status.error()));
  }
  return parameters;
}

}  // namespace cqlperf::protocol

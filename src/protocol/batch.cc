#include "protocol/batch.h"

#include <fmt/format.h>

#include "core/check.h"

namespace cqlperf::protocol {
namespace {

constexpr std::string_view kName = "BATCH";
constexpr uint32_t kFlagsV3 = kQueryFlagSerialConsistency | kQueryFlagTimestamp;
constexpr uint32_t kFlagsV5 = kFlagsV3 | kQueryFlagKeyspace | kQueryFlagNowInSeconds;
// [byte] kind, an empty id, no values.
constexpr size_t kStatementSizeMin = 5;

// <kind>, the first byte of a statement.
enum class StatementKind : uint8_t { kQuery = 0, kPrepared = 1 };

void append_statement(core::Buffer& out, Version version, const BatchStatement& statement) {
  out.append_u8(static_cast<uint8_t>(statement.query_or_id.index()));
  if (const auto* query = std::get_if<std::string_view>(&statement.query_or_id)) {
    append_long_string(out, *query);
  } else {
    append_short_bytes(out, std::get<ByteView>(statement.query_or_id));
  }
  append_values(out, version, statement.values);
}

BatchStatement read_statement(core::ByteReader& in, Version version) {
  BatchStatement statement;
  switch (static_cast<StatementKind>(in.read_u8())) {
    case StatementKind::kQuery:
      statement.query_or_id = read_long_string(in);
      break;
    case StatementKind::kPrepared:
      statement.query_or_id = read_short_bytes(in);
      break;
    default:
      in.set_failed();
  }
  statement.values = read_values(in, version);
  return statement;
}

void read_statements(core::ByteReader& in, Version version, Batch& batch) {
  const size_t count = in.read_u16();
  if (count * kStatementSizeMin > in.remaining()) return in.set_failed();
  batch.statements.reserve(count);
  for (size_t i = 0; i < count && in.ok(); ++i) {
    batch.statements.push_back(read_statement(in, version));
  }
}

uint32_t flags_of(Version version, const Batch& batch) {
  uint32_t flags = 0;
  if (batch.serial_consistency) flags |= kQueryFlagSerialConsistency;
  if (batch.default_timestamp_us) flags |= kQueryFlagTimestamp;
  if (version < Version::kV5) return flags;
  if (batch.keyspace) flags |= kQueryFlagKeyspace;
  if (batch.now_seconds) flags |= kQueryFlagNowInSeconds;
  return flags;
}

void read_fields(core::ByteReader& in, uint32_t flags, Batch& batch) {
  if ((flags & kQueryFlagSerialConsistency) != 0) batch.serial_consistency = read_consistency(in);
  if ((flags & kQueryFlagTimestamp) != 0) batch.default_timestamp_us = in.read_i64();
  if ((flags & kQueryFlagKeyspace) != 0) batch.keyspace = read_string(in);
  if ((flags & kQueryFlagNowInSeconds) != 0) batch.now_seconds = in.read_i32();
}

}  // namespace

void Batch::encode_body(Version version, core::Buffer& out) const {
  CQLPERF_CHECK(statements.size() <= kShortMax, "too many statements in a batch");
  out.append_u8(static_cast<uint8_t>(type));
  out.append_u16(static_cast<uint16_t>(statements.size()));
  for (const BatchStatement& statement : statements) append_statement(out, version, statement);
  out.append_u16(static_cast<uint16_t>(consistency));
  const uint32_t flags = flags_of(version, *this);
  append_query_flags(out, version, flags);
  if (serial_consistency) out.append_u16(static_cast<uint16_t>(*serial_consistency));
  if (default_timestamp_us) out.append_i64(*default_timestamp_us);
  if ((flags & kQueryFlagKeyspace) != 0) append_string(out, *keyspace);
  if ((flags & kQueryFlagNowInSeconds) != 0) out.append_i32(*now_seconds);
}

core::Result<Batch> Batch::decode_body(Version version, ByteView body) {
  core::ByteReader in(body);
  Batch batch;
  const uint8_t type = in.read_u8();
  if (type > static_cast<uint8_t>(BatchType::kCounter)) {
    return malformed(kName, fmt::format("batch type {}: it must be 0, 1 or 2", type));
  }
  batch.type = static_cast<BatchType>(type);
  read_statements(in, version, batch);
  batch.consistency = read_consistency(in);
  const uint32_t flags = read_query_flags(in, version);
  const uint32_t unknown = flags & ~(version < Version::kV5 ? kFlagsV3 : kFlagsV5);
  if (unknown != 0) {
    return malformed(kName, fmt::format("flags {:#04x}, which a batch cannot have", unknown));
  }
  read_fields(in, flags, batch);
  if (auto status = finish_body(kName, in); !status) return std::unexpected(status.error());
  if (auto status = check_conditions(batch.serial_consistency, batch.default_timestamp_us);
      !status) {
    return std::unexpected(std::move(status.error()));
  }
  return batch;
}

}  // namespace cqlperf::protocol

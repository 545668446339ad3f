#include "protocol/metadata.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/check.h"

namespace cqlperf::protocol {
namespace {

constexpr std::string_view kName = "metadata";
// An empty name and a type id.
constexpr size_t kColumnSizeMin = 4;

bool is_one_table(const std::vector<ColumnSpec>& columns) {
  return !columns.empty() && std::ranges::all_of(columns, [&](const ColumnSpec& column) {
    return column.keyspace == columns[0].keyspace && column.table == columns[0].table;
  });
}

void append_columns(core::Buffer& out, Version version, const std::vector<ColumnSpec>& columns) {
  const bool is_global = is_one_table(columns);
  if (is_global) {
    append_string(out, columns[0].keyspace);
    append_string(out, columns[0].table);
  }
  for (const ColumnSpec& column : columns) {
    if (!is_global) {
      append_string(out, column.keyspace);
      append_string(out, column.table);
    }
    append_string(out, column.name);
    column.type.encode(version, out);
  }
}

std::vector<ColumnSpec> read_columns(core::ByteReader& in, Version version, int32_t count,
                                     bool is_global) {
  std::vector<ColumnSpec> columns;
  if (count < 0 || static_cast<size_t>(count) > in.remaining() / kColumnSizeMin) {
    in.set_failed();
    return columns;
  }
  ColumnSpec column;
  if (is_global) {
    column.keyspace = read_string(in);
    column.table = read_string(in);
  }
  for (int32_t i = 0; i < count && in.ok(); ++i) {
    if (!is_global) {
      column.keyspace = read_string(in);
      column.table = read_string(in);
    }
    column.name = read_string(in);
    column.type = ColumnType::decode(version, in);
    columns.push_back(column);
  }
  return columns;
}

std::unexpected<core::Error> unknown_flags(int32_t flags) {
  return malformed(kName, fmt::format("unknown flags {:#x}", static_cast<uint32_t>(flags)));
}

}  // namespace

std::optional<size_t> RowsMetadata::find(std::string_view name) const {
  const auto found = std::ranges::find(columns, name, &ColumnSpec::name);
  if (found == columns.end()) return std::nullopt;
  return static_cast<size_t>(found - columns.begin());
}

void RowsMetadata::encode(Version version, core::Buffer& out) const {
  CQLPERF_CHECK(columns.empty() || columns.size() == static_cast<size_t>(column_count),
                "column_count counts the columns");
  int32_t flags = columns.empty() ? kMetadataNone : 0;
  if (is_one_table(columns)) flags |= kMetadataGlobalSpec;
  if (paging_state) flags |= kMetadataHasMorePages;
  const bool is_changed = version >= Version::kV5 && new_metadata_id;
  CQLPERF_CHECK(!is_changed || !columns.empty(), "changed metadata without columns");
  if (is_changed) flags |= kMetadataChanged;
  out.append_i32(flags);
  out.append_i32(column_count);
  if (paging_state) append_owned_bytes(out, paging_state);
  if (is_changed) append_short_bytes(out, *new_metadata_id);
  append_columns(out, version, columns);
}

core::Result<RowsMetadata> RowsMetadata::decode(Version version, core::ByteReader& in) {
  const int32_t flags = in.read_i32();
  constexpr int32_t kFlagsV3 = kMetadataGlobalSpec | kMetadataHasMorePages | kMetadataNone;
  if ((flags & ~(version < Version::kV5 ? kFlagsV3 : kFlagsV3 | kMetadataChanged)) != 0) {
    return unknown_flags(flags);
  }
  constexpr int32_t kExclusive = kMetadataNone | kMetadataChanged;
  if ((flags & kExclusive) == kExclusive) {
    return malformed(kName, "both No_metadata and Metadata_changed");
  }
  RowsMetadata metadata;
  metadata.column_count = in.read_i32();
  if (metadata.column_count < 0) in.set_failed();
  if (metadata.column_count == 0 && (flags & kMetadataChanged) != 0)
    return malformed(kName, "Metadata_changed without columns");
  if ((flags & kMetadataHasMorePages) != 0) metadata.paging_state = read_owned_bytes(in);
  if ((flags & kMetadataChanged) != 0) metadata.new_metadata_id = to_bytes(read_short_bytes(in));
  if ((flags & kMetadataNone) == 0) {
    metadata.columns =
        read_columns(in, version, metadata.column_count, (flags & kMetadataGlobalSpec) != 0);
  }
  return metadata;
}

void BindMetadata::encode(Version version, core::Buffer& out) const {
  out.append_i32(is_one_table(columns) ? kMetadataGlobalSpec : 0);
  out.append_i32(static_cast<int32_t>(columns.size()));
  if (version >= Version::kV4) {
    out.append_i32(static_cast<int32_t>(partition_key_indexes.size()));
    for (const uint16_t index : partition_key_indexes) out.append_u16(index);
  }
  append_columns(out, version, columns);
}

core::Result<BindMetadata> BindMetadata::decode(Version version, core::ByteReader& in) {
  const int32_t flags = in.read_i32();
  if ((flags & ~kMetadataGlobalSpec) != 0) return unknown_flags(flags);
  const int32_t column_count = in.read_i32();
  BindMetadata metadata;
  if (version >= Version::kV4) {
    const int32_t key_count = in.read_i32();
    if (key_count < 0 || static_cast<size_t>(key_count) > in.remaining() / 2) {
      in.set_failed();
      return metadata;
    }
    metadata.partition_key_indexes.resize(static_cast<size_t>(key_count));
    for (uint16_t& index : metadata.partition_key_indexes) index = in.read_u16();
  }
  metadata.columns = read_columns(in, version, column_count, (flags & kMetadataGlobalSpec) != 0);
  const bool is_in_range = std::ranges::all_of(metadata.partition_key_indexes, [&](uint16_t index) {
    return index < metadata.columns.size();
  });
  if (in.ok() && !is_in_range) {
    return malformed(kName, fmt::format("a partition key index beyond the {} bind markers",
                                        metadata.columns.size()));
  }
  return metadata;
}

}  // namespace cqlperf::protocol

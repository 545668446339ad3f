#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/buffer.h"
#include "core/byte_reader.h"
#include "core/result.h"
#include "protocol/strings.h"
#include "protocol/types.h"

namespace cqlperf::protocol {

struct ColumnSpec {
  std::string keyspace;
  std::string table;
  std::string name;
  ColumnType type;

  bool operator==(const ColumnSpec&) const = default;
};

// Flags of <metadata> (sections 4.2.5.2 and 4.2.5.4).
inline constexpr int32_t kMetadataGlobalSpec = 0x1;
inline constexpr int32_t kMetadataHasMorePages = 0x2;
inline constexpr int32_t kMetadataNone = 0x4;
inline constexpr int32_t kMetadataChanged = 0x8;  // v5

// <metadata> of a Rows result. Columns of one table are written with the global table spec.
struct RowsMetadata {
  int32_t column_count = 0;              // holds even when `columns` is left out
  std::vector<ColumnSpec> columns = {};  // column_count of them, or none: then No_metadata is set
  std::optional<Bytes> paging_state = {};
  // v5: the columns are no longer those that EXECUTE's result_metadata_id names, but this one.
  // Needs columns.
  std::optional<Bytes> new_metadata_id = {};

  static RowsMetadata of(std::vector<ColumnSpec> columns) {
    const auto count = static_cast<int32_t>(columns.size());
    return {count, std::move(columns), {}, {}};
  }
  // The index of the column of that name, if there is one.
  std::optional<size_t> find(std::string_view name) const;

  void encode(Version version, core::Buffer& out) const;
  static core::Result<RowsMetadata> decode(Version version, core::ByteReader& in);
  bool operator==(const RowsMetadata&) const = default;
};

// <metadata> of the bind markers of a prepared statement.
struct BindMetadata {
  std::vector<ColumnSpec> columns = {};
  // v4: for each partition key column, the index of its bind marker; empty when not all are bound.
  std::vector<uint16_t> partition_key_indexes = {};

  void encode(Version version, core::Buffer& out) const;
  static core::Result<BindMetadata> decode(Version version, core::ByteReader& in);
  bool operator==(const BindMetadata&) const = default;
};

}  // namespace cqlperf::protocol

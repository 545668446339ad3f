#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/buffer.h"
#include "core/result.h"
#include "protocol/metadata.h"
#include "protocol/strings.h"
#include "protocol/version.h"

namespace cqlperf::protocol {

// A cell: its bytes, or std::nullopt for null.
using Cell = std::optional<ByteView>;

// One row in place. Views the body of its result.
class RowView {
 public:
  // Walks the cells in order.
  class Iterator {
   public:
    using value_type = Cell;
    using difference_type = std::ptrdiff_t;
    Iterator() = default;
    Iterator(const uint8_t* at, int32_t index) : at_(at), index_(index) {}
    Cell operator*() const;
    Iterator& operator++();
    void operator++(int) { ++*this; }
    bool operator==(const Iterator& other) const { return index_ == other.index_; }

   private:
    const uint8_t* at_ = nullptr;
    int32_t index_ = 0;
  };

  RowView(const uint8_t* at, int32_t column_count) : at_(at), column_count_(column_count) {}
  Iterator begin() const { return {at_, 0}; }
  Iterator end() const { return {nullptr, column_count_}; }
  size_t size() const { return static_cast<size_t>(column_count_); }
  // Walks to the cell: for few columns. `index` must be below size().
  Cell cell(size_t index) const;

 private:
  const uint8_t* at_;
  int32_t column_count_;
};

// A Rows result in place: decode() checks every length once and allocates for metadata only; after
// it, walking rows and cells cannot fail. Views the body of its RESULT.
//   for (RowView row : rows) for (Cell cell : row) ...
class RowsView {
 public:
  class Iterator {
   public:
    using value_type = RowView;
    using difference_type = std::ptrdiff_t;
    Iterator() = default;
    Iterator(const uint8_t* at, int32_t column_count, int32_t index)
        : at_(at), column_count_(column_count), index_(index) {}
    RowView operator*() const { return {at_, column_count_}; }
    Iterator& operator++();
    void operator++(int) { ++*this; }
    bool operator==(const Iterator& other) const { return index_ == other.index_; }

   private:
    const uint8_t* at_ = nullptr;
    int32_t column_count_ = 0;
    int32_t index_ = 0;
  };

  // `body` is the whole RESULT body, its kind (Rows) included.
  static core::Result<RowsView> decode(Version version, ByteView body);

  int32_t row_count() const { return row_count_; }
  int32_t column_count() const { return metadata_.column_count; }
  bool has_more_pages() const { return metadata_.paging_state.has_value(); }
  // Where the next page begins: for the EXECUTE that asks for it; empty when this is the last.
  // Views this object, not the body.
  ByteView paging_state() const {
    return has_more_pages() ? ByteView(*metadata_.paging_state) : ByteView();
  }
  // Without columns when the result has none (skip_metadata).
  const RowsMetadata& metadata() const { return metadata_; }
  ByteView body() const { return body_; }

  Iterator begin() const { return {content_.data(), column_count(), 0}; }
  Iterator end() const { return {nullptr, column_count(), row_count_}; }

 private:
  ByteView body_;
  ByteView content_;
  RowsMetadata metadata_;
  int32_t row_count_ = 0;
};

// A Rows result that owns its bytes; for set-up queries (system tables), where convenience counts.
class Rows {
 public:
  Rows() = default;
  explicit Rows(const RowsView& view);

  size_t size() const { return cells_.size() / std::max<size_t>(1, column_count()); }
  bool empty() const { return cells_.empty(); }
  size_t column_count() const { return static_cast<size_t>(metadata_.column_count); }
  const RowsMetadata& metadata() const { return metadata_; }

  // The cell, or std::nullopt when it is null or there is no such column. `row` must be below
  // size().
  Cell cell(size_t row, std::string_view column) const;
  // The same, decoded; std::nullopt also when the column has another type or its bytes do not fit
  // it.
  std::optional<std::string> text(size_t row, std::string_view column) const;  // text, ascii
  std::optional<int32_t> integer(size_t row, std::string_view column) const;   // int
  std::optional<int64_t> bigint(size_t row, std::string_view column) const;    // bigint, counter
  std::optional<bool> boolean(size_t row, std::string_view column) const;
  std::optional<Uuid> uuid(size_t row, std::string_view column) const;  // uuid, timeuuid
  std::optional<InetAddress> inet(size_t row, std::string_view column) const;
  std::optional<StringList> text_list(size_t row, std::string_view column) const;  // list, set
  std::optional<StringMap> text_map(size_t row, std::string_view column) const;

 private:
  struct Place {
    size_t offset = 0;
    int32_t size = -1;  // negative: null
  };

  Cell typed_cell(size_t row, std::string_view column, std::initializer_list<TypeId> types) const;

  RowsMetadata metadata_;
  Bytes bytes_;
  std::vector<Place> cells_;
};

// Writes a Rows result body: begin_rows() writes all up to the row count and returns its place,
// counted from out.data(); the caller appends the cells of each row as [value]s (values.h) and
// calls end_rows() with the number of rows. Nothing may be consumed in between.
size_t begin_rows(core::Buffer& out, Version version, const RowsMetadata& metadata);
void end_rows(core::Buffer& out, size_t start, int32_t row_count);

}  // namespace cqlperf::protocol

#include "protocol/rows.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/byte_reader.h"
#include "core/check.h"
#include "protocol/result.h"
#include "protocol/values.h"

namespace cqlperf::protocol {
namespace {

constexpr std::string_view kName = "RESULT Rows";

// Takes one [bytes] whose length has been checked.
Cell take_cell(const uint8_t*& at) {
  uint32_t wire = 0;
  std::memcpy(&wire, at, sizeof wire);
  const auto size = static_cast<int32_t>(__builtin_bswap32(wire));
  at += sizeof wire;
  if (size < 0) return std::nullopt;
  const ByteView cell(at, static_cast<size_t>(size));
  at += size;
  return cell;
}

// Passes over the cells, so that every length is known to fit.
void check_cells(core::ByteReader& in, int32_t row_count, int32_t column_count) {
  if (row_count < 0) return in.set_failed();
  if (row_count == 0) return;
  // Rows without columns would make many rows of few bytes.
  const size_t row_size_min = static_cast<size_t>(column_count) * 4;
  if (row_size_min == 0 || static_cast<size_t>(row_count) > in.remaining() / row_size_min) {
    return in.set_failed();
  }
  const size_t cell_count = static_cast<size_t>(row_count) * static_cast<size_t>(column_count);
  for (size_t i = 0; i < cell_count && in.ok(); ++i) read_bytes(in);
}

// The cell decoded; std::nullopt when it is null or does not fit.
template <class T, class Decode>
std::optional<T> decode_cell(const Cell& cell, Decode decode) {
  if (!cell) return std::nullopt;
  auto value = decode(*cell);
  return value ? std::optional<T>(std::move(*value)) : std::nullopt;
}

}  // namespace

Cell RowView::Iterator::operator*() const {
  const uint8_t* at = at_;
  return take_cell(at);
}

RowView::Iterator& RowView::Iterator::operator++() {
  take_cell(at_);
  ++index_;
  return *this;
}

Cell RowView::cell(size_t index) const {
  CQLPERF_CHECK(index < size(), "a cell beyond the columns");
  const uint8_t* at = at_;
  for (; index > 0; --index) take_cell(at);
  return take_cell(at);
}

RowsView::Iterator& RowsView::Iterator::operator++() {
  for (int32_t i = 0; i < column_count_; ++i) take_cell(at_);
  ++index_;
  return *this;
}

core::Result<RowsView> RowsView::decode(Version version, ByteView body) {
  core::ByteReader in(body);
  const int32_t kind = in.read_i32();
  if (kind != static_cast<int32_t>(ResultKind::kRows)) {
    return malformed(
        kName, fmt::format("kind {}, expected {}", kind, static_cast<int32_t>(ResultKind::kRows)));
  }
  auto metadata = RowsMetadata::decode(version, in);
  if (!metadata) return std::unexpected(std::move(metadata.error()));
  RowsView view;
  view.body_ = body;
  view.metadata_ = std::move(*metadata);
  view.row_count_ = in.read_i32();
  view.content_ = in.ok() ? body.subspan(in.position()) : ByteView();
  check_cells(in, view.row_count_, view.metadata_.column_count);
  return finish_body(kName, in, std::move(view));
}

Rows::Rows(const RowsView& view) : metadata_(view.metadata()), bytes_(to_bytes(view.body())) {
  cells_.reserve(static_cast<size_t>(view.row_count()) * column_count());
  for (const RowView row : view) {
    for (const Cell cell : row) {
      Place place;
      if (cell) {
        place.offset = static_cast<size_t>(cell->data() - view.body().data());
        place.size = static_cast<int32_t>(cell->size());
      }
      cells_.push_back(place);
    }
  }
}

Cell Rows::cell(size_t row, std::string_view column) const {
  CQLPERF_CHECK(row < size(), "a row beyond the result");
  const std::optional<size_t> index = metadata_.find(column);
  if (!index) return std::nullopt;
  const Place& place = cells_[row * column_count() + *index];
  if (place.size < 0) return std::nullopt;
  return ByteView(bytes_).subspan(place.offset, static_cast<size_t>(place.size));
}

Cell Rows::typed_cell(size_t row, std::string_view column,
                      std::initializer_list<TypeId> types) const {
  const std::optional<size_t> index = metadata_.find(column);
  if (!index) return std::nullopt;
  if (std::ranges::find(types, metadata_.columns[*index].type.id) == types.end()) {
    return std::nullopt;
  }
  return cell(row, column);
}

std::optional<std::string> Rows::text(size_t row, std::string_view column) const {
  const Cell found = typed_cell(row, column, {TypeId::kVarchar, TypeId::kAscii});
  return found ? std::optional<std::string>(decode_text(*found)) : std::nullopt;
}

std::optional<int32_t> Rows::integer(size_t row, std::string_view column) const {
  return decode_cell<int32_t>(typed_cell(row, column, {TypeId::kInt}), decode_int);
}

std::optional<int64_t> Rows::bigint(size_t row, std::string_view column) const {
  return decode_cell<int64_t>(typed_cell(row, column, {TypeId::kBigint, TypeId::kCounter}),
                              decode_bigint);
}

std::optional<bool> Rows::boolean(size_t row, std::string_view column) const {
  return decode_cell<bool>(typed_cell(row, column, {TypeId::kBoolean}), decode_boolean);
}

std::optional<Uuid> Rows::uuid(size_t row, std::string_view column) const {
  return decode_cell<Uuid>(typed_cell(row, column, {TypeId::kUuid, TypeId::kTimeuuid}),
                           decode_uuid);
}

std::optional<InetAddress> Rows::inet(size_t row, std::string_view column) const {
  return decode_cell<InetAddress>(typed_cell(row, column, {TypeId::kInet}), decode_inet);
}

std::optional<StringList> Rows::text_list(size_t row, std::string_view column) const {
  return decode_cell<StringList>(typed_cell(row, column, {TypeId::kList, TypeId::kSet}),
                                 decode_text_list);
}

std::optional<StringMap> Rows::text_map(size_t row, std::string_view column) const {
  return decode_cell<StringMap>(typed_cell(row, column, {TypeId::kMap}), decode_text_map);
}

size_t begin_rows(core::Buffer& out, Version version, const RowsMetadata& metadata) {
  out.append_i32(static_cast<int32_t>(ResultKind::kRows));
  metadata.encode(version, out);
  const size_t start = out.size();
  out.append_i32(0);
  return start;
}

void end_rows(core::Buffer& out, size_t start, int32_t row_count) {
  out.patch_i32(start, row_count);
}

}  // namespace cqlperf::protocol

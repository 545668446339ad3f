#include "workload/form_statements.h"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "protocol/values.h"

namespace cqlperf::workload {
namespace {

// How each counter is changed, as its bytes on both wires.
constexpr int64_t kIncrement = 1;
constexpr std::array<uint8_t, 8> kIncrementBytes = {0, 0, 0, 0, 0, 0, 0, kIncrement};

void append_hex(core::Buffer& out, protocol::ByteView bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  uint8_t* at = out.reserve(2 * bytes.size());
  for (const uint8_t byte : bytes) {
    *at++ = static_cast<uint8_t>(kDigits[byte >> 4]);
    *at++ = static_cast<uint8_t>(kDigits[byte & 15]);
  }
  out.commit(2 * bytes.size());
}

std::string quoted(const std::string& column) { return '"' + column + '"'; }

}  // namespace

void HexText::append_to(core::Buffer& out, std::span<const protocol::ByteView> items) const {
  for (size_t i = 0; i < places_.size(); ++i) {
    out.append(pieces_[i]);
    append_hex(out, items[places_[i]]);
  }
  out.append(pieces_.back());
}

size_t HexText::size(std::span<const protocol::ByteView> items) const {
  size_t bytes = 0;
  for (const std::string& piece : pieces_) bytes += piece.size();
  for (const uint32_t place : places_) bytes += 2 * items[place].size();
  return bytes;
}

FormStatements::FormStatements(const FormRows& rows, std::string table)
    : rows_(rows), table_(std::move(table)), json_(json_text()) {
  texts_ = {insert_text(), counter_text(), read_text()};
}

std::string FormStatements::columns_cql(const FormRows& rows, FormStatement statement) {
  const char* type = statement == FormStatement::kCounter ? "counter" : "blob";
  std::string columns = "id blob PRIMARY KEY";
  for (const std::string& name : rows.column_names())
    columns += fmt::format(", {} {}", quoted(name), type);
  return columns;
}

std::string FormStatements::create_index_cql(const FormRows& rows, const std::string& table) {
  return fmt::format("CREATE INDEX ON {} ({})", table,
                     quoted(rows.column_names()[FormRows::kIndexedColumn]));
}

std::string FormStatements::column_list() const {
  std::string list;
  for (const std::string& name : rows_.column_names())
    list += fmt::format("{}{}", list.empty() ? "" : ", ", quoted(name));
  return list;
}

std::string FormStatements::bound_cql(FormStatement statement) const {
  std::string markers;
  std::string changes;
  for (const std::string& name : rows_.column_names()) {
    markers += ", ?";
    changes += fmt::format("{0}{1} = {1} + ?", changes.empty() ? "" : ", ", quoted(name));
  }
  switch (statement) {
    case FormStatement::kInsert:
      return fmt::format("INSERT INTO {} (id, {}) VALUES (?{})", table_, column_list(), markers);
    case FormStatement::kCounter:
      return fmt::format("UPDATE {} SET {} WHERE id = ?", table_, changes);
    case FormStatement::kRead:
      break;
  }
  return fmt::format("SELECT {} FROM {} WHERE id = ?", column_list(), table_);
}

std::string FormStatements::json_cql() const {
  return fmt::format("INSERT INTO {} JSON ?", table_);
}

HexText FormStatements::insert_text() const {
  std::vector<std::string> pieces = {
      fmt::format("INSERT INTO {} (id, {}) VALUES (0x", table_, column_list())};
  std::vector<uint32_t> places;
  for (uint32_t item = 0; item <= rows_.config().columns; ++item) {
    places.push_back(item);
    pieces.push_back(item < rows_.config().columns ? ", 0x" : ")");
  }
  return {std::move(pieces), std::move(places)};
}

HexText FormStatements::counter_text() const {
  std::string changes;
  for (const std::string& name : rows_.column_names())
    changes +=
        fmt::format("{0}{1} = {1} + {2}", changes.empty() ? "" : ", ", quoted(name), kIncrement);
  return {{fmt::format("UPDATE {} SET {} WHERE id = 0x", table_, changes), ""}, {0}};
}

HexText FormStatements::read_text() const {
  return {{fmt::format("SELECT {} FROM {} WHERE id = 0x", column_list(), table_), ""}, {0}};
}

HexText FormStatements::json_text() const {
  std::vector<std::string> pieces = {R"({"id": "0x)"};
  std::vector<uint32_t> places = {0};
  for (uint32_t column = 0; column < rows_.config().columns; ++column) {
    // A name with capitals is quoted within the JSON name too.
    pieces.push_back(fmt::format(R"(", "\"{}\"": "0x)", rows_.column_names()[column]));
    places.push_back(1 + column);
  }
  pieces.push_back(R"("})");
  return {std::move(pieces), std::move(places)};
}

uint32_t FormStatements::markers(FormStatement statement) const {
  return statement == FormStatement::kRead ? 1 : 1 + rows_.config().columns;
}

void FormStatements::append_values(FormStatement statement, const FormRow& row,
                                   core::Buffer& out) const {
  switch (statement) {
    case FormStatement::kInsert:
      for (const protocol::ByteView item : row.items()) protocol::append_blob(out, item);
      return;
    case FormStatement::kCounter:
      for (uint32_t column = 0; column < rows_.config().columns; ++column)
        protocol::append_counter(out, kIncrement);
      [[fallthrough]];
    case FormStatement::kRead:
      protocol::append_blob(out, row.key());
  }
}

void FormStatements::bind(FormStatement statement, const FormRow& row,
                          std::vector<protocol::ByteView>& values) const {
  values.clear();
  switch (statement) {
    case FormStatement::kInsert:
      values.assign(row.items().begin(), row.items().end());
      return;
    case FormStatement::kCounter:
      values.resize(rows_.config().columns, kIncrementBytes);
      [[fallthrough]];
    case FormStatement::kRead:
      values.push_back(row.key());
  }
}

std::string FormStatements::scan_cql(int64_t after, int64_t up_to) const {
  return fmt::format("SELECT id, {} FROM {} WHERE token(id) > {} AND token(id) <= {}",
                     column_list(), table_, after, up_to);
}

}  // namespace cqlperf::workload

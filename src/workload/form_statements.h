#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/buffer.h"
#include "protocol/strings.h"
#include "workload/form_rows.h"

namespace cqlperf::workload {

// What one operation of the statement-form comparison does.
enum class FormStatement { kInsert, kCounter, kRead };

// A text with places for bytes, which are written as hexadecimal digits.
class HexText {
 public:
  // `pieces` stand before, between and after the places; `places[i]`, which follows pieces[i], is
  // the item that goes there.
  HexText(std::vector<std::string> pieces, std::vector<uint32_t> places)
      : pieces_(std::move(pieces)), places_(std::move(places)) {}

  void append_to(core::Buffer& out, std::span<const protocol::ByteView> items) const;
  // How long the text is with `items`.
  size_t size(std::span<const protocol::ByteView> items) const;

 private:
  std::vector<std::string> pieces_;
  std::vector<uint32_t> places_;
};

// The CQL of the statement-form comparison for one table. Items are those of FormRow: the key and
// then the values.
//   insert:  INSERT INTO ks.t (id, "C0", ...) VALUES (?, ?, ...)
//   counter: UPDATE ks.t SET "C0" = "C0" + ?, ... WHERE id = ?      by 1 each
//   read:    SELECT "C0", ... FROM ks.t WHERE id = ?
class FormStatements {
 public:
  FormStatements(const FormRows& rows, std::string table);

  // The columns of the table, for Schema::create().
  static std::string columns_cql(const FormRows& rows, FormStatement statement);
  // An index on the column FormRows::kIndexedColumn of `table`, which is qualified.
  static std::string create_index_cql(const FormRows& rows, const std::string& table);

  // With bind markers. Its values, in order: append_values(), or markers() items.
  std::string bound_cql(FormStatement statement) const;
  // With a marker for a JSON text, json(): an insert.
  std::string json_cql() const;
  // With literals.
  const HexText& text(FormStatement statement) const {
    return texts_[static_cast<size_t>(statement)];
  }
  // The JSON of a row: "0x..." for each item.
  const HexText& json() const { return json_; }

  // How many bind markers bound_cql() has.
  uint32_t markers(FormStatement statement) const;
  // A [value] for each of them.
  void append_values(FormStatement statement, const FormRow& row, core::Buffer& out) const;
  // The bytes of each of them.
  void bind(FormStatement statement, const FormRow& row,
            std::vector<protocol::ByteView>& values) const;

  // Reads every row of a part of the ring, (after, up_to], whole: its key first.
  std::string scan_cql(int64_t after, int64_t up_to) const;

 private:
  HexText insert_text() const;
  HexText counter_text() const;
  HexText read_text() const;
  HexText json_text() const;
  std::string column_list() const;

  const FormRows& rows_;
  std::string table_;
  std::vector<HexText> texts_;
  HexText json_;
};

}  // namespace cqlperf::workload

#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cql/parser.h"
#include "memory_engine.h"
#include "protocol/frame.h"
#include "protocol/result.h"
#include "protocol/values.h"
#include "server/condition_locks.h"
#include "server/schema.h"
#include "server/write_plan.h"
#include "server/writer.h"
#include "storage/partition.h"

namespace cqlperf::server {

// Keeps the answers of a connection, by their stream.
class Answers final : public ReplyTarget {
 public:
  protocol::Version version() const override { return protocol::Version::kV4; }
  core::Buffer& begin_reply(int16_t stream, protocol::Opcode opcode) override {
    stream_ = stream;
    opcode_ = opcode;
    body_.clear();
    return body_;
  }
  void end_reply() override {
    order_.push_back(stream_);
    texts_[stream_] = describe();
  }

  // `void`, `0x2200 text`, or rows: `[applied]=false k=1 v=null`, joined by `; `. Empty: no answer.
  std::string text(int16_t stream) const {
    const auto found = texts_.find(stream);
    return found == texts_.end() ? "" : found->second;
  }
  const std::vector<int16_t>& order() const { return order_; }

 private:
  std::string describe() const {
    if (opcode_ == protocol::Opcode::kError) {
      const auto error = protocol::ErrorMessage::decode_body(version(), body_.bytes());
      return error ? fmt::format("{:#06x} {}", error->code, error->message) : "bad error";
    }
    const auto result = protocol::ResultMessage::decode_body(version(), body_.bytes());
    if (!result) return "bad result: " + result.error().message;
    const auto* view = result->as<protocol::RowsView>();
    if (view == nullptr) return "void";
    const protocol::Rows rows(*view);
    std::string text;
    for (size_t row = 0; row < rows.size(); ++row) {
      if (row > 0) text += "; ";
      for (const auto& column : rows.metadata().columns) {
        text += (text.empty() || text.ends_with(' ') ? "" : " ") + column.name + "=" +
                show(column.type, rows.cell(row, column.name));
      }
    }
    return text;
  }

 public:
  // An int, text or boolean for people.
  static std::string show(const protocol::ColumnType& type,
                          std::optional<protocol::ByteView> cell) {
    if (!cell) return "null";
    if (type.id == protocol::TypeId::kInt) {
      return cell->empty() ? "empty" : fmt::format("{}", protocol::decode_int(*cell).value());
    }
    if (type.id == protocol::TypeId::kCounter) {
      return fmt::format("{}", protocol::decode_counter(*cell).value());
    }
    if (type.id == protocol::TypeId::kBoolean) return (*cell)[0] != 0 ? "true" : "false";
    return std::string(protocol::decode_text(*cell));
  }

 private:
  core::Buffer body_;
  int16_t stream_ = 0;
  protocol::Opcode opcode_ = protocol::Opcode::kError;
  std::map<int16_t, std::string> texts_;
  std::vector<int16_t> order_;
};

// A bound value: an int, a text, null (std::monostate), or Unset.
struct Unset {};
using Bound = std::variant<std::monostate, Unset, int32_t, int64_t, std::string, protocol::Bytes>;

// A keyspace `ks` with tables of ints and texts, and a writer on an engine in memory.
class WriteFixture : public ::testing::Test {
 protected:
  static constexpr int64_t kNow_us = 1'700'000'000'000'000;

  // Without `store` the data are in engine_.
  explicit WriteFixture(std::unique_ptr<storage::Engine> store = nullptr)
      : other_engine_(std::move(store)) {}

  void SetUp() override {
    add_table("kv", "k int", "", "v int, w text");
    add_table("ck", "a int, b int", "c int, d int", "v int, w text");
    add_table("rev", "k int", "c int desc, d int", "v int");
    add_table("tx", "k text", "c text", "v text");
    add_table("cnt", "k int", "", "m counter, n counter");
    add_table("ttlt", "k int", "", "v int").options.default_ttl_s = 100;
    Table& indexed = add_table("ix", "k int", "c int", "v text");
    add_index(indexed, "ix_v", "v");
    add_index(indexed, "ix_c", "c");
    make_schema();
  }

  // Columns as `a int, b text desc`.
  Table& add_table(const std::string& name, const std::string& partition,
                   const std::string& clustering, const std::string& regular) {
    auto table = std::make_shared<Table>();
    table->keyspace = "ks";
    table->name = name;
    table->partition_key_size = add_columns(*table, partition, ColumnKind::kPartitionKey);
    table->clustering_key_size = add_columns(*table, clustering, ColumnKind::kClustering);
    add_columns(*table, regular, ColumnKind::kRegular);
    table->store = used_engine_.create_store().value();
    tables_[name] = table;
    return *table;
  }
  void add_index(Table& table, const std::string& name, const std::string& column) {
    Index index;
    index.name = name;
    index.column = column;
    index.store = used_engine_.create_store().value();
    index.is_built = true;
    table.indexes.push_back(std::move(index));
  }
  const Table& table(const std::string& name) const { return *tables_.at(name); }

  // `0x2200 text`, or `ok`.
  std::string prepare(const std::string& cql, protocol::BindMetadata* bind = nullptr) {
    auto plan = make_plan(cql, bind);
    if (plan) return "ok";
    return fmt::format("{:#06x} {}", plan.error().code, plan.error().message);
  }
  // Runs a statement and commits; the answer as Answers::text().
  std::string run(const std::string& cql, const std::vector<Bound>& values = {},
                  std::optional<int64_t> timestamp_us = {}) {
    const int16_t stream = start(cql, values, timestamp_us);
    writer_.commit();
    return answers_.text(stream);
  }
  // The same without the commit; gives the stream.
  int16_t start(const std::string& cql, const std::vector<Bound>& values = {},
                std::optional<int64_t> timestamp_us = {}) {
    const ReplyTo to{&answers_, ++stream_};
    auto plan = make_plan(cql, nullptr);
    if (!plan) {
      reply_error(to, plan.error());
      return stream_;
    }
    const auto bound = bind(values);
    Arguments arguments;
    arguments.values = bound;
    arguments.timestamp_us = timestamp_us;
    arguments.now_us = now_us_;
    writer_.execute(**plan, arguments, to);
    return stream_;
  }
  // Runs statements without markers as a batch.
  std::string run_batch(cql::Batch::Kind kind, const std::vector<std::string>& statements,
                        std::optional<int64_t> timestamp_us = {}) {
    const ReplyTo to{&answers_, ++stream_};
    std::vector<Writer::BatchItem> items;
    for (const std::string& statement : statements) {
      auto plan = make_plan(statement, nullptr);
      if (!plan) return fmt::format("{:#06x} {}", plan.error().code, plan.error().message);
      items.push_back({plan->get(), {}});
    }
    Arguments arguments;
    arguments.timestamp_us = timestamp_us;
    arguments.now_us = now_us_;
    writer_.execute_batch(kind, items, arguments, to);
    writer_.commit();
    return answers_.text(stream_);
  }

  // The rows that SELECT would show, in the order of their keys: `k=1 v=2`; null cells are left
  // out.
  std::vector<std::string> rows(const std::string& name) {
    const Table& shown = table(name);
    std::vector<std::string> texts;
    std::map<protocol::Bytes, protocol::Bytes> entries;
    const auto cursor = used_engine_.scan(*shown.store, {});
    for (; cursor->valid(); cursor->next()) {
      const auto view = storage::read_key(cursor->key()).value();
      const protocol::Bytes value = protocol::to_bytes(cursor->value());
      if (view.entry == storage::kPartitionEntry) {
        entries[view.partition_key] = value;
        continue;
      }
      const auto entry = entries.find(view.partition_key);
      const int64_t deleted_us =
          entry == entries.end()
              ? storage::PartitionView().deleted_us(view.clustering)
              : storage::PartitionView::parse(entry->second).value().deleted_us(view.clustering);
      const std::string text = show_row(shown, view, value, deleted_us);
      if (!text.empty()) texts.push_back(text);
    }
    return texts;
  }
  // How many entries an index has, true or not.
  size_t index_entries(const std::string& name, size_t index) {
    return MemoryEngine::data(*table(name).indexes[index].store).size();
  }

  MemoryEngine engine_;
  std::unique_ptr<storage::Engine> other_engine_;
  storage::Engine& used_engine_ = other_engine_ ? *other_engine_ : engine_;
  ConditionLocks locks_;
  Writer writer_{used_engine_, locks_};
  Answers answers_;
  Schema schema_;
  int64_t now_us_ = kNow_us;

 private:
  static size_t add_columns(Table& table, const std::string& text, ColumnKind kind) {
    size_t count = 0;
    size_t at = 0;
    while (at < text.size()) {
      const size_t end = std::min(text.find(", ", at), text.size());
      const std::string one = text.substr(at, end - at);
      const size_t space = one.find(' ');
      const std::string type = one.substr(space + 1, one.find(' ', space + 1) - space - 1);
      Column column;
      column.name = one.substr(0, space);
      column.type = cql::parse_type(type).value();
      column.cql_type = type;
      column.kind = kind;
      column.descending = one.ends_with(" desc");
      if (kind == ColumnKind::kRegular) {
        column.storage_id = table.next_storage_id++;
        table.is_counter = table.is_counter || type == "counter";
      } else {
        column.position = static_cast<int>(count);
      }
      table.columns.push_back(std::move(column));
      ++count;
      at = end + 2;
    }
    return count;
  }

  void make_schema() {
    auto keyspace = std::make_shared<Keyspace>();
    keyspace->name = "ks";
    for (const auto& [name, one] : tables_) keyspace->tables[name] = one;
    auto system = std::make_shared<Keyspace>();
    system->name = "system";
    system->is_system = true;
    auto local = std::make_shared<Table>(*tables_.at("kv"));
    local->keyspace = "system";
    local->name = "local";
    local->system = SystemTable::kLocal;
    local->store = nullptr;
    system->tables["local"] = local;
    schema_.keyspaces = {{"ks", keyspace}, {"system", system}};
  }

  cql::Result<std::shared_ptr<const WritePlan>> make_plan(const std::string& cql,
                                                          protocol::BindMetadata* bind) {
    auto parsed = cql::parse_statement(cql);
    if (!parsed) return std::unexpected(parsed.error());
    cql::MarkerSpecs markers(parsed->markers);
    std::optional<cql::Modification> modification;
    if (auto* insert = std::get_if<cql::Insert>(&parsed->statement)) modification = *insert;
    if (auto* update = std::get_if<cql::Update>(&parsed->statement)) modification = *update;
    if (auto* deletion = std::get_if<cql::Delete>(&parsed->statement)) modification = *deletion;
    auto plan = WritePlan::make(modification.value(), schema_, "ks", markers);
    if (plan && bind != nullptr) *bind = {markers.specs(), (*plan)->partition_key_markers()};
    if (plan) plans_.push_back(*plan);
    return plan;
  }

  std::vector<protocol::Value> bind(const std::vector<Bound>& values) {
    bound_.clear();
    std::vector<protocol::Value> bound;
    for (const Bound& value : values) {
      core::Buffer out;
      if (std::holds_alternative<std::monostate>(value)) {
        bound.push_back(protocol::Value::null());
        continue;
      }
      if (std::holds_alternative<Unset>(value)) {
        bound.push_back(protocol::Value::unset());
        continue;
      }
      if (const auto* number = std::get_if<int32_t>(&value)) out.append_i32(*number);
      if (const auto* number = std::get_if<int64_t>(&value)) out.append_i64(*number);
      if (const auto* text = std::get_if<std::string>(&value)) out.append(std::string_view(*text));
      if (const auto* bytes = std::get_if<protocol::Bytes>(&value)) {
        out.append(protocol::ByteView(*bytes));
      }
      bound.push_back(protocol::Value::of(bound_.emplace_back(protocol::to_bytes(out.bytes()))));
    }
    return bound;
  }

  std::string show_row(const Table& shown, const storage::KeyView& key, protocol::ByteView value,
                       int64_t deleted_us) const {
    const int64_t now_s = now_us_ / 1'000'000;
    const auto row = storage::RowView::parse(value).value();
    if (!row.is_live(now_s, deleted_us)) return "";
    std::string text;
    const auto add = [&](const Column& column, protocol::ByteView cell) {
      text += (text.empty() ? "" : " ") + column.name + "=" + Answers::show(column.type, cell);
    };
    const auto parts = split_routing_key(key.partition_key, shown.partition_key_size);
    for (size_t index = 0; index < parts.size(); ++index) add(shown.columns[index], parts[index]);
    const auto clustering =
        storage::read_clustering_values(key.clustering, clustering_columns(shown)).value();
    for (size_t index = 0; index < clustering.size(); ++index) {
      add(shown.clustering_key()[index], clustering[index]);
    }
    auto cells = row.live_cells(now_s, deleted_us);
    while (const auto cell = cells.next()) {
      for (const Column& column : shown.regular_columns()) {
        if (column.storage_id == cell->column && cell->value) add(column, *cell->value);
      }
    }
    return text;
  }

  std::map<std::string, std::shared_ptr<Table>> tables_;
  std::vector<std::shared_ptr<const WritePlan>> plans_;
  std::deque<protocol::Bytes> bound_;
  int16_t stream_ = 0;
};

}  // namespace cqlperf::server

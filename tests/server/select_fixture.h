#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "cql/parser.h"
#include "cql/typed_term.h"
#include "protocol/frame.h"
#include "protocol/result.h"
#include "protocol/values.h"
#include "server/catalog.h"
#include "server/condition_locks.h"
#include "server/reader.h"
#include "server/select_plan.h"
#include "server/write_plan.h"
#include "server/writer.h"
#include "storage/engine.h"

namespace cqlperf::server {

// A value that is bound: its bytes, null or unset.
struct BoundValue {
  protocol::Value::Kind kind = protocol::Value::Kind::kBytes;
  protocol::Bytes bytes = {};
};
inline BoundValue bound_bytes(core::Buffer&& out) {
  return {protocol::Value::Kind::kBytes, protocol::to_bytes(out.bytes())};
}
inline BoundValue int_value(int32_t value) {
  core::Buffer out;
  out.append_i32(value);
  return bound_bytes(std::move(out));
}
inline BoundValue bigint_value(int64_t value) {
  core::Buffer out;
  out.append_i64(value);
  return bound_bytes(std::move(out));
}
inline BoundValue text_value(std::string_view value) {
  core::Buffer out;
  out.append(value);
  return bound_bytes(std::move(out));
}
inline BoundValue null_value() { return {protocol::Value::Kind::kNull, {}}; }
inline BoundValue unset_value() { return {protocol::Value::Kind::kUnset, {}}; }
// The elements as [value]s: a list, or with `count` left out a tuple.
inline BoundValue sequence_value(const std::vector<BoundValue>& items, bool has_count) {
  core::Buffer out;
  if (has_count) out.append_i32(static_cast<int32_t>(items.size()));
  for (const BoundValue& item : items) {
    if (item.kind == protocol::Value::Kind::kNull) {
      protocol::append_null(out);
    } else {
      protocol::append_blob(out, item.bytes);
    }
  }
  return bound_bytes(std::move(out));
}
inline BoundValue list_value(const std::vector<BoundValue>& items) {
  return sequence_value(items, true);
}
inline BoundValue tuple_value(const std::vector<BoundValue>& items) {
  return sequence_value(items, false);
}

// What a SELECT was answered.
struct Reply {
  bool is_answered = false;
  std::optional<protocol::ErrorMessage> error = {};
  std::string text = {};  // `1 a null; 2 b 7`, or `0x2200 message`
  std::vector<std::string> names = {};
  protocol::RowsMetadata metadata = {};
  size_t row_count = 0;
  size_t body_size = 0;
};

// Keeps the last answer of each stream.
class ReplyRecorder final : public ReplyTarget {
 public:
  protocol::Version version() const override { return version_; }
  core::Buffer& begin_reply(int16_t stream, protocol::Opcode opcode) override {
    stream_ = stream;
    opcode_ = opcode;
    body_.clear();
    return body_;
  }
  void end_reply() override { replies_[stream_] = read_reply(); }

  bool has_room() const override { return has_room_; }

  void set_version(protocol::Version version) { version_ = version; }
  void set_room(bool has_room) { has_room_ = has_room; }
  // For long results, whose text is of no interest.
  void leave_out_texts() { with_texts_ = false; }
  bool is_answered(int16_t stream) const { return replies_.contains(stream); }
  Reply take(int16_t stream) {
    Reply reply = std::move(replies_[stream]);
    replies_.erase(stream);
    return reply;
  }

 private:
  Reply read_reply() const {
    Reply reply;
    reply.is_answered = true;
    reply.body_size = body_.size();
    if (opcode_ == protocol::Opcode::kError) {
      reply.error = protocol::ErrorMessage::decode_body(version_, body_.bytes()).value();
      reply.text = fmt::format("{:#06x} {}", reply.error->code, reply.error->message);
      return reply;
    }
    const auto result = protocol::ResultMessage::decode_body(version_, body_.bytes());
    if (!result) {
      reply.text = "malformed: " + result.error().message;
      return reply;
    }
    const auto* rows = result->as<protocol::RowsView>();
    if (rows == nullptr) return reply;
    reply.metadata = rows->metadata();
    reply.row_count = static_cast<size_t>(rows->row_count());
    for (const auto& column : rows->metadata().columns) reply.names.push_back(column.name);
    if (with_texts_) reply.text = show(*rows);
    return reply;
  }
  static std::string show(const protocol::RowsView& rows) {
    std::string text;
    for (const protocol::RowView row : rows) {
      if (!text.empty()) text += "; ";
      size_t index = 0;
      for (const protocol::Cell cell : row) {
        if (index > 0) text += ' ';
        const auto& columns = rows.metadata().columns;
        text += show(columns.empty() ? protocol::ColumnType::of(protocol::TypeId::kBlob)
                                     : columns[index].type,
                     cell);
        ++index;
      }
    }
    return text;
  }
  static std::string show(const protocol::ColumnType& type, const protocol::Cell& cell) {
    if (!cell) return "null";
    switch (type.id) {
      case protocol::TypeId::kInt:
        return fmt::format("{}", protocol::decode_int(*cell).value());
      case protocol::TypeId::kBigint:
      case protocol::TypeId::kCounter:
        return fmt::format("{}", protocol::decode_bigint(*cell).value());
      case protocol::TypeId::kVarchar:
      case protocol::TypeId::kAscii:
        return std::string(protocol::decode_text(*cell));
      default:
        return fmt::format("{:02x}", fmt::join(*cell, ""));
    }
  }

  protocol::Version version_ = protocol::Version::kV4;
  bool with_texts_ = true;
  bool has_room_ = true;
  core::Buffer body_;
  int16_t stream_ = 0;
  protocol::Opcode opcode_ = protocol::Opcode::kError;
  std::map<int16_t, Reply> replies_;
};

// How a SELECT is asked for.
struct Asked {
  std::vector<BoundValue> values = {};
  std::optional<int32_t> page_size = {};
  std::optional<protocol::Bytes> paging_state = {};
  MetadataForm metadata = MetadataForm::kFull;
  protocol::Bytes metadata_id = {};
};

// A catalog, a writer and a reader on a real engine in a temporary directory, with the keyspace
// `ks`.
class SelectFixture : public ::testing::Test {
 protected:
  static constexpr int64_t kNowUs = 1'700'000'000'000'000;
  // The stream that writes are answered on.
  static constexpr int16_t kWriteStream = 1000;
  // Turns of a reader until it must have answered.
  static constexpr int kTurnsMax = 100'000;

  void SetUp() override {
    std::string name = std::filesystem::temp_directory_path() / "cqlperf-select-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    directory_ = name;
    open();
    change(
        "CREATE KEYSPACE ks WITH replication = {'class': 'SimpleStrategy', "
        "'replication_factor': 1}");
  }
  void TearDown() override {
    close();
    std::filesystem::remove_all(directory_);
  }
  void open() {
    engine_ = storage::open_engine({directory_.string(), size_t{16} << 20}).value();
    make_parts();
  }
  void make_parts() {
    catalog_ = Catalog::open(*engine_, {}).value();
    locks_ = std::make_unique<ConditionLocks>();
    writer_ = std::make_unique<Writer>(*engine_, *locks_);
    reader_ = std::make_unique<Reader>(*engine_, *catalog_);
  }
  void close() {
    reader_.reset();
    writer_.reset();
    locks_.reset();
    catalog_.reset();
    engine_.reset();
  }

  // Runs DDL.
  void change(const std::string& cql) {
    const auto parsed = cql::parse_statement(cql);
    ASSERT_TRUE(parsed.has_value()) << cql << ": " << parsed.error().message;
    const auto done = catalog_->execute(parsed->statement, "ks");
    ASSERT_TRUE(done.has_value()) << cql << ": " << done.error().message;
  }
  // Runs INSERT, UPDATE or DELETE.
  void write(const std::string& cql, const std::vector<BoundValue>& values = {}) {
    queue_write(*write_plan(cql), values);
    writer_->commit();
    const Reply reply = target_.take(kWriteStream);
    ASSERT_FALSE(reply.error.has_value()) << cql << ": " << reply.text;
  }
  // Without the commit.
  void queue_write(const WritePlan& plan, const std::vector<BoundValue>& values = {}) {
    Arguments arguments;
    const auto bound = bind(values);
    arguments.values = bound;
    arguments.now_us = now_us_;
    writer_->execute(plan, arguments, {&target_, kWriteStream});
  }
  std::shared_ptr<const WritePlan> write_plan(const std::string& cql) {
    auto parsed = cql::parse_statement(cql).value();
    cql::MarkerSpecs markers(parsed.markers);
    cql::Modification statement;
    if (auto* insert = std::get_if<cql::Insert>(&parsed.statement)) statement = *insert;
    if (auto* update = std::get_if<cql::Update>(&parsed.statement)) statement = *update;
    if (auto* deletion = std::get_if<cql::Delete>(&parsed.statement)) statement = *deletion;
    return WritePlan::make(statement, *catalog_->schema(), "ks", markers).value();
  }

  cql::Result<std::shared_ptr<const SelectPlan>> plan(
      const std::string& cql, std::vector<protocol::ColumnSpec>* specs = nullptr) {
    auto parsed = cql::parse_statement(cql);
    if (!parsed) return std::unexpected(parsed.error());
    cql::MarkerSpecs markers(parsed->markers);
    auto made = SelectPlan::make(std::get<cql::Select>(parsed->statement), catalog_->schema(), "ks",
                                 markers);
    if (specs != nullptr) *specs = markers.specs();
    return made;
  }
  // Starts a SELECT on that stream, without a turn.
  void start(std::shared_ptr<const SelectPlan> plan, int16_t stream, const Asked& asked = {}) {
    Arguments arguments;
    const auto bound = bind(asked.values);
    arguments.values = bound;
    arguments.page_size = asked.page_size;
    if (asked.paging_state) arguments.paging_state = *asked.paging_state;
    arguments.metadata = asked.metadata;
    arguments.metadata_id = asked.metadata_id;
    arguments.now_us = now_us_;
    reader_->execute(std::move(plan), arguments, {&target_, stream});
  }
  Reply run(std::shared_ptr<const SelectPlan> plan, const Asked& asked = {}) {
    start(std::move(plan), 1, asked);
    for (int turn = 0; turn < kTurnsMax && !target_.is_answered(1); ++turn) reader_->run_turn();
    return target_.take(1);
  }
  Reply ask(const std::string& cql, const Asked& asked = {}) {
    auto made = plan(cql);
    if (made) return run(*made, asked);
    Reply reply;
    reply.error = made.error();
    reply.text = fmt::format("{:#06x} {}", made.error().code, made.error().message);
    return reply;
  }
  // The rows, or the error, of a SELECT that is not paged.
  std::string select(const std::string& cql, const std::vector<BoundValue>& values = {}) {
    return ask(cql, {.values = values}).text;
  }
  // The pages, each in brackets: `[1; 2][3][]`.
  std::string pages(const std::string& cql, int32_t page_size,
                    const std::vector<BoundValue>& values = {}) {
    std::string text;
    Asked asked{.values = values, .page_size = page_size};
    for (int page = 0; page < 1000; ++page) {
      const Reply reply = ask(cql, asked);
      text += "[" + reply.text + "]";
      if (!reply.metadata.paging_state) return text;
      asked.paging_state = reply.metadata.paging_state;
    }
    return text + " without end";
  }
  // The names and types of the bind markers: `k int, [limit] int`.
  std::string markers(const std::string& cql) {
    std::vector<protocol::ColumnSpec> specs;
    auto made = plan(cql, &specs);
    if (!made) return made.error().message;
    std::string text;
    for (const auto& spec : specs) {
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", spec.name, spec.type.cql_name());
    }
    return text;
  }
  // `name type, name type` of the result's columns.
  std::string columns(const std::string& cql) {
    auto made = plan(cql);
    if (!made) return made.error().message;
    std::string text;
    for (const auto& spec : (*made)->metadata().columns) {
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", spec.name, spec.type.cql_name());
    }
    return text;
  }

  std::filesystem::path directory_;
  std::unique_ptr<storage::Engine> engine_;
  std::unique_ptr<Catalog> catalog_;
  std::unique_ptr<ConditionLocks> locks_;
  std::unique_ptr<Writer> writer_;
  std::unique_ptr<Reader> reader_;
  ReplyRecorder target_;
  int64_t now_us_ = kNowUs;

 private:
  static std::vector<protocol::Value> bind(const std::vector<BoundValue>& values) {
    std::vector<protocol::Value> bound;
    for (const BoundValue& value : values) bound.push_back({value.kind, value.bytes});
    return bound;
  }
};

}  // namespace cqlperf::server

#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <stdlib.h>

#include "core/buffer.h"
#include "storage/engine.h"
#include "storage/row.h"

namespace cqlperf::storage {

// A directory that is removed at the end of the test.
class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string name = ::testing::TempDir() + "cqlperf-storage-XXXXXX";
    if (mkdtemp(name.data()) != nullptr) path_ = name;
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  ~TemporaryDirectory() { std::filesystem::remove_all(path_); }

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// An update that inserts a row with one cell.
inline protocol::Bytes row_with(std::string_view value, int64_t timestamp_us = 1) {
  core::Buffer out;
  RowWriter row(out, timestamp_us);
  row.set_live();
  row.set_cell(0, protocol::as_bytes(value));
  row.finish();
  return protocol::to_bytes(out.bytes());
}

// The value of the first live cell.
inline std::string value_in(protocol::ByteView row) {
  const auto view = RowView::parse(row);
  if (!view) return "broken: " + view.error().message;
  const auto cell = view->live_cells(0, INT64_MIN).next();
  if (!cell) return "no cell";
  return {reinterpret_cast<const char*>(cell->value->data()), cell->value->size()};
}

class EngineFixture : public ::testing::Test {
 protected:
  void open() {
    engine_.reset();
    auto engine = open_engine(options());
    ASSERT_TRUE(engine.has_value()) << engine.error().message;
    engine_ = std::move(*engine);
    batch_ = engine_->make_batch();
  }
  void close() {
    batch_.reset();
    engine_.reset();
  }
  EngineOptions options() const {
    return {.directory = directory_.path(), .memory_bytes = memory_};
  }

  StorePtr new_store() {
    auto store = engine_->create_store();
    EXPECT_TRUE(store.has_value()) << store.error().message;
    return *store;
  }
  void put(const Store& store, std::string_view key, protocol::ByteView update) {
    batch_->merge(store, protocol::as_bytes(key), update);
    const auto committed = engine_->commit(*batch_);
    ASSERT_TRUE(committed.has_value()) << committed.error().message;
    batch_->clear();
  }
  void put(const Store& store, std::string_view key, std::string_view value, int64_t us = 1) {
    put(store, key, row_with(value, us));
  }
  std::string get(const Store& store, std::string_view key) {
    const auto reads = engine_->make_point_reads();
    reads->add(store, protocol::as_bytes(key));
    const auto status = reads->run();
    if (!status) return "failed: " + status.error().message;
    const auto value = reads->value(0);
    return value ? value_in(*value) : "nothing";
  }
  // The keys of a range as `a b c`.
  std::string keys(const Store& store, ScanRange range = {}) {
    std::string found;
    const auto cursor = engine_->scan(store, std::move(range));
    for (; cursor->valid(); cursor->next()) found += text_of(cursor->key()) + " ";
    if (const auto status = cursor->status(); !status) return status.error().message;
    if (!found.empty()) found.pop_back();
    return found;
  }
  static std::string text_of(protocol::ByteView bytes) { return {bytes.begin(), bytes.end()}; }
  static protocol::Bytes bytes_of(std::string_view text) {
    return protocol::to_bytes(protocol::as_bytes(text));
  }

  TemporaryDirectory directory_;
  size_t memory_ = size_t{32} << 20;
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<Batch> batch_;
};

}  // namespace cqlperf::storage

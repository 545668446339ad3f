#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/buffer.h"
#include "cql/error.h"
#include "cql/statement.h"
#include "protocol/metadata.h"
#include "protocol/strings.h"
#include "protocol/version.h"
#include "server/row_key.h"
#include "server/schema.h"
#include "storage/engine.h"

namespace cqlperf::server {

// The rows of one partition that IF EXISTS and IF NOT EXISTS ask for: which there are, whether that
// is what was asked, and the answer. One object for each request.
class ConditionalRows {
 public:
  ConditionalRows(TablePtr table, PartitionKey key)
      : table_(std::move(table)), key_(std::move(key)) {}

  const PartitionKey& key() const { return key_; }
  const TablePtr& table() const { return table_; }

  // `clustering` is encoded. 0x2200 when both are asked of one row.
  cql::Status add(protocol::Bytes clustering, cql::Condition condition);
  // Reads the rows; `now_s` says what has expired. 0x1300 when the disk fails.
  cql::Status read(storage::Engine& engine, int64_t now_s);
  // True when every row is as was asked; after read().
  bool is_met() const;
  // Appends the Rows result: `[applied]`, and when that is false the rows that are there.
  void append_result(core::Buffer& out, protocol::Version version) const;

 private:
  using Cells = std::vector<std::optional<protocol::Bytes>>;  // by column of the table
  struct Row {
    protocol::Bytes clustering;
    cql::Condition condition;
    std::optional<Cells> cells = {};  // when it is there
  };

  core::Status read_row(Row& row, protocol::ByteView stored, int64_t deleted_us, int64_t now_s);
  core::Status read_rows(storage::Engine& engine, int64_t now_s);
  protocol::RowsMetadata metadata(bool has_rows) const;

  TablePtr table_;
  PartitionKey key_;
  std::vector<Row> rows_;  // in the order of their keys
};

}  // namespace cqlperf::server

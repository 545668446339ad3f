#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/result.h"
#include "cql/typed_term.h"
#include "protocol/strings.h"
#include "server/paging_state.h"
#include "server/row_source_ranges.h"
#include "server/row_source_stored.h"
#include "server/row_source_values.h"
#include "server/schema.h"
#include "server/system_tables.h"
#include "storage/engine.h"

namespace cqlperf::server {

// The rows of one SELECT in the order of its result, step by step, so that whoever reads them can
// pause. One owner thread.
class RowSource {
 public:
  enum class Step : uint8_t {
    kRow,      // a row that is to be seen
    kNothing,  // something else; call next() again
    kEnd,
  };

  virtual ~RowSource() = default;
  // One small step. An error (kIo) means damaged files or a disk that fails.
  virtual core::Result<Step> next() = 0;

  // After kRow, until next(): fills in the values. Views what the source holds.
  virtual core::Status load(RowValues& out) = 0;
  // After kRow: bytes that rows of one partition share, and rows of others have not.
  virtual protocol::ByteView partition() const = 0;
  // After kRow: the encoded clustering; empty for system tables.
  virtual protocol::ByteView clustering() const = 0;
  // After kRow: where to go on. Fills in the ordinal and the key.
  virtual void save_position(PagingState& out) const = 0;
  // After kRow: next() goes on with another partition.
  virtual void skip_partition() = 0;
  // After kRow: false when no row can follow. `is_partition_done`: the rest of the partition is of
  // no interest. True says nothing, as in Cassandra: the last page of a result may be empty.
  virtual bool may_have_more(bool is_partition_done) const = 0;
};

// What the sources of stored rows share. The engine and the layout outlive the source.
struct SourceSettings {
  storage::Engine& engine;
  const RowLayout& layout;
  RowParts parts;
  int64_t now_s = 0;
};

// The rows of ranges that are single rows each; reads some of them together.
std::unique_ptr<RowSource> make_point_source(const SourceSettings& settings, RowRanges ranges);
// The rows of ranges, by cursors.
std::unique_ptr<RowSource> make_range_source(const SourceSettings& settings, RowRanges ranges);
// The rows of ranges that have `value` in the column of the index; entries that are no longer true
// are removed.
std::unique_ptr<RowSource> make_index_source(const SourceSettings& settings, const Index& index,
                                             protocol::ByteView value, RowRanges ranges);
// Rows that are in memory, from the one with the number `first`. The table outlives the source.
std::unique_ptr<RowSource> make_memory_source(const Table& table, std::vector<SystemRow> rows,
                                              uint64_t first);

}  // namespace cqlperf::server

#pragma once

#include <cstdint>

#include "core/buffer.h"
#include "core/result.h"
#include "protocol/strings.h"
#include "server/schema.h"
#include "storage/key.h"
#include "storage/row.h"

namespace cqlperf::server {

// Entries of an index's store. An entry says that a row had that value of the indexed column when
// it was written. Nothing removes it when the row changes, since a write reads nothing first: a
// reader compares each entry with its row, and may delete those that are no longer true.
//
//   key     the value as an ascending clustering value (storage/key.h), the key of the row in the
//           table's store, and that key's size in 4 bytes (big-endian)
//   value   an update of a row without cells (storage/row.h): alive from the write's timestamp on

// How the values of an index are ordered: by the type of its column, ascending. The column must be
// one of the table's.
storage::ClusteringColumn index_column(const Table& table, const Index& index);

// Appends what all entries of one value begin with, which must be valid for the type. For the end
// of that range see storage::increment_prefix().
void append_index_prefix(core::Buffer& out, const storage::ClusteringColumn& indexed,
                         protocol::ByteView value);
// Appends the key of one entry.
void append_index_key(core::Buffer& out, const storage::ClusteringColumn& indexed,
                      protocol::ByteView value, protocol::ByteView row_key);
// The key of the row; a view of `index_key`. kIo when it is no entry's key: the files are damaged.
core::Result<protocol::ByteView> read_index_row_key(protocol::ByteView index_key);

// Appends the entry's value: the row had the value from `timestamp_us` until it expires.
void append_index_entry(core::Buffer& out, int64_t timestamp_us, storage::Expiry expiry);
// Appends an update that deletes an entry that is no longer true: `timestamp_us` is the entry's
// own (RowView::inserted_us()), so that a later write of the same value is kept.
void append_index_removal(core::Buffer& out, int64_t timestamp_us);

}  // namespace cqlperf::server

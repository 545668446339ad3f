#pragma once

#include <cstddef>
#include <memory>

#include <rocksdb/memtablerep.h>

namespace cqlperf::storage {

// Where RocksDB keeps updates in memory until they are flushed, for keys that begin with a token.
//
// RocksDB's own skip list touches some twenty entries, each a cache miss, to find a place among a
// million, and that is most of what a write costs. Tokens are spread evenly over 64 bits, so the
// first bits of one nearly say where its place is: here they index an array that leads into one
// sorted list, to a few entries before the place. Where many keys share those bits (a large
// partition, an index), the entries form a skip list.
//
// As RocksDB asks for: one thread writes at a time, others read meanwhile without locks; nothing is
// removed before all of it is. The order is that of bytes, then of falling sequence numbers.
// `memtable_bytes`: that of the column family, which says how many updates there may be.
std::shared_ptr<rocksdb::MemTableRepFactory> make_token_memtable_factory(size_t memtable_bytes);

}  // namespace cqlperf::storage

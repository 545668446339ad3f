#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/result.h"
#include "protocol/strings.h"

namespace cqlperf::storage {

struct EngineOptions {
  std::string directory;
  size_t memory_bytes = size_t{256} << 20;  // caches and memtables together
  bool sync = false;  // fsync the log at each commit; else a killed process loses nothing, a killed
                      // machine may
  // Told when the log is damaged, so that writes at its end are lost; the data are opened all the
  // same, as after a crash of the machine.
  std::function<void(const std::string&)> on_damage = {};
};

// One table's (or index's) data: a column family. Kept usable by whoever holds it, also after it
// was dropped; what is written to it then is lost with it.
class Store {
 public:
  virtual ~Store() = default;
  virtual uint64_t id() const = 0;  // never reused
};
using StorePtr = std::shared_ptr<Store>;

// Updates that are committed together, in order. One owner thread; kept for reuse.
class Batch {
 public:
  virtual ~Batch() = default;
  // Merges an update (row.h, partition.h) into what the key has.
  virtual void merge(const Store& store, protocol::ByteView key, protocol::ByteView update) = 0;
  virtual size_t count() const = 0;
  virtual size_t size_bytes() const = 0;
  virtual void clear() = 0;
};

// Reads of single keys that are made together. One owner thread; kept for reuse.
class PointReads {
 public:
  virtual ~PointReads() = default;
  // The index of the read. The key is copied.
  virtual size_t add(const Store& store, protocol::ByteView key) = 0;
  virtual size_t count() const = 0;
  virtual core::Status run() = 0;
  // After run(): what the key has, or std::nullopt. Valid until clear().
  virtual std::optional<protocol::ByteView> value(size_t index) const = 0;
  virtual void clear() = 0;
};

// Keys from `lower` (included) to `upper` (not included; empty: no end).
struct ScanRange {
  protocol::Bytes lower = {};
  protocol::Bytes upper = {};
  bool reverse = false;  // from the last to the first
};

// Walks a range of a store as it was when the cursor was made. Key and value are valid until next()
// or seek().
class Cursor {
 public:
  virtual ~Cursor() = default;
  virtual bool valid() const = 0;
  virtual protocol::ByteView key() const = 0;
  virtual protocol::ByteView value() const = 0;
  virtual void next() = 0;
  // To the first key at or after (reverse: before or at) `key`, inside the range.
  virtual void seek(protocol::ByteView key) = 0;
  // Why it is not valid, when that is not the end.
  virtual core::Status status() const = 0;
};

// The data of all tables. Any thread may call it; batches, reads and cursors have one owner each.
class Engine {
 public:
  virtual ~Engine() = default;

  // The stores that are there, by id; after open_engine().
  virtual std::map<uint64_t, StorePtr> stores() const = 0;
  virtual core::Result<StorePtr> create_store() = 0;
  // Forgets the store; it and its files are removed behind the answer, when nobody holds it any
  // more and the metadata written so far are on the disk. A process that ends before that finds the
  // store again.
  virtual core::Status drop_store(const StorePtr& store) = 0;

  virtual std::unique_ptr<Batch> make_batch() = 0;
  virtual std::unique_ptr<PointReads> make_point_reads() = 0;
  virtual std::unique_ptr<Cursor> scan(const Store& store, ScanRange range) = 0;
  // After this the updates outlive the process. They are visible to later reads at once.
  virtual core::Status commit(Batch& batch) = 0;

  // Small facts that are not in any table: the schema. Committed together, as durable as a commit;
  // std::nullopt removes the name.
  using Metadata = std::map<std::string, std::string>;
  using MetadataChanges = std::vector<std::pair<std::string, std::optional<std::string>>>;
  virtual core::Result<Metadata> metadata() const = 0;
  virtual core::Status change_metadata(const MetadataChanges& changes) = 0;

  // True for the engine that drops every write: figures made with it must say so.
  virtual bool keeps_nothing() const = 0;
};

// Opens or makes the data in options.directory (made when missing). kIo with the reason when it
// cannot be read, is another version's or is in use by another process.
core::Result<std::unique_ptr<Engine>> open_engine(const EngineOptions& options);
// Takes every write and keeps none; metadata live in memory.
std::unique_ptr<Engine> make_null_engine();

}  // namespace cqlperf::storage

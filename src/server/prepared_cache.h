#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "cql/error.h"
#include "server/limits.h"
#include "server/prepared_id.h"
#include "server/statements.h"

namespace cqlperf::server {

// A statement that some client has prepared. Shared by threads.
class PreparedStatement {
 public:
  // `token_count` is of the text.
  PreparedStatement(const StableId& id, std::string keyspace, std::string text, size_t token_count);

  const StableId& id() const { return id_; }
  const std::string& keyspace() const { return keyspace_; }
  const std::string& text() const { return text_; }
  // What it takes, about: the plan of a long list of values is much larger than its text.
  size_t size_bytes() const;

  // The statement as the schema wants it: compiled anew when the one at hand was made with another
  // schema. Locks; errors are the client's (the table may be gone).
  cql::Result<CompiledPtr> compiled(const SchemaPtr& schema);

  // False once its rows have looked in two ways: a client of v4 may then know an older one, so that
  // metadata must go with every result.
  bool is_stable() const { return stable_.load(std::memory_order_relaxed); }
  // True when the cache has forgotten it.
  bool is_evicted() const { return evicted_.load(std::memory_order_relaxed); }

 private:
  friend class PreparedCache;
  // A guess at what plans and maps take besides the text: of few tokens together, and of each that
  // is more. A bind marker and its comma take 490 bytes.
  static constexpr size_t kOverheadBytes = 2048;
  static constexpr size_t kUsualTokens = 64;
  static constexpr size_t kTokenBytes = 240;

  const StableId id_;
  const std::string keyspace_;
  const std::string text_;
  const size_t token_count_;
  std::atomic<uint64_t> last_use_{0};
  std::atomic<bool> evicted_{false};
  std::atomic<bool> stable_{true};
  std::mutex mutex_;
  CompiledPtr compiled_;
  protocol::Bytes first_result_id_;
};
using PreparedPtr = std::shared_ptr<PreparedStatement>;

// All prepared statements: bounded in number and size. Any thread; locks. Workers look up through a
// PreparedView, which does not.
class PreparedCache {
 public:
  explicit PreparedCache(size_t count_max = kPreparedCountMax, size_t bytes_max = kPreparedBytesMax)
      : count_max_(count_max), bytes_max_(bytes_max) {}

  // Compiles and remembers the statement, or finds it. `keyspace` is the connection's.
  cql::Result<PreparedPtr> prepare(std::string_view text, const std::string& keyspace,
                                   const SchemaPtr& schema);
  // nullptr when it is not there, any more or yet.
  PreparedPtr find(const StableId& id);

  size_t count() const;
  // Counts what was forgotten.
  uint64_t evictions() const { return evictions_.load(std::memory_order_relaxed); }
  // Marks the statement as used now.
  void touch(PreparedStatement& statement) const {
    const uint64_t now = clock_.load(std::memory_order_relaxed);
    if (statement.last_use_.load(std::memory_order_relaxed) != now)
      statement.last_use_.store(now, std::memory_order_relaxed);
  }

 private:
  cql::Result<PreparedPtr> insert(PreparedPtr statement);
  void evict();

  const size_t count_max_;
  const size_t bytes_max_;
  std::atomic<uint64_t> clock_{1};  // goes on with each statement that is added
  std::atomic<uint64_t> evictions_{0};
  mutable std::mutex mutex_;
  std::unordered_map<StableId, PreparedPtr, StableIdHash> statements_;
  size_t bytes_ = 0;
};

// One thread's memory of the prepared statements that it executes. Owner thread: one.
class PreparedView {
 public:
  explicit PreparedView(PreparedCache& cache) : cache_(cache) {}

  struct Entry {
    PreparedPtr statement;
    CompiledPtr compiled;  // with the schema that find() was given last
  };
  // nullptr when no client has prepared it, or it was forgotten. Valid until the next find().
  // Errors as PreparedStatement::compiled().
  cql::Result<const Entry*> find(protocol::ByteView id, const SchemaPtr& schema);

 private:
  Entry* find_entry(const StableId& id);
  void drop_evicted();

  PreparedCache& cache_;
  std::unordered_map<StableId, Entry, StableIdHash> entries_;
  uint64_t evictions_seen_ = 0;
};

}  // namespace cqlperf::server

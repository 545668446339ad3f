#include "server/prepared_cache.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cql/parser.h"

namespace cqlperf::server {

using cql::Result;

PreparedStatement::PreparedStatement(const StableId& id, std::string keyspace, std::string text,
                                     size_t token_count)
    : id_(id), keyspace_(std::move(keyspace)), text_(std::move(text)), token_count_(token_count) {}

size_t PreparedStatement::size_bytes() const {
  const size_t more_tokens = token_count_ - std::min(token_count_, kUsualTokens);
  return text_.size() + keyspace_.size() + kOverheadBytes + more_tokens * kTokenBytes;
}

Result<CompiledPtr> PreparedStatement::compiled(const SchemaPtr& schema) {
  const std::lock_guard lock(mutex_);
  if (compiled_ && compiled_->generation == schema->generation) return compiled_;
  auto made = compile_text(text_, keyspace_, schema);
  if (!made) return made;
  if (first_result_id_.empty()) first_result_id_ = (*made)->result_id;
  if ((*made)->result_id != first_result_id_) stable_.store(false, std::memory_order_relaxed);
  // A worker that is behind may ask for an older schema: what is kept is the newest.
  if (!compiled_ || compiled_->generation < schema->generation) compiled_ = *made;
  return made;
}

Result<PreparedPtr> PreparedCache::prepare(std::string_view text, const std::string& keyspace,
                                           const SchemaPtr& schema) {
  auto parsed = cql::parse_statement(text);
  if (!parsed) return std::unexpected(std::move(parsed.error()));
  const std::string& needed = is_qualified(parsed->statement) ? std::string() : keyspace;
  const StableId id = prepared_id(needed, text);
  PreparedPtr statement = find(id);
  if (!statement)
    statement =
        std::make_shared<PreparedStatement>(id, needed, std::string(text), parsed->token_count);
  if (statement->text() != text || statement->keyspace() != needed)
    return cql::fail(protocol::ErrorCode::kServerError,
                     "two statements have the same id: change the text of this one");
  if (auto compiled = statement->compiled(schema); !compiled)
    return std::unexpected(std::move(compiled.error()));
  return insert(std::move(statement));
}

Result<PreparedPtr> PreparedCache::insert(PreparedPtr statement) {
  if (statement->size_bytes() > bytes_max_ / 2)
    return cql::invalid(
        fmt::format("Prepared statement of size {} bytes is larger than allowed maximum of {} "
                    "bytes: make it shorter, with fewer values",
                    statement->size_bytes(), bytes_max_ / 2));
  const std::lock_guard lock(mutex_);
  const auto [place, is_new] = statements_.try_emplace(statement->id(), statement);
  if (is_new) {
    bytes_ += statement->size_bytes();
    statement->evicted_.store(false, std::memory_order_relaxed);
    clock_.fetch_add(1, std::memory_order_relaxed);
  }
  PreparedPtr kept = place->second;
  touch(*kept);
  if (statements_.size() > count_max_ || bytes_ > bytes_max_) evict();
  return kept;
}

// An eighth goes at once, so that the cost of looking for the oldest is spread.
void PreparedCache::evict() {
  std::vector<PreparedStatement*> oldest;
  oldest.reserve(statements_.size());
  for (const auto& [id, statement] : statements_) oldest.push_back(statement.get());
  std::ranges::sort(oldest, {}, [](const PreparedStatement* one) {
    return one->last_use_.load(std::memory_order_relaxed);
  });
  const size_t count_left = count_max_ - count_max_ / 8;
  const size_t bytes_left = bytes_max_ - bytes_max_ / 8;
  for (PreparedStatement* statement : oldest) {
    if (statements_.size() <= count_left && bytes_ <= bytes_left) break;
    bytes_ -= statement->size_bytes();
    statement->evicted_.store(true, std::memory_order_relaxed);
    evictions_.fetch_add(1, std::memory_order_relaxed);
    statements_.erase(StableId(statement->id()));
  }
}

PreparedPtr PreparedCache::find(const StableId& id) {
  const std::lock_guard lock(mutex_);
  const auto found = statements_.find(id);
  return found == statements_.end() ? nullptr : found->second;
}

size_t PreparedCache::count() const {
  const std::lock_guard lock(mutex_);
  return statements_.size();
}

Result<const PreparedView::Entry*> PreparedView::find(protocol::ByteView id,
                                                      const SchemaPtr& schema) {
  StableId key;
  if (id.size() != key.size()) return nullptr;
  std::memcpy(key.data(), id.data(), key.size());
  Entry* entry = find_entry(key);
  if (entry == nullptr) return nullptr;
  cache_.touch(*entry->statement);
  if (!entry->compiled || entry->compiled->generation != schema->generation) [[unlikely]] {
    auto compiled = entry->statement->compiled(schema);
    if (!compiled) return std::unexpected(std::move(compiled.error()));
    entry->compiled = std::move(*compiled);
  }
  return entry;
}

PreparedView::Entry* PreparedView::find_entry(const StableId& id) {
  if (evictions_seen_ != cache_.evictions()) [[unlikely]]
    drop_evicted();
  const auto found = entries_.find(id);
  if (found != entries_.end()) [[likely]]
    return &found->second;
  PreparedPtr statement = cache_.find(id);
  if (!statement) return nullptr;
  return &entries_.emplace(id, Entry{std::move(statement), nullptr}).first->second;
}

void PreparedView::drop_evicted() {
  evictions_seen_ = cache_.evictions();
  std::erase_if(entries_, [](const auto& entry) { return entry.second.statement->is_evicted(); });
}

}  // namespace cqlperf::server

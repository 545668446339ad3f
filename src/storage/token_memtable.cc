#include "storage/token_memtable.h"

#include <cstdint>
#include <new>
#include <optional>
#include <vector>

#include <rocksdb/slice.h>

#include "storage/token_list.h"

namespace cqlperf::storage {
namespace {

using rocksdb::MemTableRep;
using rocksdb::Slice;
using Node = TokenList::Node;

// Memory for iterators, which are made for each read. RocksDB wants them in an arena of its own
// that a program cannot reach, and then only calls their destructor: so a destroyed one's memory is
// kept here for the next. One pool for each thread.
class IteratorPool {
 public:
  IteratorPool() = default;
  IteratorPool(const IteratorPool&) = delete;
  IteratorPool& operator=(const IteratorPool&) = delete;
  ~IteratorPool() {
    for (void* block : blocks_) ::operator delete(block);
  }
  void* take(size_t size) {
    if (blocks_.empty()) return ::operator new(size);
    void* const block = blocks_.back();
    blocks_.pop_back();
    return block;
  }
  void give(void* block) { blocks_.push_back(block); }

 private:
  std::vector<void*> blocks_;
};
thread_local IteratorPool iterator_pool;

class TokenIterator : public MemTableRep::Iterator {
 public:
  // With `gives_back` the destructor gives the memory back, as nobody else will.
  TokenIterator(const TokenList& list, bool gives_back) : list_(list), gives_back_(gives_back) {}
  ~TokenIterator() override {
    if (gives_back_) iterator_pool.give(this);
  }
  static void* operator new(size_t size) { return iterator_pool.take(size); }
  static void operator delete(void* block) { iterator_pool.give(block); }

  bool Valid() const override { return node_ != nullptr; }
  const char* key() const override { return node_->entry(); }
  void Next() override { node_ = node_->next(); }
  void Prev() override { node_ = node_->before(); }
  void Seek(const Slice& key, const char* /*entry*/) override {
    node_ = list_.at_or_after(MemoryKey(key.data(), key.size()));
  }
  void SeekForPrev(const Slice& key, const char* /*entry*/) override {
    node_ = list_.at_or_before(MemoryKey(key.data(), key.size()));
  }
  void SeekToFirst() override { node_ = list_.first(); }
  void SeekToLast() override { node_ = list_.last(); }

 protected:
  const TokenList& list_;
  const Node* node_ = nullptr;

 private:
  bool gives_back_;
};

// For reads of single keys: RocksDB lets it see no other token than that of the key.
class PointIterator final : public TokenIterator {
 public:
  using TokenIterator::TokenIterator;
  void Seek(const Slice& key, const char* /*entry*/) override {
    node_ = list_.at_or_after_in_token(MemoryKey(key.data(), key.size()));
  }
};
static_assert(sizeof(PointIterator) == sizeof(TokenIterator), "they share a pool");

class TokenMemTable final : public MemTableRep {
 public:
  TokenMemTable(rocksdb::Allocator* allocator, size_t entries)
      : MemTableRep(allocator), list_(entries) {}

  rocksdb::KeyHandle Allocate(const size_t size, char** entry) override {
    constexpr uintptr_t kAlignment = alignof(Node);
    const int height = list_.random_height();
    char* memory = nullptr;
    MemTableRep::Allocate(TokenList::node_bytes(height) + size + kAlignment - 1, &memory);
    memory += -reinterpret_cast<uintptr_t>(memory) & (kAlignment - 1);
    Node* const node = TokenList::make_node(memory, height);
    *entry = node->entry();
    return node;
  }
  void Insert(rocksdb::KeyHandle handle) override { list_.insert(static_cast<Node*>(handle)); }

  bool Contains(const char* entry) const override {
    const MemoryKey key(entry);
    const Node* const node = list_.at_or_after(key);
    return node != nullptr && node->key().compare(key) == 0;
  }
  size_t ApproximateMemoryUsage() override { return list_.memory_bytes(); }
  Iterator* GetIterator(rocksdb::Arena* arena) override {
    return new TokenIterator(list_, arena != nullptr);
  }
  // Without an arena it is MemTableRep::Get() that asks, which cannot be overridden outside
  // RocksDB, and which never deletes what it is given: it gets one that this thread keeps.
  Iterator* GetDynamicPrefixIterator(rocksdb::Arena* arena) override {
    if (arena != nullptr) return new PointIterator(list_, true);
    static thread_local std::optional<PointIterator> kept;
    return &kept.emplace(list_, false);
  }

 private:
  TokenList list_;
};

class TokenMemTableFactory final : public rocksdb::MemTableRepFactory {
 public:
  explicit TokenMemTableFactory(size_t entries) : entries_(entries) {}
  const char* Name() const override { return "cqlperf.token_memtable"; }
  using MemTableRepFactory::CreateMemTableRep;
  MemTableRep* CreateMemTableRep(const MemTableRep::KeyComparator& /*comparator*/,
                                 rocksdb::Allocator* allocator,
                                 const rocksdb::SliceTransform* /*prefix*/,
                                 rocksdb::Logger* /*logger*/) override {
    return new TokenMemTable(allocator, entries_);
  }

 private:
  size_t entries_;
};

}  // namespace

std::shared_ptr<rocksdb::MemTableRepFactory> make_token_memtable_factory(size_t memtable_bytes) {
  constexpr size_t kUsualEntryBytes = 128;
  return std::make_shared<TokenMemTableFactory>(memtable_bytes / kUsualEntryBytes);
}

}  // namespace cqlperf::storage

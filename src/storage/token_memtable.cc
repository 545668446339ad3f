#include "storage/token_memtable.h"

#include <cstdint>
#include <new>
#include <vector>

#include <pthread.h>
#include <rocksdb/slice.h>

#include "core/check.h"
#include "storage/token_list.h"

namespace cqlperf::storage {
namespace {

using rocksdb::MemTableRep;
using rocksdb::Slice;
using Node = TokenList::Node;

// Memory for iterators, which are made for each read. RocksDB wants them in an arena of its own
// that a program cannot reach, and then only calls their destructor: so a destroyed one's memory is
// kept here for the next. One for each thread. It goes after everything that a thread has as
// thread_local, and that of the main thread stays: a database may be read and closed by their
// destructors, or by those of static objects.
class IteratorMemory {
 public:
  static IteratorMemory& of_thread() {
    if (of_thread_ == nullptr) [[unlikely]]
      of_thread_ = make();
    return *of_thread_;
  }

  IteratorMemory(const IteratorMemory&) = delete;
  IteratorMemory& operator=(const IteratorMemory&) = delete;

  void* take(size_t size) {
    if (blocks_.empty()) return ::operator new(size);
    void* const block = blocks_.back();
    blocks_.pop_back();
    return block;
  }
  // The block may still be written to until the next take().
  void give(void* block) { blocks_.push_back(block); }
  // The same block each time.
  void* kept(size_t size) {
    if (kept_ == nullptr) kept_ = ::operator new(size);
    return kept_;
  }

 private:
  IteratorMemory() = default;
  ~IteratorMemory() {
    for (void* block : blocks_) ::operator delete(block);
    ::operator delete(kept_);
  }
  static IteratorMemory* make() {
    static const pthread_key_t key = make_key();
    auto* const made = new IteratorMemory;
    pthread_setspecific(key, made);
    return made;
  }
  // What belongs to a key is destroyed after what is thread_local, and not in the main thread.
  static pthread_key_t make_key() {
    pthread_key_t key = 0;
    const int error = pthread_key_create(&key, [](void* memory) {
      of_thread_ = nullptr;
      delete static_cast<IteratorMemory*>(memory);
    });
    CQLPERF_CHECK(error == 0, "there is a key left for what threads have");
    return key;
  }

  static thread_local constinit IteratorMemory* of_thread_;
  std::vector<void*> blocks_;
  void* kept_ = nullptr;
};
thread_local constinit IteratorMemory* IteratorMemory::of_thread_ = nullptr;

class TokenIterator : public MemTableRep::Iterator {
 public:
  // With `gives_back` the destructor gives the memory back, as nobody else will.
  TokenIterator(const TokenList& list, bool gives_back) : list_(list), gives_back_(gives_back) {}
  ~TokenIterator() override {
    if (gives_back_) IteratorMemory::of_thread().give(this);
  }
  static void* operator new(size_t size) { return IteratorMemory::of_thread().take(size); }
  static void operator delete(void* block) { IteratorMemory::of_thread().give(block); }

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
    void* const kept = IteratorMemory::of_thread().kept(sizeof(PointIterator));
    return ::new (kept) PointIterator(list_, false);
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

#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "core/random.h"

namespace cqlperf::storage {

// A key in memory as RocksDB lays it out: length (7 bits a byte, lowest first), the user's key, and
// 8 bytes of sequence number and kind, little-endian. The value follows, unseen here.
class MemoryKey {
 public:
  explicit MemoryKey(const char* entry);
  // An internal key without its length.
  MemoryKey(const char* internal_key, size_t size);

  // The first eight bytes as a number, zeros where the key is shorter.
  uint64_t first_bits() const { return first_bits_; }
  // Below 0, 0 or above 0; a higher sequence number comes first.
  int compare(const MemoryKey& other) const {
    if (first_bits_ != other.first_bits_) return first_bits_ < other.first_bits_ ? -1 : 1;
    return compare_rest(other);
  }
  bool operator<(const MemoryKey& other) const { return compare(other) < 0; }

 private:
  int compare_rest(const MemoryKey& other) const;

  const char* user_key_;
  size_t user_key_size_;
  uint64_t first_bits_;
};

// The sorted list of token_memtable.h. Does not own its nodes.
class TokenList {
 public:
  static constexpr int kHeightMax = 8;

  // One entry; its key follows it in memory, and the links of the levels above 0 come before it.
  class Node {
   public:
    explicit Node(int height) : before_(static_cast<uintptr_t>(height - 1)) {}

    const char* entry() const { return reinterpret_cast<const char*>(this + 1); }
    char* entry() { return reinterpret_cast<char*>(this + 1); }
    MemoryKey key() const { return MemoryKey(entry()); }
    Node* next() const { return next_.load(std::memory_order_acquire); }
    Node* before() const {
      return reinterpret_cast<Node*>(before_.load(std::memory_order_acquire) & ~kHeightBits);
    }

   private:
    friend class TokenList;
    static constexpr uintptr_t kHeightBits = kHeightMax - 1;

    int height() const {
      return static_cast<int>(before_.load(std::memory_order_relaxed) & kHeightBits) + 1;
    }
    void set_before(Node* node) {
      const uintptr_t height = before_.load(std::memory_order_relaxed) & kHeightBits;
      before_.store(reinterpret_cast<uintptr_t>(node) | height, std::memory_order_release);
    }
    std::atomic<Node*>& link(int level) {
      return level == 0 ? next_ : reinterpret_cast<std::atomic<Node*>*>(this)[-level];
    }

    std::atomic<Node*> next_ = nullptr;
    std::atomic<uintptr_t> before_;  // and, in the lowest bits, the height less one
  };

  // For about `nodes` nodes. Their index takes 8 bytes each, of which only the pages that have some
  // are real memory.
  explicit TokenList(size_t nodes);

  // Of the next node: one in four is higher than the level below. The writing thread's.
  int random_height();
  static size_t node_bytes(int height) { return sizeof(Node) + (height - 1) * sizeof(Node*); }
  // Makes a node in aligned memory of node_bytes() and the size of the entry.
  static Node* make_node(char* memory, int height);

  // The writing thread's.
  void insert(Node* node);

  // Any thread's. nullptr: none.
  Node* first() const { return first_.load(std::memory_order_acquire); }
  Node* last() const { return last_.load(std::memory_order_acquire); }
  Node* at_or_after(const MemoryKey& key) const;
  Node* at_or_before(const MemoryKey& key) const;
  // The same, but nullptr when that has another token: the index alone tells most keys that are not
  // here.
  Node* at_or_after_in_token(const MemoryKey& key) const;
  // Beyond the nodes.
  size_t memory_bytes() const { return memory_bytes_.load(std::memory_order_relaxed); }

 private:
  // A bucket of many nodes: the starts of its levels.
  struct Dense {
    std::atomic<Node*> first = nullptr;
    std::atomic<Node*> levels[kHeightMax] = {};  // [0] is not used
  };
  // What a bucket holds: 0, its first node, or its Dense with the lowest bit set.
  using Bucket = std::atomic<uintptr_t>;
  // A page of zeros at a time, when it is first written to.
  struct Unmap {
    size_t bytes;
    void operator()(Bucket* buckets) const;
  };

  // Where a key belongs: between two nodes, either of which may be missing. `above` holds the node
  // before it at each level of a dense bucket.
  struct Place {
    Node* before = nullptr;
    Node* after = nullptr;
    bool is_first = false;  // of its bucket
    int steps = 0;
    Node* above[kHeightMax] = {};
  };

  static constexpr uintptr_t kDenseBit = 1;
  static Dense* dense_of(uintptr_t bucket) {
    return (bucket & kDenseBit) != 0 ? reinterpret_cast<Dense*>(bucket & ~kDenseBit) : nullptr;
  }
  static std::unique_ptr<Bucket[], Unmap> map_buckets(int bits);
  static Node* first_of(uintptr_t bucket);
  static Node* descend(Dense& dense, const MemoryKey& key, Node** above);
  static Node* walk(uintptr_t bucket, const MemoryKey& key);

  size_t bucket_of(const MemoryKey& key) const { return key.first_bits() >> (64 - bits_); }
  Node* first_from(size_t number) const;
  Place find_place(const MemoryKey& key, uintptr_t bucket, size_t number) const;
  bool is_crowded(size_t number, const Place& place, Node& node) const;
  void link_levels(Dense& dense, Node* node, const Place& place);
  void set_first(size_t number, Node* node);
  void make_dense(size_t number);

  const int bits_;
  const std::unique_ptr<Bucket[], Unmap> buckets_;
  std::vector<std::atomic<uint8_t>> used_pages_;  // of buckets_: 1 when it has any node
  std::atomic<Node*> first_ = nullptr;
  std::atomic<Node*> last_ = nullptr;
  std::deque<Dense> dense_;
  std::atomic<size_t> memory_bytes_ = 0;
  core::Random random_{1};
};

}  // namespace cqlperf::storage

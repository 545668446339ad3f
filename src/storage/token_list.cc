#include "storage/token_list.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>

#include <sys/mman.h>

#include "core/check.h"

namespace cqlperf::storage {
namespace {

constexpr size_t kTrailerBytes = 8;
constexpr int kBitsMin = 9;  // one page of buckets
constexpr int kBitsMax = 24;
constexpr size_t kPageBuckets = 4096 / sizeof(uintptr_t);
// Nodes that a search may pass in a bucket before it is made dense.
constexpr int kStepsMax = 24;

uint64_t load_big_endian(const char* at, size_t size) {
  uint64_t wire = 0;
  std::memcpy(&wire, at, size);
  return __builtin_bswap64(wire);
}

}  // namespace

MemoryKey::MemoryKey(const char* entry) {
  auto byte = static_cast<uint8_t>(*entry++);
  size_t size = byte & 0x7F;
  for (int shift = 7; byte >= 0x80; shift += 7) {
    byte = static_cast<uint8_t>(*entry++);
    size |= static_cast<size_t>(byte & 0x7F) << shift;
  }
  *this = MemoryKey(entry, size);
}

MemoryKey::MemoryKey(const char* internal_key, size_t size)
    : user_key_(internal_key), user_key_size_(size - kTrailerBytes) {
  // The trailer makes eight bytes readable whatever the user's key has.
  first_bits_ = load_big_endian(user_key_, sizeof first_bits_);
  if (user_key_size_ >= sizeof first_bits_) [[likely]]
    return;
  first_bits_ = load_big_endian(user_key_, user_key_size_);
}

int MemoryKey::compare_rest(const MemoryKey& other) const {
  const int order =
      std::memcmp(user_key_, other.user_key_, std::min(user_key_size_, other.user_key_size_));
  if (order != 0) return order;
  if (user_key_size_ != other.user_key_size_) return user_key_size_ < other.user_key_size_ ? -1 : 1;
  uint64_t mine = 0;
  uint64_t others = 0;
  std::memcpy(&mine, user_key_ + user_key_size_, sizeof mine);
  std::memcpy(&others, other.user_key_ + other.user_key_size_, sizeof others);
  return mine > others ? -1 : mine < others ? 1 : 0;
}

void TokenList::Unmap::operator()(Bucket* buckets) const { munmap(buckets, bytes); }

// The kernel gives pages of zeros, which are empty buckets. Large ones would be given whole for the
// first node.
std::unique_ptr<TokenList::Bucket[], TokenList::Unmap> TokenList::map_buckets(int bits) {
  const size_t bytes = sizeof(Bucket) << bits;
  void* const memory =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CQLPERF_CHECK(memory != MAP_FAILED, "there is memory for the index of a memtable");
  madvise(memory, bytes, MADV_NOHUGEPAGE);
  return {static_cast<Bucket*>(memory), Unmap{bytes}};
}

TokenList::TokenList(size_t nodes)
    : bits_(std::clamp(static_cast<int>(std::bit_width(nodes)) - 1, kBitsMin, kBitsMax)),
      buckets_(map_buckets(bits_)),
      used_pages_((size_t{1} << bits_) / kPageBuckets) {}

int TokenList::random_height() {
  int height = 1;
  for (uint64_t bits = random_.next(); height < kHeightMax && (bits & 3) == 0; bits >>= 2) ++height;
  return height;
}

TokenList::Node* TokenList::make_node(char* memory, int height) {
  return new (memory + (height - 1) * sizeof(Node*)) Node(height);
}

TokenList::Node* TokenList::first_of(uintptr_t bucket) {
  const Dense* dense = dense_of(bucket);
  if (dense != nullptr) return dense->first.load(std::memory_order_acquire);
  return reinterpret_cast<Node*>(bucket);
}

// The first node of that bucket or of one behind it. The pages that have none are passed over.
TokenList::Node* TokenList::first_from(size_t number) const {
  for (size_t page = number / kPageBuckets; page < used_pages_.size(); ++page) {
    if (used_pages_[page].load(std::memory_order_acquire) == 0) continue;
    const size_t end = (page + 1) * kPageBuckets;
    for (number = std::max(number, page * kPageBuckets); number < end; ++number) {
      const uintptr_t word = buckets_[number].load(std::memory_order_acquire);
      if (word != 0) return first_of(word);
    }
  }
  return nullptr;
}

// The last node of a level above 0 that is below the key; nullptr when there is none.
TokenList::Node* TokenList::descend(Dense& dense, const MemoryKey& key, Node** above) {
  Node* at = nullptr;
  for (int level = kHeightMax - 1; level > 0; --level) {
    for (;;) {
      std::atomic<Node*>& link = at != nullptr ? at->link(level) : dense.levels[level];
      Node* const next = link.load(std::memory_order_acquire);
      if (next == nullptr || !(next->key() < key)) break;
      at = next;
    }
    if (above != nullptr) above[level] = at;
  }
  return at;
}

TokenList::Place TokenList::find_place(const MemoryKey& key, uintptr_t bucket,
                                       size_t number) const {
  Place place;
  Node* at = first_of(bucket);
  if (at == nullptr || !(at->key() < key)) {
    place.is_first = true;
    place.after = at != nullptr ? at : first_from(number + 1);
    place.before = place.after != nullptr ? place.after->before() : last();
    return place;
  }
  if (Dense* dense = dense_of(bucket)) {
    if (Node* below = descend(*dense, key, place.above)) at = below;
  }
  Node* next = at->next();
  for (; next != nullptr && next->key() < key; next = at->next()) {
    at = next;
    ++place.steps;
  }
  place.before = at;
  place.after = next;
  return place;
}

void TokenList::insert(Node* node) {
  const MemoryKey key = node->key();
  const size_t number = bucket_of(key);
  const uintptr_t word = buckets_[number].load(std::memory_order_relaxed);
  const Place place = find_place(key, word, number);
  node->next_.store(place.after, std::memory_order_relaxed);
  node->set_before(place.before);
  // From here on readers find it.
  (place.before != nullptr ? place.before->next_ : first_).store(node, std::memory_order_release);
  if (place.after != nullptr) {
    place.after->set_before(node);
  } else {
    last_.store(node, std::memory_order_release);
  }
  if (Dense* dense = dense_of(word)) link_levels(*dense, node, place);
  if (place.is_first) set_first(number, node);
  if (dense_of(word) == nullptr && is_crowded(number, place, *node)) make_dense(number);
}

// Keys that come in falling order pass no nodes: for those a few inserts look how many there are.
bool TokenList::is_crowded(size_t number, const Place& place, Node& node) const {
  constexpr int kHeightThatLooks = 3;
  if (place.steps > kStepsMax) return true;
  if (!place.is_first || node.height() < kHeightThatLooks) return false;
  int nodes = 0;
  for (Node* at = &node; at != nullptr && bucket_of(at->key()) == number; at = at->next()) {
    if (++nodes > kStepsMax) return true;
  }
  return false;
}

void TokenList::link_levels(Dense& dense, Node* node, const Place& place) {
  for (int level = 1; level < node->height(); ++level) {
    Node* const before = place.above[level];
    std::atomic<Node*>& link = before != nullptr ? before->link(level) : dense.levels[level];
    node->link(level).store(link.load(std::memory_order_relaxed), std::memory_order_relaxed);
    link.store(node, std::memory_order_release);
  }
}

void TokenList::set_first(size_t number, Node* node) {
  Bucket& bucket = buckets_[number];
  const uintptr_t word = bucket.load(std::memory_order_relaxed);
  if (Dense* dense = dense_of(word)) {
    dense->first.store(node, std::memory_order_release);
    return;
  }
  bucket.store(reinterpret_cast<uintptr_t>(node), std::memory_order_release);
  std::atomic<uint8_t>& is_used = used_pages_[number / kPageBuckets];
  if (is_used.load(std::memory_order_relaxed) != 0) return;
  is_used.store(1, std::memory_order_release);
  memory_bytes_ += kPageBuckets * sizeof(Bucket);
}

void TokenList::make_dense(size_t number) {
  Bucket& bucket = buckets_[number];
  Dense& dense = dense_.emplace_back();
  memory_bytes_ += sizeof(Dense);
  std::atomic<Node*>* ends[kHeightMax];
  for (int level = 1; level < kHeightMax; ++level) ends[level] = &dense.levels[level];
  Node* node = first_of(bucket.load(std::memory_order_relaxed));
  dense.first = node;
  for (; node != nullptr && bucket_of(node->key()) == number; node = node->next()) {
    for (int level = 1; level < node->height(); ++level) {
      node->link(level).store(nullptr, std::memory_order_relaxed);
      ends[level]->store(node, std::memory_order_release);
      ends[level] = &node->link(level);
    }
  }
  bucket.store(reinterpret_cast<uintptr_t>(&dense) | kDenseBit, std::memory_order_release);
}

TokenList::Node* TokenList::at_or_after(const MemoryKey& key) const {
  const size_t number = bucket_of(key);
  const uintptr_t bucket = buckets_[number].load(std::memory_order_acquire);
  return bucket != 0 ? walk(bucket, key) : first_from(number + 1);
}

// The first node at or after the key, from the start of its bucket on.
TokenList::Node* TokenList::walk(uintptr_t bucket, const MemoryKey& key) {
  Node* at = first_of(bucket);
  if (Dense* dense = dense_of(bucket); dense != nullptr && at->key() < key) {
    if (Node* below = descend(*dense, key, nullptr)) at = below;
  }
  while (at != nullptr && at->key() < key) at = at->next();
  return at;
}

TokenList::Node* TokenList::at_or_after_in_token(const MemoryKey& key) const {
  Node* const at = walk(buckets_[bucket_of(key)].load(std::memory_order_acquire), key);
  return at != nullptr && at->key().first_bits() == key.first_bits() ? at : nullptr;
}

TokenList::Node* TokenList::at_or_before(const MemoryKey& key) const {
  Node* at = at_or_after(key);
  if (at == nullptr) at = last();
  // Others may have been written before it meanwhile.
  while (at != nullptr && key < at->key()) at = at->before();
  return at;
}

}  // namespace cqlperf::storage

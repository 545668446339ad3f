#include "storage/token_list.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <deque>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "core/random.h"

namespace cqlperf::storage {
namespace {

using Node = TokenList::Node;

// A user's key with its sequence number, as an internal key.
std::string internal_key(const std::string& user_key, uint64_t sequence) {
  std::string key = user_key;
  const uint64_t trailer = sequence << 8 | 2;
  key.append(reinterpret_cast<const char*>(&trailer), sizeof trailer);
  return key;
}

MemoryKey view(const std::string& internal) { return {internal.data(), internal.size()}; }

std::string entry_of(const std::string& internal) {
  std::string entry;
  size_t size = internal.size();
  for (; size >= 0x80; size >>= 7) entry.push_back(static_cast<char>(size | 0x80));
  entry.push_back(static_cast<char>(size));
  return entry + internal;
}

// By user's key, then by falling sequence number.
struct InternalOrder {
  bool operator()(const std::string& a, const std::string& b) const {
    const std::string a_key = a.substr(0, a.size() - 8);
    const std::string b_key = b.substr(0, b.size() - 8);
    if (a_key != b_key) return a_key < b_key;
    uint64_t a_trailer = 0;
    uint64_t b_trailer = 0;
    std::memcpy(&a_trailer, a.data() + a_key.size(), sizeof a_trailer);
    std::memcpy(&b_trailer, b.data() + b_key.size(), sizeof b_trailer);
    return a_trailer > b_trailer;
  }
};

class TestList {
 public:
  explicit TestList(size_t nodes) : list(nodes) {}

  void insert(const std::string& internal) {
    const std::string entry = entry_of(internal);
    const int height = list.random_height();
    const size_t words = (TokenList::node_bytes(height) + entry.size()) / sizeof(uint64_t) + 1;
    blocks_.push_back(std::make_unique<uint64_t[]>(words));
    Node* const node = TokenList::make_node(reinterpret_cast<char*>(blocks_.back().get()), height);
    std::memcpy(node->entry(), entry.data(), entry.size());
    list.insert(node);
  }

  TokenList list;

 private:
  std::deque<std::unique_ptr<uint64_t[]>> blocks_;
};

// Inserts keys, and compares what the list says with a set after each quarter of them.
void check_with(size_t nodes, const std::vector<std::string>& keys) {
  TestList made(nodes);
  std::set<std::string, InternalOrder> reference;
  const auto same = [](const Node* node, const auto& found, const auto& end) {
    if (node == nullptr || found == end) return node == nullptr && found == end;
    return node->key().compare(view(*found)) == 0;
  };
  const auto in_token = [&](auto found, const std::string& key) {
    const bool is_same =
        found != reference.end() && view(*found).first_bits() == view(key).first_bits();
    return is_same ? found : reference.end();
  };
  for (size_t i = 0; i < keys.size(); ++i) {
    made.insert(keys[i]);
    reference.insert(keys[i]);
    if (i % (keys.size() / 4) != 0 && i + 1 != keys.size()) continue;
    const Node* node = made.list.first();
    const Node* before = nullptr;
    for (const std::string& key : reference) {
      ASSERT_NE(node, nullptr);
      ASSERT_EQ(node->key().compare(view(key)), 0);
      ASSERT_EQ(node->before(), before);
      before = node;
      node = node->next();
    }
    ASSERT_EQ(node, nullptr);
    ASSERT_EQ(made.list.last(), before);
    for (const std::string& key : keys) {
      const auto at_or_after = reference.lower_bound(key);
      ASSERT_TRUE(same(made.list.at_or_after(view(key)), at_or_after, reference.end()));
      ASSERT_TRUE(same(made.list.at_or_after_in_token(view(key)), in_token(at_or_after, key),
                       reference.end()));
      auto at_or_before = reference.upper_bound(key);
      const bool none = at_or_before == reference.begin();
      ASSERT_TRUE(same(made.list.at_or_before(view(key)), none ? reference.end() : --at_or_before,
                       reference.end()));
    }
  }
}

constexpr size_t kKeys = 2'000;

// Lists that are made for many more keys, and for many fewer.
void check(const std::vector<std::string>& keys) {
  check_with(1 << 16, keys);
  check_with(1, keys);
}

std::string random_bytes(core::Random& random, size_t size) {
  std::string bytes(size, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random.next());
  return bytes;
}

TEST(TokenList, KeysThatBeginWithTokens) {
  core::Random random(41);
  std::vector<std::string> keys;
  for (size_t i = 0; i < kKeys; ++i) keys.push_back(internal_key(random_bytes(random, 14), i));
  check(keys);
}

TEST(TokenList, KeysOfOnePartition) {
  core::Random random(42);
  std::vector<std::string> keys;
  for (size_t i = 0; i < kKeys; ++i) {
    keys.push_back(internal_key("12345678" + random_bytes(random, 4), i));
  }
  check(keys);
}

TEST(TokenList, ManyUpdatesOfFewKeys) {
  core::Random random(43);
  std::vector<std::string> keys;
  for (size_t i = 0; i < kKeys; ++i) {
    keys.push_back(internal_key(std::string(9, static_cast<char>(random.below(7) * 40)), i));
  }
  check(keys);
}

TEST(TokenList, FewLargePartitionsAmongManySmallOnes) {
  core::Random random(44);
  std::vector<std::string> keys;
  for (size_t i = 0; i < kKeys; ++i) {
    const std::string token = random.below(2) == 0
                                  ? random_bytes(random, 8)
                                  : std::string(8, static_cast<char>(random.below(3) * 100));
    keys.push_back(internal_key(token + random_bytes(random, 3), i));
  }
  check(keys);
}

TEST(TokenList, KeysInOrderAndInReverse) {
  std::vector<std::string> rising;
  for (size_t i = 0; i < kKeys; ++i) {
    const uint64_t wire = __builtin_bswap64(i << 40);
    rising.push_back(
        internal_key(std::string(reinterpret_cast<const char*>(&wire), sizeof wire), i));
  }
  check(rising);
  std::reverse(rising.begin(), rising.end());
  check(rising);
}

TEST(TokenList, ShortAndLongKeys) {
  core::Random random(45);
  std::vector<std::string> keys;
  for (size_t i = 0; i < kKeys; ++i) {
    const size_t size = random.below(20) == 0 ? random.below(300) : random.below(10);
    keys.push_back(internal_key(std::string(size, static_cast<char>(random.below(2))), i));
  }
  check(keys);
}

TEST(TokenList, AnEmptyListHasNothing) {
  const TokenList list(100'000);
  const std::string key = internal_key("k", 1);
  EXPECT_EQ(list.first(), nullptr);
  EXPECT_EQ(list.last(), nullptr);
  EXPECT_EQ(list.at_or_after(view(key)), nullptr);
  EXPECT_EQ(list.at_or_before(view(key)), nullptr);
}

TEST(TokenList, TakesMemoryForWhatIsInIt) {
  TestList made(size_t{1} << 20);
  EXPECT_EQ(made.list.memory_bytes(), 0);
  made.insert(internal_key("some key", 1));
  const size_t one = made.list.memory_bytes();
  EXPECT_GT(one, 0);
  EXPECT_LT(one, 10'000);
  core::Random random(46);
  for (size_t i = 0; i < kKeys; ++i) made.insert(internal_key(random_bytes(random, 14), i));
  EXPECT_GT(made.list.memory_bytes(), 100 * one);
  EXPECT_LE(made.list.memory_bytes(), sizeof(void*) << 20);
}

// What was published before is found while a writer goes on, forwards and backwards.
TEST(TokenList, IsReadWhileItIsWritten) {
  TestList made(10'000);
  core::Random random(47);
  std::vector<std::string> keys;
  for (size_t i = 0; i < 20'000; ++i) {
    const std::string token = i % 2 == 0 ? random_bytes(random, 8) : "12345678";
    keys.push_back(internal_key(token + random_bytes(random, 4), i));
  }
  std::atomic<size_t> published = 0;
  std::thread writer([&] {
    for (size_t i = 0; i < keys.size(); ++i) {
      made.insert(keys[i]);
      published.store(i + 1, std::memory_order_release);
    }
  });
  core::Random reader(48);
  bool found_all = true;
  for (size_t seen = 0; seen < keys.size();) {
    seen = published.load(std::memory_order_acquire);
    if (seen == 0) continue;
    const std::string& key = keys[reader.below(seen)];
    const Node* const after = made.list.at_or_after(view(key));
    const Node* const before = made.list.at_or_before(view(key));
    found_all = found_all && after != nullptr && after->key().compare(view(key)) == 0 &&
                before == after &&
                (after->next() == nullptr || after->key() < after->next()->key());
  }
  writer.join();
  EXPECT_TRUE(found_all);
}

}  // namespace
}  // namespace cqlperf::storage

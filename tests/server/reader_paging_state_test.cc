#include <gtest/gtest.h>

#include "server/paging_state.h"

namespace cqlperf::server {
namespace {

PagingState full_state() { return {0x1122334455667788u, 7, 3, 42, {1, 2, 3, 0, 255}}; }

TEST(PagingStateTest, ComesBackAsItWas) {
  for (const PagingState& state :
       {full_state(), PagingState{}, PagingState{5, {}, 1, 0, {9}}, PagingState{5, 1, {}, 0, {}}}) {
    const auto decoded = decode_paging_state(encode_paging_state(state), state.fingerprint);
    ASSERT_TRUE(decoded.has_value());
    EXPECT_EQ(*decoded, state);
  }
}

TEST(PagingStateTest, OfAnotherStatementIsAProtocolError) {
  const auto decoded = decode_paging_state(encode_paging_state(full_state()), 1);
  ASSERT_FALSE(decoded.has_value());
  EXPECT_TRUE(decoded.error().is(protocol::ErrorCode::kProtocolError));
  EXPECT_EQ(decoded.error().message, "Invalid value for the paging state");
}

TEST(PagingStateTest, EveryTruncationAndEveryChangedByteIsRefused) {
  const PagingState state = full_state();
  const protocol::Bytes good = encode_paging_state(state);
  for (size_t size = 0; size < good.size(); ++size) {
    const protocol::Bytes cut(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_FALSE(decode_paging_state(cut, state.fingerprint).has_value()) << size;
  }
  for (size_t at = 0; at < good.size(); ++at) {
    protocol::Bytes bad = good;
    bad[at] ^= 0x10;
    EXPECT_FALSE(decode_paging_state(bad, state.fingerprint).has_value()) << at;
  }
  protocol::Bytes longer = good;
  longer.push_back(0);
  EXPECT_FALSE(decode_paging_state(longer, state.fingerprint).has_value());
}

TEST(FingerprintTest, TextsHaveEnds) {
  const auto of = [](std::string_view a, std::string_view b) {
    return Fingerprint().add(a).add(b).value();
  };
  EXPECT_NE(of("a", "bc"), of("ab", "c"));
  EXPECT_EQ(of("a", "bc"), of("a", "bc"));
}

}  // namespace
}  // namespace cqlperf::server

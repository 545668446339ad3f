#include "cql/utf8.h"

#include <cstring>

namespace cqlperf::cql {
namespace {

constexpr uint64_t kHighBits = 0x8080'8080'8080'8080;

bool continues(uint8_t byte, uint8_t lowest = 0x80) { return byte >= lowest && byte < 0xc0; }

// The size of the character at `at`, which is not ASCII; 0 when it is wrong or cut.
size_t character_size(const uint8_t* at, size_t left) {
  const uint8_t first = at[0];
  if (first >= 0xc2 && first < 0xe0) return left >= 2 && continues(at[1]) ? 2 : 0;
  if (first == 0xc0) return left >= 2 && at[1] == 0x80 ? 2 : 0;
  // The second byte must not make what fewer bytes could have said.
  if (first >= 0xe0 && first < 0xf0) {
    const uint8_t lowest = first == 0xe0 ? 0xa0 : 0x80;
    return left >= 3 && continues(at[1], lowest) && continues(at[2]) ? 3 : 0;
  }
  if (first < 0xf0 || first >= 0xf8 || left < 4) return 0;
  const uint8_t lowest = first == 0xf0 ? 0x90 : 0x80;
  return continues(at[1], lowest) && continues(at[2]) && continues(at[3]) ? 4 : 0;
}

size_t ascii_size(const uint8_t* at, size_t left) {
  size_t size = 0;
  for (uint64_t word = 0; size + 8 <= left; size += 8) {
    std::memcpy(&word, at + size, 8);
    if (word & kHighBits) break;
  }
  while (size < left && at[size] < 0x80) ++size;
  return size;
}

}  // namespace

bool is_cassandra_utf8(protocol::ByteView text) {
  const uint8_t* at = text.data();
  size_t left = text.size();
  for (;;) {
    const size_t ascii = ascii_size(at, left);
    at += ascii;
    left -= ascii;
    if (left == 0) return true;
    const size_t size = character_size(at, left);
    if (size == 0) return false;
    at += size;
    left -= size;
  }
}

}  // namespace cqlperf::cql

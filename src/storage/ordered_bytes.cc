#include "storage/ordered_bytes.h"

#include <algorithm>

namespace cqlperf::storage {
namespace {

constexpr size_t kRunMax = 126;
constexpr uint8_t kMoreZeros = 128;

// Writes the zeros at the start of `rest` (none at the end of a string) and returns what follows.
protocol::ByteView append_run(core::Buffer& out, protocol::ByteView rest) {
  const auto end = std::find_if(rest.begin(), rest.end(), [](uint8_t byte) { return byte != 0; });
  auto run = static_cast<size_t>(end - rest.begin());
  rest = rest.subspan(run);
  for (; run > kRunMax; run -= kRunMax) {
    out.append_u8(0);
    out.append_u8(kMoreZeros);
  }
  out.append_u8(0);
  out.append_u8(static_cast<uint8_t>(rest.empty() ? run : 255 - run));
  return rest;
}

}  // namespace

void append_ordered_bytes(core::Buffer& out, protocol::ByteView value) {
  do {
    const auto zero = std::find(value.begin(), value.end(), uint8_t{0});
    const auto literals = static_cast<size_t>(zero - value.begin());
    out.append(value.first(literals));
    value = append_run(out, value.subspan(literals));
  } while (!value.empty());
}

void read_ordered_bytes(KeyReader& in, protocol::Bytes& value) {
  value.clear();
  while (in.ok()) {
    const uint8_t byte = in.read_u8();
    if (byte != 0) {
      value.push_back(byte);
      continue;
    }
    const uint8_t code = in.read_u8();
    if (code <= kRunMax) {
      value.insert(value.end(), code, 0);
      return;
    }
    const size_t run = code == kMoreZeros ? kRunMax : 255 - code;
    if (run == 0 || run > kRunMax) in.set_failed();
    value.insert(value.end(), run, 0);
  }
}

}  // namespace cqlperf::storage

#include "protocol/uuid.h"

#include <fmt/format.h>
#include <sys/random.h>

#include "core/check.h"

namespace cqlperf::protocol {
namespace {

bool has_dash_before(size_t byte) { return byte == 4 || byte == 6 || byte == 8 || byte == 10; }

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Fills `uuid`; false when `text`, of the right length, has another form.
bool parse(std::string_view text, Uuid& uuid) {
  size_t at = 0;
  for (size_t i = 0; i < uuid.bytes.size(); ++i) {
    if (has_dash_before(i) && text[at++] != '-') return false;
    const int high = hex_digit(text[at++]);
    const int low = hex_digit(text[at++]);
    if (high < 0 || low < 0) return false;
    uuid.bytes[i] = static_cast<uint8_t>(high * 16 + low);
  }
  return true;
}

}  // namespace

std::string Uuid::to_string() const {
  std::string text;
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (has_dash_before(i)) text += '-';
    text += fmt::format("{:02x}", bytes[i]);
  }
  return text;
}

Uuid make_time_uuid(uint64_t ticks, uint64_t low_bytes) {
  // time_low, time_mid, then the version before the highest 12 bits.
  const uint64_t high_bytes =
      ticks << 32 | (ticks >> 16 & 0xffff'0000) | 0x1000 | (ticks >> 48 & 0x0fff);
  Uuid uuid;
  for (int i = 0; i < 8; ++i) {
    uuid.bytes[i] = static_cast<uint8_t>(high_bytes >> (56 - 8 * i));
    uuid.bytes[8 + i] = static_cast<uint8_t>(low_bytes >> (56 - 8 * i));
  }
  return uuid;
}

uint64_t uuid_ticks(const Uuid& uuid) {
  static constexpr size_t kHighestFirst[] = {6, 7, 4, 5, 0, 1, 2, 3};
  uint64_t ticks = 0;
  for (const size_t i : kHighestFirst) ticks = ticks << 8 | uuid.bytes[i];
  return ticks & kUuidTicksMax;
}

int64_t uuid_millis(const Uuid& uuid) {
  return static_cast<int64_t>(uuid_ticks(uuid) / kUuidTicksPerMilli) + kUuidEpochMillis;
}

Uuid random_uuid() {
  Uuid uuid;
  const ssize_t count = getrandom(uuid.bytes.data(), uuid.bytes.size(), 0);
  CQLPERF_CHECK(count == static_cast<ssize_t>(uuid.bytes.size()), "no random numbers");
  uuid.bytes[6] = static_cast<uint8_t>((uuid.bytes[6] & 0x0f) | 0x40);
  uuid.bytes[8] = static_cast<uint8_t>((uuid.bytes[8] & 0x3f) | 0x80);
  return uuid;
}

core::Result<Uuid> parse_uuid(std::string_view text) {
  Uuid uuid;
  if (text.size() == 36 && parse(text, uuid)) return uuid;
  return core::fail(
      core::ErrorCode::kUsage,
      fmt::format("`{}` is not a UUID: write it like 123e4567-e89b-12d3-a456-426614174000", text));
}

}  // namespace cqlperf::protocol

#include "cql/time_uuid.h"

#include <random>

#include "core/random.h"

namespace cqlperf::cql {
namespace {

using protocol::Uuid;

constexpr uint64_t kTicksPerMicro = 10;
constexpr uint64_t kTicksPerSecond = 10'000'000;
constexpr uint64_t kVariant = uint64_t{1} << 63;
constexpr uint64_t kClockSequenceMask = 0x3fff;
constexpr uint64_t kNodeMask = 0xffff'ffff'ffff;
// Marks a node that is not the address of a network card.
constexpr uint64_t kNodeIsRandom = uint64_t{1} << 40;

uint64_t random_seed() {
  std::random_device device;
  return static_cast<uint64_t>(device()) << 32 | device();
}

// The UUIDs of one thread: a node of its own, so that threads need not agree on times.
class Generator {
 public:
  Uuid time_uuid(uint64_t ticks) {
    if (ticks <= last_ticks_ && last_ticks_ - ticks < kTicksPerSecond) ticks = last_ticks_ + 1;
    // A clock that was set back meets its old times with another sequence.
    if (ticks < last_ticks_) clock_sequence_ = (clock_sequence_ + 1) & kClockSequenceMask;
    last_ticks_ = ticks;
    return protocol::make_time_uuid(ticks & protocol::kUuidTicksMax,
                                    kVariant | clock_sequence_ << 48 | node_);
  }

  Uuid random_uuid() {
    Uuid uuid = protocol::make_time_uuid(random_.next() & protocol::kUuidTicksMax,
                                         kVariant | random_.next() >> 2);
    uuid.bytes[6] = static_cast<uint8_t>(0x40 | (uuid.bytes[6] & 0x0f));
    return uuid;
  }

 private:
  core::Random random_{random_seed()};
  uint64_t node_ = (random_.next() & kNodeMask) | kNodeIsRandom;
  uint64_t clock_sequence_ = random_.next() & kClockSequenceMask;
  uint64_t last_ticks_ = 0;
};

Generator& generator() {
  thread_local Generator instance;
  return instance;
}

}  // namespace

Uuid new_time_uuid(int64_t now_us) {
  const auto since_epoch = static_cast<uint64_t>(now_us - protocol::kUuidEpochMillis * 1000);
  return generator().time_uuid(since_epoch * kTicksPerMicro);
}

Uuid new_random_uuid() { return generator().random_uuid(); }

}  // namespace cqlperf::cql

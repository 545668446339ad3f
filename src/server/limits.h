#pragma once

#include <cstddef>
#include <cstdint>

#include "core/clock.h"

namespace cqlperf::server {

// What one client can take from the server. Beyond these a client waits, or its connection ends;
// the others are served all the same.

// What a client may send before it is let in: STARTUP and a login are small. What it sends after
// them without waiting counts when it comes in the same receive.
inline constexpr uint64_t kHandshakeBytesMax = 1024 * 1024;
// Each connection is looked at so often. Times that a client may take are counted in looks, so that
// a server which stood still does not blame its clients.
inline constexpr int64_t kSweepEveryNs = core::kNanosPerSecond;
inline constexpr int kHandshakeSweepsMax = 30;  // until it is let in
inline constexpr int kLoginsMax = 3;            // wrong ones, then the connection ends

// A connection that has this many requests unanswered, or this many bytes unsent (answers that are
// to come are counted in, by the size that they had lately), is not read until there are fewer.
inline constexpr size_t kInFlightMax = 8192;
inline constexpr size_t kBacklogBytesMax = size_t{8} << 20;
inline constexpr size_t kAnswerBytesAtFirst = 64 * 1024;
// A client that takes nothing of what waits for it for so long is gone.
inline constexpr int kUnreadSweepsMax = 60;
// For the peer to close after the server's last words.
inline constexpr int64_t kFarewellTimeoutNs = 5 * core::kNanosPerSecond;

// Writes of one turn are committed early when their requests are larger than this, in bytes.
inline constexpr size_t kTurnBytesMax = size_t{4} << 20;

// Open connections, as far as the limit of open files allows so many.
inline constexpr size_t kConnectionsMax = 50'000;

// Schema changes that wait for their turn; more are answered with Overloaded.
inline constexpr size_t kSchemaChangesWaitingMax = 1000;

// Prepared statements that are remembered: those that were not used for longest are forgotten.
inline constexpr size_t kPreparedCountMax = 10'000;
inline constexpr size_t kPreparedBytesMax = size_t{64} << 20;

}  // namespace cqlperf::server

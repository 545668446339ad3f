#pragma once

#include <algorithm>

#include "core/buffer.h"
#include "core/check.h"
#include "protocol/frame.h"
#include "protocol/strings.h"
#include "protocol/version.h"

namespace cqlperf::fuzz {

// Decodes a body that may be anything. What can be decoded can be written, read again, and then
// written to the same bytes.
template <class Message>
void check_body(protocol::Version version, protocol::ByteView body) {
  const auto message = Message::decode_body(version, body);
  if (!message) return;
  core::Buffer once;
  message->encode_body(version, once);
  const auto again = Message::decode_body(version, once.bytes());
  CQLPERF_CHECK(again.has_value(), "what was written can be read");
  core::Buffer twice;
  again->encode_body(version, twice);
  CQLPERF_CHECK(std::ranges::equal(once.bytes(), twice.bytes()), "and is the same");
}

}  // namespace cqlperf::fuzz

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "core/result.h"
#include "thrift/messages.h"

namespace cqlperf::thrift {

// The client's side, receiving: reads replies. One owner thread; kept for all replies of a thread,
// so that reading them allocates nothing in the steady state. What the accessors give is of the
// last read(), and views its message.
class ReplyReader {
 public:
  enum class Outcome : uint8_t { kResult, kException };

  ReplyReader();
  ~ReplyReader();
  ReplyReader(const ReplyReader&) = delete;
  ReplyReader& operator=(const ReplyReader&) = delete;

  // `message` is the content of one frame (next_frame()), the answer to `call`. kProtocol when it
  // is not: not strict binary protocol, cut off, another call's name, a container that is larger
  // than the message. Memory is bounded by a small multiple of the message's size.
  core::Result<Outcome> read(Call call, ByteView message);

  int32_t seqid() const;
  // After kException.
  const Exception& exception() const;
  // After kResult of get_slice, in the order of the column names.
  std::span<const Cell> cells() const;
  // After kResult of execute_cql3_query and execute_prepared_cql3_query. A result that is not rows
  // has none.
  size_t row_count() const;
  std::span<const CqlCell> row(size_t index) const;
  // After kResult of prepare_cql3_query.
  const PreparedQuery& prepared() const;
  // After kResult of calls that answer a string (describe_version, ...).
  std::string_view text() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace cqlperf::thrift

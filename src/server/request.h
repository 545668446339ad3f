#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "core/buffer.h"
#include "protocol/consistency.h"
#include "protocol/error.h"
#include "protocol/frame.h"
#include "protocol/query_parameters.h"
#include "protocol/result.h"
#include "protocol/strings.h"

namespace cqlperf::server {

// Where the answers of one connection go. Owner thread: the worker's. It lives at least until all
// of its requests are answered, also when the connection has ended: then answers go nowhere.
class ReplyTarget {
 public:
  virtual protocol::Version version() const = 0;
  // Starts one response frame: the caller appends its body to the buffer (and consumes nothing),
  // then calls end_reply(). One at a time.
  virtual core::Buffer& begin_reply(int16_t stream, protocol::Opcode opcode) = 0;
  virtual void end_reply() = 0;
  // False while so much waits to be sent that reads must not add to it.
  virtual bool has_room() const { return true; }

 protected:
  ~ReplyTarget() = default;
};

// The request that an answer belongs to. Exactly one answer for each.
struct ReplyTo {
  ReplyTarget* target = nullptr;
  int16_t stream = 0;
};
void reply_void(const ReplyTo& to);
void reply_error(const ReplyTo& to, const protocol::ErrorMessage& error);
void reply_result(const ReplyTo& to, const protocol::ResultMessage& result);

// What the metadata of a Rows result looks like (v5 and skip_metadata; section 4.2.5.2).
enum class MetadataForm : uint8_t {
  kFull,
  kNone,     // No_metadata
  kChanged,  // Metadata_changed, with the new id
};

// What one execution of a statement is given. Views: valid during the call that takes it.
struct Arguments {
  std::span<const protocol::Value> values = {};  // by marker; as many as the statement has
  protocol::Consistency consistency = protocol::Consistency::kOne;
  std::optional<int32_t> page_size = {};  // rows, above 0; none means no paging
  std::optional<protocol::ByteView> paging_state = {};
  std::optional<int64_t> timestamp_us = {};  // the client's; else the server's clock
  MetadataForm metadata = MetadataForm::kFull;
  protocol::ByteView metadata_id = {};  // for kChanged
  int64_t now_us = 0;                   // microseconds since 1970, one instant per request
};

}  // namespace cqlperf::server

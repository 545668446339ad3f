#include "server/reader_reply.h"

#include <fmt/format.h>

namespace cqlperf::server {

void reply_rows(const SelectPlan& plan, const ReplyTo& to, const ReplyForm& form,
                std::optional<protocol::ByteView> paging_state, int32_t row_count,
                protocol::ByteView rows) {
  core::Buffer& out = to.target->begin_reply(to.stream, protocol::Opcode::kResult);
  plan.append_head(out, to.target->version(), form.metadata, form.metadata_id, paging_state);
  out.append_i32(row_count);
  out.append(rows);
  to.target->end_reply();
}

protocol::ErrorMessage read_failure(protocol::Consistency consistency, const core::Error& error) {
  return {static_cast<int32_t>(protocol::ErrorCode::kReadFailure),
          fmt::format("Operation failed - {}", error.message),
          protocol::ReadFailureDetails{consistency, 0, 1, 1, false}};
}

protocol::ErrorMessage result_too_large() {
  return protocol::ErrorMessage::of(
      protocol::ErrorCode::kInvalid,
      fmt::format("The result is larger than {} MiB, which is more than a frame can hold: set a "
                  "page size, or select fewer columns or rows",
                  kResultBytesMax >> 20));
}

}  // namespace cqlperf::server

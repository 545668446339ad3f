#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/buffer.h"
#include "core/result.h"
#include "protocol/error.h"
#include "protocol/frame.h"
#include "protocol/strings.h"
#include "server/request.h"
#include "server/select_plan.h"

namespace cqlperf::server {

// Rows of one answer, in bytes: a frame's body less room for what comes before them.
inline constexpr size_t kResultBytesMax = protocol::kFrameBodyMax - (size_t{1} << 20);

// What an answer says about its columns.
struct ReplyForm {
  MetadataForm metadata = MetadataForm::kFull;
  protocol::ByteView metadata_id = {};
};

// Answers with rows that are encoded.
void reply_rows(const SelectPlan& plan, const ReplyTo& to, const ReplyForm& form,
                std::optional<protocol::ByteView> paging_state, int32_t row_count,
                protocol::ByteView rows);
// 0x1300: the disk failed, or the files are damaged.
protocol::ErrorMessage read_failure(protocol::Consistency consistency, const core::Error& error);
// 0x2200: rows beyond kResultBytesMax.
protocol::ErrorMessage result_too_large();

}  // namespace cqlperf::server

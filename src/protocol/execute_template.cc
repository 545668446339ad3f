#include "protocol/execute_template.h"

#include "core/check.h"
#include "protocol/query_parameters.h"

namespace cqlperf::protocol {
namespace {

uint32_t flags_of(uint16_t value_count, const ExecuteTemplate::Settings& settings) {
  uint32_t flags = 0;
  if (value_count > 0) flags |= kQueryFlagValues;
  if (settings.skip_metadata) flags |= kQueryFlagSkipMetadata;
  if (settings.page_size || settings.paged) flags |= kQueryFlagPageSize;
  if (settings.serial_consistency) flags |= kQueryFlagSerialConsistency;
  return flags;
}

}  // namespace

ExecuteTemplate::ExecuteTemplate(Version version, ByteView prepared_id, uint16_t value_count,
                                 const Settings& settings, ByteView result_metadata_id)
    : value_count_(value_count), paged_(settings.paged) {
  CQLPERF_CHECK(!settings.page_size || *settings.page_size > 0, "page size must be above 0");
  CQLPERF_CHECK(!settings.page_size || !settings.paged, "paged requests have their own page size");
  core::Buffer head;
  begin_frame(head, version, false, 0, 0, Opcode::kExecute);
  append_short_bytes(head, prepared_id);
  if (version >= Version::kV5) append_short_bytes(head, result_metadata_id);
  head.append_u16(static_cast<uint16_t>(settings.consistency));
  append_query_flags(head, version, flags_of(value_count, settings));
  flags_at_ = head.size() - 1;
  if (value_count > 0) head.append_u16(value_count);
  head_ = to_bytes(head.bytes());

  core::Buffer tail;
  if (settings.page_size) tail.append_i32(*settings.page_size);
  if (settings.serial_consistency) {
    tail.append_u16(static_cast<uint16_t>(*settings.serial_consistency));
  }
  tail_ = to_bytes(tail.bytes());
}

void ExecuteTemplate::finish_page(core::Buffer& out, size_t start, int32_t rows, ByteView state,
                                  size_t outside) const {
  CQLPERF_CHECK(paged_, "a page of a statement that is not paged");
  CQLPERF_CHECK(rows > 0, "page size must be above 0");
  out.append_i32(rows);
  if (!state.empty()) {
    out.data()[start + flags_at_] |= static_cast<uint8_t>(kQueryFlagPagingState);
    append_bytes(out, state);
  }
  finish(out, start, outside);
}

}  // namespace cqlperf::protocol

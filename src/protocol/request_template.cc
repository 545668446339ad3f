#include "protocol/request_template.h"

#include "core/check.h"
#include "protocol/query_parameters.h"

namespace cqlperf::protocol {
namespace {

uint32_t flags_of(uint16_t value_count, const RequestTemplate::Settings& settings) {
  uint32_t flags = 0;
  if (value_count > 0) flags |= kQueryFlagValues;
  if (settings.skip_metadata) flags |= kQueryFlagSkipMetadata;
  if (settings.page_size || settings.paged) flags |= kQueryFlagPageSize;
  if (settings.serial_consistency) flags |= kQueryFlagSerialConsistency;
  return flags;
}

// <consistency><flags>[<n>], before the values.
void append_parameters(core::Buffer& out, Version version, uint16_t value_count,
                       const RequestTemplate::Settings& settings) {
  out.append_u16(static_cast<uint16_t>(settings.consistency));
  append_query_flags(out, version, flags_of(value_count, settings));
  if (value_count > 0) out.append_u16(value_count);
}

// What follows the values.
void append_tail(core::Buffer& out, const RequestTemplate::Settings& settings) {
  if (settings.page_size) out.append_i32(*settings.page_size);
  if (settings.serial_consistency)
    out.append_u16(static_cast<uint16_t>(*settings.serial_consistency));
}

}  // namespace

RequestTemplate::RequestTemplate(Version version, ByteView prepared_id, uint16_t value_count,
                                 const Settings& settings, ByteView result_metadata_id)
    : value_count_(value_count), paged_(settings.paged) {
  CQLPERF_CHECK(!settings.page_size || *settings.page_size > 0, "page size must be above 0");
  CQLPERF_CHECK(!settings.page_size || !settings.paged, "paged requests have their own page size");
  core::Buffer head;
  begin_frame(head, version, false, 0, 0, Opcode::kExecute);
  append_short_bytes(head, prepared_id);
  if (version >= Version::kV5) append_short_bytes(head, result_metadata_id);
  append_parameters(head, version, value_count, settings);
  flags_at_ = head.size() - (value_count > 0 ? sizeof value_count : 0) - 1;
  head_ = to_bytes(head.bytes());
  core::Buffer tail;
  append_tail(tail, settings);
  tail_ = to_bytes(tail.bytes());
}

RequestTemplate::RequestTemplate(const core::Buffer& head, const core::Buffer& tail,
                                 uint16_t value_count)
    : head_(to_bytes(head.bytes())),
      tail_(to_bytes(tail.bytes())),
      value_count_(value_count),
      paged_(false) {}

RequestTemplate RequestTemplate::for_query(Version version, std::string_view cql,
                                           uint16_t value_count, const Settings& settings) {
  CQLPERF_CHECK(!settings.paged, "a QUERY that is paged");
  core::Buffer head;
  begin_frame(head, version, false, 0, 0, Opcode::kQuery);
  append_long_string(head, cql);
  append_parameters(head, version, value_count, settings);
  core::Buffer tail;
  append_tail(tail, settings);
  return {head, tail, value_count};
}

RequestTemplate RequestTemplate::for_text(Version version, const Settings& settings) {
  CQLPERF_CHECK(!settings.paged, "a QUERY that is paged");
  core::Buffer head;
  begin_frame(head, version, false, 0, 0, Opcode::kQuery);
  head.append_i32(0);  // of the text: finish_text() writes it
  core::Buffer tail;
  append_parameters(tail, version, 0, settings);
  append_tail(tail, settings);
  return {head, tail, 0};
}

void RequestTemplate::finish_page(core::Buffer& out, size_t start, int32_t rows, ByteView state,
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

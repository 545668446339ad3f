#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/buffer.h"
#include "protocol/consistency.h"
#include "protocol/frame.h"
#include "protocol/strings.h"

namespace cqlperf::protocol {

// The frame of one statement's requests, encoded once: per request only the stream id, the values
// and the length are written. An EXECUTE of a prepared statement; a QUERY with bound values
// (for_query()); or a QUERY whose text comes with each request (for_text()). Immutable after
// construction, so threads may share one.
//
//   const size_t start = insert.begin(out, stream);
//   append_int(out, id);  // one [value] for each bind marker (values.h)
//   insert.finish(out, start);
class RequestTemplate {
 public:
  struct Settings {
    Consistency consistency = Consistency::kOne;
    std::optional<Consistency> serial_consistency = {};  // SERIAL or LOCAL_SERIAL
    std::optional<int32_t> page_size = {};               // rows, above 0; none means no paging
    bool skip_metadata = false;
    bool paged = false;  // each request has a page size of its own: finish_page(), no page_size
  };

  // `result_metadata_id`: what v5's Prepared gave beside the id; not used below v5.
  RequestTemplate(Version version, ByteView prepared_id, uint16_t value_count,
                  const Settings& settings, ByteView result_metadata_id = {});
  // A QUERY of `cql` with so many values; not paged.
  static RequestTemplate for_query(Version version, std::string_view cql, uint16_t value_count,
                                   const Settings& settings);
  // A QUERY without values; not paged. Between begin() and finish_text() the text is appended.
  static RequestTemplate for_text(Version version, const Settings& settings);

  // Appends all that goes before the values, with the stream id; returns where the frame starts,
  // counted from out.data(). Nothing may be consumed before finish().
  size_t begin(core::Buffer& out, int16_t stream) const {
    const size_t start = out.size();
    out.append(head_.data(), head_.size());
    out.patch_u16(start + kStreamOffset, static_cast<uint16_t>(stream));
    return start;
  }

  // Call after exactly value_count() values; together they must keep the body within kFrameBodyMax.
  // The last `outside` bytes of the values are not in `out`: the caller sends them in their place.
  void finish(core::Buffer& out, size_t start, size_t outside = 0) const {
    out.append(tail_.data(), tail_.size());
    end_frame(out, start, outside);
  }
  // The same for templates with `paged`: asks for at most `rows` (above 0) from `state` on, as the
  // page before gave it; empty for the first page.
  void finish_page(core::Buffer& out, size_t start, int32_t rows, ByteView state,
                   size_t outside = 0) const;

  // Ends a request of for_text(); the text must keep the body within kFrameBodyMax.
  void finish_text(core::Buffer& out, size_t start) const {
    const size_t text_at = start + head_.size();
    out.patch_i32(text_at - sizeof(int32_t), static_cast<int32_t>(out.size() - text_at));
    finish(out, start);
  }

  uint16_t value_count() const { return value_count_; }

 private:
  static constexpr size_t kStreamOffset = 2;

  RequestTemplate(const core::Buffer& head, const core::Buffer& tail, uint16_t value_count);

  Bytes head_;  // header to the count of values, or to the length of the text
  Bytes tail_;  // what follows them: page size unless paged, serial consistency
  uint16_t value_count_;
  bool paged_;
  size_t flags_at_ =
      0;  // in head_, when paged: the byte of the flags that says kQueryFlagPagingState
};

}  // namespace cqlperf::protocol

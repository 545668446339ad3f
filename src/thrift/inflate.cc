#include "thrift/inflate.h"

#include <fmt/format.h>
#include <zlib.h>

namespace cqlperf::thrift {
namespace {

constexpr size_t kStepBytes = 64 * 1024;

// Ends the stream on every way out.
struct Stream {
  Stream() { is_open = inflateInit(&state) == Z_OK; }
  ~Stream() {
    if (is_open) inflateEnd(&state);
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  z_stream state = {};
  bool is_open = false;
};

}  // namespace

core::Result<std::string> inflate(ByteView compressed, size_t bytes_max) {
  Stream stream;
  std::string text;
  stream.state.next_in = const_cast<Bytef*>(compressed.data());
  stream.state.avail_in = static_cast<uInt>(compressed.size());
  int status = stream.is_open ? Z_OK : Z_MEM_ERROR;
  while (status == Z_OK) {
    const size_t size = text.size();
    if (size > bytes_max)
      return core::fail(core::ErrorCode::kProtocol,
                        fmt::format("the query holds more than {} bytes", bytes_max));
    text.resize(size + kStepBytes);
    stream.state.next_out = reinterpret_cast<Bytef*>(text.data() + size);
    stream.state.avail_out = kStepBytes;
    status = ::inflate(&stream.state, Z_NO_FLUSH);
    text.resize(size + kStepBytes - stream.state.avail_out);
  }
  if (status == Z_STREAM_END && text.size() <= bytes_max) return text;
  return core::fail(core::ErrorCode::kProtocol, "Error deflating query string.");
}

}  // namespace cqlperf::thrift

#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <thrift/Thrift.h>
#include <thrift/protocol/TBinaryProtocol.h>
#include <thrift/transport/TBufferTransports.h>

#include "core/buffer.h"
#include "core/result.h"
#include "thrift/messages.h"

// The inside of this room: the library's binary protocol over our buffers. The library throws; what
// is here may too, and wire.h is included by the room's own .cc files only, which catch.

namespace cqlperf::thrift {

namespace tp = ::apache::thrift::protocol;
namespace tt = ::apache::thrift::transport;

// Reads from a view. The library's TMemoryBuffer would allocate for each message.
class ReadTransport final : public tt::TBufferBase {
 public:
  ReadTransport() = default;

  void attach(ByteView bytes);
  size_t remaining() const { return static_cast<size_t>(rBound_ - rBase_); }
  // The next `count` bytes, in place; throws when there are not so many.
  ByteView take(uint32_t count);

  bool isOpen() const override { return true; }

 private:
  uint32_t readSlow(uint8_t* bytes, uint32_t count) override;
  void writeSlow(const uint8_t* bytes, uint32_t count) override;
  const uint8_t* borrowSlow(uint8_t* bytes, uint32_t* count) override;
};

// Appends to a Buffer, straight into its storage.
class WriteTransport final : public tt::TBufferBase {
 public:
  WriteTransport() = default;

  void attach(core::Buffer& out);
  // Counts what was written into the buffer; nothing is written after it.
  void detach();

  bool isOpen() const override { return true; }

 private:
  uint32_t readSlow(uint8_t* bytes, uint32_t count) override;
  void writeSlow(const uint8_t* bytes, uint32_t count) override;
  const uint8_t* borrowSlow(uint8_t* bytes, uint32_t* count) override;
  void make_room(size_t count);

  core::Buffer* out_ = nullptr;
  uint8_t* begin_ = nullptr;
};

// Strict binary protocol that believes no count of elements: each takes at least as many bytes as
// its type's smallest value, and the message must have them.
class ReadProtocol final : public tp::TBinaryProtocolT<ReadTransport> {
 public:
  explicit ReadProtocol(const std::shared_ptr<ReadTransport>& transport);

  // What the containers of the message may hold together; for the generated code, which makes an
  // object for each element before it reads one.
  void set_elements_max(size_t elements) { elements_left_ = elements; }

  // A binary or string in place.
  ByteView view();
  std::string_view text();
  // A list whose elements take at least `bytes_min` each; throws when it has other elements.
  uint32_t list(tp::TType element, size_t bytes_min);
  uint32_t map(tp::TType key, tp::TType value, size_t bytes_min);
  int32_t i32();
  int64_t i64();

  // Calls on_field(id, type) for each field of a struct; on_field reads it and says true, or says
  // false, and the field is skipped.
  template <class OnField>
  void fields(OnField&& on_field) {
    const tp::TInputRecursionTracker tracker(*this);
    while (true) {
      tp::TType type = tp::T_STOP;
      int16_t id = 0;
      readFieldBegin(ignored_name_, type, id);
      if (type == tp::T_STOP) return;
      if (!on_field(id, type)) pass_over(type);
    }
  }

  int getMinSerializedSize(tp::TType type) override;

 private:
  void checkReadBytesAvailable(tp::TSet& set) override;
  void checkReadBytesAvailable(tp::TList& list) override;
  void checkReadBytesAvailable(tp::TMap& map) override;
  void check(uint64_t count, uint64_t bytes_each);
  // As skip(), which copies each string.
  void pass_over(tp::TType type);
  void pass_over_map();
  void pass_over_list();

  ReadTransport& transport_;
  size_t elements_left_ = std::numeric_limits<size_t>::max();
  std::string ignored_name_;
};

using WriteProtocol = tp::TBinaryProtocolT<WriteTransport>;

// One message at a time into one frame, or out of the content of one.
class Encoder {
 public:
  Encoder();

  // Starts the frame and the message. Names and types are the library's: T_CALL, T_REPLY, …
  WriteProtocol& begin(core::Buffer& out, const std::string& name, tp::TMessageType type,
                       int32_t seqid);
  // Ends both, and says how large the message is, in bytes.
  size_t end();

 private:
  std::shared_ptr<WriteTransport> transport_;
  WriteProtocol protocol_;
  core::Buffer* out_ = nullptr;
  size_t start_ = 0;
};

struct Decoder {
  Decoder() : transport(std::make_shared<ReadTransport>()), protocol(transport) {}

  std::shared_ptr<ReadTransport> transport;
  ReadProtocol protocol;
  std::string name;  // of the message, kept for its memory
};

// The call's name as the library takes it.
const std::string& wire_name(Call call);

inline std::string to_text(ByteView bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
inline ByteView to_view(std::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

// Throws the error of a struct without a field that it must have, in Cassandra's words.
[[noreturn]] void throw_missing(std::string_view field);
// Which fields of a struct came; those that must be there have ids below 32.
class RequiredFields {
 public:
  // Ids that no call has are passed over.
  void found(int16_t id) {
    if (id > 0 && id < 32) found_ |= 1u << id;
  }
  void check(int16_t id, std::string_view name) const {
    if ((found_ >> id & 1) == 0) throw_missing(name);
  }

 private:
  uint32_t found_ = 0;
};

}  // namespace cqlperf::thrift

#include "thrift/wire.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "core/check.h"
#include "thrift/frame.h"

namespace cqlperf::thrift {
namespace {

constexpr size_t kRoomMin = 512;  // bytes; a whole message of the usual kind

[[noreturn]] void throw_end() {
  throw tt::TTransportException(tt::TTransportException::END_OF_FILE,
                                "the message ends before what it holds");
}

}  // namespace

void ReadTransport::attach(ByteView bytes) {
  resetConsumedMessageSize();
  // The library's pointer is not const, but nothing is written through it.
  setReadBuffer(const_cast<uint8_t*>(bytes.data()), static_cast<uint32_t>(bytes.size()));
}

ByteView ReadTransport::take(uint32_t count) {
  if (count > remaining()) throw_end();
  const ByteView taken(rBase_, count);
  rBase_ += count;
  return taken;
}

uint32_t ReadTransport::readSlow(uint8_t*, uint32_t) { throw_end(); }
const uint8_t* ReadTransport::borrowSlow(uint8_t*, uint32_t*) { throw_end(); }
void ReadTransport::writeSlow(const uint8_t*, uint32_t) {
  CQLPERF_CHECK(false, "a view is not written to");
}

void WriteTransport::attach(core::Buffer& out) {
  out_ = &out;
  make_room(kRoomMin);
}

void WriteTransport::make_room(size_t count) {
  begin_ = out_->reserve(std::max(count, kRoomMin));
  const size_t room = std::min<size_t>(out_->writable(), std::numeric_limits<uint32_t>::max());
  setWriteBuffer(begin_, static_cast<uint32_t>(room));
}

void WriteTransport::detach() {
  out_->commit(static_cast<size_t>(wBase_ - begin_));
  setWriteBuffer(nullptr, 0);
}

void WriteTransport::writeSlow(const uint8_t* bytes, uint32_t count) {
  out_->commit(static_cast<size_t>(wBase_ - begin_));
  out_->append(bytes, count);
  make_room(kRoomMin);
}

uint32_t WriteTransport::readSlow(uint8_t*, uint32_t) { throw_end(); }
const uint8_t* WriteTransport::borrowSlow(uint8_t*, uint32_t*) { throw_end(); }

ReadProtocol::ReadProtocol(const std::shared_ptr<ReadTransport>& transport)
    : TBinaryProtocolT(transport, 0, 0, true, true), transport_(*transport) {}

ByteView ReadProtocol::view() {
  const int32_t size = i32();
  if (size < 0) throw tp::TProtocolException(tp::TProtocolException::NEGATIVE_SIZE);
  return transport_.take(static_cast<uint32_t>(size));
}

std::string_view ReadProtocol::text() {
  const ByteView bytes = view();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

int32_t ReadProtocol::i32() {
  int32_t value = 0;
  readI32(value);
  return value;
}

int64_t ReadProtocol::i64() {
  int64_t value = 0;
  readI64(value);
  return value;
}

uint32_t ReadProtocol::list(tp::TType element, size_t bytes_min) {
  tp::TType type = tp::T_STOP;
  uint32_t count = 0;
  readListBegin(type, count);
  if (count > 0 && type != element)
    throw tp::TProtocolException(tp::TProtocolException::INVALID_DATA,
                                 "a list holds elements of another type than the call has");
  check(count, bytes_min);
  return count;
}

uint32_t ReadProtocol::map(tp::TType key, tp::TType value, size_t bytes_min) {
  tp::TType key_type = tp::T_STOP;
  tp::TType value_type = tp::T_STOP;
  uint32_t count = 0;
  readMapBegin(key_type, value_type, count);
  if (count > 0 && (key_type != key || value_type != value))
    throw tp::TProtocolException(tp::TProtocolException::INVALID_DATA,
                                 "a map holds entries of another type than the call has");
  check(count, bytes_min);
  return count;
}

// The library says 0 for a struct, which has at least its end.
int ReadProtocol::getMinSerializedSize(tp::TType type) {
  return type == tp::T_STRUCT ? 1 : TBinaryProtocolT::getMinSerializedSize(type);
}

void ReadProtocol::checkReadBytesAvailable(tp::TSet& set) {
  check(set.size_, static_cast<uint64_t>(getMinSerializedSize(set.elemType_)));
}
void ReadProtocol::checkReadBytesAvailable(tp::TList& list) {
  check(list.size_, static_cast<uint64_t>(getMinSerializedSize(list.elemType_)));
}
void ReadProtocol::checkReadBytesAvailable(tp::TMap& map) {
  check(map.size_, static_cast<uint64_t>(getMinSerializedSize(map.keyType_) +
                                         getMinSerializedSize(map.valueType_)));
}

// An element that takes nothing is none: a count of them could be endless.
void ReadProtocol::check(uint64_t count, uint64_t bytes_each) {
  if (count == 0) return;
  if (bytes_each == 0 || count > transport_.remaining() / bytes_each) throw_end();
  if (count > elements_left_)
    throw tp::TProtocolException(tp::TProtocolException::SIZE_LIMIT, "too many elements");
  elements_left_ -= count;
}

void ReadProtocol::pass_over(tp::TType type) {
  const tp::TInputRecursionTracker tracker(*this);
  switch (type) {
    case tp::T_STRING:
      view();
      return;
    case tp::T_STRUCT:
      return fields([](int16_t, tp::TType) { return false; });
    case tp::T_MAP:
      return pass_over_map();
    case tp::T_LIST:
    case tp::T_SET:  // the same on the wire
      return pass_over_list();
    default:
      skip(type);
  }
}

void ReadProtocol::pass_over_map() {
  tp::TType key = tp::T_STOP;
  tp::TType value = tp::T_STOP;
  uint32_t count = 0;
  readMapBegin(key, value, count);
  for (uint32_t i = 0; i < count; ++i) {
    pass_over(key);
    pass_over(value);
  }
}

void ReadProtocol::pass_over_list() {
  tp::TType element = tp::T_STOP;
  uint32_t count = 0;
  readListBegin(element, count);
  for (uint32_t i = 0; i < count; ++i) pass_over(element);
}

Encoder::Encoder()
    : transport_(std::make_shared<WriteTransport>()), protocol_(transport_, 0, 0, true, true) {}

WriteProtocol& Encoder::begin(core::Buffer& out, const std::string& name, tp::TMessageType type,
                              int32_t seqid) {
  out_ = &out;
  start_ = out.size();
  out.append_i32(0);
  transport_->attach(out);
  protocol_.writeMessageBegin(name, type, seqid);
  return protocol_;
}

size_t Encoder::end() {
  protocol_.writeMessageEnd();
  transport_->detach();
  const size_t size = out_->size() - start_ - kFrameHeaderSize;
  // What is larger is not sent: the caller looks.
  out_->patch_i32(start_, static_cast<int32_t>(std::min<size_t>(size, INT32_MAX)));
  return size;
}

const std::string& wire_name(Call call) {
  static const std::array<std::string, kCallCount> names = [] {
    std::array<std::string, kCallCount> made;
    for (size_t i = 0; i < kCallCount; ++i) made[i] = call_name(static_cast<Call>(i));
    return made;
  }();
  return names[static_cast<size_t>(call)];
}

void throw_missing(std::string_view field) {
  throw tp::TProtocolException(tp::TProtocolException::UNKNOWN,
                               fmt::format("Required field '{}' was not present!", field));
}

}  // namespace cqlperf::thrift

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <Cassandra.h>
#include <thrift/protocol/TBinaryProtocol.h>
#include <thrift/transport/TBufferTransports.h>

#include "core/buffer.h"
#include "thrift/messages.h"

// Messages as the library and the generated code make and read them: the other implementation.

namespace cqlperf::thrift {

using apache::thrift::protocol::TBinaryProtocol;
using apache::thrift::protocol::TMessageType;
using apache::thrift::transport::TMemoryBuffer;

using Bytes = std::vector<uint8_t>;

inline ByteView view_of(std::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}
inline std::string text_of(ByteView bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// The content of a frame.
template <class Struct>
Bytes idl_message(const std::string& name, TMessageType type, int32_t seqid, const Struct& body) {
  auto memory = std::make_shared<TMemoryBuffer>();
  TBinaryProtocol protocol(memory);
  protocol.writeMessageBegin(name, type, seqid);
  body.write(&protocol);
  protocol.writeMessageEnd();
  const std::string written = memory->getBufferAsString();
  return {written.begin(), written.end()};
}

template <class Struct>
Bytes idl_call(const std::string& name, int32_t seqid, const Struct& arguments) {
  return idl_message(name, apache::thrift::protocol::T_CALL, seqid, arguments);
}
template <class Struct>
Bytes idl_reply(const std::string& name, int32_t seqid, const Struct& result) {
  return idl_message(name, apache::thrift::protocol::T_REPLY, seqid, result);
}

// The frame that the content makes.
inline Bytes framed(const Bytes& message) {
  core::Buffer frame;
  frame.append_i32(static_cast<int32_t>(message.size()));
  frame.append(message.data(), message.size());
  return {frame.data(), frame.data() + frame.size()};
}
inline Bytes bytes_of(const core::Buffer& buffer) {
  return {buffer.data(), buffer.data() + buffer.size()};
}
// The content of the one frame in it.
inline ByteView content_of(const core::Buffer& buffer) { return buffer.bytes().subspan(4); }

}  // namespace cqlperf::thrift

#include "server/request.h"

namespace cqlperf::server {
namespace {

template <class Message>
void reply(const ReplyTo& to, const Message& message) {
  core::Buffer& out = to.target->begin_reply(to.stream, Message::kOpcode);
  message.encode_body(to.target->version(), out);
  to.target->end_reply();
}

}  // namespace

void reply_void(const ReplyTo& to) {
  core::Buffer& out = to.target->begin_reply(to.stream, protocol::Opcode::kResult);
  out.append_i32(static_cast<int32_t>(protocol::ResultKind::kVoid));
  to.target->end_reply();
}

void reply_error(const ReplyTo& to, const protocol::ErrorMessage& error) { reply(to, error); }

void reply_result(const ReplyTo& to, const protocol::ResultMessage& result) { reply(to, result); }

}  // namespace cqlperf::server

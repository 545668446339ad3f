#include <utility>

#include "client/session_node.h"
#include "core/check.h"
#include "protocol/envelope.h"

namespace cqlperf::client {
namespace {

using protocol::Frame;
using protocol::Opcode;

// The server may have applied what it could not confirm.
bool is_in_doubt(protocol::ErrorCode code) {
  return code == protocol::ErrorCode::kWriteTimeout || code == protocol::ErrorCode::kWriteFailure ||
         code == protocol::ErrorCode::kCasWriteUnknown;
}

}  // namespace

RequestFailure describe_error(int32_t code, std::string_view message, const Frame& frame) {
  const auto known = static_cast<protocol::ErrorCode>(code);
  const bool overloaded =
      known == protocol::ErrorCode::kOverloaded || known == protocol::ErrorCode::kRateLimitReached;
  return {protocol::error_name(code), message, overloaded, is_in_doubt(known), &frame};
}

Session::Channel::Channel(Session& session, Node& node)
    : session_(session),
      node_(node),
      connection_(session.loop_, *this, session.options_.connection) {}

Session::Channel::~Channel() { session_.loop_.cancel(open_timer_); }

void Session::Channel::open() { connection_.open(node_.address()); }

void Session::Channel::send(uint16_t statement, uint32_t token, bool sent_again) {
  const Operation operation{token, statement, node_.generation(statement), sent_again};
  const auto stream = connection_.begin_request(*this, operation.pack());
  CQLPERF_CHECK(stream, "an operation needs a free stream");
  const protocol::RequestTemplate& request = node_.request_template(statement);
  const bool has_extras = node_.has_extras(statement);
  core::Buffer& out = connection_.output();
  const size_t start = request.begin(out, *stream);
  if (has_extras) [[unlikely]]
    return finish_with_extras(statement, token, start);
  session_.client_.write_values(statement, token, out);
  request.finish(out, start);
}

void Session::Channel::finish_with_extras(uint16_t statement, uint32_t token, size_t start) {
  const StatementSpec& spec = session_.statements_[statement]->spec;
  const protocol::RequestTemplate& request = node_.request_template(statement);
  if (spec.kind == StatementKind::kTextQuery) {
    session_.client_.write_query(statement, token, connection_.output());
    return request.finish_text(connection_.output(), start);
  }
  session_.client_.write_values(statement, token, connection_.output());
  const size_t outside =
      spec.tail ? connection_.append_tail(session_.client_.value_tail(statement, token)) : 0;
  if (!spec.paged) return request.finish(connection_.output(), start, outside);
  const PageRequest page = session_.client_.page_of(statement, token);
  request.finish_page(connection_.output(), start, page.rows, page.state, outside);
}

void Session::Channel::on_response(uint64_t token, const Frame& frame, int64_t received_ns) {
  const Operation operation = Operation::unpack(token);
  if (frame.header.opcode != Opcode::kResult) [[unlikely]]
    return on_error(operation, frame, received_ns);
  session_.in_flight_--;
  session_.client_.on_success(operation.token, frame, received_ns);
}

void Session::Channel::on_error(Operation operation, const Frame& frame, int64_t received_ns) {
  const auto envelope = protocol::split_response(frame);
  const auto head = envelope ? protocol::peek_error(envelope->body) : std::nullopt;
  if (frame.header.opcode != Opcode::kError || !head)
    return session_.fail_operation(
        operation.token,
        {"ProtocolError", "the request was answered with neither RESULT nor ERROR"}, received_ns);
  const bool unprepared =
      head->code == static_cast<int32_t>(protocol::ErrorCode::kUnprepared) &&
      session_.statements_[operation.statement]->spec.kind == StatementKind::kPrepared;
  if (unprepared && !operation.sent_again) return node_.on_unprepared(*this, operation);
  session_.fail_operation(operation.token, describe_error(head->code, head->message, frame),
                          received_ns);
}

void Session::Channel::on_no_response(uint64_t token, RequestFault fault, std::string_view reason,
                                      int64_t now_ns) {
  RequestFailure failure;
  failure.kind = fault == RequestFault::kClientTimeout ? "ClientTimeout" : "ConnectionLost";
  failure.message = reason;
  failure.in_doubt = true;
  session_.fail_operation(Operation::unpack(token).token, failure, now_ns);
}

void Session::Channel::on_ready(Connection&) {
  delay_.reset();
  if (std::exchange(was_ready_, true)) session_.reconnects_++;
  node_.on_channel_ready(*this);
}

void Session::Channel::on_closed(Connection&, const core::Error& error) {
  node_.on_channel_closed(error);
  open_later();
}

void Session::Channel::give_up(const core::Error& error) {
  connection_.close();
  node_.on_channel_closed(error);
  open_later();
}

void Session::Channel::open_later() {
  if (node_.is_given_up()) return;
  const int64_t at_ns = session_.loop_.now_ns() + delay_.next_ns(session_.random_);
  open_timer_ = session_.loop_.call_at(at_ns, [this] { open(); });
}

}  // namespace cqlperf::client

#include "client/session_node.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/check.h"
#include "protocol/envelope.h"
#include "protocol/prepare.h"

namespace cqlperf::client {
namespace {

using core::Error;
using core::ErrorCode;
using protocol::Frame;
using protocol::Opcode;

constexpr uint16_t kGenerationMask = 0x7FFF;

std::string error_text(std::string_view kind, std::string_view message) {
  return fmt::format("{}: {}", kind, message);
}

}  // namespace

Session::Node::Node(Session& session, const net::SocketAddress& address)
    : session_(session), address_(address), slots_(session.statements_.size()) {
  for (int i = 0; i < session.options_.connections_per_node; i++)
    channels_.push_back(std::make_unique<Channel>(session, *this));
}

NodeStatus Session::Node::status() const {
  NodeStatus status;
  status.address = address_;
  for (const auto& channel : channels_)
    status.ready_connections += channel->connection().is_ready() ? 1 : 0;
  status.usable = usable_;
  status.given_up = given_up_;
  status.last_error = last_error_;
  return status;
}

bool Session::Node::is_connected() const {
  return std::ranges::any_of(channels_,
                             [](const auto& channel) { return channel->connection().is_ready(); });
}

Session::Channel* Session::Node::channel_with_free_stream() const {
  for (const auto& channel : channels_)
    if (channel->connection().is_ready() && channel->connection().has_free_stream())
      return channel.get();
  return nullptr;
}

void Session::Node::report(std::string text) const {
  if (session_.options_.log) session_.options_.log(std::move(text));
}

void Session::Node::on_channel_ready(Channel& channel) {
  if (channel.connection().version() != version_) forget_prepared();
  version_ = channel.connection().version();
  make_unprepared();
  prepare_missing();
  update_usable();
}

void Session::Node::on_channel_closed(const Error& error) {
  last_error_ = error;
  // A wrong password stays wrong; but a server that took it once may only be unable to check it
  // now.
  if (error.code == ErrorCode::kAuth && !has_been_usable_) given_up_ = true;
  // A server that was restarted may have lost what was prepared.
  if (!is_connected()) forget_prepared();
  update_usable();
  const bool is_lost = !is_connected() || error.code == ErrorCode::kSetup;
  if (!is_lost || std::exchange(reported_lost_, true)) return;
  report(fmt::format("node {} is not used: {}; {}", address_.to_string(), error.message,
                     given_up_ ? "it is not tried again" : "trying again"));
}

void Session::Node::forget_prepared() {
  for (Slot& slot : slots_) slot.request.reset();
}

// The statements that need no PREPARE, in the version of the connections.
void Session::Node::make_unprepared() {
  for (size_t i = 0; i < slots_.size(); i++) {
    const StatementSpec& spec = session_.statements_[i]->spec;
    if (spec.kind == StatementKind::kPrepared) continue;
    const bool bound = spec.kind == StatementKind::kBoundQuery;
    slots_[i].request =
        bound ? protocol::RequestTemplate::for_query(version_, spec.cql, spec.values, spec.settings)
              : protocol::RequestTemplate::for_text(version_, spec.settings);
    slots_[i].has_extras = !bound;
  }
}

// The log tells of a node that is back once it can be used, not when it merely takes connections.
void Session::Node::update_usable() {
  usable_ = is_connected() && std::ranges::all_of(slots_, [](const Slot& slot) {
              return slot.request && !slot.preparing;
            });
  session_.update_active();
  if (!usable_) return;
  has_been_usable_ = true;
  if (std::exchange(reported_lost_, false))
    report(fmt::format("node {} is used again", address_.to_string()));
}

void Session::Node::prepare_missing() {
  for (size_t i = 0; i < slots_.size(); i++) {
    if (slots_[i].request || slots_[i].preparing) continue;
    Channel* channel = channel_with_free_stream();
    if (!channel) return;
    prepare(static_cast<uint16_t>(i), *channel);
  }
}

void Session::Node::prepare(uint16_t statement, Channel& channel) {
  Connection& connection = channel.connection();
  const auto stream = connection.begin_request(*this, statement);
  CQLPERF_CHECK(stream, "a PREPARE needs a free stream");
  protocol::append_frame(connection.output(), connection.version(), *stream,
                         protocol::Prepare{session_.statements_[statement]->spec.cql});
  connection.flush();
  slots_[statement].preparing = &channel;
}

void Session::Node::on_response(uint64_t token, const Frame& frame, int64_t) {
  const auto statement = static_cast<uint16_t>(token);
  Channel& channel = *std::exchange(slots_[statement].preparing, nullptr);
  const auto envelope = protocol::split_response(frame);
  if (!envelope)
    return on_prepare_failed(statement, channel, envelope.error(),
                             {"ProtocolError", envelope.error().message});
  if (frame.header.opcode == Opcode::kError) {
    const auto head = protocol::peek_error(envelope->body).value_or(protocol::ErrorHead{});
    const RequestFailure failure = describe_error(head.code, head.message, frame);
    const Error error{ErrorCode::kSetup,
                      fmt::format("{} cannot prepare `{}`: {}", address_.to_string(),
                                  session_.statements_[statement]->spec.cql,
                                  error_text(failure.kind, failure.message))};
    return on_prepare_failed(statement, channel, error, failure);
  }
  const auto message = protocol::ResultMessage::decode_body(frame.header.version, envelope->body);
  const auto* prepared = message ? message->as<protocol::Prepared>() : nullptr;
  if (!prepared) {
    const std::string text =
        message ? "PREPARE was not answered with a prepared statement" : message.error().message;
    const Error error{ErrorCode::kProtocol, fmt::format("{}: {}", address_.to_string(), text)};
    return on_prepare_failed(statement, channel, error, {"ProtocolError", text});
  }
  adopt(statement, *prepared);
  send_waiting_again(statement);
  prepare_missing();  // when there were fewer stream ids than statements
  update_usable();
}

// A prepare that finds another id or other columns than before replaces them.
void Session::Node::adopt(uint16_t statement, const protocol::Prepared& prepared) {
  Statement& shared = *session_.statements_[statement];
  Slot& slot = slots_[statement];
  protocol::RequestTemplate::Settings settings = shared.spec.settings;
  settings.paged = shared.spec.paged;
  slot.request.emplace(version_, prepared.id, static_cast<uint16_t>(prepared.bind.columns.size()),
                       settings, prepared.result_metadata_id);
  slot.has_extras = shared.spec.tail || shared.spec.paged;
  slot.generation = (slot.generation + 1) & kGenerationMask;
  if (shared.bind != prepared.bind) shared.bind = prepared.bind;
  if (shared.result != prepared.result) shared.result = prepared.result;
}

void Session::Node::on_no_response(uint64_t token, RequestFault fault, std::string_view reason,
                                   int64_t) {
  const auto statement = static_cast<uint16_t>(token);
  Channel& channel = *std::exchange(slots_[statement].preparing, nullptr);
  if (fault == RequestFault::kConnectionLost) {
    // Another connection may do it. The operations that wait were not applied.
    Channel* other = channel_with_free_stream();
    if (other) return prepare(statement, *other);
    fail_waiting(statement, {"ConnectionLost", reason});
    return;
  }
  const Error error{ErrorCode::kTimeout,
                    fmt::format("{} did not answer PREPARE: {}", address_.to_string(), reason)};
  on_prepare_failed(statement, channel, error, {"ClientTimeout", reason});
}

// A statement that was never prepared here makes the node unusable: it is tried again later, on a
// new connection. Else the node goes on with the others, and this one fails each time it is used.
void Session::Node::on_prepare_failed(uint16_t statement, Channel& channel, const Error& error,
                                      const RequestFailure& failure) {
  last_error_ = error;
  if (!slots_[statement].request) return channel.give_up(error);
  fail_waiting(statement, failure);
  update_usable();
}

void Session::Node::on_unprepared(Channel& channel, Operation operation) {
  Slot& slot = slots_[operation.statement];
  slot.waiting.push_back(operation);
  if (slot.preparing) return;
  // It was sent before a prepare that has come in between: no further one is needed.
  if (slot.request && operation.generation != slot.generation)
    return send_waiting_again(operation.statement);
  prepare(operation.statement, channel);
  update_usable();
}

void Session::Node::send_waiting_again(uint16_t statement) {
  for (const Operation& operation : std::exchange(slots_[statement].waiting, {})) {
    Channel* channel = channel_with_free_stream();
    if (channel)
      channel->send(statement, operation.token, true);
    else
      session_.fail_operation(operation.token, {"ConnectionLost", "no connection to send it again"},
                              session_.loop_.now_ns());
  }
  // The caller flushes only what it has executed itself.
  session_.flush();
}

void Session::Node::fail_waiting(uint16_t statement, const RequestFailure& failure) {
  for (const Operation& operation : std::exchange(slots_[statement].waiting, {}))
    session_.fail_operation(operation.token, failure, session_.loop_.now_ns());
}

}  // namespace cqlperf::client

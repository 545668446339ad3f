#include "client/rpc_channel.h"

#include <utility>

#include <fmt/format.h>

#include "core/check.h"
#include "core/units.h"
#include "thrift/frame.h"

namespace cqlperf::client {
namespace {

using core::Error;
using core::ErrorCode;
using thrift::Call;
using Kind = thrift::Exception::Kind;
using Outcome = thrift::ReplyReader::Outcome;

// The server may have applied what it could not confirm, and what it broke down over.
bool is_in_doubt(const thrift::Exception& exception) {
  if (exception.kind == Kind::kTimedOut) return true;
  return exception.kind == Kind::kApplication &&
         exception.application_type ==
             static_cast<int32_t>(thrift::ApplicationError::kInternalError);
}

// What an exception says besides its name.
std::string text_of(const thrift::Exception& exception) {
  if (!exception.why.empty()) return exception.why;
  if (exception.acknowledged_by)
    return fmt::format("acknowledged by {}", *exception.acknowledged_by);
  return "the server gave no reason";
}

}  // namespace

RpcSession::Channel::Channel(State& state, State::Node& node)
    : state_(state), node_(node), call_(state.options.call) {}

RpcSession::Channel::~Channel() {
  state_.loop.cancel(open_timer_);
  state_.loop.cancel(deadline_timer_);
}

void RpcSession::Channel::open() {
  if (stream_) earlier_counters_ += stream_->counters();
  net::TcpStream::Handler& handler = *this;
  stream_ = std::make_unique<net::TcpStream>(state_.loop, handler);
  stage_ = Stage::kConnecting;
  step_ = 0;
  const int64_t deadline_ns =
      state_.loop.refresh_now() + state_.options.connection.connect_timeout_ns;
  deadline_timer_ = state_.loop.call_at(deadline_ns, [this] { on_connect_deadline(); });
  stream_->connect(node_.address, deadline_ns);
}

void RpcSession::Channel::execute(uint32_t token) {
  waits_ = true;
  token_ = token;
  sent_ns_ = state_.loop.now_ns();
  state_.client.write_call(token, next_seqid(), item_id_, state_.writer, stream_->output());
}

void RpcSession::Channel::on_connected() {
  stage_ = Stage::kHandshake;
  begin_step();
}

void RpcSession::Channel::begin_step() {
  if (step_ == state_.handshake.size()) return become_ready();
  const ConnectionOptions& options = state_.options.connection;
  core::Buffer& out = stream_->output();
  call_ = state_.handshake[step_];
  waits_ = true;
  switch (call_) {
    case Call::kLogin:
      state_.writer.login(next_seqid(), options.credentials->user, options.credentials->password,
                          out);
      break;
    case Call::kSetKeyspace:
      state_.writer.set_keyspace(next_seqid(), options.keyspace, out);
      break;
    case Call::kPrepareCql3Query:
      state_.writer.prepare_cql3_query(next_seqid(), state_.options.prepare, out);
      break;
    default:
      state_.writer.call_without_arguments(next_seqid(), call_, out);
  }
  stream_->flush();
}

void RpcSession::Channel::finish_step(Outcome outcome) {
  if (outcome == Outcome::kException) return fail(refusal(), "ConnectionLost");
  if (call_ == Call::kPrepareCql3Query) item_id_ = state_.reader.prepared().item_id;
  step_++;
  begin_step();
}

void RpcSession::Channel::become_ready() {
  state_.loop.cancel(std::exchange(deadline_timer_, net::kNoTimer));
  stage_ = Stage::kReady;
  call_ = state_.options.call;
  last_error_.reset();
  reopen_delay_.reset();
  if (std::exchange(was_ready_, true)) state_.reconnects++;
  state_.idle.push(this);
  state_.on_ready(node_);
}

// What the server says to a step of the handshake that it refuses.
Error RpcSession::Channel::refusal() const {
  const thrift::Exception& exception = state_.reader.exception();
  const bool is_auth =
      exception.kind == Kind::kAuthentication || exception.kind == Kind::kAuthorization;
  const ErrorCode code = is_auth ? ErrorCode::kAuth : ErrorCode::kSetup;
  const std::string address = node_.address.to_string();
  const std::string text = thrift::to_string(exception);
  const ConnectionOptions& options = state_.options.connection;
  switch (call_) {
    case Call::kLogin:
      return {code, fmt::format("{} refused the login of user `{}`: {}", address,
                                options.credentials->user, text)};
    case Call::kSetKeyspace:
      return {code,
              fmt::format("{} refused the keyspace `{}`: {}", address, options.keyspace, text)};
    case Call::kPrepareCql3Query:
      return {code,
              fmt::format("{} cannot prepare `{}`: {}", address, state_.options.prepare, text)};
    default:
      return {code, fmt::format("{} answered {} with {}", address, thrift::call_name(call_), text)};
  }
}

void RpcSession::Channel::on_bytes(core::Buffer& input) {
  if (!waits_) [[unlikely]]
    return fail_protocol("sent bytes that no request waits for");
  const auto message = thrift::next_frame(input.bytes());
  if (!message) [[unlikely]]
    return fail_protocol(fmt::format("does not speak Thrift: {}", message.error().message));
  if (!*message) return;
  const size_t size = thrift::kFrameHeaderSize + (*message)->size();
  if (input.size() > size) [[unlikely]]
    return fail_protocol(fmt::format("sent {} bytes more than the reply", input.size() - size));
  const auto outcome = read_reply(**message);
  if (!outcome) [[unlikely]]
    return fail_protocol(outcome.error().message);
  waits_ = false;
  if (stage_ == Stage::kReady) [[likely]]
    finish_operation(*outcome);
  else
    finish_step(*outcome);
  if (stage_ != Stage::kClosed) input.consume(size);
}

core::Result<Outcome> RpcSession::Channel::read_reply(thrift::ByteView message) {
  auto outcome = state_.reader.read(call_, message);
  if (outcome && state_.reader.seqid() != seqid_) [[unlikely]]
    return core::fail(ErrorCode::kProtocol,
                      fmt::format("answered call {} of this connection with the reply to call {}",
                                  seqid_, state_.reader.seqid()));
  return outcome;
}

void RpcSession::Channel::finish_operation(Outcome outcome) {
  state_.in_flight--;
  state_.idle.push(this);
  if (outcome == Outcome::kException) [[unlikely]]
    return fail_exception();
  state_.client.on_reply(token_, state_.reader, state_.loop.now_ns());
}

void RpcSession::Channel::fail_exception() {
  const thrift::Exception& exception = state_.reader.exception();
  const std::string text = text_of(exception);
  const RequestFailure failure{.kind = thrift::exception_name(exception.kind),
                               .message = text,
                               .in_doubt = is_in_doubt(exception)};
  state_.client.on_failure(token_, failure, true, state_.loop.now_ns());
}

void RpcSession::Channel::check_timeout(int64_t oldest_ns) {
  if (stage_ != Stage::kReady || !waits_ || sent_ns_ > oldest_ns) return;
  fail({ErrorCode::kTimeout,
        fmt::format("{} gave {}", node_.address.to_string(), state_.request_timeout_text)},
       "ClientTimeout");
}

void RpcSession::Channel::on_connect_deadline() {
  const std::string limit =
      core::format_duration_ns(static_cast<double>(state_.options.connection.connect_timeout_ns));
  const std::string address = node_.address.to_string();
  if (stage_ == Stage::kConnecting)
    return fail({ErrorCode::kTimeout,
                 fmt::format("cannot connect to {}: no answer within {}", address, limit)},
                "ConnectionLost");
  fail({ErrorCode::kTimeout,
        fmt::format("{} took the connection but did not answer {} within {}; is this a port of "
                    "Thrift?",
                    address, thrift::call_name(call_), limit)},
       "ConnectionLost");
}

void RpcSession::Channel::on_closed(const Error& error) {
  if (stage_ != Stage::kHandshake) return fail(error, "ConnectionLost");
  fail({ErrorCode::kConnect,
        fmt::format("{}, while {} was to be answered; is this a port of Thrift?", error.message,
                    thrift::call_name(call_))},
       "ConnectionLost");
}

void RpcSession::Channel::fail_protocol(std::string_view what) {
  fail({ErrorCode::kProtocol, fmt::format("{} {}", node_.address.to_string(), what)},
       "ProtocolError");
}

// Ends the connection, and tries again later. The operation that waits fails with `kind`.
void RpcSession::Channel::fail(const Error& error, std::string_view kind) {
  const bool was_ready = is_ready();
  const bool has_operation = was_ready && waits_;
  stop();
  last_error_ = error;
  state_.on_ended(node_, was_ready, error);
  open_timer_ = state_.loop.call_at(state_.loop.now_ns() + reopen_delay_.next_ns(state_.random),
                                    [this] { open(); });
  if (!has_operation) return;
  state_.in_flight--;
  state_.client.on_failure(token_, {.kind = kind, .message = error.message, .in_doubt = true},
                           false, state_.loop.now_ns());
}

void RpcSession::Channel::stop() {
  if (is_ready() && !waits_) state_.idle.remove(this);
  state_.loop.cancel(std::exchange(deadline_timer_, net::kNoTimer));
  stream_->close();
  stage_ = Stage::kClosed;
  waits_ = false;
}

net::TcpStream::Counters RpcSession::Channel::counters() const {
  net::TcpStream::Counters sum = earlier_counters_;
  if (stream_) sum += stream_->counters();
  return sum;
}

}  // namespace cqlperf::client

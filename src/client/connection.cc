#include "client/connection.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/check.h"
#include "core/units.h"
#include "protocol/error.h"

namespace cqlperf::client {
namespace {

using core::Error;
using core::ErrorCode;

// Marks, in Pending::sent_ns, a stream whose request has timed out.
constexpr int64_t kOrphan = -1;

constexpr int64_t kSweepIntervalMaxNs = 100 * core::kNanosPerMilli;

std::string timeout_text(const ConnectionOptions& options) {
  return fmt::format("no answer within {}",
                     core::format_duration_ns(static_cast<double>(options.request_timeout_ns)));
}

}  // namespace

Connection::Connection(net::EventLoop& loop, Owner& owner, ConnectionOptions options)
    : loop_(loop),
      owner_(owner),
      options_(std::move(options)),
      version_(options_.version_max),
      timeout_text_(timeout_text(options_)) {
  CQLPERF_CHECK(options_.stream_ids >= 1 && options_.stream_ids <= kStreamIdsMax,
                "a number of stream ids that the protocol does not have");
  CQLPERF_CHECK(protocol::is_available(options_.compression, options_.version_max),
                "a compression that the protocol version does not have");
}

Connection::~Connection() { stop(); }

void Connection::open(const net::SocketAddress& address) {
  CQLPERF_CHECK(state_ == State::kClosed, "the connection is open already");
  address_ = address;
  connect_deadline_ns_ = loop_.refresh_now() + options_.connect_timeout_ns;
  deadline_timer_ = loop_.call_at(connect_deadline_ns_, [this] { on_connect_deadline(); });
  connect();
}

void Connection::connect() {
  if (stream_) earlier_counters_ += stream_->counters();
  net::TcpStream::Handler& handler = *this;
  stream_ = std::make_unique<net::TcpStream>(loop_, handler);
  handshake_.emplace(options_, version_, address_.to_string());
  // Cassandra may compress its answer to STARTUP already.
  reader_ = protocol::FrameReader(protocol::Direction::kResponse);
  reader_.set_compression(options_.compression);
  writer_ = protocol::FrameWriter();
  frames_.clear();
  output_ = &stream_->output();
  state_ = State::kConnecting;
  stream_->connect(address_, connect_deadline_ns_);
}

// A refused version ends the TCP connection too. The stream is in a call of ours, so its successor
// comes from a timer.
void Connection::restart(protocol::Version version) {
  version_ = version;
  stream_->close();
  state_ = State::kConnecting;
  restart_timer_ = loop_.call_at(loop_.now_ns(), [this] { connect(); });
}

void Connection::on_connect_deadline() {
  const std::string limit =
      core::format_duration_ns(static_cast<double>(options_.connect_timeout_ns));
  if (state_ == State::kConnecting)
    return fail({ErrorCode::kTimeout, fmt::format("cannot connect to {}: no answer within {}",
                                                  address_.to_string(), limit)});
  fail({ErrorCode::kTimeout, fmt::format("{} took the connection but did not answer {} within {}",
                                         address_.to_string(), handshake_->waiting_for(), limit)});
}

void Connection::on_connected() {
  state_ = State::kHandshake;
  handshake_->start(stream_->output());
  stream_->flush();
}

void Connection::on_bytes(core::Buffer& input) {
  const int64_t received_ns = loop_.now_ns();
  for (;;) {
    auto frame = reader_.next(input);
    if (!frame) [[unlikely]]
      return fail(
          {frame.error().code, fmt::format("{}: {}", address_.to_string(), frame.error().message)});
    if (!*frame) return stream_->expect(reader_.missing(input));
    if (!dispatch(**frame, received_ns)) [[unlikely]]
      return;
  }
}

size_t Connection::append_tail(protocol::ByteView bytes) {
  if (bytes.size() < kGatheredMin || output_ != &stream_->output()) {
    output_->append(bytes);
    return 0;
  }
  stream_->append_external(bytes);
  return bytes.size();
}

// False when the connection has ended in the meantime.
bool Connection::dispatch(const protocol::Frame& frame, int64_t received_ns) {
  // Negative ids become large and miss the table.
  const auto stream = static_cast<uint16_t>(frame.header.stream);
  const bool known = stream < pending_.size() && pending_[stream].handler != nullptr;
  if (!known || frame.header.version != version_) [[unlikely]]
    return dispatch_rarity(frame);
  RequestHandler* handler = std::exchange(pending_[stream].handler, nullptr);
  free_streams_.push_back(static_cast<int16_t>(stream));
  in_flight_--;
  handler->on_response(pending_[stream].token, frame, received_ns);
  return state_ == State::kReady;
}

bool Connection::dispatch_rarity(const protocol::Frame& frame) {
  const int16_t stream = frame.header.stream;
  if (frame.header.opcode == protocol::Opcode::kEvent || stream == protocol::kEventStream)
    return true;
  if (state_ == State::kHandshake) return dispatch_handshake(frame);
  const auto index = static_cast<size_t>(static_cast<uint16_t>(stream));
  if (index < pending_.size() && pending_[index].sent_ns == kOrphan) {
    pending_[index].sent_ns = 0;
    free_streams_.push_back(stream);
    orphans_--;
    late_answers_++;
    return true;
  }
  const auto head = protocol::peek_error(frame.body);
  const bool is_error = frame.header.opcode == protocol::Opcode::kError && head;
  fail({ErrorCode::kProtocol,
        fmt::format("{} sent {} for stream {}, which waits for no answer{}{}", address_.to_string(),
                    protocol::opcode_name(frame.header.opcode), stream, is_error ? ": " : "",
                    is_error ? head->message : "")});
  return false;
}

bool Connection::dispatch_handshake(const protocol::Frame& frame) {
  if (handshake_->is_startup_taken(frame)) start_transport();
  const auto step = handshake_->on_response(frame, *output_);
  if (!step) {
    fail(step.error());
    return false;
  }
  switch (*step) {
    case Handshake::Step::kWait:
      flush();
      return true;
    case Handshake::Step::kReady:
      become_ready();
      return state_ == State::kReady;
    case Handshake::Step::kTryOlderVersion:
      restart(handshake_->older_version());
      return false;
  }
  return false;
}

void Connection::start_transport() {
  if (version_ >= protocol::Version::kV5) reader_.start_segments();
  writer_.start(version_, options_.compression);
  if (!writer_.is_plain()) output_ = &frames_;
}

void Connection::become_ready() {
  loop_.cancel(std::exchange(deadline_timer_, net::kNoTimer));
  state_ = State::kReady;
  accepted_version_ = version_;
  schedule_sweep();
  owner_.on_ready(*this);
}

void Connection::schedule_sweep() {
  const int64_t interval_ns = std::min(options_.request_timeout_ns / 10, kSweepIntervalMaxNs);
  sweep_timer_ = loop_.call_at(loop_.now_ns() + interval_ns, [this] { sweep_timeouts(); });
}

// Callbacks may begin requests, which may move the table, and may close the connection.
void Connection::sweep_timeouts() {
  const int64_t oldest_ns = loop_.now_ns() - options_.request_timeout_ns;
  for (size_t stream = 0; stream < pending_.size(); stream++)
    if (pending_[stream].handler && pending_[stream].sent_ns <= oldest_ns) time_out(stream);
  if (state_ != State::kReady) return;
  if (orphans_ * 2 > static_cast<size_t>(options_.stream_ids))
    return fail(
        {ErrorCode::kTimeout, fmt::format("{} left {} of {} stream ids without an answer",
                                          address_.to_string(), orphans_, options_.stream_ids)});
  schedule_sweep();
}

void Connection::time_out(size_t stream) {
  Pending& pending = pending_[stream];
  RequestHandler* handler = std::exchange(pending.handler, nullptr);
  pending.sent_ns = kOrphan;
  orphans_++;
  in_flight_--;
  handler->on_no_response(pending.token, RequestFault::kClientTimeout, timeout_text_,
                          loop_.now_ns());
}

void Connection::on_closed(const Error& error) {
  if (state_ != State::kHandshake) return fail(error);
  fail({ErrorCode::kConnect,
        fmt::format("{}, while {} was to be answered", error.message, handshake_->waiting_for())});
}

void Connection::close() {
  if (state_ == State::kClosed) return;
  stop();
  fail_pending(fmt::format("the connection to {} was closed", address_.to_string()));
}

void Connection::fail(const Error& error) {
  stop();
  fail_pending(error.message);
  owner_.on_closed(*this, error);
}

// The next attempt begins with the version that was accepted last.
void Connection::stop() {
  loop_.cancel(std::exchange(deadline_timer_, net::kNoTimer));
  loop_.cancel(std::exchange(sweep_timer_, net::kNoTimer));
  loop_.cancel(std::exchange(restart_timer_, net::kNoTimer));
  if (stream_) stream_->close();
  state_ = State::kClosed;
  version_ = accepted_version_.value_or(options_.version_max);
}

void Connection::fail_pending(std::string_view reason) {
  const std::vector<Pending> lost = std::exchange(pending_, {});
  free_streams_.clear();
  orphans_ = 0;
  in_flight_ = 0;
  for (const Pending& pending : lost)
    if (pending.handler)
      pending.handler->on_no_response(pending.token, RequestFault::kConnectionLost, reason,
                                      loop_.now_ns());
}

net::TcpStream::Counters Connection::counters() const {
  net::TcpStream::Counters sum = earlier_counters_;
  if (stream_) sum += stream_->counters();
  return sum;
}

}  // namespace cqlperf::client

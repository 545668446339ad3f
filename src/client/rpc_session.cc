#include "client/rpc_session.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "client/rpc_channel.h"
#include "core/check.h"
#include "core/clock.h"
#include "core/interrupt.h"
#include "core/units.h"

namespace cqlperf::client {
namespace {

using core::Error;
using core::ErrorCode;
using thrift::Call;

constexpr int64_t kInterruptCheckNs = 100 * core::kNanosPerMilli;
constexpr int64_t kSweepIntervalMaxNs = 100 * core::kNanosPerMilli;

// A connection is asked something before it counts as ready, so that one to another kind of server
// never does.
std::vector<Call> handshake_of(const RpcSessionOptions& options) {
  std::vector<Call> calls;
  if (options.connection.credentials) calls.push_back(Call::kLogin);
  if (!options.connection.keyspace.empty()) calls.push_back(Call::kSetKeyspace);
  if (!options.prepare.empty()) calls.push_back(Call::kPrepareCql3Query);
  if (calls.empty()) calls.push_back(Call::kDescribeVersion);
  return calls;
}

// Trying again while a caller waits would not change it.
bool is_refusal(const Error& error) {
  return error.code == ErrorCode::kConnect || error.code == ErrorCode::kProtocol ||
         error.code == ErrorCode::kAuth || error.code == ErrorCode::kSetup;
}

}  // namespace

void RpcSession::State::IdleQueue::remove(const Channel* channel) {
  for (size_t left = size_; left > 0; left--) {
    Channel* other = pop();
    if (other != channel) push(other);
  }
}

RpcSession::State::State(net::EventLoop& loop_in, RpcClient& client_in,
                         RpcSessionOptions options_in)
    : loop(loop_in),
      client(client_in),
      options(std::move(options_in)),
      request_timeout_text(fmt::format(
          "no answer within {}",
          core::format_duration_ns(static_cast<double>(options.connection.request_timeout_ns)))),
      handshake(handshake_of(options)),
      random(options.seed),
      idle(options.connections) {
  CQLPERF_CHECK(!options.nodes.empty() && options.connections > 0,
                "a session needs a node and a connection");
  for (const net::SocketAddress& address : options.nodes)
    nodes.push_back(std::make_unique<Node>(Node{.address = address}));
  for (uint32_t i = 0; i < options.connections; i++)
    channels.push_back(std::make_unique<Channel>(*this, *nodes[i % nodes.size()]));
  written.reserve(channels.size());
}

RpcSession::State::~State() { loop.cancel(sweep_timer); }

// One timer for all connections: an operation costs none.
void RpcSession::State::schedule_sweep() {
  const int64_t interval_ns = std::clamp(options.connection.request_timeout_ns / 10,
                                         core::kNanosPerMilli, kSweepIntervalMaxNs);
  sweep_timer = loop.call_at(loop.now_ns() + interval_ns, [this] { sweep_timeouts(); });
}

void RpcSession::State::sweep_timeouts() {
  const int64_t oldest_ns = loop.now_ns() - options.connection.request_timeout_ns;
  for (const auto& channel : channels) channel->check_timeout(oldest_ns);
  schedule_sweep();
}

void RpcSession::State::on_ready(Node& node) {
  ready++;
  node.ready++;
  node.has_been_ready = true;
  if (std::exchange(node.reported_lost, false) && options.log)
    options.log(fmt::format("node {} is used again", node.address.to_string()));
}

// A node that never was ready is wait_until_ready()'s to tell of.
void RpcSession::State::on_ended(Node& node, bool was_ready, const Error& error) {
  if (was_ready) {
    ready--;
    node.ready--;
  }
  if (node.ready > 0 || !node.has_been_ready || std::exchange(node.reported_lost, true)) return;
  if (options.log)
    options.log(fmt::format("node {} is not used: {}; trying again", node.address.to_string(),
                            error.message));
}

std::optional<Error> RpcSession::State::refusal() const {
  for (const auto& node : nodes) {
    const Error* first = nullptr;
    const bool refused = std::ranges::all_of(channels, [&](const auto& channel) {
      if (&channel->node() != node.get()) return true;
      const auto& error = channel->last_error();
      if (error && first == nullptr) first = &*error;
      return error && is_refusal(*error);
    });
    if (!refused || first == nullptr) continue;
    // There is no connection to a server of Thrift, whatever else it is.
    const bool is_other = first->code == ErrorCode::kProtocol;
    return Error{is_other ? ErrorCode::kConnect : first->code, first->message};
  }
  return std::nullopt;
}

// One line for each node that is not ready, with what its first such connection met.
Error RpcSession::State::not_ready_error() const {
  Error error{ErrorCode::kConnect,
              fmt::format("{} of {} connections are ready:", ready, channels.size())};
  std::vector<const Node*> told;
  for (const auto& channel : channels) {
    if (channel->is_ready() || std::ranges::find(told, &channel->node()) != told.end()) continue;
    told.push_back(&channel->node());
    const auto& last = channel->last_error();
    if (last && (last->code == ErrorCode::kAuth || last->code == ErrorCode::kSetup))
      error.code = last->code;
    error.message +=
        "\n  " + (last ? last->message : channel->node().address.to_string() + ": no answer yet");
  }
  return error;
}

RpcSession::RpcSession(net::EventLoop& loop, RpcClient& client, RpcSessionOptions options)
    : state_(std::make_unique<State>(loop, client, std::move(options))) {}

RpcSession::~RpcSession() = default;

void RpcSession::start() {
  for (const auto& channel : state_->channels) channel->open();
  state_->schedule_sweep();
}

core::Status RpcSession::wait_until_ready(int64_t deadline_ns) {
  State& state = *state_;
  for (;;) {
    if (state.ready == state.channels.size()) return {};
    if (core::interrupted())
      return core::fail(ErrorCode::kInterrupted, "interrupted while connecting");
    if (auto refused = state.refusal()) return std::unexpected(std::move(*refused));
    const int64_t now_ns = state.loop.refresh_now();
    if (now_ns >= deadline_ns) return std::unexpected(state.not_ready_error());
    state.loop.poll(std::min(deadline_ns, now_ns + kInterruptCheckNs));
  }
}

ExecuteStatus RpcSession::execute(uint32_t token) {
  State& state = *state_;
  if (state.idle.empty()) [[unlikely]]
    return state.ready == 0 ? ExecuteStatus::kNotReady : ExecuteStatus::kStreamsBusy;
  Channel* channel = state.idle.pop();
  state.in_flight++;
  channel->execute(token);
  state.written.push_back(channel);
  return ExecuteStatus::kSent;
}

void RpcSession::flush() {
  for (Channel* channel : state_->written) channel->flush();
  state_->written.clear();
}

size_t RpcSession::in_flight() const { return state_->in_flight; }
size_t RpcSession::ready_connections() const { return state_->ready; }
uint64_t RpcSession::reconnects() const { return state_->reconnects; }

net::TcpStream::Counters RpcSession::counters() const {
  net::TcpStream::Counters sum;
  for (const auto& channel : state_->channels) sum += channel->counters();
  return sum;
}

}  // namespace cqlperf::client

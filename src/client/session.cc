#include "client/session.h"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "client/session_node.h"
#include "core/check.h"
#include "core/interrupt.h"

namespace cqlperf::client {
namespace {

using core::Error;
using core::ErrorCode;

constexpr int64_t kInterruptCheckNs = 100 * core::kNanosPerMilli;

}  // namespace

Session::Session(net::EventLoop& loop, SessionClient& client, SessionOptions options)
    : loop_(loop), client_(client), options_(std::move(options)), random_(options_.seed) {
  CQLPERF_CHECK(!options_.nodes.empty() && options_.connections_per_node > 0,
                "a session needs a node and a connection");
  CQLPERF_CHECK(options_.statements.size() <= std::numeric_limits<uint16_t>::max(),
                "a session has at most 65535 statements");
  for (const StatementSpec& spec : options_.statements) {
    CQLPERF_CHECK(spec.kind == StatementKind::kPrepared || (!spec.tail && !spec.paged),
                  "tail and pages are for prepared statements");
    statements_.push_back(std::make_unique<Statement>(Statement{spec, {}, {}}));
  }
  for (const net::SocketAddress& address : options_.nodes) {
    nodes_.push_back(std::make_unique<Node>(*this, address));
    for (const auto& channel : nodes_.back()->channels()) channels_.push_back(channel.get());
  }
}

Session::~Session() = default;

void Session::start() {
  for (Channel* channel : channels_) channel->open();
}

core::Status Session::wait_until_ready(int64_t deadline_ns) {
  for (;;) {
    if (!active_.empty()) return {};
    if (core::interrupted())
      return core::fail(ErrorCode::kInterrupted, "interrupted while connecting");
    if (auto refused = refusal()) return std::unexpected(std::move(*refused));
    const int64_t now_ns = loop_.refresh_now();
    if (now_ns >= deadline_ns) return std::unexpected(not_ready_error());
    loop_.poll(std::min(deadline_ns, now_ns + kInterruptCheckNs));
  }
}

// What all nodes have said, when waiting will not change it.
std::optional<Error> Session::refusal() const {
  std::optional<Error> first;
  for (const auto& node : nodes_) {
    const NodeStatus status = node->status();
    const bool refused = status.last_error && (status.last_error->code == ErrorCode::kAuth ||
                                               status.last_error->code == ErrorCode::kSetup);
    if (!refused) return std::nullopt;
    if (!first) first = status.last_error;
  }
  return first;
}

Error Session::not_ready_error() const {
  Error error{ErrorCode::kConnect, "no node is ready:"};
  for (const auto& node : nodes_) {
    const NodeStatus status = node->status();
    if (status.last_error && (status.last_error->code == ErrorCode::kAuth ||
                              status.last_error->code == ErrorCode::kSetup))
      error.code = status.last_error->code;
    // The text of an error has the address in it.
    error.message += "\n  " + (status.last_error ? status.last_error->message
                                                 : status.address.to_string() + ": no answer yet");
  }
  return error;
}

void Session::update_active() {
  active_.clear();
  for (const auto& node : nodes_)
    for (const auto& channel : node->channels())
      if (node->is_usable() && channel->connection().is_ready()) active_.push_back(channel.get());
}

Session::Channel* Session::next_channel() {
  for (size_t tried = 0; tried < active_.size(); tried++) {
    last_ = last_ + 1 < active_.size() ? last_ + 1 : 0;
    if (active_[last_]->connection().has_room()) [[likely]]
      return active_[last_];
  }
  return nullptr;
}

ExecuteStatus Session::execute(uint16_t statement, uint32_t token) {
  Channel* channel = next_channel();
  if (!channel) [[unlikely]]
    return active_.empty() ? ExecuteStatus::kNotReady : ExecuteStatus::kStreamsBusy;
  in_flight_++;
  channel->send(statement, token, false);
  return ExecuteStatus::kSent;
}

void Session::flush() {
  for (Channel* channel : channels_) channel->connection().flush();
}

void Session::fail_operation(uint32_t token, const RequestFailure& failure, int64_t now_ns) {
  in_flight_--;
  client_.on_failure(token, failure, now_ns);
}

size_t Session::ready_connections() const {
  return static_cast<size_t>(std::ranges::count_if(
      channels_, [](const Channel* channel) { return channel->connection().is_ready(); }));
}

std::vector<NodeStatus> Session::nodes() const {
  std::vector<NodeStatus> statuses;
  for (const auto& node : nodes_) statuses.push_back(node->status());
  return statuses;
}

uint64_t Session::late_answers() const {
  uint64_t sum = 0;
  for (const Channel* channel : channels_) sum += channel->connection().late_answers();
  return sum;
}

net::TcpStream::Counters Session::counters() const {
  net::TcpStream::Counters sum;
  for (const Channel* channel : channels_) sum += channel->connection().counters();
  return sum;
}

const protocol::RowsMetadata& Session::result_metadata(uint16_t statement) const {
  return statements_[statement]->result;
}

const protocol::BindMetadata& Session::bind_metadata(uint16_t statement) const {
  return statements_[statement]->bind;
}

}  // namespace cqlperf::client

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "client/reopen_delay.h"
#include "client/rpc_session.h"
#include "core/buffer.h"
#include "core/random.h"
#include "core/result.h"
#include "net/endpoint.h"
#include "net/event_loop.h"
#include "net/tcp_stream.h"
#include "thrift/call_writer.h"
#include "thrift/messages.h"
#include "thrift/reply_reader.h"

// The parts of RpcSession (rpc_session.h): a Channel for each connection, and the State that they
// share. All of it belongs to the session's thread and lives as long as the session.

namespace cqlperf::client {

struct RpcSession::State {
  // A server, and what was told of it.
  struct Node {
    net::SocketAddress address;
    size_t ready = 0;  // connections
    bool has_been_ready = false;
    bool reported_lost = false;
  };
  // Channels without a request; the one that has waited longest is used first, so that the load is
  // even over the connections. Allocates only when it is made.
  class IdleQueue {
   public:
    explicit IdleQueue(size_t capacity) : slots_(capacity) {}

    bool empty() const { return size_ == 0; }
    void push(Channel* channel) {
      slots_[(first_ + size_) % slots_.size()] = channel;
      size_++;
    }
    Channel* pop() {
      Channel* channel = slots_[first_];
      first_ = (first_ + 1) % slots_.size();
      size_--;
      return channel;
    }
    void remove(const Channel* channel);

   private:
    std::vector<Channel*> slots_;
    size_t first_ = 0;
    size_t size_ = 0;
  };

  State(net::EventLoop& loop_in, RpcClient& client_in, RpcSessionOptions options_in);
  ~State();

  void schedule_sweep();
  void sweep_timeouts();
  // A connection of the node is ready, or has ended.
  void on_ready(Node& node);
  void on_ended(Node& node, bool was_ready, const core::Error& error);
  // Why a node will not be ready, when all of its connections were refused.
  std::optional<core::Error> refusal() const;
  core::Error not_ready_error() const;

  net::EventLoop& loop;
  RpcClient& client;
  const RpcSessionOptions options;
  const std::string request_timeout_text;
  // What a new connection is asked, in this order, before operations use it.
  const std::vector<thrift::Call> handshake;
  core::Random random;
  thrift::CallWriter writer;
  thrift::ReplyReader reader;
  std::vector<std::unique_ptr<Node>> nodes;
  std::vector<std::unique_ptr<Channel>> channels;
  IdleQueue idle;
  std::vector<Channel*> written;  // since the last flush()
  size_t ready = 0;               // connections
  size_t in_flight = 0;
  uint64_t reconnects = 0;
  net::TimerId sweep_timer = net::kNoTimer;
};

// One connection: makes itself ready, has one request at a time, and opens itself again when it has
// ended.
class RpcSession::Channel final : private net::TcpStream::Handler {
 public:
  Channel(State& state, State::Node& node);
  ~Channel();

  void open();
  // Writes an operation; the channel must come from the idle queue.
  void execute(uint32_t token);
  void flush() { stream_->flush(); }
  // Ends the connection when its request was sent at `oldest_ns` or before.
  void check_timeout(int64_t oldest_ns);

  const State::Node& node() const { return node_; }
  bool is_ready() const { return stage_ == Stage::kReady; }
  // Why it ended last; none when it was ready since.
  const std::optional<core::Error>& last_error() const { return last_error_; }
  net::TcpStream::Counters counters() const;

 private:
  enum class Stage : uint8_t { kClosed, kConnecting, kHandshake, kReady };

  void on_connected() override;
  void on_bytes(core::Buffer& input) override;
  void on_closed(const core::Error& error) override;

  int32_t next_seqid() { return seqid_ = seqid_ == INT32_MAX ? 1 : seqid_ + 1; }
  core::Result<thrift::ReplyReader::Outcome> read_reply(thrift::ByteView message);
  void begin_step();
  void finish_step(thrift::ReplyReader::Outcome outcome);
  void become_ready();
  core::Error refusal() const;
  void finish_operation(thrift::ReplyReader::Outcome outcome);
  void fail_exception();
  void on_connect_deadline();
  void fail_protocol(std::string_view what);
  void fail(const core::Error& error, std::string_view kind);
  void stop();

  State& state_;
  State::Node& node_;
  std::unique_ptr<net::TcpStream> stream_;
  Stage stage_ = Stage::kClosed;
  bool waits_ = false;  // for a reply to call_
  thrift::Call call_;
  uint32_t token_ = 0;  // when ready, of the request that waits
  int32_t seqid_ = 0;   // of the last call
  int32_t item_id_ = 0;
  int64_t sent_ns_ = 0;
  size_t step_ = 0;  // of the handshake
  bool was_ready_ = false;
  ReopenDelay reopen_delay_;
  net::TimerId deadline_timer_ = net::kNoTimer;
  net::TimerId open_timer_ = net::kNoTimer;
  std::optional<core::Error> last_error_;
  net::TcpStream::Counters earlier_counters_;  // of the streams before stream_
};

}  // namespace cqlperf::client

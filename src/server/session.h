#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "protocol/batch.h"
#include "protocol/event.h"
#include "protocol/execute.h"
#include "protocol/frame.h"
#include "protocol/query_parameters.h"
#include "server/request.h"
#include "server/statements.h"
#include "server/worker.h"

namespace cqlperf::server {

class Connection;

// What the messages of one connection mean: the handshake, then requests. Owner thread: the
// worker's.
class Session {
 public:
  // Both outlive it; the connection is where the answers go.
  Session(Worker& worker, Connection& connection) : worker_(worker), connection_(connection) {}

  // Handles one request; `body` is the message, unpacked, and is not kept.
  void handle(const protocol::FrameHeader& header, protocol::ByteView body);

  // True when the client was let in.
  bool is_ready() const { return state_ == State::kReady; }
  // Whether it asked for such events.
  bool wants(const protocol::Event& event) const;

 private:
  enum class State : uint8_t { kNew, kLogin, kReady };

  void startup(protocol::ByteView body);
  void login(protocol::ByteView body);
  void register_events(protocol::ByteView body);
  void query(protocol::ByteView body);
  void prepare(protocol::ByteView body);
  void execute(protocol::ByteView body);
  void batch(protocol::ByteView body);

  // Runs a statement with its values; `keyspace` is that of the request.
  void run(const CompiledPtr& compiled, protocol::Consistency consistency, Arguments& arguments,
           const std::string& keyspace);
  void run_write(const WritePlan& plan, Arguments& arguments);
  void run_batch_text(const BatchPlan& batch, Arguments& arguments);
  void run_use(const std::string& keyspace);
  void run_schema_change(const CompiledPtr& compiled, const std::string& keyspace);

  Arguments arguments_of(const protocol::QueryParameters& parameters);
  void set_time(Arguments& arguments, std::optional<int64_t> timestamp_us,
                std::optional<int32_t> now_seconds);
  void give_timestamp(Arguments& arguments);
  MetadataForm metadata_form(const protocol::Execute& message,
                             const PreparedView::Entry& entry) const;
  // nullptr when an error was answered.
  const PreparedView::Entry* find_prepared(protocol::ByteView id);
  CompiledPtr batch_statement(const protocol::BatchStatement& statement,
                              const std::string& keyspace);

  ReplyTo to() const;
  template <class Message>
  void reply(const Message& message);
  void error(const protocol::ErrorMessage& message) { reply_error(to(), message); }
  // The answer is a protocol error, and the connection ends.
  void malformed(const core::Error& why);
  // The same for a message that has no place here.
  void unexpected(std::string_view expected);

  Worker& worker_;
  Connection& connection_;
  State state_ = State::kNew;
  uint8_t events_ = 0;  // a bit for each alternative of protocol::Event
  uint8_t wrong_logins_ = 0;
  std::string keyspace_;
  // Of the request at hand.
  protocol::FrameHeader header_;
};

}  // namespace cqlperf::server

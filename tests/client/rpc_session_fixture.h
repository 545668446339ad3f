#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "client/rpc_session.h"
#include "core/clock.h"
#include "core/interrupt.h"
#include "scripted_thrift_server.h"

namespace cqlperf::client {

// Writes calls of one kind that carry their token as text, and notes what it is told.
class RecordingRpcClient final : public RpcClient {
 public:
  struct Failure {
    uint32_t token;
    std::string kind;
    std::string message;
    bool in_doubt;
    bool answered;
  };

  void write_call(uint32_t token, int32_t seqid, int32_t item_id, thrift::CallWriter& writer,
                  core::Buffer& out) override {
    const std::string text = std::to_string(token);
    const thrift::ByteView bytes = thrift_bytes(text);
    item_ids.push_back(item_id);
    constexpr auto kQuorum = thrift::Consistency::kQuorum;
    switch (call) {
      case thrift::Call::kGetSlice:
        return writer.get_slice(seqid, bytes, "t", {.count = 3}, kQuorum, out);
      case thrift::Call::kExecuteCql3Query:
        return writer.execute_cql3_query(seqid, "SELECT " + text, kQuorum, out);
      case thrift::Call::kExecutePreparedCql3Query:
        return writer.execute_prepared_cql3_query(seqid, item_id, {&bytes, 1}, kQuorum, out);
      default:
        write_batch(seqid, bytes, writer, out);
    }
  }
  void on_reply(uint32_t token, const thrift::ReplyReader& reply, int64_t received_ns) override {
    EXPECT_GT(received_ns, 0);
    successes.push_back(token);
    if (call == thrift::Call::kGetSlice && reply.cells().size() == 1)
      texts.push_back(thrift_text(reply.cells()[0].value));
    if (call == thrift::Call::kExecuteCql3Query && reply.row_count() == 1)
      texts.push_back(thrift_text(reply.row(0)[0].value));
    if (on_end) on_end();
  }
  void on_failure(uint32_t token, const RequestFailure& failure, bool answered, int64_t) override {
    EXPECT_EQ(failure.frame, nullptr);
    failures.push_back({token, std::string(failure.kind), std::string(failure.message),
                        failure.in_doubt, answered});
    if (on_end) on_end();
  }
  size_t ended() const { return successes.size() + failures.size(); }

  thrift::Call call = thrift::Call::kBatchMutate;
  std::vector<uint32_t> successes;
  std::vector<Failure> failures;
  std::vector<std::string> texts;  // what the replies held
  std::vector<int32_t> item_ids;   // of the calls written
  std::function<void()> on_end;

 private:
  static void write_batch(int32_t seqid, thrift::ByteView bytes, thrift::CallWriter& writer,
                          core::Buffer& out) {
    const thrift::ColumnWrite column{.name = thrift_bytes("c"), .value = bytes, .timestamp_us = 9};
    const thrift::RowWrite row{.key = bytes, .column_family = "t", .columns = {&column, 1}};
    writer.batch_mutate(seqid, {&row, 1}, thrift::Consistency::kQuorum, out);
  }
};

class RpcSessionTest : public testing::Test {
 protected:
  RpcSessionTest() {
    options_.nodes = {server_.address()};
    options_.log = [this](std::string text) { log_.push_back(std::move(text)); };
  }
  ~RpcSessionTest() override { core::set_interrupted(false); }

  int64_t in_ns(int64_t delta_ns) { return loop_.refresh_now() + delta_ns; }
  bool poll_until(const std::function<bool()>& condition) {
    const int64_t deadline_ns = in_ns(20 * core::kNanosPerSecond);
    while (!condition() && loop_.now_ns() < deadline_ns) {
      if (session_) session_->flush();
      loop_.poll(in_ns(20 * core::kNanosPerMilli));
    }
    return condition();
  }
  void use_call(thrift::Call call) { options_.call = client_.call = call; }
  void make_session() {
    session_ = std::make_unique<RpcSession>(loop_, client_, options_);
    session_->start();
  }
  core::Status start(int64_t timeout_ns = 10 * core::kNanosPerSecond) {
    make_session();
    return session_->wait_until_ready(in_ns(timeout_ns));
  }
  void start_ready() {
    const core::Status status = start();
    ASSERT_TRUE(status) << status.error().message;
  }
  // Why the session is not ready; long before the deadline.
  core::Error refused_at_once() {
    const int64_t begun_ns = loop_.refresh_now();
    const core::Status status = start();
    EXPECT_LT(loop_.refresh_now() - begun_ns, 3 * core::kNanosPerSecond);
    EXPECT_FALSE(status);
    return status ? core::Error{core::ErrorCode::kUsage, "it is ready"} : status.error();
  }
  void execute(uint32_t first, uint32_t count) {
    for (uint32_t token = first; token < first + count; token++)
      ASSERT_EQ(session_->execute(token), ExecuteStatus::kSent) << token;
    session_->flush();
  }
  bool poll_until_ended(size_t count) {
    return poll_until([&] { return client_.ended() >= count; });
  }
  bool poll_until_ready() {
    return poll_until([&] { return session_->ready_connections() == options_.connections; });
  }
  // Executes one operation, which fails.
  RecordingRpcClient::Failure failure_of_one(uint32_t token) {
    const size_t before = client_.failures.size();
    execute(token, 1);
    if (!poll_until([&] { return client_.failures.size() > before; })) {
      ADD_FAILURE() << "no failure";
      return {};
    }
    EXPECT_EQ(client_.failures.back().token, token);
    EXPECT_EQ(session_->in_flight(), 0u);
    return client_.failures.back();
  }
  void expect_works_again(uint32_t token) {
    ASSERT_TRUE(poll_until_ready());
    const size_t before = client_.successes.size();
    execute(token, 1);
    ASSERT_TRUE(poll_until([&] { return client_.successes.size() > before; }));
    EXPECT_EQ(client_.successes.back(), token);
  }

  net::EventLoop loop_;
  ScriptedThriftServer server_;
  RecordingRpcClient client_;
  RpcSessionOptions options_;
  std::vector<std::string> log_;
  std::unique_ptr<RpcSession> session_;
};

}  // namespace cqlperf::client

#include <cstdlib>
#include <new>

#include <gtest/gtest.h>

#include "client/rpc_session.h"
#include "scripted_thrift_server.h"
#include "session_fixture.h"

// What one operation costs in allocations and system calls once a session runs.

namespace {

// Of this thread only: the scripted server allocates in its own.
thread_local int64_t allocations = 0;

void* counted(std::size_t size) {
  allocations++;
  void* memory = std::malloc(size);
  if (!memory) std::abort();
  return memory;
}

}  // namespace

void* operator new(std::size_t size) { return counted(size); }
void* operator new[](std::size_t size) { return counted(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

namespace cqlperf::client {
namespace {

constexpr uint32_t kWindow = 100;

// Counts and starts the next operation, like a closed-loop executor.
class LoopClient final : public SessionClient {
 public:
  void write_values(uint16_t, uint32_t token, core::Buffer& out) override {
    protocol::append_int(out, static_cast<int32_t>(token));
    protocol::append_int(out, 7);
  }
  void write_query(uint16_t, uint32_t, core::Buffer& out) override {
    out.append("INSERT INTO ks.t (a, b) VALUES (1, 7)");
  }
  void on_success(uint32_t, const protocol::Frame&, int64_t) override { successes++; }
  void on_failure(uint32_t, const RequestFailure&, int64_t) override { failures++; }

  uint32_t successes = 0;
  uint32_t failures = 0;
};

class HotPath : public SessionTest {
 protected:
  void start_loop() {
    session_ = std::make_unique<Session>(loop_, loop_client_, options_);
    session_->start();
    ASSERT_TRUE(session_->wait_until_ready(in_ns(10 * core::kNanosPerSecond)));
  }
  // Keeps the window full until `count` more operations have ended.
  void run(uint32_t count) {
    const uint32_t end = loop_client_.successes + loop_client_.failures + count;
    const int64_t deadline_ns = in_ns(60 * core::kNanosPerSecond);
    while (loop_client_.successes + loop_client_.failures < end && loop_.now_ns() < deadline_ns) {
      while (session_->in_flight() < kWindow)
        if (session_->execute(0, next_++) != ExecuteStatus::kSent) break;
      session_->flush();
      polls_++;
      loop_.poll(deadline_ns);
    }
    ASSERT_GE(loop_client_.successes + loop_client_.failures, end);
  }

  LoopClient loop_client_;
  uint32_t next_ = 0;
  uint64_t polls_ = 0;
};

TEST_F(HotPath, NothingIsAllocatedPerOperation) {
  start_loop();
  run(20'000);
  const int64_t before = allocations;
  run(20'000);
  EXPECT_EQ(allocations - before, 0);
  EXPECT_EQ(loop_client_.failures, 0u);
}

TEST_F(HotPath, NothingIsAllocatedPerOperationInOtherForms) {
  server_.set_compressions({"lz4"});
  using protocol::Compression;
  using protocol::Version;
  for (const auto& [version, compression] :
       {std::pair(Version::kV5, Compression::kNone), std::pair(Version::kV5, Compression::kLz4),
        std::pair(Version::kV4, Compression::kLz4)}) {
    options_.connection.version_max = version;
    options_.connection.compression = compression;
    start_loop();
    run(5'000);
    const int64_t before = allocations;
    run(5'000);
    EXPECT_EQ(allocations - before, 0);
  }
  EXPECT_EQ(loop_client_.failures, 0u);
}

TEST_F(HotPath, NothingIsAllocatedPerOperationThatIsNotPrepared) {
  server_.set_compressions({"lz4"});
  for (const auto compression : {protocol::Compression::kNone, protocol::Compression::kLz4}) {
    for (const auto kind : {StatementKind::kBoundQuery, StatementKind::kTextQuery}) {
      options_.connection.compression = compression;
      options_.statements = {{.cql = kInsert, .kind = kind, .values = 2}};
      start_loop();
      run(5'000);
      const int64_t before = allocations;
      run(5'000);
      EXPECT_EQ(allocations - before, 0);
    }
  }
  EXPECT_EQ(loop_client_.failures, 0u);
  EXPECT_EQ(server_.count(protocol::Opcode::kPrepare), 0);
}

TEST_F(HotPath, NothingIsAllocatedPerError) {
  start_loop();
  server_.on(protocol::Opcode::kExecute,
             act::error(protocol::ErrorCode::kOverloaded, "too much of everything"));
  run(5'000);
  const int64_t before = allocations;
  run(5'000);
  EXPECT_EQ(allocations - before, 0);
  EXPECT_GE(loop_client_.failures, 10'000u);
}

TEST_F(HotPath, SystemCallsAreSharedByManyOperations) {
  start_loop();
  // Answers come in lumps of at least ten, as those of a busy server do.
  server_.on(protocol::Opcode::kExecute,
             [held = std::make_shared<std::atomic<int>>(0)](Exchange& e) {
               e.reply_result(protocol::VoidResult{});
               if (++*held % 10 == 0) e.flush();
             });
  const auto counters = session_->counters();
  polls_ = 0;
  constexpr uint32_t kOperations = 20'000;
  run(kOperations);
  const auto after = session_->counters();
  const uint64_t calls =
      after.sends - counters.sends + (after.receives - counters.receives) + polls_;
  EXPECT_LT(calls, kOperations / 2);
}

TEST_F(HotPath, AWholeTurnIsOneSend) {
  start_loop();
  const uint64_t before = session_->counters().sends;
  for (uint32_t token = 0; token < kWindow; token++)
    ASSERT_EQ(session_->execute(0, token), ExecuteStatus::kSent);
  session_->flush();
  session_->flush();
  EXPECT_EQ(session_->counters().sends - before, 1u);
}

// The same over Thrift.
class LoopRpcClient final : public RpcClient {
 public:
  explicit LoopRpcClient(thrift::Call call) : call_(call) {}

  void write_call(uint32_t, int32_t seqid, int32_t item_id, thrift::CallWriter& writer,
                  core::Buffer& out) override {
    const thrift::ByteView key = thrift_bytes("key");
    const thrift::ColumnWrite column{.name = key, .value = key, .timestamp_us = 1};
    const thrift::RowWrite row{.key = key, .column_family = "t", .columns = {&column, 1}};
    constexpr auto kOne = thrift::Consistency::kOne;
    switch (call_) {
      case thrift::Call::kGetSlice:
        return writer.get_slice(seqid, key, "t", {}, kOne, out);
      case thrift::Call::kExecuteCql3Query:
        return writer.execute_cql3_query(seqid, "SELECT a, b, c FROM ks.t", kOne, out);
      case thrift::Call::kExecutePreparedCql3Query:
        return writer.execute_prepared_cql3_query(seqid, item_id, {&key, 1}, kOne, out);
      default:
        return writer.batch_mutate(seqid, {&row, 1}, kOne, out);
    }
  }
  void on_reply(uint32_t, const thrift::ReplyReader&, int64_t) override { successes++; }
  void on_failure(uint32_t, const RequestFailure&, bool, int64_t) override { failures++; }

  uint32_t successes = 0;
  uint32_t failures = 0;

 private:
  thrift::Call call_;
};

class RpcHotPath : public testing::TestWithParam<thrift::Call> {
 protected:
  RpcHotPath() : client_(GetParam()) {
    RpcSessionOptions options;
    options.nodes = {server_.address()};
    options.connections = 4;
    options.call = GetParam();
    options.prepare = "SELECT a FROM t";
    session_ = std::make_unique<RpcSession>(loop_, client_, options);
    session_->start();
  }
  void run(uint32_t count) {
    const uint32_t end = client_.successes + client_.failures + count;
    const int64_t deadline_ns = loop_.refresh_now() + 60 * core::kNanosPerSecond;
    while (client_.successes + client_.failures < end && loop_.now_ns() < deadline_ns) {
      while (session_->execute(0) == ExecuteStatus::kSent) {
      }
      session_->flush();
      loop_.poll(deadline_ns);
    }
    ASSERT_GE(client_.successes + client_.failures, end);
  }

  net::EventLoop loop_;
  ScriptedThriftServer server_;
  LoopRpcClient client_;
  std::unique_ptr<RpcSession> session_;
};

TEST_P(RpcHotPath, NothingIsAllocatedPerOperation) {
  ASSERT_TRUE(session_->wait_until_ready(loop_.refresh_now() + 10 * core::kNanosPerSecond));
  // With some of the sweeps for time-outs, which come each 100 ms.
  const int64_t warm_ns = loop_.now_ns() + 300 * core::kNanosPerMilli;
  while (loop_.now_ns() < warm_ns) run(1'000);
  const int64_t before = allocations;
  run(5'000);
  EXPECT_EQ(allocations - before, 0);
  EXPECT_EQ(client_.failures, 0u);
}

INSTANTIATE_TEST_SUITE_P(All, RpcHotPath,
                         testing::Values(thrift::Call::kBatchMutate, thrift::Call::kGetSlice,
                                         thrift::Call::kExecuteCql3Query,
                                         thrift::Call::kExecutePreparedCql3Query),
                         [](const auto& param) {
                           return std::string(thrift::call_name(param.param));
                         });

}  // namespace
}  // namespace cqlperf::client

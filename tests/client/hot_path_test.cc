#include <cstdlib>
#include <new>

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace cqlperf::client

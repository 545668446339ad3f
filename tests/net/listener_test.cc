#include "net/listener.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/clock.h"
#include "net/tcp_stream.h"

namespace cqlperf::net {
namespace {

using core::ErrorCode;
using core::kNanosPerMilli;
using core::kNanosPerSecond;
using testing::HasSubstr;

const SocketAddress kAnyPort = *SocketAddress::from_numeric("127.0.0.1", 0);

class Acceptor final : public Listener::Handler {
 public:
  ~Acceptor() {
    for (const int fd : accepted) close(fd);
  }
  void on_accepted(int fd, const SocketAddress& peer) override {
    accepted.push_back(fd);
    last_peer = peer;
    if (on_each) on_each();
  }
  void on_accept_paused(const core::Error& error) override {
    pauses++;
    pause_error = error;
  }

  std::vector<int> accepted;
  SocketAddress last_peer;
  int pauses = 0;
  std::optional<core::Error> pause_error;
  std::function<void()> on_each;
};

// Blocking sockets that connect to a listener.
class Clients {
 public:
  ~Clients() {
    for (const int fd : fds_) close(fd);
  }
  int connect_to(const SocketAddress& address) {
    const int fd = socket(address.family(), SOCK_STREAM, 0);
    EXPECT_EQ(connect(fd, address.data(), address.length()), 0);
    fds_.push_back(fd);
    return fd;
  }

 private:
  std::vector<int> fds_;
};

class ListenerTest : public testing::Test {
 protected:
  bool poll_until(const std::function<bool()>& condition) {
    const int64_t deadline_ns = core::steady_clock().now_ns() + 10 * kNanosPerSecond;
    while (!condition() && loop_.now_ns() < deadline_ns)
      loop_.poll(loop_.refresh_now() + kNanosPerMilli);
    return condition();
  }

  EventLoop loop_;
  Acceptor acceptor_;
  Listener listener_{loop_, acceptor_};
  Clients clients_;
};

TEST_F(ListenerTest, ReportsTheFreePortThatItTook) {
  ASSERT_TRUE(listener_.listen(kAnyPort));
  EXPECT_EQ(listener_.address().host(), "127.0.0.1");
  EXPECT_NE(listener_.address().port(), 0);
}

TEST_F(ListenerTest, AcceptsManyForOneEvent) {
  ASSERT_TRUE(listener_.listen(kAnyPort));
  for (int i = 0; i < 20; i++) clients_.connect_to(listener_.address());
  loop_.poll(kPollNow);
  ASSERT_EQ(acceptor_.accepted.size(), 20u);
  EXPECT_TRUE(acceptor_.last_peer.is_loopback());
  EXPECT_NE(acceptor_.last_peer.port(), listener_.address().port());
  for (const int fd : acceptor_.accepted) {
    EXPECT_NE(fcntl(fd, F_GETFL) & O_NONBLOCK, 0);
    EXPECT_NE(fcntl(fd, F_GETFD) & FD_CLOEXEC, 0);
  }
}

TEST_F(ListenerTest, AStormOfConnectionsIsAcceptedInSeveralTurns) {
  ASSERT_TRUE(listener_.listen(kAnyPort));
  for (int i = 0; i < 100; i++) clients_.connect_to(listener_.address());
  loop_.poll(kPollNow);
  EXPECT_LT(acceptor_.accepted.size(), 100u);
  EXPECT_TRUE(poll_until([&] { return acceptor_.accepted.size() == 100; }));
}

TEST_F(ListenerTest, AnAddressInUseIsNamedWithTheReason) {
  ASSERT_TRUE(listener_.listen(kAnyPort));
  Listener second(loop_, acceptor_);
  const auto status = second.listen(listener_.address());
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kSetup);
  EXPECT_THAT(status.error().message, HasSubstr(listener_.address().to_string()));
  EXPECT_THAT(status.error().message, HasSubstr("Address already in use"));
}

TEST_F(ListenerTest, ListenersThatAgreeShareAnAddress) {
  ASSERT_TRUE(listener_.listen(kAnyPort, {.reuse_port = true}));
  Acceptor others;
  Listener second(loop_, others);
  ASSERT_TRUE(second.listen(listener_.address(), {.reuse_port = true}));
  for (int i = 0; i < 50; i++) clients_.connect_to(listener_.address());
  EXPECT_TRUE(poll_until([&] { return acceptor_.accepted.size() + others.accepted.size() == 50; }));
  EXPECT_FALSE(acceptor_.accepted.empty());
  EXPECT_FALSE(others.accepted.empty());
}

TEST_F(ListenerTest, TheAddressIsFreeAgainAtOnce) {
  ASSERT_TRUE(listener_.listen(kAnyPort));
  const SocketAddress address = listener_.address();
  clients_.connect_to(address);
  ASSERT_TRUE(poll_until([&] { return acceptor_.accepted.size() == 1; }));
  // The side that closes first keeps the port in TIME_WAIT.
  close(acceptor_.accepted.back());
  acceptor_.accepted.clear();
  listener_.close();
  listener_.close();
  Listener next(loop_, acceptor_);
  EXPECT_TRUE(next.listen(address));
}

TEST_F(ListenerTest, MayBeClosedWhileItAccepts) {
  ASSERT_TRUE(listener_.listen(kAnyPort));
  for (int i = 0; i < 3; i++) clients_.connect_to(listener_.address());
  acceptor_.on_each = [&] { listener_.close(); };
  loop_.poll(kPollNow);
  loop_.poll(kPollNow);
  EXPECT_EQ(acceptor_.accepted.size(), 1u);
}

TEST_F(ListenerTest, WithoutDescriptorsItPausesAndGoesOnLater) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the sanitizers need descriptors to look at an object's type";
#endif
  ASSERT_TRUE(listener_.listen(kAnyPort));
  clients_.connect_to(listener_.address());
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const int lowest_free = dup(0);
  close(lowest_free);
  rlimit none = before;
  none.rlim_cur = static_cast<rlim_t>(lowest_free);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  ASSERT_TRUE(poll_until([&] { return acceptor_.pauses == 1; }));
  EXPECT_EQ(loop_.poll(kPollNow), 0);  // it does not spin
  EXPECT_THAT(acceptor_.pause_error->message, HasSubstr("Too many open files"));
  EXPECT_THAT(acceptor_.pause_error->message, HasSubstr(listener_.address().to_string()));
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_TRUE(poll_until([&] { return acceptor_.accepted.size() == 1; }));
}

class EchoServer final : public TcpStream::Handler {
 public:
  explicit EchoServer(EventLoop& loop) : stream(loop, *this) {}
  void on_connected() override { connected++; }
  void on_bytes(core::Buffer& input) override {
    calls++;
    if (on_input) return on_input(input);
    stream.output().append(input.bytes());
    input.consume(input.size());
    stream.flush();
  }
  void on_closed(const core::Error& closed_with) override {
    closed++;
    error = closed_with;
  }

  int connected = 0;
  int calls = 0;
  int closed = 0;
  std::optional<core::Error> error;
  std::function<void(core::Buffer&)> on_input;
  TcpStream stream;
};

class AdoptedStreamTest : public ListenerTest {
 protected:
  void SetUp() override {
    ASSERT_TRUE(listener_.listen(kAnyPort));
    client_ = clients_.connect_to(listener_.address());
    ASSERT_TRUE(poll_until([&] { return acceptor_.accepted.size() == 1; }));
    fd_ = acceptor_.accepted.back();
    acceptor_.accepted.clear();
    server_.stream.adopt(fd_, acceptor_.last_peer);
  }
  void client_sends(std::string_view text) const {
    ASSERT_EQ(send(client_, text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
  }
  std::string client_receives(size_t count) const {
    std::string text(count, '\0');
    const ssize_t got = recv(client_, text.data(), count, MSG_WAITALL);
    text.resize(got > 0 ? static_cast<size_t>(got) : 0);
    return text;
  }
  // Takes what waits for the client until the connection ends, and gives how much it was.
  size_t drain_client() {
    size_t received = 0;
    std::string block(1 << 20, '\0');
    EXPECT_TRUE(poll_until([&] {
      const ssize_t got = recv(client_, block.data(), block.size(), MSG_DONTWAIT);
      if (got > 0) received += static_cast<size_t>(got);
      return got == 0;
    }));
    return received;
  }
  int64_t in_seconds(int64_t seconds) { return loop_.refresh_now() + seconds * kNanosPerSecond; }

  EchoServer server_{loop_};
  int client_ = -1;
  int fd_ = -1;
};

TEST_F(AdoptedStreamTest, IsOpenAtOnceAndAnswers) {
  EXPECT_TRUE(server_.stream.is_open());
  EXPECT_EQ(server_.stream.address(), acceptor_.last_peer);
  client_sends("ping");
  ASSERT_TRUE(poll_until([&] { return server_.calls == 1; }));
  EXPECT_EQ(client_receives(4), "ping");
  EXPECT_EQ(server_.connected, 0);
}

TEST_F(AdoptedStreamTest, SendsSmallMessagesAtOnceAndLooksForDeadPeers) {
  int value = 0;
  socklen_t length = sizeof value;
  getsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &value, &length);
  EXPECT_NE(value, 0);
  getsockopt(fd_, SOL_SOCKET, SO_KEEPALIVE, &value, &length);
  EXPECT_NE(value, 0);
}

TEST_F(AdoptedStreamTest, WhilePausedNothingIsReadAndThenNothingIsLost) {
  server_.on_input = [&](core::Buffer&) { server_.stream.pause_reading(); };
  client_sends("abc");
  ASSERT_TRUE(poll_until([&] { return server_.stream.is_paused(); }));
  client_sends("def");
  EXPECT_EQ(loop_.poll(kPollNow), 0);
  EXPECT_EQ(server_.calls, 1);

  server_.on_input = nullptr;
  server_.stream.resume_reading();
  EXPECT_EQ(server_.calls, 1);  // never from inside a call
  ASSERT_TRUE(poll_until([&] { return server_.stream.counters().bytes_sent == 6; }));
  EXPECT_EQ(client_receives(6), "abcdef");
}

TEST_F(AdoptedStreamTest, WhatWaitsIsDeliveredWithoutNewBytes) {
  server_.on_input = [&](core::Buffer&) { server_.stream.pause_reading(); };
  client_sends("abc");
  ASSERT_TRUE(poll_until([&] { return server_.stream.is_paused(); }));
  server_.on_input = nullptr;
  server_.stream.resume_reading();
  ASSERT_TRUE(poll_until([&] { return server_.calls == 2; }));
  EXPECT_EQ(client_receives(3), "abc");
}

TEST_F(AdoptedStreamTest, AfterAPauseTheHandlerIsCalledWithoutInputToo) {
  server_.stream.pause_reading();
  server_.stream.resume_reading();
  size_t size = 1;
  server_.on_input = [&](core::Buffer& input) { size = input.size(); };
  loop_.poll(kPollNow);
  EXPECT_EQ(server_.calls, 1);
  EXPECT_EQ(size, 0u);
}

TEST_F(AdoptedStreamTest, PausedAgainBeforeTheDeliveryItWaits) {
  server_.on_input = [&](core::Buffer&) { server_.stream.pause_reading(); };
  client_sends("abc");
  ASSERT_TRUE(poll_until([&] { return server_.stream.is_paused(); }));
  server_.stream.resume_reading();
  server_.stream.pause_reading();
  loop_.poll(kPollNow);
  EXPECT_EQ(server_.calls, 1);
}

TEST_F(AdoptedStreamTest, AFullSocketSlowsTheClientDown) {
  server_.stream.pause_reading();
  const std::string chunk(1 << 16, 'x');
  size_t sent = 0;
  ssize_t put = 0;
  do {
    sent += static_cast<size_t>(put);
    ASSERT_LT(sent, size_t{1} << 28);
    put = send(client_, chunk.data(), chunk.size(), MSG_DONTWAIT);
  } while (put > 0);
  EXPECT_EQ(server_.calls, 0);
  size_t received = 0;
  server_.on_input = [&](core::Buffer& input) {
    received += input.size();
    input.consume(input.size());
  };
  server_.stream.resume_reading();
  EXPECT_TRUE(poll_until([&] { return received == sent; }));
}

TEST_F(AdoptedStreamTest, AResetWhilePausedEndsTheStreamOnce) {
  server_.stream.pause_reading();
  const linger hard{1, 0};
  setsockopt(client_, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
  // A descriptor in its place, so that the fixture closes nothing else.
  ASSERT_EQ(dup2(0, client_), client_);
  ASSERT_TRUE(poll_until([&] { return server_.closed == 1; }));
  EXPECT_THAT(server_.error->message, HasSubstr("reset"));
  loop_.poll(kPollNow);
  EXPECT_EQ(server_.closed, 1);
}

TEST_F(AdoptedStreamTest, LastWordsArriveWholeBeforeTheEnd) {
  const size_t size = size_t{32} << 20;
  server_.stream.output().append(std::string(size, 'x'));
  server_.stream.finish(in_seconds(10));
  EXPECT_GT(server_.stream.backlog_bytes(), 0u);
  client_sends("this is read and dropped");
  EXPECT_EQ(drain_client(), size);
  EXPECT_EQ(server_.calls, 0);
  EXPECT_EQ(server_.closed, 0);
  shutdown(client_, SHUT_WR);
  ASSERT_TRUE(poll_until([&] { return server_.closed == 1; }));
  EXPECT_EQ(server_.error->code, ErrorCode::kIo);
}

TEST_F(AdoptedStreamTest, LastWordsInACallbackReachAClientThatKeepsSending) {
  server_.on_input = [&](core::Buffer&) {
    server_.stream.output().append("no");
    server_.stream.finish(in_seconds(10));
  };
  client_sends(std::string(100'000, 'x'));
  EXPECT_EQ(drain_client(), 2u);
  EXPECT_EQ(server_.calls, 1);
}

TEST_F(AdoptedStreamTest, AClientThatDoesNotCloseAfterTheLastWordsIsClosed) {
  server_.stream.finish(loop_.refresh_now() + 20 * kNanosPerMilli);
  ASSERT_TRUE(poll_until([&] { return server_.closed == 1; }));
  EXPECT_EQ(server_.error->code, ErrorCode::kTimeout);
  EXPECT_FALSE(server_.stream.is_open());
}

TEST_F(AdoptedStreamTest, LargeBuffersAreGivenBackAfterTheMessage) {
  const size_t size = size_t{4} << 20;
  server_.on_input = [&](core::Buffer& input) {
    if (input.size() < size) return;
    input.consume(size);
    server_.stream.output().append("done");
    server_.stream.flush();
  };
  const std::string block(1 << 16, 'x');
  for (size_t sent = 0; sent < size; sent += block.size()) {
    client_sends(block);
    loop_.poll(kPollNow);
  }
  ASSERT_TRUE(poll_until([&] { return server_.stream.counters().bytes_sent == 4; }));
  core::Buffer* input_buffer = nullptr;
  server_.on_input = [&](core::Buffer& input) { input_buffer = &input; };
  client_sends("x");
  ASSERT_TRUE(poll_until([&] { return input_buffer != nullptr; }));
  EXPECT_LE(input_buffer->capacity(), size_t{1} << 20);
}

}  // namespace
}  // namespace cqlperf::net

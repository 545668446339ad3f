#include "net/tcp_stream.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/clock.h"

namespace cqlperf::net {
namespace {

using core::ErrorCode;
using core::kNanosPerMilli;
using core::kNanosPerSecond;
using testing::HasSubstr;

int64_t in_ns(int64_t delta_ns) { return core::steady_clock().now_ns() + delta_ns; }

// A listening socket on a free loopback port, and the blocking peers that it accepts.
class Listener {
 public:
  explicit Listener(int backlog = 16) : fd_(socket(AF_INET, SOCK_STREAM, 0)) {
    const auto any_port = *SocketAddress::from_numeric("127.0.0.1", 0);
    EXPECT_EQ(bind(fd_, any_port.data(), any_port.length()), 0);
    EXPECT_EQ(listen(fd_, backlog), 0);
  }
  ~Listener() { close_now(); }
  void close_now() {
    if (fd_ >= 0) close(std::exchange(fd_, -1));
  }
  SocketAddress address() const {
    sockaddr_in name{};
    socklen_t length = sizeof name;
    getsockname(fd_, reinterpret_cast<sockaddr*>(&name), &length);
    return {reinterpret_cast<sockaddr*>(&name), length};
  }
  int accept_peer() const { return accept(fd_, nullptr, nullptr); }

 private:
  int fd_;
};

class Recorder final : public TcpStream::Handler {
 public:
  void on_connected() override { connected++; }
  void on_bytes(core::Buffer& input) override {
    if (on_input) return on_input(input);
    text.append(reinterpret_cast<const char*>(input.data()), input.size());
    input.consume(input.size());
  }
  void on_closed(const core::Error& closed_with) override {
    closed++;
    error = closed_with;
    if (on_end) on_end();
  }

  int connected = 0;
  int closed = 0;
  std::string text;
  std::optional<core::Error> error;
  std::function<void(core::Buffer&)> on_input;
  std::function<void()> on_end;
};

class TcpStreamTest : public testing::Test {
 protected:
  ~TcpStreamTest() override {
    if (peer_ >= 0) close(peer_);
  }
  bool poll_until(const std::function<bool()>& condition) {
    const int64_t deadline_ns = in_ns(10 * kNanosPerSecond);
    while (!condition() && loop_.now_ns() < deadline_ns)
      loop_.poll(std::min(deadline_ns, in_ns(50 * kNanosPerMilli)));
    return condition();
  }
  void connect_to_peer() {
    stream_->connect(listener_.address(), in_ns(5 * kNanosPerSecond));
    ASSERT_TRUE(poll_until([&] { return recorder_.connected == 1; }));
    peer_ = listener_.accept_peer();
    ASSERT_GE(peer_, 0);
  }
  void peer_sends(std::string_view text) {
    ASSERT_EQ(send(peer_, text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
  }
  std::string peer_receives(size_t count) {
    std::string text(count, '\0');
    const ssize_t got = recv(peer_, text.data(), count, MSG_WAITALL);
    text.resize(got > 0 ? static_cast<size_t>(got) : 0);
    return text;
  }

  EventLoop loop_;
  Recorder recorder_;
  Listener listener_;
  std::unique_ptr<TcpStream> stream_ = std::make_unique<TcpStream>(loop_, recorder_);
  int peer_ = -1;
};

TEST_F(TcpStreamTest, ConnectsSendsAndReceives) {
  connect_to_peer();
  EXPECT_TRUE(stream_->is_open());
  stream_->output().append("ping");
  stream_->flush();
  EXPECT_EQ(peer_receives(4), "ping");
  peer_sends("pong");
  ASSERT_TRUE(poll_until([&] { return recorder_.text == "pong"; }));
  EXPECT_EQ(recorder_.closed, 0);
}

TEST_F(TcpStreamTest, OutputWrittenBeforeTheConnectionIsSentAfterIt) {
  stream_->output().append("early");
  stream_->flush();
  connect_to_peer();
  EXPECT_EQ(peer_receives(5), "early");
}

TEST_F(TcpStreamTest, ManyWritesAreOneSendAndManyRepliesOneReceive) {
  connect_to_peer();
  for (int i = 0; i < 1000; i++) stream_->output().append("0123456789");
  stream_->flush();
  stream_->flush();
  EXPECT_EQ(stream_->counters().sends, 1u);
  EXPECT_EQ(peer_receives(10000).size(), 10000u);
  peer_sends(std::string(10000, 'x'));
  ASSERT_TRUE(poll_until([&] { return recorder_.text.size() == 10000; }));
  EXPECT_EQ(stream_->counters().receives, 1u);
  EXPECT_EQ(stream_->counters().bytes_sent, 10000u);
  EXPECT_EQ(stream_->counters().bytes_received, 10000u);
}

TEST_F(TcpStreamTest, APartOfAMessageWaitsForItsRest) {
  connect_to_peer();
  std::vector<std::string> messages;
  recorder_.on_input = [&](core::Buffer& input) {
    while (input.size() >= 4) {
      messages.emplace_back(reinterpret_cast<const char*>(input.data()), 4);
      input.consume(4);
    }
  };
  peer_sends("abcdef");
  ASSERT_TRUE(poll_until([&] { return messages.size() == 1; }));
  peer_sends("gh");
  ASSERT_TRUE(poll_until([&] { return messages.size() == 2; }));
  EXPECT_EQ(messages[1], "efgh");
}

TEST_F(TcpStreamTest, APeerThatDoesNotReadMakesABacklogThatDrainsLater) {
  connect_to_peer();
  const std::string chunk(1 << 20, 'x');
  size_t written = 0;
  while (stream_->backlog_bytes() == 0) {
    ASSERT_LT(written, size_t{1} << 28);
    stream_->output().append(chunk);
    written += chunk.size();
    stream_->flush();
  }
  const uint64_t sends = stream_->counters().sends;
  stream_->flush();  // nothing is sent until the kernel has room
  EXPECT_EQ(stream_->counters().sends, sends);
  EXPECT_TRUE(stream_->is_open());

  size_t received = 0;
  std::string block(1 << 20, '\0');
  while (received < written) {
    const ssize_t got = recv(peer_, block.data(), block.size(), MSG_DONTWAIT);
    if (got > 0) received += static_cast<size_t>(got);
    if (got <= 0) loop_.poll(in_ns(kNanosPerMilli));
  }
  EXPECT_EQ(received, written);
  EXPECT_EQ(stream_->backlog_bytes(), 0u);
}

TEST_F(TcpStreamTest, LargeInputComesWhole) {
  connect_to_peer();
  constexpr size_t kSize = 8 << 20;
  std::thread sender([&] { peer_sends(std::string(kSize, 'y')); });
  size_t whole = 0;
  recorder_.on_input = [&](core::Buffer& input) {
    if (input.size() < kSize) return;
    whole = input.size();
    input.consume(whole);
  };
  EXPECT_TRUE(poll_until([&] { return whole == kSize; }));
  sender.join();
}

TEST_F(TcpStreamTest, ARefusedConnectionNamesAddressAndReason) {
  const SocketAddress address = listener_.address();
  listener_.close_now();
  stream_->connect(address, in_ns(5 * kNanosPerSecond));
  EXPECT_EQ(recorder_.closed, 0);  // never from inside connect()
  ASSERT_TRUE(poll_until([&] { return recorder_.closed == 1; }));
  EXPECT_EQ(recorder_.error->code, ErrorCode::kConnect);
  EXPECT_THAT(recorder_.error->message, HasSubstr(address.to_string()));
  EXPECT_THAT(recorder_.error->message, HasSubstr("Connection refused"));
  EXPECT_EQ(recorder_.connected, 0);
}

TEST_F(TcpStreamTest, AnAddressThatCannotBeReachedFailsFromPoll) {
  // Connecting to a multicast address fails in connect() itself.
  stream_->connect(*SocketAddress::from_numeric("224.0.0.1", 9), in_ns(kNanosPerSecond));
  EXPECT_EQ(recorder_.closed, 0);
  ASSERT_TRUE(poll_until([&] { return recorder_.closed == 1; }));
  EXPECT_EQ(recorder_.error->code, ErrorCode::kConnect);
}

TEST_F(TcpStreamTest, AConnectThatIsNotAnsweredEndsAtItsDeadline) {
  // A full accept queue makes the kernel drop the next handshake.
  Listener full(0);
  Recorder others;
  TcpStream first(loop_, others);
  TcpStream second(loop_, others);
  first.connect(full.address(), in_ns(5 * kNanosPerSecond));
  ASSERT_TRUE(poll_until([&] { return others.connected == 1; }));
  second.connect(full.address(), in_ns(20 * kNanosPerMilli));
  ASSERT_TRUE(poll_until([&] { return others.connected + others.closed == 2; }));
  ASSERT_EQ(others.closed, 1);
  EXPECT_EQ(others.error->code, ErrorCode::kTimeout);
  EXPECT_THAT(others.error->message, HasSubstr(full.address().to_string()));
}

TEST_F(TcpStreamTest, TellsThatThePeerClosed) {
  connect_to_peer();
  peer_sends("last words");
  close(std::exchange(peer_, -1));
  ASSERT_TRUE(poll_until([&] { return recorder_.closed == 1; }));
  EXPECT_EQ(recorder_.text, "last words");
  EXPECT_EQ(recorder_.error->code, ErrorCode::kIo);
  EXPECT_THAT(recorder_.error->message, HasSubstr("closed the connection"));
  EXPECT_FALSE(stream_->is_open());
  stream_->output().append("too late");
  stream_->flush();
  loop_.poll(kPollNow);
  EXPECT_EQ(recorder_.closed, 1);
}

TEST_F(TcpStreamTest, TellsThatThePeerReset) {
  connect_to_peer();
  const linger hard{1, 0};
  setsockopt(peer_, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
  close(std::exchange(peer_, -1));
  ASSERT_TRUE(poll_until([&] { return recorder_.closed == 1; }));
  EXPECT_THAT(recorder_.error->message, HasSubstr("reset"));
}

TEST_F(TcpStreamTest, ASendToAPeerThatHasGoneFailsFromPollOnly) {
  connect_to_peer();
  const linger hard{1, 0};
  setsockopt(peer_, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
  close(std::exchange(peer_, -1));
  stream_->output().append("x");
  stream_->flush();
  EXPECT_EQ(recorder_.closed, 0);
  ASSERT_TRUE(poll_until([&] { return recorder_.closed == 1; }));
  loop_.poll(kPollNow);
  EXPECT_EQ(recorder_.closed, 1);
}

TEST_F(TcpStreamTest, CloseIsSilentAndMayComeFromACallback) {
  connect_to_peer();
  recorder_.on_input = [&](core::Buffer& input) {
    input.consume(input.size());
    stream_->close();
  };
  peer_sends("x");
  ASSERT_TRUE(poll_until([&] { return !stream_->is_open(); }));
  stream_->close();
  loop_.poll(kPollNow);
  EXPECT_EQ(recorder_.closed, 0);
  EXPECT_EQ(peer_receives(1), "");
}

TEST_F(TcpStreamTest, MayBeDestroyedWhenItEnds) {
  connect_to_peer();
  recorder_.on_end = [&] { stream_.reset(); };
  close(std::exchange(peer_, -1));
  ASSERT_TRUE(poll_until([&] { return recorder_.closed == 1; }));
  EXPECT_EQ(stream_, nullptr);
}

TEST_F(TcpStreamTest, ClosingBeforeTheConnectionIsMadeIsSilent) {
  stream_->connect(listener_.address(), in_ns(5 * kNanosPerSecond));
  stream_->close();
  loop_.poll(kPollNow);
  EXPECT_EQ(recorder_.connected + recorder_.closed, 0);
  EXPECT_EQ(loop_.next_timer_ns(), kPollForever);
}

TEST_F(TcpStreamTest, OneThatSendsWithoutEndLeavesOthersTheirTurn) {
  connect_to_peer();
  recorder_.on_input = [&](core::Buffer& input) {
    input.consume(input.size());
    peer_sends(std::string(256 * 1024, 'z'));  // always enough to fill the next receive
  };
  peer_sends(std::string(256 * 1024, 'z'));
  loop_.poll(in_ns(5 * kNanosPerSecond));  // returns although there is always more to read
  EXPECT_GT(stream_->counters().receives, 0u);
}

}  // namespace
}  // namespace cqlperf::net

// Bytes that a TcpStream sends without a copy, among those that it holds.
#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/clock.h"
#include "net/tcp_stream.h"

namespace cqlperf::net {
namespace {

using core::ErrorCode;
using core::kNanosPerMilli;
using core::kNanosPerSecond;

int64_t in_ns(int64_t delta_ns) { return core::steady_clock().now_ns() + delta_ns; }

class ClosedNote final : public TcpStream::Handler {
 public:
  void on_connected() override {}
  void on_bytes(core::Buffer& input) override {
    received += input.size();
    if (on_input) return on_input(input);
    input.clear();
  }
  void on_closed(const core::Error& closed_with) override {
    closed++;
    error = closed_with;
  }

  size_t received = 0;
  int closed = 0;
  std::optional<core::Error> error;
  std::function<void(core::Buffer&)> on_input;
};

// An adopted stream with a small send buffer, and its peer, a blocking socket.
class ExternalTest : public testing::Test {
 protected:
  ExternalTest() : text_(200'000, ' ') {
    for (size_t i = 0; i < text_.size(); i++) text_[i] = static_cast<char>(i * 2654435761u >> 11);
    const int listener = socket(AF_INET, SOCK_STREAM, 0);
    const auto any_port = *SocketAddress::from_numeric("127.0.0.1", 0);
    EXPECT_EQ(bind(listener, any_port.data(), any_port.length()), 0);
    EXPECT_EQ(listen(listener, 1), 0);
    sockaddr_storage name{};
    socklen_t length = sizeof name;
    getsockname(listener, reinterpret_cast<sockaddr*>(&name), &length);
    const int own = socket(AF_INET, SOCK_STREAM, 0);
    const int small = 8 * 1024;
    setsockopt(own, SOL_SOCKET, SO_SNDBUF, &small, sizeof small);
    setsockopt(listener, SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
    EXPECT_EQ(connect(own, reinterpret_cast<sockaddr*>(&name), length), 0);
    peer_ = accept(listener, nullptr, nullptr);
    EXPECT_GE(peer_, 0);
    close(listener);
    set_non_blocking(own);
    stream_->adopt(own, SocketAddress(reinterpret_cast<sockaddr*>(&name), length));
  }
  ~ExternalTest() override {
    if (peer_ >= 0) close(peer_);
  }
  static void set_non_blocking(int fd) { fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK); }

  // Both add to what the peer is to receive.
  void append(size_t offset, size_t count) {
    stream_->output().append(std::string_view(text_).substr(offset, count));
    expected_.append(text_, offset, count);
  }
  void append_external(size_t offset, size_t count) {
    const auto* bytes = reinterpret_cast<const uint8_t*>(text_.data());
    stream_->append_external({bytes + offset, count});
    expected_.append(text_, offset, count);
  }
  bool poll_until(const std::function<bool()>& condition) {
    const int64_t deadline_ns = in_ns(20 * kNanosPerSecond);
    while (!condition() && core::steady_clock().now_ns() < deadline_ns)
      loop_.poll(in_ns(5 * kNanosPerMilli));
    return condition();
  }
  // Reads what is there; true once all that is expected has come.
  bool peer_has_all() {
    char bytes[3000];
    ssize_t got = 0;
    while ((got = recv(peer_, bytes, sizeof bytes, MSG_DONTWAIT)) > 0)
      received_.append(bytes, static_cast<size_t>(got));
    return received_.size() >= expected_.size();
  }

  std::string text_;
  EventLoop loop_;
  ClosedNote note_;
  std::unique_ptr<TcpStream> stream_ = std::make_unique<TcpStream>(loop_, note_);
  int peer_ = -1;
  std::string expected_;
  std::string received_;
};

TEST_F(ExternalTest, GoesOutInOrderAndInOneSend) {
  append(0, 10);
  append_external(50, 20);
  append_external(10, 30);
  append_external(0, 0);
  append(7, 1);
  EXPECT_EQ(stream_->backlog_bytes(), 61u);
  stream_->flush();
  EXPECT_EQ(stream_->backlog_bytes(), 0u);
  EXPECT_EQ(stream_->counters().sends, 1u);
  EXPECT_EQ(stream_->counters().bytes_sent, 61u);
  ASSERT_TRUE(poll_until([&] { return peer_has_all(); }));
  EXPECT_EQ(received_, expected_);
}

TEST_F(ExternalTest, AloneItIsFlushedToo) {
  append_external(3, 5);
  stream_->flush();
  ASSERT_TRUE(poll_until([&] { return peer_has_all(); }));
  EXPECT_EQ(received_, expected_);
}

TEST_F(ExternalTest, IsNotRead) {
  append_external(0, 3);
  text_[1]++;
  stream_->flush();
  ASSERT_TRUE(poll_until([&] { return peer_has_all(); }));
  EXPECT_EQ(received_, text_.substr(0, 3));
}

TEST_F(ExternalTest, SurvivesPartialSendsAtAnyByte) {
  append_external(0, 200'000);
  stream_->flush();
  EXPECT_GT(stream_->backlog_bytes(), 0u);
  for (size_t i = 0; i < 300; i++) {
    append(i * 11, 1 + i * 7 % 400);
    append_external(i * 13, 1 + i * 17 % 3000);
    stream_->flush();
    if (i % 5 == 0) append(i, 3000);
    if (i % 7 == 0) append_external(i * 3, 15'000);
    EXPECT_EQ(stream_->backlog_bytes() + stream_->counters().bytes_sent, expected_.size());
    if (i % 3 == 0) loop_.poll(kPollNow);
    if (i % 10 == 0) peer_has_all();
  }
  stream_->flush();
  ASSERT_TRUE(poll_until([&] { return peer_has_all(); }));
  EXPECT_TRUE(received_ == expected_);
  EXPECT_EQ(stream_->backlog_bytes(), 0u);
  EXPECT_EQ(stream_->counters().bytes_sent, expected_.size());
  EXPECT_GT(stream_->counters().sends, 10u);
}

TEST_F(ExternalTest, MorePiecesThanTheKernelTakesAtOnce) {
  for (size_t i = 0; i < 3000; i++) {
    append(i, 1);
    append_external(i + 1, 2);
  }
  stream_->flush();
  ASSERT_TRUE(poll_until([&] { return peer_has_all(); }));
  EXPECT_TRUE(received_ == expected_);
  EXPECT_GT(stream_->counters().sends, 1u);
}

TEST_F(ExternalTest, FinishSendsAllOfItFirst) {
  append(0, 100);
  append_external(0, 200'000);
  stream_->finish(in_ns(20 * kNanosPerSecond));
  EXPECT_GT(stream_->backlog_bytes(), 0u);
  ASSERT_TRUE(poll_until([&] { return peer_has_all(); }));
  EXPECT_TRUE(received_ == expected_);
  char more = 0;
  EXPECT_EQ(recv(peer_, &more, 1, 0), 0);  // and then the end
  close(std::exchange(peer_, -1));
  ASSERT_TRUE(poll_until([&] { return note_.closed == 1; }));
}

TEST_F(ExternalTest, CloseForgetsIt) {
  append_external(0, 200'000);
  stream_->flush();
  stream_->close();
  EXPECT_EQ(stream_->backlog_bytes(), 0u);
  std::fill(text_.begin(), text_.end(), 'x');  // nobody looks at it any more
  loop_.poll(kPollNow);
  EXPECT_EQ(note_.closed, 0);
}

TEST_F(ExternalTest, APeerThatGoesAwayInTheMiddleIsReportedOnce) {
  append_external(0, 200'000);
  stream_->flush();
  const linger hard{1, 0};
  setsockopt(peer_, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
  close(std::exchange(peer_, -1));
  append_external(0, 10);
  stream_->flush();
  ASSERT_TRUE(poll_until([&] { return note_.closed == 1; }));
  EXPECT_EQ(note_.error->code, ErrorCode::kIo);
  EXPECT_EQ(stream_->backlog_bytes(), 0u);
  loop_.poll(kPollNow);
  EXPECT_EQ(note_.closed, 1);
}

// A message of which the handler says how much is missing arrives in one piece of memory, and what
// is behind it stays in the kernel until then.
TEST_F(ExternalTest, WhatIsExpectedIsReceivedUpToItsEnd) {
  constexpr size_t kMessage = 3'000'000;
  std::vector<size_t> seen;
  note_.on_input = [&](core::Buffer& input) {
    seen.push_back(input.size());
    while (input.size() >= kMessage) input.consume(kMessage);
    if (!input.empty()) stream_->expect(kMessage - input.size());
  };
  std::thread sender([fd = peer_] {
    const std::string messages(4 * kMessage, 'm');
    for (size_t sent = 0; sent < messages.size();) {
      const ssize_t put = send(fd, messages.data() + sent, messages.size() - sent, MSG_NOSIGNAL);
      if (put <= 0) break;
      sent += static_cast<size_t>(put);
    }
  });
  const bool complete = poll_until(
      [&] { return stream_->counters().bytes_received >= 4 * kMessage || note_.closed > 0; });
  if (!complete) shutdown(peer_, SHUT_RDWR);
  sender.join();
  ASSERT_TRUE(complete);
  EXPECT_EQ(std::ranges::count(seen, kMessage), 4);
  EXPECT_EQ(*std::ranges::max_element(seen), kMessage);
}

}  // namespace
}  // namespace cqlperf::net

#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "client/session.h"
#include "core/clock.h"
#include "protocol/values.h"
#include "scripted_server.h"

namespace cqlperf::client {

// A client that writes (token, statement) as its values and notes what it is told.
class RecordingClient final : public SessionClient {
 public:
  struct Failure {
    uint32_t token;
    std::string kind;
    std::string message;
    bool overloaded;
    bool in_doubt;
    bool has_frame;
  };

  void write_values(uint16_t statement, uint32_t token, core::Buffer& out) override {
    protocol::append_int(out, static_cast<int32_t>(token));
    protocol::append_int(out, statement);
    writes++;
  }
  void write_query(uint16_t, uint32_t token, core::Buffer& out) override {
    out.append(text_of(token));
    queries++;
  }
  void on_success(uint32_t token, const protocol::Frame&, int64_t received_ns) override {
    EXPECT_GT(received_ns, 0);
    successes.push_back(token);
    if (on_end) on_end();
  }
  void on_failure(uint32_t token, const RequestFailure& failure, int64_t) override {
    failures.push_back({token, std::string(failure.kind), std::string(failure.message),
                        failure.overloaded, failure.in_doubt, failure.frame != nullptr});
    if (on_end) on_end();
  }
  size_t ended() const { return successes.size() + failures.size(); }
  // What write_query() writes; of a length that differs from token to token.
  static std::string text_of(uint32_t token) {
    return "INSERT INTO ks.t (a) VALUES (" + std::to_string(token) + std::string(token % 7, ' ') +
           ")";
  }

  int writes = 0;
  int queries = 0;
  std::vector<uint32_t> successes;
  std::vector<Failure> failures;
  std::function<void()> on_end;
};

class SessionTest : public testing::Test {
 protected:
  static constexpr const char* kInsert = "INSERT INTO ks.t (a, b) VALUES (?, ?)";

  SessionTest() {
    options_.nodes = {server_.address()};
    options_.statements = {{kInsert}};
    options_.log = [this](std::string text) { log_.push_back(std::move(text)); };
  }
  int64_t in_ns(int64_t delta_ns) { return loop_.refresh_now() + delta_ns; }
  bool poll_until(const std::function<bool()>& condition) {
    const int64_t deadline_ns = in_ns(20 * core::kNanosPerSecond);
    while (!condition() && loop_.now_ns() < deadline_ns) {
      if (session_) session_->flush();
      loop_.poll(in_ns(20 * core::kNanosPerMilli));
    }
    return condition();
  }
  core::Status start(int64_t timeout_ns = 10 * core::kNanosPerSecond) {
    session_ = std::make_unique<Session>(loop_, client_, options_);
    session_->start();
    return session_->wait_until_ready(in_ns(timeout_ns));
  }
  void start_ready() {
    const core::Status status = start();
    ASSERT_TRUE(status) << status.error().message;
  }
  void execute(uint32_t first, uint32_t count, uint16_t statement = 0) {
    for (uint32_t token = first; token < first + count; token++)
      ASSERT_EQ(session_->execute(statement, token), ExecuteStatus::kSent) << token;
    session_->flush();
  }
  bool poll_until_ended(size_t count) {
    return poll_until([&] { return client_.ended() >= count; });
  }

  net::EventLoop loop_;
  ScriptedServer server_;
  RecordingClient client_;
  SessionOptions options_;
  std::vector<std::string> log_;
  std::unique_ptr<Session> session_;
};

}  // namespace cqlperf::client

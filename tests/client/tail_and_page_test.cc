// Operations that are more than values: a last value with a tail that is not copied, and pages.
#include <atomic>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "session_fixture.h"

namespace cqlperf::client {
namespace {

using core::kNanosPerMilli;
using protocol::Bytes;
using protocol::ByteView;
using protocol::Compression;
using protocol::ErrorCode;
using protocol::Opcode;
using protocol::QueryParameters;
using protocol::Value;
using protocol::Version;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr uint16_t kPlain = 0;
constexpr uint16_t kTail = 1;
constexpr uint16_t kPaged = 2;
constexpr uint16_t kPagedTail = 3;
constexpr size_t kMiB = size_t{1} << 20;

// Writes its token as the first value; the second is a head of three bytes and, for statements with
// a tail, as many bytes as sizes say from a place that depends on the token.
class ExtrasClient final : public SessionClient {
 public:
  ExtrasClient() : pool(34 * kMiB) {
    for (size_t i = 0; i < pool.size(); i++) pool[i] = static_cast<uint8_t>(i * 2654435761u >> 13);
  }
  void write_values(uint16_t statement, uint32_t token, core::Buffer& out) override {
    protocol::append_int(out, static_cast<int32_t>(token));
    out.append_i32(static_cast<int32_t>(3 + tail_of(statement, token).size()));
    out.append("abc");
  }
  ByteView value_tail(uint16_t statement, uint32_t token) override {
    tails++;
    return tail_of(statement, token);
  }
  PageRequest page_of(uint16_t, uint32_t) override { return page; }
  void on_success(uint32_t token, const protocol::Frame& frame, int64_t) override {
    successes.push_back(token);
    if (on_frame) on_frame(frame);
  }
  void on_failure(uint32_t, const RequestFailure& failure, int64_t) override {
    failures.emplace_back(failure.kind);
    EXPECT_TRUE(failure.in_doubt);
  }
  size_t ended() const { return successes.size() + failures.size(); }

  ByteView tail_of(uint16_t statement, uint32_t token) const {
    if (statement != kTail && statement != kPagedTail) return {};
    return ByteView(pool).subspan(token, sizes.at(token % sizes.size()));
  }
  Bytes second_value(uint16_t statement, uint32_t token) const {
    Bytes value = {'a', 'b', 'c'};
    const ByteView tail = tail_of(statement, token);
    value.insert(value.end(), tail.begin(), tail.end());
    return value;
  }

  Bytes pool;
  std::vector<size_t> sizes = {100'000};
  PageRequest page;
  int tails = 0;
  std::vector<uint32_t> successes;
  std::vector<std::string> failures;
  std::function<void(const protocol::Frame&)> on_frame;
};

struct Agreement {
  Version version;
  Compression compression;
};

std::string name_of(const testing::TestParamInfo<Agreement>& info) {
  return "V" + std::to_string(static_cast<int>(info.param.version)) + "_" +
         std::string(protocol::compression_name(info.param.compression));
}

class ExtrasTest : public SessionTest {
 protected:
  ExtrasTest() {
    server_.set_compressions({"snappy", "lz4"});
    options_.statements = {{kInsert},
                           {.cql = "INSERT tail ?, ?", .tail = true},
                           {.cql = "SELECT ?, ?", .paged = true},
                           {.cql = "SELECT tail ?, ?", .tail = true, .paged = true}};
    for (StatementSpec& spec : options_.statements)
      spec.settings.serial_consistency = protocol::Consistency::kLocalSerial;
    server_.on(Opcode::kExecute, [this](Exchange& e) { note(e); });
  }
  ~ExtrasTest() override { server_.stop(); }  // before what its threads write to

  // Keeps what came in, and answers as `answer_` says.
  void note(Exchange& e) {
    {
      const std::lock_guard lock(mutex_);
      bodies_.push_back(protocol::to_bytes(e.request.body));
    }
    answer_(e);
  }
  // Each id is refused once.
  static Action unprepared_first(int count) {
    return [left = std::make_shared<std::atomic<int>>(count)](Exchange& e) {
      if ((*left)-- <= 0) return e.reply_result(protocol::VoidResult{});
      const auto execute = protocol::Execute::decode_body(e.version(), e.request.body);
      protocol::ErrorMessage message =
          protocol::ErrorMessage::of(ErrorCode::kUnprepared, "forgotten");
      message.details = protocol::UnpreparedDetails{protocol::to_bytes(execute->id)};
      e.reply(message);
    };
  }
  void start_extras() {
    session_ = std::make_unique<Session>(loop_, extras_, options_);
    session_->start();
    const auto ready = session_->wait_until_ready(in_ns(10 * core::kNanosPerSecond));
    ASSERT_TRUE(ready) << ready.error().message;
  }
  bool poll_until_extras_ended(size_t count) {
    return poll_until([&] { return extras_.ended() >= count; });
  }
  // The body that the message of the same operation has.
  Bytes expected_body(uint16_t statement, uint32_t token, PageRequest page = {}) const {
    core::Buffer first;
    first.append_i32(static_cast<int32_t>(token));
    const Bytes second = extras_.second_value(statement, token);
    QueryParameters parameters;
    parameters.values = {Value::of(first.bytes()), Value::of(second)};
    parameters.serial_consistency = protocol::Consistency::kLocalSerial;
    if (page.rows > 0) parameters.page_size = page.rows;
    if (!page.state.empty()) parameters.paging_state = page.state;
    const std::string id = "0:" + options_.statements[statement].cql;
    const std::string metadata_id = "metadata of " + id;
    const protocol::Execute message{protocol::as_bytes(id), parameters,
                                    protocol::as_bytes(metadata_id)};
    core::Buffer out;
    message.encode_body(options_.connection.version_max, out);
    return protocol::to_bytes(out.bytes());
  }
  std::vector<Bytes> bodies() const {
    const std::lock_guard lock(mutex_);
    return bodies_;
  }

  ExtrasClient extras_;
  mutable std::mutex mutex_;
  std::vector<Bytes> bodies_;
  Action answer_ = act::result_void();
};

class ExtrasInForm : public ExtrasTest, public testing::WithParamInterface<Agreement> {
 protected:
  ExtrasInForm() {
    options_.connection.version_max = GetParam().version;
    options_.connection.compression = GetParam().compression;
  }
};

// Tails around the size from which they are gathered, behind each other and between operations
// without, all in one flush.
TEST_P(ExtrasInForm, TailsAreSentByteForByte) {
  extras_.sizes = {0, 1, 4095, 4096, 4097, 300'000, 8192};
  start_extras();
  std::vector<Bytes> expected;
  for (uint32_t token = 0; token < 60; token++) {
    const uint16_t statement = token % 4 == 3 ? kPlain : kTail;
    ASSERT_EQ(session_->execute(statement, token), ExecuteStatus::kSent);
    expected.push_back(expected_body(statement, token));
  }
  ASSERT_TRUE(poll_until_extras_ended(60));
  EXPECT_EQ(extras_.successes.size(), 60u);
  EXPECT_TRUE(bodies() == expected);
  EXPECT_EQ(extras_.tails, 45);
}

TEST_P(ExtrasInForm, ALargeTailGoesThroughInManyPartialSends) {
  extras_.sizes = {32 * kMiB};
  start_extras();
  const uint64_t before = session_->counters().bytes_sent;
  ASSERT_EQ(session_->execute(kTail, 5), ExecuteStatus::kSent);
  EXPECT_EQ(session_->execute(kPlain, 6), ExecuteStatus::kStreamsBusy);  // the backlog is long
  session_->flush();
  ASSERT_TRUE(poll_until_extras_ended(1));
  ASSERT_EQ(session_->execute(kPlain, 6), ExecuteStatus::kSent);
  ASSERT_TRUE(poll_until_extras_ended(2));
  EXPECT_THAT(extras_.successes, ElementsAre(5, 6));
  ASSERT_EQ(bodies().size(), 2u);
  EXPECT_TRUE(bodies()[0] == expected_body(kTail, 5));
  EXPECT_TRUE(bodies()[1] == expected_body(kPlain, 6));
  if (GetParam().compression == Compression::kNone) {
    EXPECT_GT(session_->counters().bytes_sent - before, 32 * kMiB);
  }
}

TEST_P(ExtrasInForm, TailsAreSentAgainAfterUnprepared) {
  answer_ = unprepared_first(3);
  start_extras();
  for (uint32_t token = 0; token < 3; token++)
    ASSERT_EQ(session_->execute(kTail, token), ExecuteStatus::kSent);
  ASSERT_TRUE(poll_until_extras_ended(3));
  EXPECT_EQ(extras_.successes.size(), 3u);
  ASSERT_EQ(bodies().size(), 6u);
  for (uint32_t i = 0; i < 6; i++) EXPECT_TRUE(bodies()[i] == expected_body(kTail, i % 3)) << i;
}

TEST_P(ExtrasInForm, PagesAreAskedForByteForByte) {
  start_extras();
  const Bytes state = {9, 0, 255, 7};
  extras_.page = {5000, {}};
  ASSERT_EQ(session_->execute(kPaged, 1), ExecuteStatus::kSent);
  extras_.page = {1, state};
  ASSERT_EQ(session_->execute(kPaged, 2), ExecuteStatus::kSent);
  ASSERT_EQ(session_->execute(kPagedTail, 3), ExecuteStatus::kSent);
  ASSERT_TRUE(poll_until_extras_ended(3));
  EXPECT_THAT(bodies(), ElementsAre(expected_body(kPaged, 1, {5000, {}}),
                                    expected_body(kPaged, 2, {1, state}),
                                    expected_body(kPagedTail, 3, {1, state})));
}

TEST_P(ExtrasInForm, PagesAreAskedForAgainAfterUnprepared) {
  answer_ = unprepared_first(1);
  start_extras();
  const Bytes state(40, 's');
  extras_.page = {77, state};
  ASSERT_EQ(session_->execute(kPaged, 1), ExecuteStatus::kSent);
  ASSERT_TRUE(poll_until_extras_ended(1));
  EXPECT_EQ(extras_.successes.size(), 1u);
  const Bytes expected = expected_body(kPaged, 1, {77, state});
  EXPECT_THAT(bodies(), ElementsAre(expected, expected));
}

// Three pages, the last of which says that it is.
TEST_P(ExtrasInForm, ThePagingStateGoesRound) {
  std::atomic<int> pages = 0;
  answer_ = [&pages](Exchange& e) {
    const int page = ++pages;
    protocol::RowsMetadata metadata;
    metadata.column_count = 1;
    if (page < 3) metadata.paging_state = Bytes(20, static_cast<uint8_t>(page));
    act::rows(metadata, {{Bytes(700'000, static_cast<uint8_t>(page))}})(e);
  };
  start_extras();
  std::optional<Bytes> next = Bytes();
  extras_.on_frame = [&](const protocol::Frame& frame) {
    const auto rows = protocol::RowsView::decode(frame.header.version, frame.body);
    ASSERT_TRUE(rows) << rows.error().message;
    next.reset();
    if (rows->has_more_pages()) next = protocol::to_bytes(rows->paging_state());
    EXPECT_EQ(rows->has_more_pages(), !rows->paging_state().empty());
  };
  for (uint32_t token = 0; next; token++) {
    const Bytes state = *next;
    extras_.page = {10, state};
    ASSERT_EQ(session_->execute(kPaged, token), ExecuteStatus::kSent);
    ASSERT_TRUE(poll_until_extras_ended(token + 1));
  }
  EXPECT_THAT(bodies(), ElementsAre(expected_body(kPaged, 0, {10, {}}),
                                    expected_body(kPaged, 1, {10, Bytes(20, 1)}),
                                    expected_body(kPaged, 2, {10, Bytes(20, 2)})));
}

INSTANTIATE_TEST_SUITE_P(All, ExtrasInForm,
                         testing::Values(Agreement{Version::kV3, Compression::kNone},
                                         Agreement{Version::kV4, Compression::kNone},
                                         Agreement{Version::kV4, Compression::kLz4},
                                         Agreement{Version::kV4, Compression::kSnappy},
                                         Agreement{Version::kV5, Compression::kNone},
                                         Agreement{Version::kV5, Compression::kLz4}),
                         name_of);

// The kernel reads a long tail where it lies, at flush(): what changes before is what is sent.
TEST_F(ExtrasTest, LongTailsAreNotCopied) {
  extras_.sizes = {4096, 4095};
  start_extras();
  ASSERT_EQ(session_->execute(kTail, 0), ExecuteStatus::kSent);
  ASSERT_EQ(session_->execute(kTail, 5001), ExecuteStatus::kSent);
  const Bytes before = expected_body(kTail, 5001);
  extras_.pool[0]++;
  extras_.pool[5001]++;
  const Bytes after = expected_body(kTail, 0);
  ASSERT_TRUE(poll_until_extras_ended(2));
  EXPECT_TRUE(bodies() == (std::vector{after, before}));
}

TEST_F(ExtrasTest, AFlushOfManyTailsIsOneSend) {
  extras_.sizes = {5000};
  start_extras();
  const uint64_t before = session_->counters().sends;
  for (uint32_t token = 0; token < 20; token++)
    ASSERT_EQ(session_->execute(kTail, token), ExecuteStatus::kSent);
  session_->flush();
  EXPECT_EQ(session_->counters().sends - before, 1u);
  ASSERT_TRUE(poll_until_extras_ended(20));
}

TEST_F(ExtrasTest, AConnectionLostInATailComesBackClean) {
  extras_.sizes = {32 * kMiB};
  options_.connection.backlog_max_bytes = 100 * kMiB;
  answer_ = [first = std::make_shared<std::atomic<bool>>(true)](Exchange& e) {
    if (first->exchange(false)) return e.close();
    e.reply_result(protocol::VoidResult{});
  };
  start_extras();
  ASSERT_EQ(session_->execute(kPlain, 0), ExecuteStatus::kSent);
  ASSERT_EQ(session_->execute(kTail, 1), ExecuteStatus::kSent);
  ASSERT_EQ(session_->execute(kTail, 2), ExecuteStatus::kSent);
  ASSERT_TRUE(poll_until_extras_ended(3));
  EXPECT_THAT(extras_.failures, testing::Each("ConnectionLost"));
  EXPECT_LT(session_->counters().bytes_sent, 64 * kMiB);

  ASSERT_TRUE(poll_until([&] { return session_->nodes()[0].usable; }));
  ASSERT_EQ(session_->execute(kTail, 3), ExecuteStatus::kSent);
  ASSERT_TRUE(poll_until_extras_ended(4));
  EXPECT_THAT(extras_.successes, ElementsAre(3));
  EXPECT_TRUE(bodies().back() == expected_body(kTail, 3));
}

// One that is larger than the whole backlog may be still gets its turn, and only one.
TEST_F(ExtrasTest, OneOperationAlwaysFitsTheBacklog) {
  extras_.sizes = {8 * kMiB};
  options_.connection.backlog_max_bytes = 1;
  start_extras();
  uint32_t sent = 0;
  const bool ended = poll_until([&] {
    const ExecuteStatus status =
        sent < 5 ? session_->execute(kTail, sent) : ExecuteStatus::kStreamsBusy;
    if (status == ExecuteStatus::kSent) {
      sent++;
      EXPECT_EQ(session_->execute(kTail, sent), ExecuteStatus::kStreamsBusy);
    }
    return extras_.ended() == 5;
  });
  ASSERT_TRUE(ended);
  EXPECT_THAT(extras_.successes, ElementsAre(0, 1, 2, 3, 4));
}

TEST_F(ExtrasTest, AnOperationThatTimedOutIsStillSentWhole) {
  options_.connection.request_timeout_ns = 30 * kNanosPerMilli;
  extras_.sizes = {16 * kMiB};
  answer_ = act::after_ms(300, act::result_void());
  start_extras();
  ASSERT_EQ(session_->execute(kPlain, 0), ExecuteStatus::kSent);
  ASSERT_EQ(session_->execute(kTail, 1), ExecuteStatus::kSent);
  ASSERT_TRUE(poll_until_extras_ended(2));
  EXPECT_THAT(extras_.failures, ElementsAre("ClientTimeout", "ClientTimeout"));
  ASSERT_TRUE(poll_until([&] { return session_->late_answers() == 2; }));
  EXPECT_TRUE(bodies().at(1) == expected_body(kTail, 1));
}

using ExtrasDeathTest = ExtrasTest;

TEST_F(ExtrasDeathTest, APageHasRows) {
  start_extras();
  EXPECT_DEATH(session_->execute(kPaged, 1), "page size must be above 0");
}

}  // namespace
}  // namespace cqlperf::client

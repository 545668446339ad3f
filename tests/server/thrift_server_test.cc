#include <array>
#include <atomic>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "protocol/strings.h"
#include "server/server.h"
#include "thrift/call_writer.h"
#include "thrift/frame.h"
#include "thrift/reply_reader.h"

namespace cqlperf::server {
namespace {

using testing::HasSubstr;
using thrift::Call;
using thrift::Consistency;
using Outcome = thrift::ReplyReader::Outcome;

constexpr int kPatienceMs = 20'000;

// A blocking client on a socket of its own.
class Client {
 public:
  explicit Client(const net::SocketAddress& address)
      : fd_(::socket(address.family(), SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    EXPECT_EQ(::connect(fd_, address.data(), address.length()), 0);
  }
  ~Client() { ::close(fd_); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  void send(const core::Buffer& bytes) {
    size_t sent = 0;
    while (sent < bytes.size()) {
      const ssize_t count = ::send(fd_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
      ASSERT_GT(count, 0);
      sent += static_cast<size_t>(count);
    }
  }
  // What the reply to `call` is: `ok`, `Kind: why`, or `closed`.
  std::string receive(Call call) {
    input_.consume(consumed_);
    consumed_ = 0;
    while (true) {
      const auto frame = thrift::next_frame(input_.bytes());
      if (!frame) return frame.error().message;
      if (*frame) {
        consumed_ = thrift::kFrameHeaderSize + (*frame)->size();
        const auto outcome = reader.read(call, **frame);
        if (!outcome) return outcome.error().message;
        return *outcome == Outcome::kResult ? "ok" : to_string(reader.exception());
      }
      if (!receive_more()) return "closed";
    }
  }
  // Sends what `write` appends, and gives the reply.
  template <class Write>
  std::string call(Call call, Write write) {
    core::Buffer out;
    write(writer, out);
    send(out);
    return receive(call);
  }
  std::string query(std::string_view text) {
    return call(Call::kExecuteCql3Query, [&](thrift::CallWriter& to, core::Buffer& out) {
      to.execute_cql3_query(++seqid, text, Consistency::kOne, out);
    });
  }
  std::string use(std::string_view keyspace) {
    return call(Call::kSetKeyspace, [&](thrift::CallWriter& to, core::Buffer& out) {
      to.set_keyspace(++seqid, keyspace, out);
    });
  }
  std::string version() {
    return call(Call::kDescribeVersion, [&](thrift::CallWriter& to, core::Buffer& out) {
      to.call_without_arguments(++seqid, Call::kDescribeVersion, out);
    });
  }

  thrift::CallWriter writer;
  thrift::ReplyReader reader;
  int32_t seqid = 0;

 private:
  bool receive_more() {
    pollfd waiting = {.fd = fd_, .events = POLLIN, .revents = 0};
    if (::poll(&waiting, 1, kPatienceMs) <= 0) return false;
    uint8_t* at = input_.reserve(65536);
    const ssize_t count = ::recv(fd_, at, 65536, 0);
    if (count <= 0) return false;
    input_.commit(static_cast<size_t>(count));
    return true;
  }

  int fd_;
  core::Buffer input_;
  size_t consumed_ = 0;  // of the reply that the reader views
};

class ThriftServerTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "thrift-XXXXXX";
    ASSERT_NE(::mkdtemp(folder_.data()), nullptr);
    Server::Options options;
    options.address = *net::SocketAddress::from_numeric("127.0.0.1", 0);
    options.thrift_address = options.address;
    options.threads = 1;
    options.database.storage.directory = folder_ + "/data";
    options.database.storage.memory_bytes = size_t{32} << 20;
    auto server = Server::open(std::move(options));
    ASSERT_TRUE(server) << server.error().message;
    server_ = std::move(*server);
    thread_ = std::thread([this] { server_->serve([this] { return stopping_.load(); }); });
    client_ = std::make_unique<Client>(*server_->thrift_address());
    ASSERT_EQ(client_->query("CREATE KEYSPACE ks WITH replication = {'class': 'SimpleStrategy', "
                             "'replication_factor': 1}"),
              "ok");
    ASSERT_EQ(client_->use("ks"), "ok");
    ASSERT_EQ(client_->query("CREATE TABLE t (key blob PRIMARY KEY, \"C0\" blob, \"C1\" blob) WITH "
                             "COMPACT STORAGE"),
              "ok");
  }
  void TearDown() override {
    client_.reset();
    stopping_ = true;
    if (thread_.joinable()) thread_.join();
    server_.reset();
    std::filesystem::remove_all(folder_);
  }

  static void append_batch(Client& client, std::string_view key, std::string_view value,
                           core::Buffer& out) {
    const std::array columns = {
        thrift::ColumnWrite{protocol::as_bytes("C0"), protocol::as_bytes(value), 5, {}}};
    const std::array rows = {thrift::RowWrite{protocol::as_bytes(key), "t", columns, {}}};
    client.writer.batch_mutate(++client.seqid, rows, Consistency::kOne, out);
  }
  static void append_slice(Client& client, std::string_view key, core::Buffer& out) {
    client.writer.get_slice(++client.seqid, protocol::as_bytes(key), "t", {}, Consistency::kOne,
                            out);
  }
  static std::string value_of(Client& client) {
    const auto cells = client.reader.cells();
    return cells.empty() ? "" : std::string(cells[0].value.begin(), cells[0].value.end());
  }

  std::string folder_;
  std::unique_ptr<Server> server_;
  std::thread thread_;
  std::atomic<bool> stopping_ = false;
  std::unique_ptr<Client> client_;
};

TEST_F(ThriftServerTest, CallsThatAreSentTogetherAreAnsweredInTheirOrder) {
  core::Buffer out;
  for (int i = 0; i < 200; ++i) {
    append_batch(*client_, "key", std::to_string(i), out);
    append_slice(*client_, "key", out);
  }
  const int32_t first = client_->seqid - 399;
  client_->send(out);
  std::string last;
  for (int i = 0; i < 200; ++i) {
    ASSERT_EQ(client_->receive(Call::kBatchMutate), "ok");
    EXPECT_EQ(client_->reader.seqid(), first + 2 * i);
    ASSERT_EQ(client_->receive(Call::kGetSlice), "ok");
    EXPECT_EQ(client_->reader.seqid(), first + 2 * i + 1);
    // All have the same time: then the larger value stays.
    const std::string value = value_of(*client_);
    EXPECT_GE(value, last);
    last = value;
  }
  EXPECT_EQ(last, "99");
}

TEST_F(ThriftServerTest, ACallInPiecesIsOneCall) {
  core::Buffer out;
  append_batch(*client_, "piece", "by piece", out);
  for (const uint8_t byte : out.bytes()) {
    core::Buffer piece;
    piece.append_u8(byte);
    client_->send(piece);
  }
  EXPECT_EQ(client_->receive(Call::kBatchMutate), "ok");
}

TEST_F(ThriftServerTest, WhatIsNoThriftEndsItsConnectionAlone) {
  for (const std::string_view bytes :
       {std::string_view("\x04\0\0\0\1\0\0\0\0", 9), std::string_view("GET / HTTP/1.1\r\n\r\n"),
        std::string_view("\0\0\0\4abcd", 8), std::string_view("\xff\xff\xff\xff", 4),
        std::string_view("\0\0\0\0", 4)}) {
    Client other(*server_->thrift_address());
    core::Buffer out;
    out.append(bytes);
    other.send(out);
    EXPECT_EQ(other.receive(Call::kDescribeVersion), "closed");
  }
  EXPECT_EQ(client_->version(), "ok");
}

TEST_F(ThriftServerTest, AnUnknownMethodIsAnsweredAndTheConnectionGoesOn) {
  core::Buffer out;
  out.append_i32(4 + 4 + 4 + 4 + 1);
  out.append_i32(static_cast<int32_t>(0x80010001));
  out.append_i32(4);
  out.append(std::string_view("ring"));
  out.append_i32(1);
  out.append_u8(0);
  client_->send(out);
  // Its name is not that of the call which the reader is told.
  EXPECT_THAT(client_->receive(Call::kDescribeVersion), HasSubstr("'ring'"));
  EXPECT_EQ(client_->version(), "ok");
}

TEST_F(ThriftServerTest, LargeValuesTravelBothWays) {
  const std::string large(6'000'000, 'v');
  core::Buffer out;
  append_batch(*client_, "large", large, out);
  client_->send(out);
  EXPECT_EQ(client_->receive(Call::kBatchMutate), "ok");
  out.clear();
  append_slice(*client_, "large", out);
  client_->send(out);
  EXPECT_EQ(client_->receive(Call::kGetSlice), "ok");
  EXPECT_EQ(value_of(*client_), large);
}

TEST_F(ThriftServerTest, AResultBeyondAFrameIsAnError) {
  const std::string large(6'000'000, 'v');
  for (const std::string_view key : {"a", "b", "c"}) {
    core::Buffer out;
    append_batch(*client_, key, large, out);
    client_->send(out);
    ASSERT_EQ(client_->receive(Call::kBatchMutate), "ok");
  }
  EXPECT_THAT(client_->query("SELECT \"C0\" FROM t"), HasSubstr("15 MiB"));
  EXPECT_EQ(client_->version(), "ok");
}

TEST_F(ThriftServerTest, APreparedStatementIsSharedAndOutlivesAChangeOfTheSchema) {
  const std::string text = "SELECT \"C0\" FROM t WHERE key = ?";
  ASSERT_EQ(client_->call(Call::kPrepareCql3Query,
                          [&](thrift::CallWriter& to, core::Buffer& out) {
                            to.prepare_cql3_query(1, text, out);
                          }),
            "ok");
  const int32_t item = client_->reader.prepared().item_id;
  EXPECT_EQ(item, ThriftItems::id_of("ks" + text));
  core::Buffer batch;
  append_batch(*client_, "k", "v", batch);
  client_->send(batch);
  ASSERT_EQ(client_->receive(Call::kBatchMutate), "ok");
  ASSERT_EQ(client_->query("ALTER TABLE t ADD \"C2\" blob"), "ok");
  Client other(*server_->thrift_address());
  const std::array values = {protocol::as_bytes("k")};
  ASSERT_EQ(other.call(Call::kExecutePreparedCql3Query,
                       [&](thrift::CallWriter& to, core::Buffer& out) {
                         to.execute_prepared_cql3_query(1, item, values, Consistency::kOne, out);
                       }),
            "ok");
  ASSERT_EQ(other.reader.row_count(), 1u);
  EXPECT_EQ(other.reader.row(0)[0].value.size(), 1u);
}

TEST_F(ThriftServerTest, ARowOfACompactTableIsThereByItsCells) {
  EXPECT_EQ(client_->query("INSERT INTO t (key, \"C0\") VALUES (0x01, 0x02)"), "ok");
  EXPECT_EQ(client_->query("SELECT key FROM t WHERE key = 0x01"), "ok");
  EXPECT_EQ(client_->reader.row_count(), 1u);
  EXPECT_EQ(client_->query("DELETE \"C0\" FROM t WHERE key = 0x01"), "ok");
  EXPECT_EQ(client_->query("SELECT key FROM t WHERE key = 0x01"), "ok");
  EXPECT_EQ(client_->reader.row_count(), 0u);
}

TEST_F(ThriftServerTest, OnlyCompactTablesAreThere) {
  ASSERT_EQ(client_->query("CREATE TABLE plain (key blob PRIMARY KEY, \"C0\" blob)"), "ok");
  const auto slice = [](thrift::CallWriter& to, core::Buffer& out) {
    to.get_slice(1, protocol::as_bytes("k"), "plain", {}, Consistency::kOne, out);
  };
  EXPECT_EQ(client_->call(Call::kGetSlice, slice),
            "InvalidRequestException: unconfigured table plain");
}

}  // namespace
}  // namespace cqlperf::server

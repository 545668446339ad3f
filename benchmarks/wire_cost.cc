// wire_cost [SECONDS]
//
// What large values cost the client, over loopback: sending a value by copy and gathered, in CPU
// time of the sender, by size; and receiving pages of 64 KiB values through one connection of a
// session. The peers are threads with blocking sockets. About 1 s per line unless SECONDS says so.

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include "client/session.h"
#include "core/check.h"
#include "core/clock.h"
#include "net/tcp_stream.h"
#include "protocol/frame_stream.h"
#include "protocol/ready.h"
#include "protocol/result.h"
#include "protocol/supported.h"

namespace cqlperf {
namespace {

using protocol::ByteView;
using protocol::Opcode;
using protocol::Version;

constexpr size_t kMiB = size_t{1} << 20;
constexpr int64_t kStallNs = 20 * core::kNanosPerSecond;

double seconds_per_line = 1;

// A thread that accepts one connection and serves it until the other side closes.
class Peer {
 public:
  explicit Peer(void (*serve)(int fd, size_t argument), size_t argument = 0)
      : listener_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const auto any_port = *net::SocketAddress::from_numeric("127.0.0.1", 0);
    CQLPERF_CHECK(bind(listener_, any_port.data(), any_port.length()) == 0, "bind failed");
    CQLPERF_CHECK(listen(listener_, 1) == 0, "listen failed");
    thread_ = std::thread([this, serve, argument] {
      const int fd = accept(listener_, nullptr, nullptr);
      CQLPERF_CHECK(fd >= 0, "accept failed");
      serve(fd, argument);
      close(fd);
    });
  }
  ~Peer() {
    thread_.join();
    close(listener_);
  }
  net::SocketAddress address() const {
    sockaddr_in name{};
    socklen_t length = sizeof name;
    getsockname(listener_, reinterpret_cast<sockaddr*>(&name), &length);
    return {reinterpret_cast<sockaddr*>(&name), length};
  }

 private:
  int listener_;
  std::thread thread_;
};

void send_all(int fd, ByteView bytes) {
  while (!bytes.empty()) {
    const ssize_t put = send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (put <= 0) return;
    bytes = bytes.subspan(static_cast<size_t>(put));
  }
}

// Takes what comes and drops it.
void serve_drain(int fd, size_t) {
  std::vector<uint8_t> bytes(kMiB);
  while (recv(fd, bytes.data(), bytes.size(), 0) > 0) {
  }
}

class Sender final : public net::TcpStream::Handler {
 public:
  explicit Sender(const net::SocketAddress& address) : stream_(loop_, *this) {
    stream_.connect(address, loop_.refresh_now() + kStallNs);
    while (!stream_.is_open()) loop_.poll(loop_.refresh_now() + kStallNs);
  }
  // CPU nanoseconds per value, 50 bytes of frame before each; one flush for a megabyte or so.
  double measure(size_t size, bool is_gathered) {
    const std::vector<uint8_t> pool(64 * kMiB, 7);
    const size_t batch = std::max<size_t>(1, kMiB / size);
    const int64_t end_ns = loop_.refresh_now() + static_cast<int64_t>(seconds_per_line * 1e9);
    const int64_t start_ns = core::thread_cpu_ns();
    uint64_t values = 0;
    while (loop_.refresh_now() < end_ns) {
      for (size_t i = 0; i < batch; ++i)
        append(ByteView(pool).subspan(next(size), size), is_gathered);
      values += batch;
      stream_.flush();
      while (stream_.backlog_bytes() > 0) loop_.poll(loop_.refresh_now() + kStallNs);
    }
    return static_cast<double>(core::thread_cpu_ns() - start_ns) / static_cast<double>(values);
  }

  void on_connected() override {}
  void on_bytes(core::Buffer& input) override { input.clear(); }
  void on_closed(const core::Error& error) override {
    std::fprintf(stderr, "wire_cost: %s\n", error.message.c_str());
    std::exit(1);
  }

 private:
  void append(ByteView value, bool is_gathered) {
    const uint8_t head[50] = {};
    stream_.output().append(head, sizeof head);
    if (is_gathered)
      stream_.append_external(value);
    else
      stream_.output().append(value);
  }
  // Values lie in different places, as those of a run do.
  size_t next(size_t size) {
    place_ = (place_ + 4099 * 64) % (64 * kMiB - size + 1);
    return place_;
  }

  net::EventLoop loop_;
  net::TcpStream stream_;
  size_t place_ = 0;
};

void measure_sending() {
  std::printf("sending, CPU us per value\n%10s %10s %10s %8s\n", "bytes", "copied", "gathered",
              "ratio");
  for (const size_t size : {512, 1024, 2048, 4096, 8192, 16384, 65536, 1 << 20, 32 << 20}) {
    Peer peer(serve_drain);
    Sender sender(peer.address());
    std::array<std::vector<double>, 2> us;
    for (int round = 0; round < 5; ++round) {
      for (const bool gathered : {false, true})
        us[gathered].push_back(sender.measure(size, gathered) / 1000);
    }
    for (auto& values : us) std::ranges::sort(values);
    std::printf("%10zu %10.3f %10.3f %8.2f\n", size, us[0][2], us[1][2], us[1][2] / us[0][2]);
  }
}

core::Buffer make_page(Version version, size_t page_bytes) {
  core::Buffer out;
  const size_t frame = protocol::begin_frame(out, version, true, 0, 0, Opcode::kResult);
  protocol::RowsMetadata metadata;
  metadata.column_count = 1;
  metadata.paging_state = protocol::Bytes(32, 9);
  const size_t rows = protocol::begin_rows(out, version, metadata);
  const protocol::Bytes value(std::min<size_t>(page_bytes, 64 * 1024), 5);
  const size_t count = page_bytes / value.size();
  for (size_t i = 0; i < count; ++i) protocol::append_bytes(out, ByteView(value));
  protocol::end_rows(out, rows, static_cast<int32_t>(count));
  protocol::end_frame(out, frame);
  return out;
}

// The answer to anything but EXECUTE.
void append_answer(core::Buffer& out, const protocol::FrameHeader& header) {
  const auto reply = [&](const auto& message) {
    protocol::append_frame(out, header.version, header.stream, message);
  };
  if (header.opcode == Opcode::kOptions) return reply(protocol::Supported{});
  if (header.opcode == Opcode::kStartup) return reply(protocol::Ready{});
  protocol::Prepared prepared;
  prepared.id = {1, 2, 3, 4};
  reply(protocol::ResultMessage{prepared});
}

// Answers each EXECUTE with a page of `page_bytes`.
void serve_pages(int fd, size_t page_bytes) {
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  core::Buffer page = make_page(Version::kV4, page_bytes);
  protocol::FrameReader reader(protocol::Direction::kRequest);
  core::Buffer in;
  core::Buffer out;
  for (;;) {
    const ssize_t got = recv(fd, in.reserve(65536), 65536, 0);
    if (got <= 0) return;
    in.commit(static_cast<size_t>(got));
    for (;;) {
      const auto frame = reader.next(in);
      if (!frame || !*frame) break;
      if ((*frame)->header.opcode == Opcode::kExecute) {
        page.patch_u16(2, static_cast<uint16_t>((*frame)->header.stream));
        send_all(fd, page.bytes());
      } else {
        append_answer(out, (*frame)->header);
        send_all(fd, out.bytes());
        out.clear();
      }
    }
  }
}

class Reader final : public client::SessionClient {
 public:
  explicit Reader(const net::SocketAddress& address) : session_(loop_, *this, options(address)) {
    session_.start();
    const auto ready = session_.wait_until_ready(loop_.refresh_now() + kStallNs);
    CQLPERF_CHECK(ready, "the session did not become ready");
  }
  void measure(size_t page_bytes) {
    while (bytes_ < 4 * page_bytes) turn();  // the buffers reach their size
    bytes_ = 0;
    const auto before = session_.counters();
    const int64_t start_ns = loop_.refresh_now();
    const int64_t cpu_ns = core::thread_cpu_ns();
    const int64_t end_ns = start_ns + static_cast<int64_t>(seconds_per_line * 1e9);
    while (loop_.refresh_now() < end_ns) turn();
    const double elapsed_s = static_cast<double>(loop_.now_ns() - start_ns) / 1e9;
    const double cpu_s = static_cast<double>(core::thread_cpu_ns() - cpu_ns) / 1e9;
    const auto bytes = static_cast<double>(bytes_);
    const auto receives = static_cast<double>(session_.counters().receives - before.receives);
    std::printf("%10zu %8.2f %8.2f %12.0f\n", page_bytes, bytes / elapsed_s / 1e9,
                bytes / cpu_s / 1e9, bytes / receives);
  }

  void write_values(uint16_t, uint32_t, core::Buffer&) override {}
  client::PageRequest page_of(uint16_t, uint32_t) override { return {16, state_}; }
  void on_success(uint32_t, const protocol::Frame& frame, int64_t) override {
    const auto rows = protocol::RowsView::decode(frame.header.version, frame.body);
    CQLPERF_CHECK(rows, "the page cannot be read");
    state_ = protocol::to_bytes(rows->paging_state());
    bytes_ += frame.size();
  }
  void on_failure(uint32_t, const client::RequestFailure& failure, int64_t) override {
    std::fprintf(stderr, "wire_cost: %s\n", std::string(failure.message).c_str());
    std::exit(1);
  }

 private:
  static client::SessionOptions options(const net::SocketAddress& address) {
    client::SessionOptions options;
    options.nodes = {address};
    options.statements = {{.cql = "SELECT v FROM t", .paged = true}};
    return options;
  }
  // The next page is asked for while the one before is on its way.
  void turn() {
    while (session_.in_flight() < 2) session_.execute(0, 0);
    session_.flush();
    loop_.poll(loop_.refresh_now() + kStallNs);
  }

  net::EventLoop loop_;
  protocol::Bytes state_;
  uint64_t bytes_ = 0;
  client::Session session_;
};

void measure_receiving() {
  std::printf("receiving pages\n%10s %8s %8s %12s\n", "bytes", "GB/s", "GB/cpu s", "bytes/recv");
  for (const size_t size : {size_t{65536}, kMiB, 4 * kMiB, 16 * kMiB, 64 * kMiB}) {
    Peer peer(serve_pages, size);
    Reader reader(peer.address());
    reader.measure(size);
  }
}

}  // namespace
}  // namespace cqlperf

int main(int argc, char** argv) {
  if (argc > 1) cqlperf::seconds_per_line = std::strtod(argv[1], nullptr);
  if (argc > 2 || cqlperf::seconds_per_line <= 0 || cqlperf::seconds_per_line > 60) {
    std::fprintf(stderr, "usage: wire_cost [SECONDS], in (0, 60]\n");
    return 2;
  }
  cqlperf::measure_receiving();
  cqlperf::measure_sending();
}

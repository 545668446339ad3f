// null_server PORT [--spin]
//
// A server without a database, for measuring what a client costs: one thread that answers Void to
// every EXECUTE as soon as it reads it. It knows as much of the handshake, of the system tables and
// of DDL as a CQL client needs to get that far, and keeps nothing. 127.0.0.1 only.

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>
#include <unordered_map>

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/clock.h"
#include "core/interrupt.h"
#include "net/event_loop.h"
#include "protocol/error.h"
#include "protocol/frame.h"
#include "protocol/prepare.h"
#include "protocol/query.h"
#include "protocol/ready.h"
#include "protocol/result.h"
#include "protocol/rows.h"
#include "protocol/supported.h"
#include "protocol/values.h"

namespace cqlperf {
namespace {

using core::Buffer;
using protocol::ColumnSpec;
using protocol::ColumnType;
using protocol::Frame;
using protocol::TypeId;

constexpr size_t kReceiveBytes = 256 * 1024;
constexpr int64_t kInterruptCheckNs = 100 * core::kNanosPerMilli;

void append_void(Buffer& out, const Frame& request) {
  protocol::append_frame(out, request.header.version, request.header.stream,
                         protocol::ResultMessage{protocol::VoidResult{}});
}

ColumnSpec system_column(std::string name, ColumnType type) {
  return {"system", "local", std::move(name), std::move(type)};
}

// Begins a RESULT frame of rows; the caller appends the cells and calls end_rows_frame().
struct RowsFrame {
  size_t frame;
  size_t rows;
};

RowsFrame begin_rows_frame(Buffer& out, const Frame& request, std::vector<ColumnSpec> columns) {
  const size_t frame = protocol::begin_frame(out, request.header.version, true, 0,
                                             request.header.stream, protocol::Opcode::kResult);
  const size_t rows = protocol::begin_rows(out, request.header.version,
                                           protocol::RowsMetadata::of(std::move(columns)));
  return {frame, rows};
}

void end_rows_frame(Buffer& out, RowsFrame start, int32_t row_count) {
  protocol::end_rows(out, start.rows, row_count);
  protocol::end_frame(out, start.frame);
}

// system.local with every column that clients ask for; they look columns up by name.
void append_system_local(Buffer& out, const Frame& request) {
  const auto text = ColumnType::of(TypeId::kVarchar);
  const auto inet = ColumnType::of(TypeId::kInet);
  const auto uuid = ColumnType::of(TypeId::kUuid);
  const RowsFrame start = begin_rows_frame(
      out, request,
      {system_column("key", text), system_column("cluster_name", text),
       system_column("data_center", text), system_column("rack", text),
       system_column("release_version", text), system_column("partitioner", text),
       system_column("host_id", uuid), system_column("schema_version", uuid),
       system_column("rpc_address", inet), system_column("broadcast_address", inet),
       system_column("listen_address", inet),
       system_column("tokens", ColumnType::set_of(ColumnType::of(TypeId::kVarchar)))});
  protocol::Uuid some_uuid;
  some_uuid.bytes.fill(7);
  const protocol::InetAddress loopback{.bytes = {127, 0, 0, 1}, .size = 4};
  for (const char* value : {"local", "null", "datacenter1", "rack1", "5.0.0",
                            "org.apache.cassandra.dht.Murmur3Partitioner"})
    protocol::append_text(out, value);
  for (int i = 0; i < 2; ++i) protocol::append_uuid(out, some_uuid);
  for (int i = 0; i < 3; ++i) protocol::append_inet_value(out, loopback);
  protocol::append_text_list(out, {"0"});
  end_rows_frame(out, start, 1);
}

void append_no_rows(Buffer& out, const Frame& request) {
  end_rows_frame(
      out,
      begin_rows_frame(out, request, {system_column("name", ColumnType::of(TypeId::kVarchar))}), 0);
}

void append_query_answer(Buffer& out, const Frame& request) {
  const auto query = protocol::Query::decode_body(request.header.version, request.body);
  const std::string_view text = query ? std::string_view(query->query) : std::string_view();
  if (text.find("system.local") != std::string_view::npos)
    append_system_local(out, request);
  else if (text.starts_with("SELECT") || text.starts_with("select"))
    append_no_rows(out, request);
  else
    append_void(out, request);
}

// A statement with as many int markers as the text has question marks.
void append_prepared(Buffer& out, const Frame& request) {
  const auto prepare = protocol::Prepare::decode_body(request.header.version, request.body);
  protocol::Prepared prepared;
  prepared.id = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
  if (prepare)
    for (const char c : prepare->query)
      if (c == '?')
        prepared.bind.columns.push_back({"k", "t",
                                         "c" + std::to_string(prepared.bind.columns.size()),
                                         ColumnType::of(TypeId::kInt)});
  prepared.bind.partition_key_indexes = {0};
  protocol::append_frame(out, request.header.version, request.header.stream,
                         protocol::ResultMessage{std::move(prepared)});
}

void append_answer(Buffer& out, const Frame& request) {
  const auto& header = request.header;
  switch (header.opcode) {
    case protocol::Opcode::kExecute:
      return append_void(out, request);
    case protocol::Opcode::kOptions: {
      const protocol::Supported supported{{{"CQL_VERSION", {"3.4.7"}}, {"COMPRESSION", {}}}};
      return protocol::append_frame(out, header.version, header.stream, supported);
    }
    case protocol::Opcode::kStartup:
    case protocol::Opcode::kRegister:
      return protocol::append_frame(out, header.version, header.stream, protocol::Ready{});
    case protocol::Opcode::kQuery:
      return append_query_answer(out, request);
    case protocol::Opcode::kPrepare:
      return append_prepared(out, request);
    default:
      return protocol::append_frame(
          out, header.version, header.stream,
          protocol::ErrorMessage::of(protocol::ErrorCode::kProtocolError, "not answered here"));
  }
}

// One accepted connection.
class Peer final : public net::EventHandler {
 public:
  Peer(net::EventLoop& loop, int fd) : loop_(loop), fd_(fd) { loop_.watch(fd_, EPOLLIN, *this); }
  ~Peer() {
    loop_.unwatch(fd_);
    close(fd_);
  }
  bool closed() const { return closed_; }

  void on_events(uint32_t) override {
    if (!send_rest()) return;
    const ssize_t received = recv(fd_, input_.reserve(kReceiveBytes), kReceiveBytes, MSG_DONTWAIT);
    if (received > 0) {
      input_.commit(static_cast<size_t>(received));
      answer_all();
      send_rest();
    } else if (received == 0 || errno != EAGAIN) {
      closed_ = true;
    }
  }

 private:
  void answer_all() {
    while (true) {
      const auto frame = protocol::next_frame(input_.bytes(), protocol::Direction::kRequest);
      if (!frame) {
        closed_ = true;
        return;
      }
      if (!*frame) return;
      append_answer(output_, **frame);
      input_.consume((*frame)->size());
    }
  }

  // False while the socket does not take everything: nothing is read meanwhile.
  bool send_rest() {
    if (output_.empty()) return true;
    const ssize_t sent = send(fd_, output_.data(), output_.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno != EAGAIN) closed_ = true;
    if (sent > 0) output_.consume(static_cast<size_t>(sent));
    loop_.modify(fd_, output_.empty() ? EPOLLIN : EPOLLOUT);
    return output_.empty();
  }

  net::EventLoop& loop_;
  int fd_;
  bool closed_ = false;
  Buffer input_{kReceiveBytes};
  Buffer output_{kReceiveBytes};
};

class Listener final : public net::EventHandler {
 public:
  Listener(net::EventLoop& loop, int fd) : loop_(loop), fd_(fd) {
    loop_.watch(fd_, EPOLLIN, *this);
  }
  ~Listener() {
    peers_.clear();
    loop_.unwatch(fd_);
    close(fd_);
  }

  void on_events(uint32_t) override {
    const int peer = accept4(fd_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (peer < 0) return;
    const int on = 1;
    setsockopt(peer, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    peers_.emplace(peer, std::make_unique<Peer>(loop_, peer));
  }
  void drop_closed() {
    std::erase_if(peers_, [](const auto& entry) { return entry.second->closed(); });
  }

 private:
  net::EventLoop& loop_;
  int fd_;
  std::unordered_map<int, std::unique_ptr<Peer>> peers_;
};

int listen_on_loopback(uint16_t port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  const int on = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 || listen(fd, 1024) != 0)
    return -1;
  return fd;
}

int serve(uint16_t port, bool spin) {
  const int fd = listen_on_loopback(port);
  if (fd < 0) {
    std::fprintf(stderr, "null_server: cannot listen on port %u: %s\n", port, std::strerror(errno));
    return 1;
  }
  core::install_interrupt_handler();
  net::EventLoop loop;
  Listener listener(loop, fd);
  std::printf("listening on 127.0.0.1:%u\n", port);
  std::fflush(stdout);
  while (!core::interrupted()) {
    loop.poll(spin ? net::kPollNow : loop.refresh_now() + kInterruptCheckNs);
    listener.drop_closed();
  }
  return 0;
}

}  // namespace
}  // namespace cqlperf

int main(int argc, char** argv) {
  const long port = argc > 1 ? std::strtol(argv[1], nullptr, 10) : 0;
  const bool spin = argc > 2 && std::string_view(argv[2]) == "--spin";
  if (port < 1 || port > 65535) {
    std::fprintf(stderr, "usage: null_server PORT [--spin]\n");
    return 2;
  }
  return cqlperf::serve(static_cast<uint16_t>(port), spin);
}

#include "server/server.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <utility>

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/clock.h"
#include "core/interrupt.h"
#include "protocol/error.h"
#include "protocol/event.h"
#include "protocol/frame.h"
#include "server/limits.h"

namespace cqlperf::server {
namespace {

// How often serve() looks whether it should stop.
constexpr int64_t kLookEveryNs = 100 * core::kNanosPerMilli;
// Open files that are not connections: the data's, mostly.
constexpr rlim_t kFilesBesidesConnections = 512;
// How often it is said that connections cannot be accepted.
constexpr int64_t kPauseNoteEveryNs = 60 * core::kNanosPerSecond;

// Raises the limit of open files as far as the system allows, and says how many connections that
// leaves room for.
size_t make_room_for_connections() {
  rlimit limit = {};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return kConnectionsMax;
  const rlim_t wanted = kConnectionsMax + kFilesBesidesConnections;
  const rlim_t allowed = std::min(wanted, limit.rlim_max);
  if (limit.rlim_cur < allowed) {
    const rlimit raised = {allowed, limit.rlim_max};
    if (setrlimit(RLIMIT_NOFILE, &raised) == 0) limit.rlim_cur = allowed;
  }
  const rlim_t besides = std::min(kFilesBesidesConnections, limit.rlim_cur / 2);
  return std::min<size_t>(kConnectionsMax, limit.rlim_cur - besides);
}

protocol::InetAddress inet_of(const net::SocketAddress& address) {
  return protocol::parse_inet_address(address.host()).value_or(protocol::InetAddress{});
}

}  // namespace

Server::Server(Options options) : options_(std::move(options)), listener_(loop_, *this) {}

Server::~Server() { stop(); }

core::Result<std::unique_ptr<Server>> Server::open(Options options) {
  std::unique_ptr<Server> server(new Server(std::move(options)));
  server->connections_max_ = make_room_for_connections();
  // Bound first: a port in use is found before any data is touched. Nobody is accepted before the
  // workers are there, since that happens in serve().
  if (auto bound = server->listener_.listen(server->options_.address); !bound)
    return std::unexpected(std::move(bound.error()));
  if (const auto& thrift = server->options_.thrift_address)
    if (auto bound = server->thrift_listener_.listen(*thrift); !bound)
      return std::unexpected(std::move(bound.error()));
  NodeDescription& node = server->options_.database.node;
  node.address = inet_of(server->address());
  node.port = server->address().port();
  server->options_.database.storage.on_damage = server->options_.on_note;
  auto database = Database::open(std::move(server->options_.database));
  if (!database) return std::unexpected(std::move(database.error()));
  server->database_ = std::move(*database);
  for (uint32_t i = 0; i < server->options_.threads; ++i)
    server->workers_.push_back(std::make_unique<Worker>(*server->database_));
  server->watch_catalog();
  for (const auto& worker : server->workers_) worker->start();
  return server;
}

void Server::watch_catalog() {
  database_->catalog().set_barrier([this] { wait_for_workers(); });
  database_->catalog().set_listener([this](const protocol::SchemaChange& change) {
    database_->count_change();
    for (const auto& worker : workers_)
      worker->post([&worker = *worker, change] { worker.send_event({change}); });
  });
}

// Returns when each worker has ended the turn that it was in, and will look for the newest schema.
void Server::wait_for_workers() {
  database_->count_change();
  std::mutex mutex;
  std::condition_variable changed;
  size_t left = workers_.size();
  for (const auto& worker : workers_)
    worker->post([&] {
      const std::lock_guard lock(mutex);
      if (--left == 0) changed.notify_one();
    });
  std::unique_lock lock(mutex);
  changed.wait(lock, [&] { return left == 0; });
}

void Server::serve(const std::function<bool()>& must_stop) {
  while (!core::interrupted() && !must_stop()) loop_.poll(loop_.refresh_now() + kLookEveryNs);
  stop();
}

// Schema changes end first: they wait for workers.
void Server::stop() {
  listener_.close();
  thrift_listener_.close();
  if (database_) {
    database_->catalog().stop();
    database_->changes().stop();
  }
  workers_.clear();
}

size_t Server::connection_count() const {
  size_t count = 0;
  for (const auto& worker : workers_) count += worker->connection_count();
  return count;
}

void Server::on_accepted(int fd, const net::SocketAddress& peer) {
  if (connection_count() >= connections_max_) return refuse(fd);
  is_full_ = false;
  const uint64_t number = ++accepted_;
  workers_[number % workers_.size()]->adopt(fd, peer, number);
}

// There is no answer that Thrift has for a client that did not ask: it is closed.
void Server::ThriftAcceptor::on_accepted(int fd, const net::SocketAddress& peer) {
  if (server_.connection_count() >= server_.connections_max_) {
    ::close(fd);
    return;
  }
  const uint64_t number = ++server_.accepted_;
  server_.workers_[number % server_.workers_.size()]->adopt_thrift(fd, peer, number);
}

std::optional<net::SocketAddress> Server::thrift_address() const {
  if (!options_.thrift_address) return std::nullopt;
  return thrift_listener_.address();
}

// Tells the client, as far as that goes without waiting for it.
void Server::refuse(int fd) {
  const std::string text = fmt::format(
      "{} connections are open, and no more are possible: raise the limit of open files (ulimit "
      "-n), or close some",
      connections_max_);
  core::Buffer frame;
  protocol::append_frame(frame, protocol::Version::kV4, 0,
                         protocol::ErrorMessage::of(protocol::ErrorCode::kOverloaded, text));
  (void)::send(fd, frame.data(), frame.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  ::close(fd);
  if (!std::exchange(is_full_, true)) options_.on_note(text);
}

// It comes again and again until there are fewer clients.
void Server::on_accept_paused(const core::Error& error) {
  if (loop_.now_ns() < next_pause_note_ns_) return;
  next_pause_note_ns_ = loop_.now_ns() + kPauseNoteEveryNs;
  options_.on_note(error.message);
}

}  // namespace cqlperf::server

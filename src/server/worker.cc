#include "server/worker.h"

#include <utility>

#include "core/clock.h"
#include "server/connection.h"
#include "server/limits.h"
#include "server/thrift_host.h"

namespace cqlperf::server {
namespace {

constexpr int64_t kStopTimeoutNs = core::kNanosPerSecond;

}  // namespace

Worker::Worker(Database& database)
    : database_(database),
      writer_(database.engine(), database.condition_locks()),
      reader_(database.engine(), database.catalog()),
      prepared_(database.prepared()),
      thrift_(std::make_unique<ThriftHost>(*this)) {}

Worker::~Worker() { stop(); }

void Worker::start() {
  thread_ = std::thread([this] { run(); });
}

void Worker::stop() {
  if (!thread_.joinable()) return;
  stopping_.store(true);
  loop_.wake();
  thread_.join();
}

void Worker::post(std::function<void()> function) {
  {
    const std::lock_guard lock(mailbox_mutex_);
    mailbox_.push_back(std::move(function));
  }
  loop_.wake();
}

void Worker::adopt(int fd, const net::SocketAddress& peer, uint64_t number) {
  connection_count_.fetch_add(1, std::memory_order_relaxed);
  post([this, fd, peer, number] {
    connections_.emplace(number, std::make_unique<Connection>(*this, number, fd, peer));
  });
}

void Worker::adopt_thrift(int fd, const net::SocketAddress& peer, uint64_t number) {
  connection_count_.fetch_add(1, std::memory_order_relaxed);
  post([this, fd, peer, number] { thrift_->adopt(fd, peer, number); });
}

void Worker::run() {
  sweep();
  while (!stopping_.load(std::memory_order_relaxed)) turn();
  finish();
}

void Worker::turn() {
  const bool must_go_on =
      reader_.has_work() || writer_.has_pending() || !touched_.empty() || thrift_->has_touched();
  loop_.poll(must_go_on ? net::kPollNow : net::kPollForever);
  writer_.commit();
  if (reader_.has_work()) reader_.run_turn();
  run_mailbox();
  flush_touched();
  resume_held();
  destroy_buried();
  connection_count_.fetch_sub(thrift_->end_turn(), std::memory_order_relaxed);
  turn_bytes_ = 0;
  now_us_ = 0;
  generation_ = 0;
}

// Takes what was answered to the clients, as far as they want it.
void Worker::finish() {
  for (const auto& [number, connection] : connections_) connection->stop_reading();
  thrift_->stop_reading();
  const int64_t deadline_ns = loop_.refresh_now() + kStopTimeoutNs;
  const net::TimerId timer = loop_.call_at(deadline_ns, [] {});
  while (!is_idle() && loop_.now_ns() < deadline_ns) turn();
  loop_.cancel(timer);
  for (const auto& [number, connection] : connections_) reader_.forget(*connection);
  connections_.clear();
  thrift_->close_all();
}

bool Worker::is_idle() const {
  for (const auto& [number, connection] : connections_)
    if (!connection->is_quiet()) return false;
  return thrift_->is_idle();
}

const SchemaPtr& Worker::schema() {
  const uint64_t newest = database_.generation();
  if (generation_ != newest) {
    generation_ = newest;
    schema_ = database_.catalog().schema();
  }
  return schema_;
}

int64_t Worker::now_us() {
  if (now_us_ == 0) now_us_ = core::wall_clock_ns() / core::kNanosPerMicro;
  return now_us_;
}

void Worker::on_received(size_t bytes) {
  now_us_ = 0;
  turn_bytes_ += bytes;
  if (turn_bytes_ < kTurnBytesMax) return;
  turn_bytes_ = 0;
  writer_.commit();
}

void Worker::touch(Connection& connection) { touched_.push_back(&connection); }
void Worker::hold(Connection& connection) { held_.push_back(&connection); }
void Worker::bury(Connection& connection) { buried_.push_back(&connection); }

Connection* Worker::find(uint64_t number) {
  const auto found = connections_.find(number);
  return found == connections_.end() ? nullptr : found->second.get();
}

void Worker::send_event(const protocol::Event& event) {
  for (const auto& [number, connection] : connections_) connection->send_event(event);
}

void Worker::run_mailbox() {
  {
    const std::lock_guard lock(mailbox_mutex_);
    mailbox_taken_.swap(mailbox_);
  }
  for (const auto& function : mailbox_taken_) function();
  mailbox_taken_.clear();
}

void Worker::flush_touched() {
  for (Connection* connection : touched_) connection->flush();
  touched_.clear();
}

// Those that must go on waiting hold themselves again.
void Worker::resume_held() {
  if (held_.empty()) return;
  for (Connection* connection : std::exchange(held_, {})) connection->resume();
}

// Only here, after the commit: no answer is on its way to them any more.
void Worker::destroy_buried() {
  for (Connection* connection : std::exchange(buried_, {})) {
    reader_.forget(*connection);
    std::erase(held_, connection);
    std::erase(touched_, connection);
    connections_.erase(connection->number());
    connection_count_.fetch_sub(1, std::memory_order_relaxed);
  }
}

void Worker::sweep() {
  for (const auto& [number, connection] : connections_) connection->sweep();
  thrift_->sweep();
  loop_.call_at(loop_.refresh_now() + kSweepEveryNs, [this] { sweep(); });
}

}  // namespace cqlperf::server

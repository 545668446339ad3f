#include "server/thrift_host.h"

#include <utility>

#include "server/reader.h"
#include "server/thrift_connection.h"
#include "server/worker.h"

namespace cqlperf::server {

ThriftHost::ThriftHost(Worker& worker) : worker_(worker) {}
ThriftHost::~ThriftHost() = default;

ThriftConnection* ThriftHost::find(uint64_t number) {
  const auto found = connections_.find(number);
  return found == connections_.end() ? nullptr : found->second.get();
}

void ThriftHost::adopt(int fd, const net::SocketAddress& peer, uint64_t number) {
  connections_.emplace(number, std::make_unique<ThriftConnection>(*this, number, fd, peer));
}

size_t ThriftHost::end_turn() {
  for (ThriftConnection* connection : touched_) connection->flush();
  touched_.clear();
  if (!held_.empty())
    for (ThriftConnection* connection : std::exchange(held_, {})) connection->resume();
  const size_t gone = buried_.size();
  for (ThriftConnection* connection : std::exchange(buried_, {})) {
    worker_.reader().forget(*connection);
    std::erase(held_, connection);
    std::erase(touched_, connection);
    connections_.erase(connection->number());
  }
  return gone;
}

void ThriftHost::sweep() {
  calls_.release();
  for (const auto& [number, connection] : connections_) connection->sweep();
}

void ThriftHost::stop_reading() {
  for (const auto& [number, connection] : connections_) connection->stop_reading();
}

bool ThriftHost::is_idle() const {
  for (const auto& [number, connection] : connections_)
    if (!connection->is_quiet()) return false;
  return true;
}

void ThriftHost::close_all() {
  for (const auto& [number, connection] : connections_) worker_.reader().forget(*connection);
  connections_.clear();
}

}  // namespace cqlperf::server

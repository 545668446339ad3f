#pragma once

#include <cstdint>
#include <mutex>
#include <string_view>
#include <unordered_map>

#include "server/prepared_cache.h"

namespace cqlperf::server {

// The statements that were prepared over Thrift, by the number that it calls them by. All
// connections share them, as in Cassandra. Any thread; locks.
class ThriftItems {
 public:
  // Java's String.hashCode() of a text that is UTF-8.
  static int32_t id_of(std::string_view text);

  // Two texts of the same number: the later one has it.
  void add(int32_t id, PreparedPtr statement);
  // nullptr when it is not known, any more or yet.
  PreparedPtr find(int32_t id) const;

 private:
  mutable std::mutex mutex_;
  std::unordered_map<int32_t, PreparedPtr> items_;
};

}  // namespace cqlperf::server

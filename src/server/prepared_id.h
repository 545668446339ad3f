#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "protocol/strings.h"

namespace cqlperf::server {

// 16 bytes that stand for a text: the same on every machine and after every restart.
using StableId = std::array<uint8_t, 16>;
StableId stable_id(std::string_view text);

// The id of a prepared statement. `keyspace` is the connection's, empty when the text names its
// own: then it has the same id on every connection.
StableId prepared_id(std::string_view keyspace, std::string_view text);

// For hash tables: the id is a hash already.
struct StableIdHash {
  size_t operator()(const StableId& id) const {
    size_t hash = 0;
    std::memcpy(&hash, id.data(), sizeof hash);
    return hash;
  }
};

}  // namespace cqlperf::server

#include "server/prepared_id.h"

#include <string>

#include <xxhash.h>

namespace cqlperf::server {

StableId stable_id(std::string_view text) {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits(text.data(), text.size()));
  StableId id;
  static_assert(sizeof canonical.digest == sizeof(StableId));
  std::memcpy(id.data(), canonical.digest, sizeof canonical.digest);
  return id;
}

StableId prepared_id(std::string_view keyspace, std::string_view text) {
  std::string both(keyspace);
  both += '\0';
  both += text;
  return stable_id(both);
}

}  // namespace cqlperf::server

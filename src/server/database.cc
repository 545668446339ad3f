#include "server/database.h"

#include <algorithm>
#include <utility>

namespace cqlperf::server {

core::Result<std::unique_ptr<Database>> Database::open(Options options) {
  std::unique_ptr<Database> database(new Database(std::move(options)));
  if (database->options_.null_storage) {
    database->engine_ = storage::make_null_engine();
  } else {
    auto engine = storage::open_engine(database->options_.storage);
    if (!engine) return std::unexpected(std::move(engine.error()));
    database->engine_ = std::move(*engine);
  }
  auto catalog = Catalog::open(*database->engine_, database->options_.node);
  if (!catalog) return std::unexpected(std::move(catalog.error()));
  database->catalog_ = std::move(*catalog);
  return database;
}

int64_t Database::next_timestamp_us(int64_t now_us) {
  int64_t last = last_timestamp_us_.load(std::memory_order_relaxed);
  int64_t next = 0;
  do next = std::max(now_us, last + 1);
  while (!last_timestamp_us_.compare_exchange_weak(last, next, std::memory_order_relaxed));
  return next;
}

}  // namespace cqlperf::server

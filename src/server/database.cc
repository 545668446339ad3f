#include "server/database.h"

#include <algorithm>
#include <utility>

namespace cqlperf::server {

core::Result<std::unique_ptr<Database>> Database::open(Options options) {
  std::unique_ptr<Database> database(new Database(std::move(options)));
  if (database->options_.null_storage) {
    database->engine_ = storage::make_null_engine();
    // Every tool that shows which server it measured then shows what that is worth.
    database->options_.node.cluster_name += ", null storage: it keeps nothing";
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

}  // namespace cqlperf::server

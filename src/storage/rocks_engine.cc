#include <charconv>
#include <filesystem>
#include <mutex>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <rocksdb/db.h>

#include "storage/engine.h"
#include "storage/rocks_access.h"
#include "storage/rocks_options.h"
#include "storage/rocks_store.h"

namespace cqlperf::storage {
namespace {

using core::ErrorCode;
using core::fail;

// The column family of a store is named after its id.
constexpr std::string_view kStorePrefix = "store-";
// Names in the default column family: the engine's own, and those of Engine::metadata().
constexpr std::string_view kFormatName = "engine/format";
constexpr std::string_view kNextStoreName = "engine/next_store";
constexpr std::string_view kMetadataPrefix = "metadata/";
// Changes when the bytes of keys, rows or entries do.
constexpr std::string_view kFormat = "1";
constexpr std::string_view kWhenDamaged =
    ": files are damaged or missing; put back a copy of them, or name another directory";

std::optional<uint64_t> parse_number(std::string_view text) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<uint64_t> store_id_of(std::string_view family) {
  if (!family.starts_with(kStorePrefix)) return std::nullopt;
  return parse_number(family.substr(kStorePrefix.size()));
}

class RocksEngine final : public Engine {
 public:
  RocksEngine(std::shared_ptr<RocksDatabase> database, rocksdb::ColumnFamilyOptions store_options,
              bool sync)
      : database_(std::move(database)), store_options_(std::move(store_options)) {
    commit_options_.sync = sync;
    // Updates of a store that was dropped after they were made are lost, and nothing else.
    commit_options_.ignore_missing_column_families = true;
  }

  core::Status check_format();
  void adopt(rocksdb::ColumnFamilyHandle* family, uint64_t id) {
    stores_.emplace(id, std::make_shared<RocksStore>(database_, family, id));
    next_store_ = std::max(next_store_, id + 1);
  }

  std::map<uint64_t, StorePtr> stores() const override {
    const std::lock_guard lock(mutex_);
    return stores_;
  }
  core::Result<StorePtr> create_store() override;
  core::Status drop_store(const StorePtr& store) override;

  std::unique_ptr<Batch> make_batch() override { return std::make_unique<RocksBatch>(); }
  std::unique_ptr<PointReads> make_point_reads() override {
    return make_rocks_reads(database_->db());
  }
  std::unique_ptr<Cursor> scan(const Store& store, ScanRange range) override {
    return make_rocks_cursor(database_->db(), rocks_store(store), std::move(range));
  }
  core::Status commit(Batch& batch) override {
    return to_status(write(static_cast<RocksBatch&>(batch).batch()), "cannot write");
  }

  core::Result<Metadata> metadata() const override;
  core::Status change_metadata(const MetadataChanges& changes) override;
  bool keeps_nothing() const override { return false; }

 private:
  core::Status stamp_format();
  rocksdb::Status write(rocksdb::WriteBatch& batch);
  core::Result<std::string> read_name(std::string_view name) const;
  core::Status write_names(rocksdb::WriteBatch& batch);

  std::shared_ptr<RocksDatabase> database_;
  rocksdb::ColumnFamilyOptions store_options_;
  rocksdb::WriteOptions commit_options_;
  mutable std::mutex mutex_;  // of what follows; not held while files are written
  std::map<uint64_t, StorePtr> stores_;
  uint64_t next_store_ = 1;
};

// Empty when the name is not there.
core::Result<std::string> RocksEngine::read_name(std::string_view name) const {
  std::string value;
  const rocksdb::Status status = database_->db().Get({}, rocksdb::Slice(name), &value);
  if (status.IsNotFound()) return std::string();
  if (auto read = to_status(status, "cannot read the metadata"); !read) {
    return std::unexpected(std::move(read.error()));
  }
  return value;
}

// As durable as a commit. A sync would wait for all that was written to the tables before.
core::Status RocksEngine::write_names(rocksdb::WriteBatch& batch) {
  return to_status(write(batch), "cannot write the metadata");
}

// After a failure, such as that of a full disk, RocksDB refuses every write until it is told to go
// on.
rocksdb::Status RocksEngine::write(rocksdb::WriteBatch& batch) {
  rocksdb::Status status = database_->db().Write(commit_options_, &batch);
  if (status.ok() || !database_->resume()) [[likely]]
    return status;
  return database_->db().Write(commit_options_, &batch);
}

// A new directory, or one whose making was interrupted, has nothing in it.
core::Status RocksEngine::stamp_format() {
  const std::unique_ptr<rocksdb::Iterator> name(database_->db().NewIterator({}));
  name->SeekToFirst();
  if (name->Valid()) {
    return fail(ErrorCode::kIo, "holds data of another program: name another directory");
  }
  if (!stores_.empty()) {
    return fail(ErrorCode::kIo,
                "the metadata of its tables are missing: files are damaged or were removed; put "
                "back a copy of them, or name another directory");
  }
  rocksdb::WriteBatch batch;
  batch.Put(rocksdb::Slice(kFormatName), rocksdb::Slice(kFormat));
  return write_names(batch);
}

core::Status RocksEngine::check_format() {
  const auto format = read_name(kFormatName);
  if (!format) return std::unexpected(format.error());
  if (format->empty()) return stamp_format();
  if (*format != kFormat) {
    return fail(ErrorCode::kIo,
                fmt::format("the data have format {}, and this program reads format {}: use the "
                            "program that wrote them, or an empty directory",
                            *format, kFormat));
  }
  const auto next = read_name(kNextStoreName);
  if (!next) return std::unexpected(next.error());
  next_store_ = std::max(next_store_, parse_number(*next).value_or(1));
  return {};
}

core::Result<StorePtr> RocksEngine::create_store() {
  uint64_t id = 0;
  {
    const std::lock_guard lock(mutex_);
    id = next_store_++;
  }
  const std::string next = std::to_string(id + 1);
  rocksdb::ColumnFamilyHandle* family = nullptr;
  rocksdb::WriteBatch name;
  name.Put(rocksdb::Slice(kNextStoreName), next);
  rocksdb::Status status = write(name);
  if (status.ok()) {
    status = database_->db().CreateColumnFamily(store_options_,
                                                fmt::format("{}{}", kStorePrefix, id), &family);
  }
  if (auto created = to_status(status, "cannot make a store"); !created) {
    return std::unexpected(std::move(created.error()));
  }
  const std::lock_guard lock(mutex_);
  return stores_.emplace(id, std::make_shared<RocksStore>(database_, family, id)).first->second;
}

core::Status RocksEngine::drop_store(const StorePtr& store) {
  StorePtr dropped;  // outlives the lock: it may be the last holder
  const std::lock_guard lock(mutex_);
  const auto found = stores_.find(store->id());
  if (found == stores_.end()) return {};
  dropped = std::move(found->second);
  stores_.erase(found);
  static_cast<RocksStore&>(*dropped).set_dropped();
  return {};
}

core::Result<Engine::Metadata> RocksEngine::metadata() const {
  Metadata metadata;
  const std::unique_ptr<rocksdb::Iterator> name(database_->db().NewIterator({}));
  for (name->Seek(rocksdb::Slice(kMetadataPrefix)); name->Valid(); name->Next()) {
    if (!name->key().starts_with(rocksdb::Slice(kMetadataPrefix))) break;
    metadata.emplace(name->key().ToString().substr(kMetadataPrefix.size()),
                     name->value().ToString());
  }
  if (auto read = to_status(name->status(), "cannot read the metadata"); !read) {
    return std::unexpected(std::move(read.error()));
  }
  return metadata;
}

core::Status RocksEngine::change_metadata(const MetadataChanges& changes) {
  rocksdb::WriteBatch batch;
  for (const auto& [name, value] : changes) {
    const std::string key = fmt::format("{}{}", kMetadataPrefix, name);
    if (value) {
      batch.Put(key, *value);
    } else {
      batch.Delete(key);
    }
  }
  return write_names(batch);
}

core::Status make_directory(const std::string& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (!error) return {};
  return fail(ErrorCode::kIo,
              fmt::format("cannot make the data directory {}: {}", directory, error.message()));
}

// Data go into a directory of their own: RocksDB removes what bears names like those of its files.
core::Status check_is_ours(const std::string& directory) {
  if (std::filesystem::exists(std::filesystem::path(directory) / "CURRENT")) return {};
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(directory, error)) {
    const std::string name = entry.path().filename().string();
    // Those are there when the making of a database was interrupted, or it lost its CURRENT, and at
    // the root of a file system.
    const bool may_be_there = name == "LOCK" || name == "IDENTITY" || name == "lost+found" ||
                              name.starts_with("MANIFEST-") || name.starts_with("OPTIONS-") ||
                              name.ends_with(".dbtmp") || name.ends_with(".log") ||
                              name.ends_with(".sst");
    if (may_be_there) continue;
    return fail(ErrorCode::kIo,
                fmt::format("the data directory {} has other files in it, such as {}: name an "
                            "empty one, or one that is not there yet",
                            directory, name));
  }
  return {};
}

core::Status opened(const rocksdb::Status& status, const std::string& directory) {
  if (status.ok()) return {};
  const std::string reason = status.ToString();
  const bool is_locked = reason.find("While lock file") != std::string::npos ||
                         reason.find("lock hold by current process") != std::string::npos;
  if (is_locked) {
    return fail(ErrorCode::kIo, fmt::format("the data directory {} is in use by another process: "
                                            "end that one, or name another directory",
                                            directory));
  }
  return fail(ErrorCode::kIo, fmt::format("cannot open the data directory {}: {}{}", directory,
                                          reason, status.IsCorruption() ? kWhenDamaged : ""));
}

core::Result<std::vector<rocksdb::ColumnFamilyDescriptor>> list_families(
    const std::string& directory, const RocksOptions& options) {
  std::vector<std::string> names = {rocksdb::kDefaultColumnFamilyName};
  if (std::filesystem::exists(std::filesystem::path(directory) / "CURRENT")) {
    const auto status = rocksdb::DB::ListColumnFamilies(options.database, directory, &names);
    if (auto listed = opened(status, directory); !listed) {
      return std::unexpected(std::move(listed.error()));
    }
  }
  std::vector<rocksdb::ColumnFamilyDescriptor> families;
  for (const std::string& name : names) {
    const bool is_metadata = name == rocksdb::kDefaultColumnFamilyName;
    if (!is_metadata && !store_id_of(name)) {
      return fail(
          ErrorCode::kIo,
          fmt::format("{}: holds data of another program: name another directory", directory));
    }
    families.emplace_back(name, is_metadata ? options.metadata : options.store);
  }
  return families;
}

core::Result<std::unique_ptr<RocksEngine>> open_database(const EngineOptions& options) {
  const RocksOptions rocks = make_rocks_options(options);
  auto families = list_families(options.directory, rocks);
  if (!families) return std::unexpected(std::move(families.error()));
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  rocksdb::DB* db = nullptr;
  const auto status =
      rocksdb::DB::Open(rocks.database, options.directory, *families, &handles, &db);
  if (auto open = opened(status, options.directory); !open) {
    return std::unexpected(std::move(open.error()));
  }
  auto database = std::make_shared<RocksDatabase>(std::unique_ptr<rocksdb::DB>(db), handles[0]);
  auto engine = std::make_unique<RocksEngine>(database, rocks.store, options.sync);
  for (size_t i = 1; i < handles.size(); ++i) {
    engine->adopt(handles[i], *store_id_of(handles[i]->GetName()));
  }
  return engine;
}

}  // namespace

core::Result<std::unique_ptr<Engine>> open_engine(const EngineOptions& options) {
  if (auto made = make_directory(options.directory); !made) {
    return std::unexpected(std::move(made.error()));
  }
  if (auto checked = check_is_ours(options.directory); !checked) {
    return std::unexpected(std::move(checked.error()));
  }
  auto engine = open_database(options);
  if (!engine) return std::unexpected(std::move(engine.error()));
  if (auto checked = (*engine)->check_format(); !checked) {
    return fail(checked.error().code,
                fmt::format("{}: {}", options.directory, checked.error().message));
  }
  return std::move(*engine);
}

}  // namespace cqlperf::storage

// What the server spends on one prepared INSERT besides the storage: evaluating the bound values,
// the token, the key and the row, and the answer. One thread, no sockets, no disk: the engine's
// batch copies what it is given and forgets it. Prints nanoseconds of CPU per INSERT, and how often
// the last round allocated memory.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "core/buffer.h"
#include "core/clock.h"
#include "cql/parser.h"
#include "server/condition_locks.h"
#include "server/write_plan.h"
#include "server/writer.h"
#include "storage/engine.h"

namespace {

uint64_t allocations = 0;

}  // namespace

// Counted, since the way of a prepared INSERT is to have none.
void* operator new(size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size)) return memory;
  std::abort();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }

namespace {

using namespace cqlperf;

constexpr int kRounds = 5;
constexpr int kTurns = 20'000;
constexpr int kPerTurn = 100;

class CopyBatch final : public storage::Batch {
 public:
  void merge(const storage::Store&, protocol::ByteView key, protocol::ByteView update) override {
    bytes_.append(key);
    bytes_.append(update);
    ++count_;
  }
  size_t count() const override { return count_; }
  size_t size_bytes() const override { return bytes_.size(); }
  void clear() override {
    bytes_.clear();
    count_ = 0;
  }

 private:
  core::Buffer bytes_;
  size_t count_ = 0;
};

class OneStore final : public storage::Store {
 public:
  uint64_t id() const override { return 1; }
};

// Takes writes and forgets them, but as an engine that keeps them would be called.
class ForgetfulEngine final : public storage::Engine {
 public:
  std::map<uint64_t, storage::StorePtr> stores() const override { return {}; }
  core::Result<storage::StorePtr> create_store() override { return std::make_shared<OneStore>(); }
  core::Status drop_store(const storage::StorePtr&) override { return {}; }
  std::unique_ptr<storage::Batch> make_batch() override { return std::make_unique<CopyBatch>(); }
  std::unique_ptr<storage::PointReads> make_point_reads() override { return nullptr; }
  std::unique_ptr<storage::Cursor> scan(const storage::Store&, storage::ScanRange) override {
    return nullptr;
  }
  core::Status commit(storage::Batch&) override { return {}; }
  core::Result<Metadata> metadata() const override { return Metadata(); }
  core::Status change_metadata(const MetadataChanges&) override { return {}; }
  bool keeps_nothing() const override { return false; }
};

// Counts the bytes of the answers.
class Answers final : public server::ReplyTarget {
 public:
  protocol::Version version() const override { return protocol::Version::kV4; }
  core::Buffer& begin_reply(int16_t stream, protocol::Opcode opcode) override {
    start_ = protocol::begin_frame(out_, version(), true, 0, stream, opcode);
    return out_;
  }
  void end_reply() override { protocol::end_frame(out_, start_); }
  size_t take() {
    const size_t size = out_.size();
    out_.clear();
    return size;
  }

 private:
  core::Buffer out_;
  size_t start_ = 0;
};

server::Column make_column(std::string name, const char* type, server::ColumnKind kind,
                           uint16_t number) {
  server::Column column;
  column.name = std::move(name);
  column.type = cql::parse_type(type).value();
  column.kind = kind;
  if (kind == server::ColumnKind::kRegular) column.storage_id = number;
  if (kind != server::ColumnKind::kRegular) column.position = number;
  return column;
}

// id bigint PRIMARY KEY, va int, vb int, vc int; with `clustering` PRIMARY KEY (id, ck).
server::Schema make_schema(storage::Engine& engine, bool clustering) {
  auto table = std::make_shared<server::Table>();
  table->keyspace = "ks";
  table->name = "t";
  table->columns.push_back(make_column("id", "bigint", server::ColumnKind::kPartitionKey, 0));
  table->partition_key_size = 1;
  if (clustering) {
    table->columns.push_back(make_column("ck", "bigint", server::ColumnKind::kClustering, 0));
    table->clustering_key_size = 1;
  }
  uint16_t number = 0;
  for (const char* name : {"va", "vb", "vc"}) {
    table->columns.push_back(make_column(name, "int", server::ColumnKind::kRegular, number++));
  }
  table->store = engine.create_store().value();
  auto keyspace = std::make_shared<server::Keyspace>();
  keyspace->name = "ks";
  keyspace->tables["t"] = table;
  server::Schema schema;
  schema.keyspaces["ks"] = keyspace;
  return schema;
}

std::shared_ptr<const server::WritePlan> make_plan(const server::Schema& schema,
                                                   const std::string& text) {
  const auto parsed = cql::parse_statement(text).value();
  cql::MarkerSpecs markers(parsed.markers);
  return server::WritePlan::make(std::get<cql::Insert>(parsed.statement), schema, "ks", markers)
      .value();
}

void measure(const char* name, storage::Engine& engine, bool clustering, bool client_time) {
  const server::Schema schema = make_schema(engine, clustering);
  const auto plan =
      make_plan(schema, clustering ? "INSERT INTO t (id, ck, va, vb, vc) VALUES (?, ?, ?, ?, ?)"
                                   : "INSERT INTO t (id, va, vb, vc) VALUES (?, ?, ?, ?)");
  server::ConditionLocks locks;
  server::Writer writer(engine, locks);
  Answers answers;
  uint8_t key[8] = {};
  const uint8_t number[4] = {1, 2, 3, 4};
  std::vector<protocol::Value> values(clustering ? 2 : 1, protocol::Value::of(key));
  values.resize(values.size() + 3, protocol::Value::of(number));
  server::Arguments arguments;
  arguments.values = values;
  arguments.now_us = 1'700'000'000'000'000;
  if (client_time) arguments.timestamp_us = arguments.now_us;
  double best_ns = 1e9;
  uint64_t next = 0;
  uint64_t last_allocations = 0;
  for (int round = 0; round < kRounds; ++round) {
    last_allocations = allocations;
    const int64_t start_ns = core::thread_cpu_ns();
    for (int turn = 0; turn < kTurns; ++turn) {
      for (int16_t stream = 0; stream < kPerTurn; ++stream) {
        std::memcpy(key, &++next, sizeof next);
        writer.execute(*plan, arguments, {&answers, stream});
      }
      writer.commit();
      answers.take();
    }
    const double ns = static_cast<double>(core::thread_cpu_ns() - start_ns) / kTurns / kPerTurn;
    best_ns = std::min(best_ns, ns);
  }
  last_allocations = allocations - last_allocations;
  std::printf("%-44s %7.1f ns  %llu allocations in %d\n", name, best_ns,
              static_cast<unsigned long long>(last_allocations), kTurns * kPerTurn);
}

}  // namespace

int main() {
  ForgetfulEngine engine;
  measure("1 key column, 3 ints, client's timestamp", engine, false, true);
  measure("1 key column, 3 ints, server's timestamp", engine, false, false);
  measure("2 key columns, 3 ints, client's timestamp", engine, true, true);
  const auto null_engine = storage::make_null_engine();
  measure("1 key column, 3 ints, storage null", *null_engine, false, true);
}

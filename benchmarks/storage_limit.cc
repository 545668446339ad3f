// Measures the storage room alone, as the embedded server uses it: updates in batches, reads in
// batches, a full scan. Rows have an int key and four int columns. Run it on one core, where the
// background work of the engine takes its share: `taskset -c 0 storage_limit --rows 2000000`.

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <stdlib.h>
#include <time.h>

#include "core/buffer.h"
#include "core/check.h"
#include "core/clock.h"
#include "core/random.h"
#include "storage/engine.h"
#include "storage/key.h"
#include "storage/row.h"
#include "storage/token.h"

namespace cqlperf::storage {
namespace {

int64_t cpu_ns(clockid_t clock) {
  timespec time = {};
  clock_gettime(clock, &time);
  return time.tv_sec * core::kNanosPerSecond + time.tv_nsec;
}

// A moment, and the CPU time that this thread and the whole process had used by then.
struct Moment {
  int64_t wall_ns = core::steady_clock().now_ns();
  int64_t thread_ns = cpu_ns(CLOCK_THREAD_CPUTIME_ID);
  int64_t process_ns = cpu_ns(CLOCK_PROCESS_CPUTIME_ID);
};

struct Settings {
  int rows = 2'000'000;
  int reads = 500'000;
  int batch = 100;
  int value_bytes = 0;  // 0: four ints
  int memory_mib = 256;
  bool sync = false;
};

class Bench {
 public:
  Bench(const Settings& settings, const std::string& directory) : settings_(settings) {
    const Moment start;
    auto engine = open_engine({.directory = directory,
                               .memory_bytes = static_cast<size_t>(settings.memory_mib) << 20,
                               .sync = settings.sync});
    CQLPERF_CHECK(engine.has_value(), "the engine opens");
    engine_ = std::move(*engine);
    store_ = engine_->create_store().value();
    report("open and one store", 1, start);
  }

  // Serial ids: their tokens are in no order.
  void write_serial() {
    write("write new rows", settings_.rows, [](int i) { return i; });
  }
  void write_random() {
    write("write rows again, random", settings_.rows / 2, [this](int) { return any_row(); });
  }
  void read(int batch, const char* what);
  void scan();

 private:
  int any_row() { return static_cast<int>(random_.below(static_cast<uint64_t>(settings_.rows))); }
  template <class Id>
  void write(const char* what, int rows, Id id);
  void make_key(int id);
  void make_update(int id);
  // CPU time is steadier than the rate when others use the machine. That of the process counts the
  // engine's background work in, also what a phase before has left.
  static void report(const char* what, int64_t count, const Moment& start) {
    const Moment end;
    const auto each = [count](int64_t ns) {
      return static_cast<double>(ns) / static_cast<double>(count) / 1e3;
    };
    const double wall_us = each(end.wall_ns - start.wall_ns);
    fmt::print("{:<28}{:>12.0f}/s {:>9.3f} us, CPU {:>8.3f} us here, {:>8.3f} us in all\n", what,
               1e6 / wall_us, wall_us, each(end.thread_ns - start.thread_ns),
               each(end.process_ns - start.process_ns));
    std::fflush(stdout);
  }

  Settings settings_;
  std::unique_ptr<Engine> engine_;
  StorePtr store_;
  core::Random random_{1};
  core::Buffer key_;
  core::Buffer update_;
  int64_t timestamp_us_ = 1'700'000'000'000'000;
};

void Bench::make_key(int id) {
  const auto wire = __builtin_bswap32(static_cast<uint32_t>(id));
  const protocol::ByteView bytes(reinterpret_cast<const uint8_t*>(&wire), sizeof wire);
  key_.clear();
  append_partition_prefix(key_, token_of(bytes), bytes);
  key_.append_u8(kRowEntry);
}

void Bench::make_update(int id) {
  update_.clear();
  RowWriter row(update_, ++timestamp_us_);
  row.set_live();
  if (settings_.value_bytes > 0) {
    static const protocol::Bytes value(static_cast<size_t>(settings_.value_bytes), 'x');
    row.set_cell(0, value);
  } else {
    const auto wire = static_cast<uint32_t>(id);
    const protocol::ByteView bytes(reinterpret_cast<const uint8_t*>(&wire), sizeof wire);
    for (uint16_t column = 0; column < 4; ++column) row.set_cell(column, bytes);
  }
  row.finish();
}

template <class Id>
void Bench::write(const char* what, int rows, Id id) {
  const auto batch = engine_->make_batch();
  const Moment start;
  int64_t slowest_ns = 0;
  for (int i = 0; i < rows;) {
    batch->clear();
    for (int end = std::min(i + settings_.batch, rows); i < end; ++i) {
      const int row = id(i);
      make_key(row);
      make_update(row);
      batch->merge(*store_, key_.bytes(), update_.bytes());
    }
    const int64_t commit_ns = core::steady_clock().now_ns();
    CQLPERF_CHECK(engine_->commit(*batch).has_value(), "a commit succeeds");
    slowest_ns = std::max(slowest_ns, core::steady_clock().now_ns() - commit_ns);
  }
  report(what, rows, start);
  fmt::print("  slowest commit {:.1f} ms\n", static_cast<double>(slowest_ns) / 1e6);
}

void Bench::read(int batch, const char* what) {
  const auto reads = engine_->make_point_reads();
  const Moment start;
  for (int done = 0; done < settings_.reads; done += batch) {
    reads->clear();
    for (int i = 0; i < batch; ++i) {
      make_key(any_row());
      reads->add(*store_, key_.bytes());
    }
    CQLPERF_CHECK(reads->run().has_value(), "reads succeed");
    for (int i = 0; i < batch; ++i) {
      CQLPERF_CHECK(reads->value(static_cast<size_t>(i)).has_value(), "an existing row is read");
    }
  }
  report(what, settings_.reads, start);
}

void Bench::scan() {
  const Moment start;
  int rows = 0;
  const auto cursor = engine_->scan(*store_, {});
  for (; cursor->valid(); cursor->next()) ++rows;
  CQLPERF_CHECK(rows == settings_.rows, "a scan gives each row once");
  report("scan", rows, start);
}

void run(const Settings& settings) {
  std::string directory = std::filesystem::temp_directory_path() / "storage_limit-XXXXXX";
  CQLPERF_CHECK(mkdtemp(directory.data()) != nullptr, "a temporary directory can be made");
  {
    Bench bench(settings, directory);
    bench.write_serial();
    bench.read(64, "read, batches of 64");
    bench.read(1000, "read, batches of 1000");
    bench.scan();
    bench.write_random();
    bench.read(64, "read, batches of 64");
    bench.read(1000, "read, batches of 1000");
    bench.scan();
  }
  std::filesystem::remove_all(directory);
}

}  // namespace
}  // namespace cqlperf::storage

int main(int argc, char** argv) {
  cqlperf::storage::Settings settings;
  CLI::App app("Measures the storage room alone");
  app.add_option("--rows", settings.rows)->check(CLI::Range(1, 100'000'000));
  app.add_option("--reads", settings.reads)->check(CLI::Range(1, 100'000'000));
  app.add_option("--batch", settings.batch)->check(CLI::Range(1, 100'000));
  app.add_option("--value-bytes", settings.value_bytes)->check(CLI::Range(0, 1 << 26));
  app.add_option("--memory-mib", settings.memory_mib)->check(CLI::Range(8, 1 << 16));
  app.add_flag("--sync", settings.sync);
  CLI11_PARSE(app, argc, argv);
  cqlperf::storage::run(settings);
  return 0;
}

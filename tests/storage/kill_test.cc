// What was committed is there after the process was killed. The writer is this program started
// again with another filter, since a fork would lack the engine's threads.

#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/random.h"
#include "engine_fixture.h"

namespace cqlperf::storage {
namespace {

constexpr char kDirectoryVariable[] = "CQLPERF_KILL_TEST_DIRECTORY";
constexpr char kFirstVariable[] = "CQLPERF_KILL_TEST_FIRST";
constexpr unsigned kSecondsMax = 60;
constexpr int kRowsPerBatch = 20;
constexpr int kAcknowledgements = 3;  // the descriptor that the writer tells its commits to

std::string key_of(uint64_t batch, int row) {
  return std::to_string(batch) + "/" + std::to_string(row);
}

// Commits batches until it is killed, and tells the number of each.
TEST(KillWriter, DISABLED_CommitsUntilItIsKilled) {
  const char* const directory = std::getenv(kDirectoryVariable);
  const char* const first = std::getenv(kFirstVariable);
  ASSERT_TRUE(directory != nullptr && first != nullptr) << "started by the test below only";
  alarm(kSecondsMax);
  auto engine = open_engine({.directory = directory, .memory_bytes = size_t{8} << 20});
  ASSERT_TRUE(engine.has_value()) << engine.error().message;
  const auto stores = (*engine)->stores();
  const StorePtr store =
      stores.empty() ? (*engine)->create_store().value() : stores.begin()->second;
  const auto batch = (*engine)->make_batch();
  const std::string filler(500, 'x');
  for (uint64_t number = std::stoull(first);; ++number) {
    batch->clear();
    for (int row = 0; row < kRowsPerBatch; ++row) {
      const std::string key = key_of(number, row);
      batch->merge(*store, protocol::as_bytes(key), row_with(key + filler));
    }
    ASSERT_TRUE((*engine)->commit(*batch).has_value());
    ASSERT_EQ(write(kAcknowledgements, &number, sizeof number), sizeof number);
  }
}

class KillTest : public EngineFixture {
 protected:
  // Runs a writer until it has told `count` commits, kills it, and returns the last it told.
  uint64_t run_and_kill(uint64_t first, uint64_t count) {
    int ends[2] = {-1, -1};
    EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0);
    const pid_t child = spawn_writer(first, ends[1]);
    ::close(ends[1]);
    uint64_t last = first - 1;
    uint64_t told = 0;
    for (uint64_t number = 0; read(ends[0], &number, sizeof number) == sizeof number;) {
      last = number;
      if (++told == count) kill(child, SIGKILL);
    }
    ::close(ends[0]);
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << "the writer ended by itself";
    return last;
  }
  size_t rows_of(const Store& store, uint64_t batch) {
    size_t found = 0;
    for (int row = 0; row < kRowsPerBatch; ++row) {
      if (get(store, key_of(batch, row)).starts_with(key_of(batch, row))) ++found;
    }
    return found;
  }

 private:
  pid_t spawn_writer(uint64_t first, int acknowledgements) {
    const std::string directory = std::string(kDirectoryVariable) + "=" + directory_.path();
    const std::string from = std::string(kFirstVariable) + "=" + std::to_string(first);
    std::vector<std::string> arguments = {"/proc/self/exe", "--gtest_also_run_disabled_tests",
                                          "--gtest_filter=KillWriter.*"};
    std::vector<std::string> environment = {directory, from};
    for (char** each = environ; *each != nullptr; ++each) environment.emplace_back(*each);
    const auto pointers = [](std::vector<std::string>& texts) {
      std::vector<char*> result;
      for (std::string& text : texts) result.push_back(text.data());
      result.push_back(nullptr);
      return result;
    };
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, acknowledgements, kAcknowledgements);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    pid_t child = -1;
    EXPECT_EQ(posix_spawn(&child, arguments[0].c_str(), &actions, nullptr,
                          pointers(arguments).data(), pointers(environment).data()),
              0);
    posix_spawn_file_actions_destroy(&actions);
    return child;
  }
};

TEST_F(KillTest, EachCommittedBatchIsThereAfterwards) {
  constexpr int kRounds = 5;
  core::Random random(61);
  uint64_t last = 0;
  std::set<uint64_t> untold;
  for (int round = 0; round < kRounds; ++round) {
    last = run_and_kill(last + 2, 20 + random.below(800));
    open();
    ASSERT_EQ(engine_->stores().size(), 1);
    const StorePtr store = engine_->stores().begin()->second;
    for (uint64_t batch = 2; batch <= last; ++batch) {
      const size_t rows = rows_of(*store, batch);
      // The number after each round's last was not told: all of that batch may be there, or
      // nothing.
      ASSERT_TRUE(rows == kRowsPerBatch || (untold.contains(batch) && rows == 0)) << batch;
    }
    untold.insert(last + 1);
    const size_t rows = rows_of(*store, last + 1);
    EXPECT_TRUE(rows == 0 || rows == kRowsPerBatch) << rows << " rows of a batch";
    close();
  }
}

}  // namespace
}  // namespace cqlperf::storage

#include <cstdlib>
#include <filesystem>

#include <gmock/gmock.h>

#include "write_fixture.h"

namespace cqlperf::server {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

// A directory that is gone after the test.
class TemporaryDirectory {
 public:
  TemporaryDirectory() : path_(::testing::TempDir() + "cqlperf-writes-XXXXXX") {
    EXPECT_NE(mkdtemp(path_.data()), nullptr);
  }
  ~TemporaryDirectory() { std::filesystem::remove_all(path_); }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  std::unique_ptr<storage::Engine> open() const {
    storage::EngineOptions options;
    options.directory = path_;
    options.memory_bytes = size_t{32} << 20;
    return storage::open_engine(options).value();
  }

 private:
  std::string path_;
};

// Writes to the engine that the program uses. The directory outlives the engine.
class WriteRocksTest : private TemporaryDirectory, public WriteFixture {
 protected:
  WriteRocksTest() : WriteFixture(TemporaryDirectory::open()) {}
};

TEST_F(WriteRocksTest, WritesDeletesAndConditions) {
  run("INSERT INTO kv(k,v,w) VALUES (1,2,'a')");
  run("INSERT INTO kv(k,v) VALUES (1,3)");
  run("DELETE w FROM kv WHERE k=1");
  EXPECT_THAT(rows("kv"), ElementsAre("k=1 v=3"));
  EXPECT_EQ(run("INSERT INTO kv(k,v) VALUES (1,9) IF NOT EXISTS"),
            "[applied]=false k=1 v=3 w=null");
  EXPECT_EQ(run("INSERT INTO kv(k,v) VALUES (2,9) IF NOT EXISTS"), "[applied]=true");
  EXPECT_EQ(run("DELETE FROM kv WHERE k=1 IF EXISTS"), "[applied]=true");
  EXPECT_THAT(rows("kv"), ElementsAre("k=2 v=9"));
}

TEST_F(WriteRocksTest, DeletesRanges) {
  for (int c = 1; c <= 4; ++c) run("INSERT INTO rev(k,c,d) VALUES (1,?,1)", {c});
  run("DELETE FROM rev WHERE k=1 AND c>=2 AND c<4");
  run("DELETE FROM rev WHERE k=1 AND c=4");
  EXPECT_THAT(rows("rev"), ElementsAre("k=1 c=1 d=1"));
  EXPECT_EQ(run("INSERT INTO rev(k,c,d) VALUES (1,3,1) IF NOT EXISTS"), "[applied]=true");
  EXPECT_THAT(rows("rev"), ElementsAre("k=1 c=3 d=1", "k=1 c=1 d=1"));
}

TEST_F(WriteRocksTest, CountersInOneTurn) {
  for (int round = 0; round < 10; ++round) start("UPDATE cnt SET n=n+2, m=m-1 WHERE k=1");
  writer_.commit();
  EXPECT_THAT(rows("cnt"), ElementsAre("k=1 m=-10 n=20"));
}

TEST_F(WriteRocksTest, ATableThatIsDroppedInTheTurn) {
  const int16_t kept = start("INSERT INTO kv(k) VALUES (1)");
  const int16_t dropped = start("INSERT INTO tx(k,c) VALUES ('a','b')");
  ASSERT_TRUE(used_engine_.drop_store(table("tx").store));
  writer_.commit();
  EXPECT_EQ(answers_.text(kept), "void");
  EXPECT_EQ(answers_.text(dropped), "void");
  EXPECT_THAT(rows("kv"), UnorderedElementsAre("k=1"));
}

}  // namespace
}  // namespace cqlperf::server

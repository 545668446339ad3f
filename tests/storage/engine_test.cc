#include "storage/engine.h"

#include <chrono>
#include <thread>

#include "engine_fixture.h"

namespace cqlperf::storage {
namespace {

using EngineTest = EngineFixture;

TEST_F(EngineTest, ReadsWhatWasCommitted) {
  open();
  const StorePtr store = new_store();
  put(*store, "k", "one");
  EXPECT_EQ(get(*store, "k"), "one");
  EXPECT_EQ(get(*store, "other"), "nothing");
}

TEST_F(EngineTest, UpdatesOfAKeyMerge) {
  open();
  const StorePtr store = new_store();
  put(*store, "k", "new", 20);
  put(*store, "k", "old", 10);
  EXPECT_EQ(get(*store, "k"), "new");
}

}  // namespace
}  // namespace cqlperf::storage

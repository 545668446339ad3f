#include "bench/note_relay.h"

#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cqlperf::bench {
namespace {

class Notes final : public Listener {
 public:
  void on_note(const std::string& line) override { lines.push_back(line); }
  void on_server(const ServerInfo&) override {}

  std::vector<std::string> lines;
};

TEST(NoteRelay, TellsInTheListenersThreadWhatWorkersSawOnce) {
  NoteRelay relay;
  std::vector<std::thread> workers;
  for (int i = 0; i < 4; ++i) workers.emplace_back([&relay] { relay.add("127.0.0.1 is lost"); });
  for (std::thread& worker : workers) worker.join();
  relay.add("127.0.0.1 is back");

  Notes notes;
  relay.tell(notes);
  EXPECT_THAT(notes.lines, testing::ElementsAre("127.0.0.1 is lost", "127.0.0.1 is back"));
  relay.tell(notes);
  EXPECT_EQ(notes.lines.size(), 2) << "a note is told once";
  relay.add("127.0.0.1 is lost");
  relay.tell(notes);
  EXPECT_EQ(notes.lines.size(), 3) << "the same again later is news";
}

}  // namespace
}  // namespace cqlperf::bench

#include "report/gnuplot.h"

#include <chrono>
#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>
#include <unistd.h>

namespace cqlperf::report {
namespace {

using core::ErrorCode;

// Sets PATH, until it goes.
class PathOf {
 public:
  explicit PathOf(const char* path) : before_(std::getenv("PATH")) { setenv("PATH", path, 1); }
  ~PathOf() { setenv("PATH", before_.c_str(), 1); }

 private:
  std::string before_;
};

TEST(Gnuplot, RunsAScript) {
  const auto file = std::filesystem::temp_directory_path() /
                    ("cqlperf_gnuplot_" + std::to_string(getpid()) + ".txt");
  const auto done = run_gnuplot("set print '" + file.string() + "'\nprint 'drawn'\n");
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(std::filesystem::file_size(file), 6);
  std::filesystem::remove(file);
}

TEST(Gnuplot, WithoutItSaysWhatToInstall) {
  for (const char* path : {"", ":", "/nowhere::/proc"}) {
    const PathOf changed(path);
    const auto done = run_gnuplot("print 1\n");
    ASSERT_FALSE(done) << path;
    EXPECT_EQ(done.error().code, ErrorCode::kSetup);
    EXPECT_EQ(done.error().message, "gnuplot is not installed: apt-get install gnuplot-nox");
  }
}

TEST(Gnuplot, ABadScriptIsAnErrorWithItsLine) {
  const auto done = run_gnuplot("set title 'x'\nplot nothing_of_this_name\n");
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ErrorCode::kIo);
  EXPECT_EQ(done.error().message, "gnuplot failed: undefined variable: nothing_of_this_name");
}

TEST(Gnuplot, AnOutputThatCannotBeWrittenIsAnError) {
  EXPECT_FALSE(run_gnuplot("set terminal svg\nset output '/nowhere/x.svg'\nplot x\n"));
}

TEST(Gnuplot, IsEndedAtTheDeadline) {
  const auto before = std::chrono::steady_clock::now();
  const auto done = run_gnuplot("pause 20\n", 200);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ErrorCode::kTimeout);
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds(15));
}

TEST(Gnuplot, ALongScriptAndLongErrorsDoNotBlock) {
  std::string script = "$data << EOD\n";
  for (int i = 0; i < 200'000; ++i) script += "1 2 3 4 5\n";
  script += "EOD\ndo for [i=1:20000] { set print '-'; print 'words that nobody reads' }\nbad\n";
  const auto done = run_gnuplot(script);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ErrorCode::kIo) << done.error().message;
}

}  // namespace
}  // namespace cqlperf::report

#include "report/forms_files.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "forms_markup_check.h"
#include "forms_sample.h"
#include "report/forms_json.h"

namespace cqlperf::report {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

class FormsFilesTest : public testing::Test {
 protected:
  FormsFilesTest()
      : root_(std::filesystem::temp_directory_path() /
              ("cqlperf_forms_" + std::to_string(getpid()))) {
    std::filesystem::create_directories(root_);
  }
  ~FormsFilesTest() override { std::filesystem::remove_all(root_); }

  static core::Result<FormsFiles> write(const std::filesystem::path& directory) {
    const measure::FormsResult result = sample_result();
    return write_forms_files(directory, result, {}, forms_json(result));
  }
  static size_t count_in(const std::filesystem::path& directory) {
    using std::filesystem::directory_iterator;
    return static_cast<size_t>(std::distance(directory_iterator(directory), directory_iterator()));
  }

  std::filesystem::path root_;
};

TEST_F(FormsFilesTest, WritesAllFilesIntoADirectoryThatItMakes) {
  const auto directory = root_ / "a" / "b";
  const auto done = write(directory);
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(done->charts_note, "");
  EXPECT_THAT(done->files,
              ElementsAre("forms.json", "forms.md", "index.html", "inserts-rate.svg",
                          "inserts-rate.png", "inserts-latency.svg", "inserts-latency.png"));
  for (const std::string& name : done->files)
    EXPECT_GT(std::filesystem::file_size(directory / name), 100) << name;
  EXPECT_EQ(count_in(directory), 7) << "nothing is left over";
  const auto document = nlohmann::ordered_json::parse(read_file(directory / "forms.json"));
  EXPECT_EQ(document["scenarios"].size(), 1);
  EXPECT_THAT(read_file(directory / "forms.md"), HasSubstr("](inserts-latency.png)"));
  const std::string page = read_file(directory / "index.html");
  EXPECT_EQ(markup_fault(page), "");
  EXPECT_THAT(page, HasSubstr("id='inserts-rate-gpPt1'"));
  EXPECT_THAT(page, HasSubstr("id='inserts-latency-gpPt1'"));
}

TEST_F(FormsFilesTest, ReplacesWhatIsThere) {
  std::ofstream(root_ / "forms.json") << std::string(1'000'000, 'x');
  ASSERT_TRUE(write(root_));
  EXPECT_TRUE(nlohmann::ordered_json::accept(read_file(root_ / "forms.json")));
}

TEST_F(FormsFilesTest, WithoutGnuplotAllComesButTheCharts) {
  const std::string path = std::getenv("PATH");
  setenv("PATH", "/nowhere", 1);
  const auto done = write(root_);
  setenv("PATH", path.c_str(), 1);
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(done->charts_note, "no charts: gnuplot is not installed: apt-get install gnuplot-nox");
  EXPECT_THAT(done->files, ElementsAre("forms.json", "forms.md", "index.html"));
  EXPECT_EQ(count_in(root_), 3);
  EXPECT_THAT(read_file(root_ / "index.html"), HasSubstr("apt-get install gnuplot-nox"));
  EXPECT_THAT(read_file(root_ / "forms.md"), Not(HasSubstr(".png")));
}

TEST_F(FormsFilesTest, ADirectoryThatCannotBeIsNamed) {
  std::ofstream(root_ / "file") << "x";
  for (const auto& path : {root_ / "file", root_ / "file" / "below"}) {
    const auto done = write(path);
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, core::ErrorCode::kIo);
    EXPECT_THAT(done.error().message,
                HasSubstr("cannot make the directory " + path.string() + ": Not a directory"));
  }
}

TEST_F(FormsFilesTest, AFileThatCannotBeWrittenIsNamedAndNothingIsLeft) {
  std::filesystem::create_directories(root_ / "forms.json" / "in the way");
  const auto done = write(root_);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, core::ErrorCode::kIo);
  EXPECT_EQ(done.error().message,
            "cannot write " + (root_ / "forms.json").string() + ": Is a directory");
  EXPECT_EQ(count_in(root_), 1);
}

}  // namespace
}  // namespace cqlperf::report

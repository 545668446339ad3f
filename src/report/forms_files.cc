#include "report/forms_files.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "report/forms_charts.h"
#include "report/forms_markdown.h"
#include "report/forms_page.h"
#include "report/gnuplot.h"

namespace cqlperf::report {
namespace {

using core::ErrorCode;
using core::fail;
using core::Status;

// What is not complete yet has this behind its name.
constexpr const char* kTemporary = ".tmp";

std::unexpected<core::Error> cannot(std::string_view what, const std::string& path, int error) {
  return fail(ErrorCode::kIo, fmt::format("cannot {} {}: {}", what, path, strerror(error)));
}

// Writes all of `text` to a new file, or one that is there. Returns an errno, 0 when it is done.
int write_all(const std::string& path, std::string_view text) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0) return errno;
  int error = 0;
  while (!text.empty() && error == 0) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written >= 0)
      text.remove_prefix(static_cast<size_t>(written));
    else if (errno != EINTR)
      error = errno;
  }
  if (::close(fd) != 0 && error == 0) error = errno;
  return error;
}

// The directory as it is being filled.
class Writer {
 public:
  explicit Writer(std::string directory) : directory_(std::move(directory)) {}

  Status write(const std::string& name, std::string_view text) {
    const std::string path = path_of(name);
    const int error = write_all(path + kTemporary, text);
    if (error != 0) {
      ::unlink((path + kTemporary).c_str());
      return cannot("write", path, error);
    }
    return take(name);
  }

  // Gives a file that was written under its temporary name its own.
  Status take(const std::string& name) {
    const std::string path = path_of(name);
    if (::rename((path + kTemporary).c_str(), path.c_str()) != 0) {
      const int error = errno;
      ::unlink((path + kTemporary).c_str());
      return cannot("write", path, error);
    }
    if (std::ranges::find(done_.files, name) == done_.files.end()) done_.files.push_back(name);
    return {};
  }

  std::string path_of(const std::string& name) const { return directory_ + "/" + name; }
  FormsFiles& done() { return done_; }

 private:
  std::string directory_;
  FormsFiles done_;
};

Status make_directory(const std::string& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (!error && !std::filesystem::is_directory(directory, error) && !error)
    error = std::make_error_code(std::errc::not_a_directory);
  if (error)
    return fail(ErrorCode::kIo,
                fmt::format("cannot make the directory {}: {}", directory, error.message()));
  return {};
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// A picture is written to its end, which has this in its last bytes: gnuplot does not tell when a
// disk is full.
bool is_whole(const std::string& path, std::string_view mark) {
  constexpr size_t kLastBytes = 16;
  const std::string text = read_file(path);
  const std::string_view end =
      std::string_view(text).substr(text.size() - std::min(text.size(), kLastBytes));
  return end.find(mark) != std::string_view::npos;
}

// Draws one chart. What gnuplot could not do becomes the note, and is no error.
Status draw(Writer& writer, const measure::FormScenarioResult& scenario, ChartKind kind,
            const FormsHeading& heading, std::vector<PageChart>& charts) {
  const std::string name = chart_name(scenario.scenario, kind);
  const ChartPaths paths{.svg = writer.path_of(name + ".svg" + kTemporary),
                         .png = writer.path_of(name + ".png" + kTemporary)};
  const std::string script = chart_script(scenario, kind, heading, paths);
  if (script.empty()) return {};
  Status drawn = run_gnuplot(script);
  if (drawn && !(is_whole(paths.svg, "</svg>") && is_whole(paths.png, "IEND")))
    drawn = fail(ErrorCode::kIo, "gnuplot has left no whole pictures; is the disk full?");
  if (!drawn) {
    writer.done().charts_note = "no charts: " + drawn.error().message;
    ::unlink(paths.svg.c_str());
    ::unlink(paths.png.c_str());
    return {};
  }
  for (const char* extension : {".svg", ".png"})
    if (const auto taken = writer.take(name + extension); !taken) return taken;
  charts.push_back({scenario.scenario, kind, read_file(writer.path_of(name + ".svg"))});
  return {};
}

Status draw_all(Writer& writer, const measure::FormsResult& result, const FormsHeading& heading,
                std::vector<PageChart>& charts) {
  for (const auto& scenario : result.scenarios)
    for (const ChartKind kind : kChartKinds) {
      // What one chart cannot be drawn for holds for the others too, and may take its time.
      if (!writer.done().charts_note.empty()) return {};
      if (const auto drawn = draw(writer, scenario, kind, heading, charts); !drawn) return drawn;
    }
  return {};
}

Status write_pages(Writer& writer, const measure::FormsResult& result, const FormsHeading& heading,
                   const std::vector<PageChart>& charts) {
  const auto written =
      writer.write("forms.md", forms_markdown(result, heading, writer.done().files));
  if (!written) return written;
  return writer.write("index.html", forms_page(result, heading, charts, writer.done().charts_note));
}

}  // namespace

core::Result<FormsFiles> write_forms_files(const std::string& directory,
                                           const measure::FormsResult& result,
                                           const FormsHeading& heading,
                                           const nlohmann::ordered_json& document) {
  Writer writer(directory);
  std::vector<PageChart> charts;
  using nlohmann::ordered_json;
  Status status = make_directory(directory);
  if (status)
    status = writer.write(
        "forms.json", document.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n");
  // The tables first: drawing may be ended, or go wrong.
  if (status) status = write_pages(writer, result, heading, charts);
  if (status) status = draw_all(writer, result, heading, charts);
  if (status) status = write_pages(writer, result, heading, charts);
  if (!status) return std::unexpected(status.error());
  return std::move(writer.done());
}

}  // namespace cqlperf::report

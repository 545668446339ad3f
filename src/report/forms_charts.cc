#include "report/forms_charts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "core/text.h"
#include "measure/forms_statistics.h"
#include "report/figures.h"

namespace cqlperf::report {
namespace {

using measure::Form;
using measure::FormCell;
using measure::FormScenarioResult;

// Beyond this ratio of the highest to the lowest value an axis is logarithmic.
constexpr double kLinearRatioMax = 20;
constexpr double kPercentileStep = 0.02;  // in decades of 1 / (1 - p)
constexpr double kDecadesMax = 6;         // 99.9999 %
constexpr double kRounding = 1e-9;

struct Point {
  double x;
  double y;
};

struct Curve {
  Form form;
  std::vector<Point> points;
};

// The colours of Okabe and Ito, which people with any colour vision can tell; their yellow, too
// light on white, is darker here. Each curve has marks of its own as well.
struct Style {
  const char* colour;
  int mark;
};
constexpr std::array<Style, measure::kForms.size()> kStyles = {{{"#000000", 4},
                                                                {"#E69F00", 6},
                                                                {"#56B4E9", 8},
                                                                {"#8C7A00", 12},
                                                                {"#D55E00", 5},
                                                                {"#009E73", 7},
                                                                {"#CC79A7", 9},
                                                                {"#0072B2", 13}}};

// As much of a text as fits over a chart, for double quotes: nothing of it is a command, an escape
// or a line break there.
std::string plain(std::string_view text) {
  constexpr size_t kBytesMax = 96;
  std::string out;
  for (const char c : core::printable(text.substr(0, core::utf8_prefix(text)), kBytesMax)) {
    const bool quote = c == '"' || c == '`';
    out += quote ? '\'' : c == '\\' ? '/' : c == '\n' ? ' ' : c;
  }
  return out;
}

// A path in single quotes, where only the quote itself has a meaning.
std::string quoted_path(const std::string& path) {
  std::string out = "'";
  for (const char c : path) out += c == '\'' ? std::string("''") : std::string(1, c);
  return out + "'";
}

// The last interval may be that in which the answers that were missing came: much shorter, and of
// hardly any operations. It is no rate of the server's.
std::vector<Curve> rate_curves(const FormScenarioResult& scenario) {
  const measure::FormStatistics statistics = measure::form_statistics(scenario);
  std::vector<Curve> curves;
  for (size_t i = 0; i < scenario.cells.size(); ++i) {
    const auto median_round = statistics.cells[i].median_round;
    if (!median_round) continue;
    Curve curve{.form = scenario.cells[i].form, .points = {}};
    const auto& points = scenario.cells[i].rounds[*median_round].points;
    for (const auto& point : points)
      if (point.length_s >= points.front().length_s / 2)
        curve.points.push_back({point.start_s + point.length_s / 2, point.rate});
    if (!curve.points.empty()) curves.push_back(std::move(curve));
  }
  return curves;
}

// Response times in ms, by decades of 1 / (1 - p): 0 is the least, 2 that of 99 %. It ends where
// one value alone would decide.
Curve percentile_curve(const FormCell& cell) {
  Curve curve{.form = cell.form, .points = {}};
  const auto total = static_cast<double>(cell.response.count());
  const double last = std::min(std::log10(total), kDecadesMax) + kRounding;
  double seen = 0;
  int step = 0;
  const auto decades = [&step] { return step * kPercentileStep; };
  cell.response.for_each_bucket([&](int64_t, int64_t highest_ns, uint64_t count) {
    seen += static_cast<double>(count);
    const int64_t value_ns = std::min(highest_ns, *cell.response.max_ns());
    for (; decades() <= last && seen / total >= 1 - std::pow(10, -decades()); ++step)
      curve.points.push_back({decades(), static_cast<double>(value_ns) / 1e6});
  });
  return curve;
}

std::vector<Curve> percentile_curves(const FormScenarioResult& scenario) {
  std::vector<Curve> curves;
  for (const FormCell& cell : scenario.cells)
    if (!cell.response.empty()) curves.push_back(percentile_curve(cell));
  return curves;
}

double highest(const std::vector<Curve>& curves, double Point::*coordinate) {
  double value = 0;
  for (const Curve& curve : curves)
    for (const Point& point : curve.points) value = std::max(value, point.*coordinate);
  return value;
}

double lowest_y(const std::vector<Curve>& curves) {
  double value = curves.front().points.front().y;
  for (const Curve& curve : curves)
    for (const Point& point : curve.points) value = std::min(value, point.y);
  return value;
}

void scale_y(std::vector<Curve>& curves, double factor) {
  for (Curve& curve : curves)
    for (Point& point : curve.points) point.y *= factor;
}

// `"0.1" 0.1, "0.2" 0.2, ...`: 1, 2 and 5 of each decade that the values are in.
std::string decade_ticks(double low, double high) {
  std::string ticks;
  for (double decade = std::pow(10, std::floor(std::log10(low))); decade <= high; decade *= 10)
    for (const int step : {1, 2, 5})
      ticks += fmt::format("{}\"{:.6g}\" {:.6g}", ticks.empty() ? "" : ", ", step * decade,
                           step * decade);
  return ticks;
}

std::string rate_axes(std::vector<Curve>& curves) {
  const double high = highest(curves, &Point::y);
  const bool thousands = high >= 10'000;
  if (thousands) scale_y(curves, 1e-3);
  return fmt::format(
      "set xlabel \"seconds since the measured time began\"\n"
      "set ylabel \"operations per second{}\"\n"
      "set xrange [0:*]\n"
      "set yrange [0:{:.6g}]\n",
      thousands ? ", thousands" : "", high > 0 ? 1.08 * high * (thousands ? 1e-3 : 1) : 1);
}

std::string latency_axes(std::vector<Curve>& curves) {
  const bool micros = highest(curves, &Point::y) < 1;
  if (micros) scale_y(curves, 1e3);
  std::string text = fmt::format(
      "set xlabel \"percentile of the operations\"\n"
      "set ylabel \"response time, {}\"\n"
      "set xrange [0:{:.4f}]\n"
      "set xtics (\"0\" 0, \"50 %%\" 0.30103, \"90 %%\" 1, \"99 %%\" 2, \"99.9 %%\" 3, "
      "\"99.99 %%\" 4, \"99.999 %%\" 5, \"99.9999 %%\" 6)\n",
      micros ? "us" : "ms", std::max(1.0, highest(curves, &Point::x)));
  const double high = highest(curves, &Point::y);
  const double low = std::max(lowest_y(curves), 1e-6);
  if (high / low <= kLinearRatioMax) return text + "set yrange [0:*]\n";
  return text + fmt::format("set logscale y\nset yrange [{:.6g}:{:.6g}]\nset ytics ({})\n",
                            low / 1.1, high * 1.15, decade_ticks(low, high * 1.15));
}

std::string data_blocks(const std::vector<Curve>& curves) {
  std::string text;
  for (const Curve& curve : curves) {
    text += fmt::format("$form{} << EOD\n", static_cast<int>(curve.form));
    for (const Point& point : curve.points)
      text += fmt::format("{:.6g} {:.6g}\n", point.x, point.y);
    text += "EOD\n";
  }
  return text;
}

// `mark_size` makes the marks of the two terminals alike, which take it differently.
std::string plot_command(const std::vector<Curve>& curves, double mark_size) {
  std::string text;
  for (const Curve& curve : curves) {
    const auto number = static_cast<size_t>(curve.form);
    const size_t marks = std::max<size_t>(1, curve.points.size() / 12);
    text += fmt::format(
        "{} $form{} using 1:2 with linespoints lc rgb \"{}\" lw 3 dt {} pt {} ps {} pi {} "
        "title \"{}\" noenhanced",
        text.empty() ? "plot" : ", \\\n ", number, kStyles[number].colour,
        measure::is_rpc(curve.form) ? "(14,7)" : "1", kStyles[number].mark, mark_size, marks,
        measure::form_title(curve.form));
  }
  return text + "\n";
}

// What it shows, and below it of which server.
std::string title_of(const FormScenarioResult& scenario, ChartKind kind,
                     const FormsHeading& heading) {
  const char* shown = kind == ChartKind::kRate ? "throughput over time" : "response times";
  std::string title = fmt::format("{}: {}", plain(scenario.title), shown);
  const auto server =
      std::ranges::find(heading.facts, "server", &std::pair<std::string, std::string>::first);
  if (server != heading.facts.end()) title += "\\n" + plain(server->second);
  return title;
}

// What begins the ids of the picture's elements; gnuplot allows letters, digits and underscores.
std::string svg_name(measure::FormScenario scenario, ChartKind kind) {
  std::string name = chart_name(scenario, kind);
  std::ranges::replace(name, '-', '_');
  return name;
}

}  // namespace

std::string chart_script(const FormScenarioResult& scenario, ChartKind kind,
                         const FormsHeading& heading, const ChartPaths& paths) {
  std::vector<Curve> curves =
      kind == ChartKind::kRate ? rate_curves(scenario) : percentile_curves(scenario);
  if (curves.empty()) return {};
  const std::string axes = kind == ChartKind::kRate ? rate_axes(curves) : latency_axes(curves);
  std::string text = "set encoding utf8\n" + data_blocks(curves);
  text += fmt::format("set title \"{}\" noenhanced\n", title_of(scenario, kind, heading));
  text += axes;
  text +=
      "set grid lt 1 lc rgb \"#D8D8D8\" lw 1.5\n"
      "set border 3 lc rgb \"#404040\"\n"
      "set tics nomirror out\n"
      "set key outside bottom center vertical Left reverse maxrows 4 samplen 4 "
      "title \" \" font \",8\"\n";
  text += fmt::format(
      "set terminal svg size 1400,900 dynamic font \"sans-serif,26\" background \"#FFFFFF\" "
      "name \"{}\"\nset output {}\n",
      svg_name(scenario.scenario, kind), quoted_path(paths.svg));
  text += plot_command(curves, 0.9);
  text += fmt::format(
      "set terminal pngcairo size 1400,900 font \"sans,20\" background \"#FFFFFF\"\n"
      "set output {}\n",
      quoted_path(paths.png));
  text += plot_command(curves, 1.3);
  return text + "unset output\n";
}

}  // namespace cqlperf::report

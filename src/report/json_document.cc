#include "report/json_document.h"

#include <cmath>
#include <cstring>
#include <utility>

#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace cqlperf::report {
namespace {

using core::ErrorCode;
using core::fail;
using core::Status;
using measure::LatencyStats;
using nlohmann::ordered_json;

// Room that is claimed on the disk before the run, in bytes: a document without long intervals.
constexpr off_t kReservedBytes = 64 * 1024;
constexpr const char* kRunningDocument = "{\"schema_version\":1,\"status\":\"running\"}\n";

template <class Number>
ordered_json microseconds(const std::optional<Number>& nanos) {
  if (!nanos) return nullptr;
  return std::round(static_cast<double>(*nanos)) / 1000;
}

ordered_json latency_json(const LatencyStats& stats) {
  ordered_json json;
  json["mean"] = microseconds(stats.mean_ns);
  json["min"] = microseconds(stats.min_ns);
  json["p50"] = microseconds(stats.p50_ns);
  json["p90"] = microseconds(stats.p90_ns);
  json["p99"] = microseconds(stats.p99_ns);
  json["p99_9"] = microseconds(stats.p99_9_ns);
  json["max"] = microseconds(stats.max_ns);
  for (const auto& extra : stats.extra)
    json[measure::percentile_name(extra.percentile)] = microseconds(extra.value_ns);
  json["count"] = stats.count;
  json["over_range"] = stats.over_range;
  return json;
}

ordered_json latency_json(const measure::IntervalLatency& latency) {
  ordered_json json;
  json["mean"] = microseconds(latency.mean_ns);
  json["p50"] = microseconds(latency.p50_ns);
  json["p99"] = microseconds(latency.p99_ns);
  json["p99_9"] = microseconds(latency.p99_9_ns);
  json["max"] = microseconds(latency.max_ns);
  return json;
}

ordered_json errors_json(const measure::Summary& summary) {
  ordered_json list = ordered_json::array();
  for (const auto& error : summary.errors_by_kind)
    list.push_back(
        {{"kind", error.kind}, {"count", error.count}, {"first_message", error.first_message}});
  return list;
}

ordered_json kinds_json(const measure::Summary& summary) {
  ordered_json json = ordered_json::object();
  for (const auto& kind : summary.kinds)
    json[kind.name] = {{"operations", kind.response.count},
                       {"response_time_us", latency_json(kind.response)},
                       {"service_time_us", latency_json(kind.service)}};
  return json;
}

Status cannot_write(const std::string& path) {
  return fail(ErrorCode::kIo,
              fmt::format("cannot write the JSON result to {}: {}", path, std::strerror(errno)));
}

// Texts of servers may hold bytes that are not UTF-8: they are replaced, so the document is valid.
std::string dump(const ordered_json& json) {
  return json.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace

ordered_json summary_json(const measure::Summary& summary) {
  ordered_json json;
  json["measured_seconds"] = summary.measured_seconds;
  json["asked_rate"] = summary.asked_rate > 0 ? ordered_json(summary.asked_rate) : nullptr;
  json["achieved_rate"] = summary.achieved_rate;
  json["operations"] = summary.operations;
  json["errors"] = summary.errors;
  json["errors_by_kind"] = errors_json(summary);
  json["due"] = summary.due;
  json["sent"] = summary.sent;
  json["late"] = summary.late;
  json["skipped"] = summary.skipped;
  json["unsent"] = summary.unsent;
  json["unanswered"] = summary.in_flight_at_end;
  const auto& cpu = summary.client_cpu_us_per_operation;
  json["client_cpu_us_per_operation"] = cpu ? ordered_json(*cpu) : ordered_json(nullptr);
  json["client_cpu_s"] = static_cast<double>(summary.process_cpu_ns) / 1e9;
  json["busiest_worker_cpu"] = summary.busiest_worker_cpu;
  json["loop_lag_max_us"] = static_cast<double>(summary.lag_max_ns) / 1000;
  json["response_time_us"] = latency_json(summary.response);
  json["service_time_us"] = latency_json(summary.service);
  json["failed_response_time_us"] = latency_json(summary.failed_response);
  json["kinds"] = kinds_json(summary);
  if (summary.distinct_keys)
    json["distinct_keys"] = {{"count", summary.distinct_keys->count},
                             {"exact", summary.distinct_keys->exact},
                             {"relative_error", summary.distinct_keys->relative_error}};
  else
    json["distinct_keys"] = nullptr;
  json["shortfall"] = {{"cause", measure::shortfall_name(summary.shortfall.cause)},
                       {"explanation", summary.shortfall.sentence}};
  json["interrupted"] = summary.interrupted;
  json["gave_up"] = summary.gave_up;
  return json;
}

ordered_json interval_json(const measure::IntervalRow& row) {
  ordered_json json;
  json["start_s"] = row.start_s;
  json["length_s"] = row.length_s;
  json["done"] = row.done;
  json["rate"] = row.rate;
  json["target_rate"] = row.target_rate > 0 ? ordered_json(row.target_rate) : nullptr;
  json["errors"] = row.errors;
  json["sent"] = row.sent;
  json["late"] = row.late;
  json["skipped"] = row.skipped;
  json["in_flight"] = row.in_flight;
  json["response_time_us"] = latency_json(row.response);
  json["service_time_us"] = latency_json(row.service);
  json["client_cpu_s"] = static_cast<double>(row.process_cpu_ns) / 1e9;
  json["busiest_worker_cpu"] = row.busiest_worker_cpu;
  json["loop_lag_max_us"] = static_cast<double>(row.lag_max_ns) / 1000;
  return json;
}

JsonFile::JsonFile(std::string path, std::FILE* file, bool is_stdout)
    : path_(std::move(path)), file_(file), is_stdout_(is_stdout) {}

JsonFile::JsonFile(JsonFile&& other) noexcept
    : path_(std::move(other.path_)),
      file_(std::exchange(other.file_, nullptr)),
      is_stdout_(other.is_stdout_),
      is_regular_(other.is_regular_) {}

JsonFile::~JsonFile() {
  if (file_ != nullptr && !is_stdout_) std::fclose(file_);
}

core::Result<JsonFile> JsonFile::open(const std::string& path) {
  if (path == "-") return JsonFile("standard output", stdout, true);
  std::FILE* file = std::fopen(path.c_str(), "we");
  if (file == nullptr) return std::unexpected(cannot_write(path).error());
  JsonFile opened(path, file, false);
  if (auto room = opened.check_room(); !room) return std::unexpected(room.error());
  return opened;
}

Status JsonFile::check_room() {
  struct stat info = {};
  if (fstat(fileno(file_), &info) != 0) return cannot_write(path_);
  is_regular_ = S_ISREG(info.st_mode);
  // What reads from a pipe must get one document; a device is tried with a byte that JSON ignores.
  if (S_ISFIFO(info.st_mode)) return {};
  if (std::fputs(is_regular_ ? kRunningDocument : "\n", file_) < 0 || std::fflush(file_) != 0)
    return cannot_write(path_);
  if (!is_regular_) return {};
  // Claimed beyond the end: the size stays that of the document.
  if (fallocate(fileno(file_), FALLOC_FL_KEEP_SIZE, 0, kReservedBytes) != 0 && errno == ENOSPC)
    return cannot_write(path_);
  return {};
}

Status JsonFile::write(const ordered_json& document, const measure::IntervalSpool* intervals) {
  const Status written = write_once(document, intervals);
  if (written || !is_regular_ || intervals == nullptr) return written;
  // The disk is full: without the intervals it fits in what was claimed at the start.
  std::clearerr(file_);
  if (ftruncate(fileno(file_), 0) != 0 || !write_once(document, nullptr)) return written;
  return fail(written.error().code, written.error().message + "; the intervals are left out");
}

Status JsonFile::write(const ordered_json& document) {
  if (is_regular_) std::rewind(file_);
  std::fputs((dump(document) + "\n").c_str(), file_);
  return end_document();
}

Status JsonFile::write_once(const ordered_json& document, const measure::IntervalSpool* intervals) {
  if (is_regular_) std::rewind(file_);
  std::string head = dump(document);
  head.pop_back();  // the closing brace: the rows come before it
  head += document.empty() ? "\"intervals\":[" : ",\"intervals\":[";
  std::fputs(head.c_str(), file_);
  bool first = true;
  Status rows;
  if (intervals != nullptr)
    rows = intervals->for_each([&](const measure::IntervalRow& row) {
      std::fputs(std::exchange(first, false) ? "\n" : ",\n", file_);
      std::fputs(dump(interval_json(row)).c_str(), file_);
    });
  std::fputs("]}\n", file_);
  const Status ended = end_document();
  return ended ? rows : ended;
}

Status JsonFile::end_document() {
  if (std::fflush(file_) != 0 || std::ferror(file_)) return cannot_write(path_);
  if (is_regular_ && ftruncate(fileno(file_), std::ftell(file_)) != 0) return cannot_write(path_);
  return {};
}

}  // namespace cqlperf::report

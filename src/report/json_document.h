#pragma once

#include <cstdio>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "core/result.h"
#include "measure/interval.h"
#include "measure/result.h"

namespace cqlperf::report {

// The version of the document's form; it grows when a field changes its meaning or goes.
inline constexpr int kSchemaVersion = 1;

nlohmann::ordered_json summary_json(const measure::Summary& summary);
nlohmann::ordered_json interval_json(const measure::IntervalRow& row);

// Where the one JSON document of a command goes. Opened before anything is measured, so that a path
// that cannot be written to, or a full disk, is found first. A regular file holds a valid document
// from the start: one with the status "running", until write() replaces it. When the disk is full
// by then, the intervals are left out.
class JsonFile {
 public:
  // `path` "-" is standard output, to which nothing is written before write().
  static core::Result<JsonFile> open(const std::string& path);

  JsonFile(JsonFile&& other) noexcept;
  JsonFile& operator=(JsonFile&&) = delete;
  ~JsonFile();

  // Writes `document`, with the rows as its last member "intervals", and a line break. A file may
  // be written again: the later document replaces the earlier one.
  core::Status write(const nlohmann::ordered_json& document,
                     const measure::IntervalSpool* intervals);
  // The same without "intervals".
  core::Status write(const nlohmann::ordered_json& document);

 private:
  JsonFile(std::string path, std::FILE* file, bool is_stdout);
  core::Status check_room();
  core::Status write_once(const nlohmann::ordered_json& document,
                          const measure::IntervalSpool* intervals);
  core::Status end_document();

  std::string path_;
  std::FILE* file_;
  bool is_stdout_;
  bool is_regular_ = false;
};

}  // namespace cqlperf::report

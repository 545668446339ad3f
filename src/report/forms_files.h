#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/result.h"
#include "report/forms_heading.h"

namespace cqlperf::report {

// What was written, and why it is not more.
struct FormsFiles {
  std::vector<std::string>
      files;                // names in the directory, in the order in which they were written
  std::string charts_note;  // why charts are missing, in one line; empty when none is
};

// Writes `forms.json` (`document`), `forms.md`, `index.html`, and for each scenario its two charts
// as SVG and PNG into `directory`, which is made, with its parents, when it is missing. A file is
// replaced as a whole. Without gnuplot all comes but the charts. Errors: kIo with the path.
core::Result<FormsFiles> write_forms_files(const std::string& directory,
                                           const measure::FormsResult& result,
                                           const FormsHeading& heading,
                                           const nlohmann::ordered_json& document);

}  // namespace cqlperf::report

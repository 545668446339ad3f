#include "measure/errors.h"

namespace cqlperf::measure {

void ErrorCounts::add(std::string_view kind, std::string_view message, uint64_t times) {
  ErrorCount& error = entry(kind);
  if (error.count == 0) error.first_message = message.substr(0, kMaxMessageBytes);
  error.count += times;
  total_ += times;
}

void ErrorCounts::merge(const ErrorCounts& other) {
  for (const ErrorCount& error : other.kinds_) add(error.kind, error.first_message, error.count);
}

void ErrorCounts::clear() {
  kinds_.clear();
  total_ = 0;
}

ErrorCount& ErrorCounts::entry(std::string_view kind) {
  for (ErrorCount& error : kinds_) {
    if (error.kind == kind) return error;
  }
  if (kinds_.size() >= kMaxKinds && kind != kOtherKind) return entry(kOtherKind);
  return kinds_.emplace_back(ErrorCount{.kind = std::string(kind)});
}

}  // namespace cqlperf::measure

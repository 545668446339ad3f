#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cqlperf::measure {

// Errors of one kind, and the text of the first of them.
struct ErrorCount {
  std::string kind;
  uint64_t count = 0;
  std::string first_message = {};
};

// Errors by kind. Memory is bounded: after kMaxKinds kinds the rest counts as "other", and messages
// are cut to kMaxMessageBytes. The caller keeps secrets out of both texts. One owner thread.
class ErrorCounts {
 public:
  static constexpr size_t kMaxKinds = 64;
  static constexpr size_t kMaxMessageBytes = 512;
  static constexpr std::string_view kOtherKind = "other";

  void add(std::string_view kind, std::string_view message, uint64_t times = 1);
  void merge(const ErrorCounts& other);
  void clear();

  uint64_t total() const { return total_; }
  // In the order of first appearance.
  const std::vector<ErrorCount>& kinds() const { return kinds_; }

 private:
  ErrorCount& entry(std::string_view kind);

  std::vector<ErrorCount> kinds_;
  uint64_t total_ = 0;
};

}  // namespace cqlperf::measure

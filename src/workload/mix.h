#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace cqlperf::workload {

enum class OperationKind : uint8_t { kInsert, kRead };

// `insert`, `read`.
std::string_view kind_name(OperationKind kind);

struct MixPart {
  OperationKind kind;
  uint32_t weight;
};

inline constexpr uint32_t kMixWeightMax = 1000;

// Reads `insert=1,read=3`: each kind at most once, weights from 1 to kMixWeightMax. kUsage
// otherwise, with what was wrong and an example.
core::Result<std::vector<MixPart>> parse_mix(std::string_view text);

// Which part of the mix an operation belongs to: a repeated pattern in which the parts are spread
// as evenly as their weights allow (smooth weighted round robin), so that any consecutive
// sum-of-weights operations hold exactly the weights. A function of the index alone.
class MixPattern {
 public:
  explicit MixPattern(const std::vector<MixPart>& parts);

  // The position in `parts` of operation `index`.
  size_t part_of(uint64_t index) const {
    return pattern_.size() == 1 ? pattern_[0] : pattern_[index % pattern_.size()];
  }
  // The sum of the weights, divided by what they have in common.
  size_t length() const { return pattern_.size(); }

 private:
  std::vector<uint8_t> pattern_;
};

}  // namespace cqlperf::workload

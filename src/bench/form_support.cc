#include "bench/form_support.h"

#include <charconv>

#include <fmt/format.h>

namespace cqlperf::bench {
namespace {

using measure::Form;
using measure::FormScenario;

constexpr int kFirstReleaseWithoutThrift = 4;

}  // namespace

std::string why_not_available(FormScenario scenario, Form form, const std::string& no_rpc) {
  if (measure::is_rpc(form) && !no_rpc.empty()) return no_rpc;
  const bool strings = form == Form::kRpcPreparedStrings || form == Form::kPreparedStrings;
  if (strings && scenario == FormScenario::kCounters)
    return "only INSERT JSON takes strings, and counters have no INSERT";
  if (strings && scenario == FormScenario::kReads)
    return "only INSERT JSON takes strings, and this reads";
  return {};
}

std::string why_no_rpc(const std::string& release, const std::string& error) {
  int major = 0;
  std::from_chars(release.data(), release.data() + release.size(), major);
  if (major >= kFirstReleaseWithoutThrift) return "no Thrift: removed in Cassandra 4.0";
  return fmt::format("no Thrift: {}", error);
}

}  // namespace cqlperf::bench

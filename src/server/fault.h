#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/random.h"
#include "core/result.h"
#include "protocol/error.h"
#include "protocol/frame.h"

namespace cqlperf::server {

// What goes wrong on purpose (`--fault`), for tests and for people who test their clients.
struct FaultRule {
  enum class Kind : uint8_t {
    kDelay,    // the request is held back, the others are not
    kError,    // the answer is an error, and nothing is done
    kSilence,  // no answer at all
    kClose,    // the connection ends
  };

  Kind kind = Kind::kDelay;
  int64_t delay_ns = 0;    // kDelay
  int32_t error_code = 0;  // kError
  // Which requests: all that match, or each by chance, or each k-th; only those after the first n.
  // They are counted on each connection by itself.
  std::optional<double> probability = {};
  std::optional<uint64_t> every = {};
  uint64_t after = 0;
  // Only requests of this kind; none: QUERY, PREPARE, EXECUTE and BATCH.
  std::optional<protocol::Opcode> opcode = {};
  // Only the k-th connection that was accepted, from 1.
  std::optional<uint64_t> connection = {};
};

// Reads `delay=50ms,probability=0.1`, `error=0x1001,every=100`, `silence,opcode=EXECUTE`,
// `close,after=500,connection=3`. kUsage says which part is wrong and what would be right.
core::Result<FaultRule> parse_fault(std::string_view text);

// The same faults for the same requests in each run, whatever the threads do: everything is counted
// on the connection. Owner thread: the connection's.
class FaultInjector {
 public:
  // `rules` outlive it. `connection` counts from 1 in the order of accepting.
  FaultInjector(const std::vector<FaultRule>& rules, uint64_t seed, uint64_t connection);

  // The first rule that this request falls under; nullptr: nothing goes wrong with it.
  const FaultRule* next(protocol::Opcode opcode);

 private:
  struct Armed {
    const FaultRule* rule;
    uint64_t matched = 0;
  };
  bool strikes(Armed& armed);

  std::vector<Armed> armed_;
  core::Random random_;
};

// An error of that code with the details that belong to it; `prepared_id` is of use for Unprepared.
protocol::ErrorMessage injected_error(int32_t code, protocol::ByteView prepared_id);

}  // namespace cqlperf::server

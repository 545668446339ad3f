#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "measure/result.h"

namespace cqlperf::measure {

// The phases of the store suite, in the order of the system that it follows.
enum class StorePhase { kWrite, kRead, kDelete, kTruncate };

// `write`, `read`, `delete`, `truncate`.
const char* store_phase_name(StorePhase phase);

// How many rows were not as they should be, and the first of their keys.
struct RowFault {
  static constexpr size_t kFirstKeys = 5;

  uint64_t count = 0;
  std::vector<int64_t> first_keys;  // the smallest ones that were noted, at most kFirstKeys
};

// What a bulk read found, judged against what is in the table by this suite's own account.
struct Verification {
  RowFault missing;    // written, and not there
  RowFault short_row;  // there, but with fewer bytes
  RowFault wrong;      // there, with other bytes, or more of them
  RowFault extra;      // not written by this suite, or read twice

  bool ok() const {
    return missing.count == 0 && short_row.count == 0 && wrong.count == 0 && extra.count == 0;
  }
};

// A part of the token ring, (after, up_to], that could not be read to its end.
struct TokenRange {
  int64_t after = 0;
  int64_t up_to = 0;
  std::string reason;  // the last error, for people
};

// One phase of the suite. A page of a bulk read is one request.
struct StorePhaseResult {
  StorePhase phase = StorePhase::kWrite;
  uint64_t keys_expected = 0;  // to be written, deleted; in the table, for a read or a truncate
  // Acknowledged writes or deletes; rows that a read brought.
  uint64_t keys = 0;
  uint64_t payload_bytes = 0;  // of the values alone; of a truncate, what was in the table
  double seconds = 0;
  uint64_t retried = 0;  // requests that failed and were sent again
  bool complete = true;  // all keys acknowledged, all ranges read, the table truncated
  std::optional<std::string> problem = {};  // why it is not complete, or not right: for people

  // Of all phases but truncate. Its errors are those of every attempt.
  std::optional<Summary> requests = {};

  // Of a read only.
  bool verified = false;  // values were compared too, not only keys counted
  Verification verification = {};
  std::vector<TokenRange> missing_ranges = {};
  uint64_t ranges = 0;
  uint64_t pages = 0;
};

// The suite for one database size.
struct StoreSuiteResult {
  uint64_t db_bytes = 0;     // as asked for
  uint64_t keys = 0;         // db_bytes / value_bytes
  uint64_t value_bytes = 0;  // the batch size, or block size
  std::vector<StorePhaseResult> phases;
  bool interrupted = false;

  // Everything was done and found right.
  bool ok() const;
};

}  // namespace cqlperf::measure

#pragma once

// CQLPERF_CHECK(condition, message): a broken invariant of our own code ends the process, in
// release builds too. Never for input from users or from the wire: those are Result errors.

namespace cqlperf::core {

[[noreturn]] void check_failed(const char* condition, const char* message, const char* file,
                               int line);

}  // namespace cqlperf::core

#define CQLPERF_CHECK(condition, message)                                     \
  do {                                                                        \
    if (!(condition)) [[unlikely]]                                            \
      ::cqlperf::core::check_failed(#condition, message, __FILE__, __LINE__); \
  } while (false)

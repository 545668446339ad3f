#pragma once

#include <cstdint>

namespace cqlperf::core {

// SIGINT, SIGTERM and SIGHUP. The first asks for an orderly end: every loop that waits looks at
// interrupted() at least each 100 ms, and stops. A second one, later than 100 ms after it, ends the
// process at once with code 130.
void install_interrupt_handler();

// True from the first signal on. Any thread.
bool interrupted();

// Waits, until interrupted() at the most.
void wait_unless_interrupted(int64_t nanos);

// Sets or clears the flag without a signal; for tests.
void set_interrupted(bool value);

}  // namespace cqlperf::core

#pragma once

namespace cqlperf::measure {

// The value that Student's t with `degrees` (1 or more) of freedom exceeds in size, to either side,
// with probability `alpha` in (0, 1): t(1 - alpha / 2, degrees) of the tables.
double student_t_two_sided(double alpha, unsigned degrees);

}  // namespace cqlperf::measure

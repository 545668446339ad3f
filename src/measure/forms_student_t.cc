#include "measure/forms_student_t.h"

#include <cmath>
#include <numbers>

#include "core/check.h"

namespace cqlperf::measure {
namespace {

// P(|T| < t) where theta = atan(t / sqrt(degrees)): the finite series for whole degrees of freedom,
// Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.3 and 26.7.4.
double probability_within(double theta, unsigned degrees) {
  const double cosine = std::cos(theta);
  const bool odd = degrees % 2 == 1;
  double term = odd ? cosine : 1;
  double sum = degrees == 1 ? 0 : term;
  for (unsigned power = odd ? 3 : 2; power + 2 <= degrees; power += 2) {
    term *= cosine * cosine * (power - 1) / power;
    sum += term;
  }
  if (!odd) return std::sin(theta) * sum;
  return 2 / std::numbers::pi * (theta + std::sin(theta) * sum);
}

}  // namespace

double student_t_two_sided(double alpha, unsigned degrees) {
  CQLPERF_CHECK(alpha > 0 && alpha < 1 && degrees > 0, "a probability and degrees of freedom");
  double low = 0;
  double high = std::numbers::pi / 2;
  // Halving an angle below pi/2 this often leaves nothing that a double can tell.
  for (int step = 0; step < 60; ++step) {
    const double middle = (low + high) / 2;
    (probability_within(middle, degrees) < 1 - alpha ? low : high) = middle;
  }
  return std::tan((low + high) / 2) * std::sqrt(degrees);
}

}  // namespace cqlperf::measure

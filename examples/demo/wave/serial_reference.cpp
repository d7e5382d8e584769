#include "demo/wave/serial_reference.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <utility>

namespace stretto::wave {

serial_result run_serial(const problem& wave, const std::function<void(const field&, int)>& after_step) {
  using clock = std::chrono::steady_clock;
  const auto size = wave.size();
  const auto factors = wave.edge.part(whole(size));
  serial_result result{field(size), field(size)};
  clock::duration spent{};
  auto started = clock::now();
  for (int n = 0; n < wave.steps(); ++n) {
    std::swap(result.last, result.before_last);
    step_tile(result.last.view(), std::as_const(result.before_last).view(), wave.coefficient.view(), factors);
    inject(result.last.view(), wave.coefficient.view(), whole(size), wave.sources, wave.wavelet[std::size_t(n)]);
    if (after_step) {
      spent += clock::now() - started;
      after_step(result.last, n + 1);
      started = clock::now();
    }
  }
  spent += clock::now() - started;
  result.seconds = std::chrono::duration<double>(spent).count();
  if (result.seconds > 0) result.cells_per_second = double(size.cells()) * wave.steps() / result.seconds;
  return result;
}

double largest_difference(field_view<const float> a, field_view<const float> b) {
  double largest = 0;
  for (int r = 0; r < a.size.rows; ++r)
    for (int c = 0; c < a.size.columns; ++c) {
      const double difference = std::abs(double(a(r, c)) - double(b(r, c)));
      if (std::isnan(difference)) return std::numeric_limits<double>::infinity();
      largest = std::max(largest, difference);
    }
  return largest;
}

double largest_of(field_view<const float> u) {
  double largest = 0;
  for (int r = 0; r < u.size.rows; ++r)
    for (int c = 0; c < u.size.columns; ++c) largest = std::max(largest, std::abs(double(u(r, c))));
  return largest;
}

}  // namespace stretto::wave

// Copies of a simulated device that processors ask for, near ones and others.
#include <doctest/doctest.h>

#include <memory>
#include <numeric>
#include <vector>

#include "conformance/bench.hpp"
#include "device/sim/sim_device.hpp"

namespace stretto::device::sim {
namespace {

constexpr unsigned most_processors = 1024, no_processor = 65535;

std::vector<unsigned> all_processors() {
  std::vector<unsigned> all(most_processors);
  std::iota(all.begin(), all.end(), 0u);
  return all;
}

/// Simulated milliseconds of a copy of 1 MB from the host, or within the device.
double milliseconds(std::vector<unsigned> near, double far_bytes_per_second, bool is_within = false) {
  constexpr std::size_t bytes = 1'000'000;
  options o;
  o.copy_latency_seconds = 0;
  o.to_device_bytes_per_second = o.to_host_bytes_per_second = o.within_bytes_per_second = 1e9;
  o.near_processors = std::move(near);
  o.far_bytes_per_second = far_bytes_per_second;
  const auto now = std::make_shared<double>(0);
  o.clock = [now] { return *now += 1e-5; };
  made m = make(o);
  const auto s = m.device->make_stream();
  std::vector<std::byte> host(bytes);
  counting_completion e;
  const double before = *now;
  std::byte* const target = m.device->memory();
  s->copy({{}, is_within ? target + bytes : host.data()}, {{}, target}, {bytes}, &e);
  while (!e.times) m.device->poll();
  return 1e3 * (*now - before);
}

TEST_CASE("copies that far processors ask for have a limit of their own") {
  const auto near = all_processors();
  const std::vector<unsigned> elsewhere = {no_processor};
  CHECK(milliseconds(near, 2e8) == doctest::Approx(1).epsilon(0.1));
  CHECK(milliseconds(elsewhere, 2e8) == doctest::Approx(5).epsilon(0.1));
  CHECK(milliseconds(elsewhere, 5e9) == doctest::Approx(1).epsilon(0.1));  // no faster than near ones
  CHECK(milliseconds(elsewhere, 0) == doctest::Approx(1).epsilon(0.1));
  CHECK(milliseconds({}, 2e8) == doctest::Approx(1).epsilon(0.1));  // near to no processor: distance is not known
  CHECK(milliseconds(elsewhere, 2e8, true) == doctest::Approx(1).epsilon(0.1));
}

}  // namespace
}  // namespace stretto::device::sim

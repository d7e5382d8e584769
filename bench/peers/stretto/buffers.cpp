// buffers.cpp - Stretto: launches on buffers through the whole runtime.
//
// Devices are simulated: a kernel takes as long as its model says, or as computing it here does if that is more, so
// that several of them overlap on few cores. Times are of the wall: what the host does for a launch shows as soon as it
// does not fit beside the kernels.
//
// Threads     each makes runtimes of its own.
// Source      room response: Thoman, Salzmann, "Command Horizons", whose RSim reads all steps before in each.
#include <stretto/buffer.hpp>
#include <stretto/launch.hpp>
#include <stretto/runtime.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "peers/stretto/benchmarks.hpp"
#include "peers/stretto/calibration.hpp"

using namespace stretto;

// clang-format off
STRETTO_KERNEL(nothing_done, (inout<int> x), {})
STRETTO_KERNEL(nothing_done_to_columns, (inout<int, 2> x), {})
STRETTO_KERNEL(smoothed_once, (in<float> u, out<float> v), { const int i = global_id(0); v(i) = u(i - 1) + u(i) + u(i + 1); })
STRETTO_KERNEL(wave_step, (inout<float, 2> older, in<float, 2> u), {
  const int i = global_id(0);
  const int j = global_id(1);
  older(i, j) = 2 * u(i, j) - older(i, j) + 0.1f * ((u(i - 1, j) + u(i + 1, j)) + (u(i, j - 1) + u(i, j + 1)) - 4 * u(i, j));
})
STRETTO_KERNEL(radiated, (in<float, 2> earlier, out<float, 2> now, int count), {
  const int t = global_id(0);
  const int i = global_id(1);
  float lit = 1;
  for (int j = 0; j < count; ++j) lit += 1e-3f * earlier(t - 1 - (i + j) % t, j);
  now(t, i) = lit;
})
// clang-format on

namespace {

std::string devices(long count, double items_per_second) {
  return "sim:" + std::to_string(count) + "(rate=" + std::to_string(static_cast<long long>(items_per_second)) + ")";
}

template <class F>
void in_runtime(const bench::options& o, const std::string& with, F&& body) {
  runtime rt({.workers = static_cast<std::uint32_t>(o.workers), .devices = with});
  rt.run([&] { body(rt); });
}

/// Microseconds for one of `count` launches, which nothing but the host computes, and the same in steps of the loop of
/// calibration.hpp.
template <class F>
bench::outcome per_launch(const bench::options& o, F&& program) {
  bench::outcome result;
  in_runtime(o, "none", [&](runtime&) { result = bench::in_loops(program() / static_cast<double>(o.size), 1e6); });
  return result;
}

// ---- room response

constexpr int patches = 512,
              seen_patches = 32;  // few, so that computing them here takes less than it does by the model

double room_seconds(const bench::options& o, long on, long steps, const horizon_settings& horizons) {
  double seconds = 0;
  in_runtime(o, devices(on, patches / 16e-3), [&](runtime&) {
    set_horizons(horizons);
    buffer<float, 2> light(box({0, 0}, {steps + 1, patches}), [](auto...) { return 1.0f; });
    const bench::stopwatch clock;
    for (long t = 1; t <= steps; ++t)
      launch(radiated, box({t, 0}, {t + 1, patches}), light(fixed(box({0, 0}, {t, patches}))), light(one_to_one),
             seen_patches);
    bench::expect("light of a patch", long(light.read(box({steps, 0}, {steps + 1, 1})).get().view()(steps, 0)), 1);
    seconds = clock.seconds();
  });
  return seconds;
}

bench::outcome room_on_devices(const bench::options& o, const horizon_settings& horizons) {
  constexpr long steps = 1'000;
  const double seconds = room_seconds(o, o.size, steps, horizons), least = steps * 16e-3 / static_cast<double>(o.size);
  return {least / seconds, {{"ms_per_step", seconds / steps * 1e3}}};
}

// ---- what the call of a launch computes

struct field {
  long devices, side;
  double seconds_of_kernel;
  double rate() const { return static_cast<double>(side * side / devices) / seconds_of_kernel; }
  box all() const { return box({-1, -1}, {side + 1, side + 1}); }
  box inside() const { return box({0, 0}, {side, side}); }
};

/// Steps of the wave on `size` devices, whose kernels take 50 us: microseconds of the caller's processor time for a
/// launch, and all that passes until the last has ended. The least of many runs of 30 launches, which nobody waits in.
bench::outcome time_callers(const bench::options& o, const char* pipeline) {
  setenv("STRETTO_PIPELINE", pipeline, 1);
  constexpr int runs = 40, launches = 30;
  const field f{.devices = o.size, .side = 128, .seconds_of_kernel = 50e-6};
  double caller = 1e300, all = 1e300;
  in_runtime(o, devices(f.devices, f.rate()), [&](runtime&) {
    const std::vector<float> flat(static_cast<std::size_t>(f.all().volume()), 0.5f);
    buffer<float, 2> u(f.all(), flat.data()), older(f.all(), flat.data());
    for (int r = 0; r < runs; ++r) {
      const bench::stopwatch clock;
      const double before = bench::thread_seconds();
      for (int s = 0; s < launches; ++s, std::swap(u, older))
        launch(wave_step, f.inside(), older(one_to_one), u(star(1)));
      const double took = bench::thread_seconds() - before;
      bench::expect("a flat field", long(u.read(box({0, 0}, {1, 1})).get().view()(0, 0) * 1024), 512);
      if (r >= 5) caller = std::min(caller, took), all = std::min(all, clock.seconds());
    }
  });
  unsetenv("STRETTO_PIPELINE");
  return {caller / launches * 1e6, {{"us_in_all", all / launches * 1e6}}};
}

}  // namespace

// Each is computed at once and touches 64 elements of its own.
bench::outcome time_launches_on_buffers(const bench::options& o) {
  return per_launch(o, [&] {
    buffer<int> x(box(0, 64 * 64), [](auto...) { return 0; });
    const auto all = [&](long times) {
      for (long n = 0; n < times; ++n) launch(nothing_done, box(n % 64 * 64, (n % 64 + 1) * 64), x(one_to_one));
      return x.read(box(0, 1)).get().view()(0);
    };
    all(2'000);
    const bench::stopwatch clock;
    bench::expect("an element", all(o.size), 0);
    return clock.seconds();
  });
}

// Many tasks: each names a part of one array that no launch has named before.
bench::outcome time_new_launches_on_buffers(const bench::options& o) {
  return per_launch(o, [&] {
    buffer<int, 2> x(box({0, 0}, {256, o.size + 1}), [](auto...) { return 0; });
    const bench::stopwatch clock;
    for (long n = 1; n <= o.size; ++n) launch(nothing_done_to_columns, box({0, n}, {256, n + 1}), x(one_to_one));
    wait(epoch());
    const double seconds = clock.seconds();
    bench::expect("an element", x.read(box({0, 0}, {1, 1})).get().view()(0, 0), 0);
    return seconds;
  });
}

bench::outcome time_chain_on_buffers(const bench::options& o) {
  return per_launch(o, [&] {
    buffer<float> u(box(0, 66), [](auto...) { return 0.0f; }), v(box(0, 66), [](auto...) { return 0.0f; });
    const auto all = [&](long times) {
      for (long n = 0; n < times; ++n, std::swap(u, v))
        launch(smoothed_once, box(1, 65), u(neighborhood(1)), v(one_to_one));
      return long(u.read(box(1, 2)).get().view()(1));
    };
    all(2'000);
    const bench::stopwatch clock;
    bench::expect("an element", all(o.size), 0);
    return clock.seconds();
  });
}

// On `size` devices: the speed, by that of so many times one whose kernels follow one another without a gap.
bench::outcome speed_of_room(const bench::options& o) { return room_on_devices(o, {.step = 2}); }
bench::outcome speed_of_room_without_horizons(const bench::options& o) {
  return room_on_devices(o, {.step = 0, .most_parallel = 0});
}

bench::outcome time_callers_of_launches(const bench::options& o) { return time_callers(o, "auto"); }
bench::outcome time_callers_that_find_all(const bench::options& o) { return time_callers(o, "off"); }
bench::outcome time_callers_that_hand_over(const bench::options& o) { return time_callers(o, "on"); }

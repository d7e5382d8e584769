// on_buffers.cpp - Stretto: launches on buffers through the whole runtime; beside the same kernels driven by hand, with events on instances.
//
// Devices are simulated: a kernel takes as long as its model says, or as computing it here does if that is more, so that several of them
// overlap on few cores. Times are of the wall: what the host does for a launch shows as soon as it does not fit beside the kernels.
//
// Threads     each makes runtimes of its own.
// Source      room response: Thoman, Salzmann, "Command Horizons", whose RSim reads all steps before in each.
#include <stretto/buffer.hpp>
#include <stretto/copy.hpp>
#include <stretto/launch.hpp>
#include <stretto/platform.hpp>
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
STRETTO_KERNEL(smoothed_once, (in<float> u, out<float> v), { const int i = global_id(0); v(i) = u(i - 1) + u(i) + u(i + 1); })
STRETTO_KERNEL(wave_step, (inout<float, 2> older, in<float, 2> u), {
  const int i = global_id(0);
  const int j = global_id(1);
  older(i, j) = 2 * u(i, j) - older(i, j) + 0.1f * ((u(i - 1, j) + u(i + 1, j)) + (u(i, j - 1) + u(i, j + 1)) - 4 * u(i, j));
})
STRETTO_KERNEL(attract_all, (in<float> x, inout<float> v, int count), {
  const int i = global_id(0);
  float pull = 0;
  for (int j = 0; j < count; ++j) pull += (x(j) - x(i)) / (1 + (x(j) - x(i)) * (x(j) - x(i)));
  v(i) += 1e-4f * pull;
})
STRETTO_KERNEL(drift_on, (inout<float> x, in<float> v), { const int i = global_id(0); x(i) += 1e-3f * v(i); })
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

/// Microseconds for one of `count` launches, which nothing but the host computes, and the same in steps of the loop of calibration.hpp.
template <class F>
bench::outcome per_launch(const bench::options& o, F&& program) {
  bench::outcome result;
  in_runtime(o, "none", [&](runtime&) { result = bench::in_loops(program() / static_cast<double>(o.size), 1e6); });
  return result;
}

/// step(times) returns 1, and is warm when it is timed.
template <class F>
double seconds_of(const char* what, long times, F&& step) {
  step(20);
  const bench::stopwatch clock;
  bench::expect(what, step(times), 1);
  return clock.seconds();
}

/// The element at that corner of an instance on a device, once `last` has ended.
template <std::size_t D>
float element_of(const instance<float, D>& from, const box& corner, place ram, const event& last) {
  auto seen = instance<float, D>::create(at(ram), corner).made;
  wait(copy(from, seen, corner, after(last)));
  const float value = *seen.data();
  seen.destroy();
  return value;
}

// ---- by hand, and on buffers: seconds for `steps` steps on so many devices

struct field {
  long devices, side, steps;
  double seconds_of_kernel;
  double rate() const { return static_cast<double>(side * side / devices) / seconds_of_kernel; }
  box all() const { return box({-1, -1}, {side + 1, side + 1}); }
  box inside() const { return box({0, 0}, {side, side}); }
};
constexpr float initial = 0.5f;

double wave_on_buffers(const bench::options& o, const field& f) {
  double seconds = 0;
  in_runtime(o, devices(f.devices, f.rate()), [&](runtime&) {
    const std::vector<float> flat(static_cast<std::size_t>(f.all().volume()), initial);
    buffer<float, 2> u(f.all(), flat.data()), older(f.all(), flat.data());
    const auto step = [&](long times) {
      for (long s = 0; s < times; ++s, std::swap(u, older)) launch(wave_step, f.inside(), older(one_to_one), u(star(1)));
      return long(u.read(box({0, 0}, {1, 1})).get().view()(0, 0) / initial);
    };
    seconds = seconds_of("a flat field", f.steps, step);
  });
  return seconds;
}

/// Bands of rows, each with a row around it that neighbours send: two instances on each device, and an event for what was last done with each.
double wave_by_hand(const bench::options& o, const field& f) {
  double seconds = 0;
  in_runtime(o, devices(f.devices, f.rate()), [&](runtime& rt) {
    struct band {
      instance<float, 2> of[2];
      box inside;
      event computed, sent[2];  // the last launch; the last copies of its borders to the band before and behind
    };
    const place ram = rt.machine().memories().front();
    const auto memories = rt.machine().places(place_kind::gpu_memory);
    std::vector<band> bands(static_cast<std::size_t>(f.devices));
    for (long d = 0; d < f.devices; ++d) {
      band& b = bands[std::size_t(d)];
      b.inside = box({d * f.side / f.devices, 0}, {(d + 1) * f.side / f.devices, f.side});
      const box all({b.inside.min()[0] - 1, -1}, {b.inside.max()[0] + 1, f.side + 1});
      std::vector<event> filled;
      for (auto& i : b.of) i = instance<float, 2>::create(at(memories[std::size_t(d)]), all).made, filled.push_back(fill(i, initial));
      b.computed = merge(filled);
    }
    int now = 0;
    const auto step = [&](long times) {
      for (long s = 0; s < times; ++s, now = 1 - now) {
        // A launch reads `now`, whose borders neighbours have sent, and overwrites the other, whose borders it has sent them before that.
        std::vector<event> begun;
        for (std::size_t d = 0; d < bands.size(); ++d) {
          std::vector<event> first{bands[d].computed};
          if (d > 0) first.push_back(bands[d - 1].sent[1]), first.push_back(bands[d].sent[0]);
          if (d + 1 < bands.size()) first.push_back(bands[d + 1].sent[0]), first.push_back(bands[d].sent[1]);
          begun.push_back(launch(after(merge(first)), wave_step, bands[d].inside, bands[d].of[1 - now], bands[d].of[now]));
        }
        const auto row = [&](std::int64_t r) { return box({r, 0}, {r + 1, f.side}); };
        for (std::size_t d = 0; d < bands.size(); ++d) bands[d].computed = begun[d];
        for (std::size_t d = 0; d < bands.size(); ++d) {
          band& b = bands[d];
          const auto send = [&](std::size_t to, std::int64_t r) {
            const event both[] = {begun[d], begun[to]};  // the receiver has read what stood there
            return copy(b.of[1 - now], bands[to].of[1 - now], row(r), after(merge(both)));
          };
          if (d > 0) b.sent[0] = send(d - 1, b.inside.min()[0]);
          if (d + 1 < bands.size()) b.sent[1] = send(d + 1, b.inside.max()[0] - 1);
        }
      }
      std::vector<event> last;
      for (const band& b : bands) last.insert(last.end(), {b.computed, b.sent[0], b.sent[1]});
      return long(element_of(bands[0].of[now], box({0, 0}, {1, 1}), ram, merge(last)) / initial);
    };
    seconds = seconds_of("a flat field", f.steps, step);
    for (band& b : bands)
      for (auto& i : b.of) i.destroy();
  });
  return seconds;
}

struct cloud {
  long devices, count, steps;
  double seconds_of_kernel;
  double rate() const { return static_cast<double>(count / devices) / seconds_of_kernel; }
};

double bodies_on_buffers(const bench::options& o, const cloud& c) {
  double seconds = 0;
  in_runtime(o, devices(c.devices, c.rate()), [&](runtime&) {
    const std::vector<float> same(static_cast<std::size_t>(c.count), initial), zeros(static_cast<std::size_t>(c.count));
    const box every(0, c.count);
    buffer<float> x(every, same.data()), v(every, zeros.data());
    const auto step = [&](long times) {
      for (long s = 0; s < times; ++s) {
        launch(attract_all, every, x(all), v(one_to_one), int(c.count));
        launch(drift_on, every, x(one_to_one), v(one_to_one));
      }
      return long(x.read(box(0, 1)).get().view()(0) / initial);
    };
    seconds = seconds_of("bodies at one place", c.steps, step);
  });
  return seconds;
}

/// All positions on each device, of which it moves its own and sends them to all others.
double bodies_by_hand(const bench::options& o, const cloud& c) {
  double seconds = 0;
  in_runtime(o, devices(c.devices, c.rate()), [&](runtime& rt) {
    struct share {
      instance<float> x, v;
      box own;
      event moved, here;  // its own positions; all positions
    };
    const place ram = rt.machine().memories().front();
    const auto memories = rt.machine().places(place_kind::gpu_memory);
    std::vector<share> shares(static_cast<std::size_t>(c.devices));
    for (long d = 0; d < c.devices; ++d) {
      share& s = shares[std::size_t(d)];
      s.own = box(d * c.count / c.devices, (d + 1) * c.count / c.devices);
      s.x = instance<float>::create(at(memories[std::size_t(d)]), box(0, c.count)).made;
      s.v = instance<float>::create(at(memories[std::size_t(d)]), s.own).made;
      const event filled[] = {fill(s.x, initial), fill(s.v, 0.0f)};
      s.here = merge(filled);
    }
    const auto step = [&](long times) {
      for (long t = 0; t < times; ++t) {
        std::vector<event> pulled;
        for (share& s : shares) pulled.push_back(launch(after(s.here), attract_all, s.own, s.x, s.v, int(c.count)));
        for (std::size_t d = 0; d < shares.size(); ++d) shares[d].moved = launch(after(pulled[d]), drift_on, shares[d].own, shares[d].x, shares[d].v);
        for (std::size_t d = 0; d < shares.size(); ++d) {
          std::vector<event> all{shares[d].moved};
          for (std::size_t from = 0; from < shares.size(); ++from)
            if (from != d) {
              const event both[] = {shares[from].moved, pulled[d]};
              all.push_back(copy(shares[from].x, shares[d].x, shares[from].own, after(merge(both))));
            }
          shares[d].here = merge(all);
        }
        // Nobody's positions move on before all others have them.
        std::vector<event> every;
        for (const share& s : shares) every.push_back(s.here);
        if (shares.size() > 1) {
          const event sent = merge(every);
          for (share& s : shares) s.here = sent;
        }
      }
      return long(element_of(shares[0].x, box(0, 1), ram, shares[0].here) / initial);
    };
    seconds = seconds_of("bodies at one place", c.steps, step);
    for (share& s : shares) s.x.destroy(), s.v.destroy();
  });
  return seconds;
}

/// Each in turn, several times over; the least of each counts, since others use this machine, too.
template <class Ours, class ByHand>
bench::outcome compare(long steps, Ours&& ours, ByHand&& by_hand) {
  double of_ours = 1e300, of_hand = 1e300;
  for (int round = 0; round < 5; ++round) of_hand = std::min(of_hand, by_hand()), of_ours = std::min(of_ours, ours());
  const double us = 1e6 / static_cast<double>(steps);
  return {of_ours / of_hand, {{"us_per_step", of_ours * us}, {"us_by_hand", of_hand * us}}};
}

// ---- room response

constexpr int patches = 512, seen_patches = 32;  // few, so that computing them here takes less than it does by the model

double room_seconds(const bench::options& o, long on, long steps, const horizon_settings& horizons) {
  double seconds = 0;
  in_runtime(o, devices(on, patches / 16e-3), [&](runtime&) {
    set_horizons(horizons);
    buffer<float, 2> light(box({0, 0}, {steps + 1, patches}), [](auto...) { return 1.0f; });
    const bench::stopwatch clock;
    for (long t = 1; t <= steps; ++t)
      launch(radiated, box({t, 0}, {t + 1, patches}), light(fixed(box({0, 0}, {t, patches}))), light(one_to_one), seen_patches);
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

/// Steps of the wave on `size` devices, whose kernels take 50 us: microseconds of the caller's processor time for a launch, and
/// all that passes until the last has ended. The least of many runs of 30 launches, which nobody waits in.
bench::outcome time_callers(const bench::options& o, const char* pipeline) {
  setenv("STRETTO_PIPELINE", pipeline, 1);
  constexpr int runs = 40, launches = 30;
  const field f{.devices = o.size, .side = 128, .steps = launches, .seconds_of_kernel = 50e-6};
  double caller = 1e300, all = 1e300;
  in_runtime(o, devices(f.devices, f.rate()), [&](runtime&) {
    const std::vector<float> flat(static_cast<std::size_t>(f.all().volume()), initial);
    buffer<float, 2> u(f.all(), flat.data()), older(f.all(), flat.data());
    for (int r = 0; r < runs; ++r) {
      const bench::stopwatch clock;
      const double before = bench::thread_seconds();
      for (int s = 0; s < launches; ++s, std::swap(u, older)) launch(wave_step, f.inside(), older(one_to_one), u(star(1)));
      const double took = bench::thread_seconds() - before;
      bench::expect("a flat field", long(u.read(box({0, 0}, {1, 1})).get().view()(0, 0) / initial), 1);
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

bench::outcome time_chain_on_buffers(const bench::options& o) {
  return per_launch(o, [&] {
    buffer<float> u(box(0, 66), [](auto...) { return 0.0f; }), v(box(0, 66), [](auto...) { return 0.0f; });
    const auto all = [&](long times) {
      for (long n = 0; n < times; ++n, std::swap(u, v)) launch(smoothed_once, box(1, 65), u(neighborhood(1)), v(one_to_one));
      return long(u.read(box(1, 2)).get().view()(1));
    };
    all(2'000);
    const bench::stopwatch clock;
    bench::expect("an element", all(o.size), 0);
    return clock.seconds();
  });
}

// `size` microseconds for a kernel on each device.
bench::outcome compare_wave_on_buffers(const bench::options& o) {
  const field f{.devices = 2, .side = 128, .steps = 400, .seconds_of_kernel = static_cast<double>(o.size) * 1e-6};
  return compare(f.steps, [&] { return wave_on_buffers(o, f); }, [&] { return wave_by_hand(o, f); });
}

bench::outcome compare_bodies_on_buffers(const bench::options& o) {
  const cloud c{.devices = 2, .count = 256, .steps = 400, .seconds_of_kernel = static_cast<double>(o.size) * 1e-6};
  return compare(c.steps, [&] { return bodies_on_buffers(o, c); }, [&] { return bodies_by_hand(o, c); });
}

// On `size` devices: the speed, by that of so many times one whose kernels follow one another without a gap.
bench::outcome speed_of_room(const bench::options& o) { return room_on_devices(o, {.step = 2}); }
bench::outcome speed_of_room_without_horizons(const bench::options& o) { return room_on_devices(o, {.step = 0, .most_parallel = 0}); }

bench::outcome time_callers_of_launches(const bench::options& o) { return time_callers(o, "auto"); }
bench::outcome time_callers_that_find_all(const bench::options& o) { return time_callers(o, "off"); }
bench::outcome time_callers_that_hand_over(const bench::options& o) { return time_callers(o, "on"); }

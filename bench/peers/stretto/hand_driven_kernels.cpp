// hand_driven_kernels.cpp - Stretto: wave and bodies on buffers, compared with the same kernels ordered by explicit
// events on instances; a plain loop is the reference for the results. Also the share of time that horizons take.
//
// Devices are simulated: see buffers.cpp. Times are wall-clock times.
//
// Threads     each makes runtimes of its own.
#include <stretto/buffer.hpp>
#include <stretto/copy.hpp>
#include <stretto/launch.hpp>
#include <stretto/platform.hpp>
#include <stretto/runtime.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "buffers/buffers_state.hpp"
#include "peers/stretto/benchmarks.hpp"

using namespace stretto;

// clang-format off
STRETTO_KERNEL(wave_on, (inout<float, 2> older, in<float, 2> u), {
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
// clang-format on

namespace {

template <class F>
void in_runtime(const bench::options& o, long devices, double items_per_second, F&& body) {
  runtime rt({.workers = static_cast<std::uint32_t>(o.workers),
              .devices = "sim:" + std::to_string(devices) +
                         "(rate=" + std::to_string(static_cast<long long>(items_per_second)) + ")"});
  rt.run([&] { body(rt); });
}

/// The result of a program, and the time of its last steps.
struct outcome_of_steps {
  double seconds = 0;
  std::vector<float> content;
};

constexpr long warm_steps = 20;

/// step(times) waits for its end, and is warm when it is timed; content() is what has come of all.
template <class F, class Content>
outcome_of_steps timed(long times, F&& step, Content&& content) {
  step(warm_steps);
  const bench::stopwatch clock;
  step(times);
  const double seconds = clock.seconds();
  return {seconds, content()};
}

/// How many elements are not what a plain loop computes. All of them round, in one order or another.
long wrong_elements(const std::vector<float>& is, const std::vector<float>& expected) {
  long wrong = is.size() != expected.size();
  for (std::size_t i = 0; i < std::min(is.size(), expected.size()); ++i)
    wrong += !(std::abs(is[i] - expected[i]) <= 1e-4f);
  return wrong;
}

template <std::size_t D>
std::vector<float> all_of(const buffer<float, D>& from) {
  const auto seen = from.read().get();
  std::vector<float> all;
  const box& b = from.elements();
  const auto v = seen.view();
  for (coordinate i = b.min()[0]; i < b.max()[0]; ++i) {
    if constexpr (D == 1) all.push_back(v(i));
    else
      for (coordinate j = b.min()[1]; j < b.max()[1]; ++j) all.push_back(v(i, j));
  }
  return all;
}

/// On the host, with these elements.
template <std::size_t D>
instance<float, D> on_host(const box& elements, const std::vector<float>& from, place ram) {
  const auto made = instance<float, D>::create(at(ram), elements).made;
  wait(made.ready());
  std::copy(from.begin(), from.end(), made.data());
  return made;
}

/// That corner of an instance on a device comes to the host, once `last` has ended.
template <std::size_t D>
void read_corner(const instance<float, D>& from, const box& corner, place ram, const event& last) {
  const auto seen = instance<float, D>::create(at(ram), corner).made;
  wait(copy(from, seen, corner, after(last)));
  seen.destroy();
}

// ---- the wave

struct field {
  long devices, side, steps;
  double seconds_of_kernel;
  double rate() const { return static_cast<double>(side * side / devices) / seconds_of_kernel; }
  box all() const { return box({-1, -1}, {side + 1, side + 1}); }
  box inside() const { return box({0, 0}, {side, side}); }
};

/// No two rows or columns are alike.
std::vector<float> hills(const field& f) {
  std::vector<float> all;
  for (long i = -1; i <= f.side; ++i)
    for (long j = -1; j <= f.side; ++j)
      all.push_back(0.5f + 0.25f * std::sin(0.3f * float(i) + 0.001f * float(i * j)) +
                    0.25f * std::cos(0.7f * float(j)));
  return all;
}

std::vector<float> by_loop(const field& f) {
  std::vector<float> u = hills(f), older = u;
  const long width = f.side + 2;
  for (long s = 0; s < warm_steps + f.steps; ++s, std::swap(u, older))
    for (long i = 1; i <= f.side; ++i)
      for (long j = 1; j <= f.side; ++j) {
        const auto at = [&](long y, long x) { return u[std::size_t(y * width + x)]; };
        float& now = older[std::size_t(i * width + j)];
        now =
            2 * at(i, j) - now + 0.1f * ((at(i - 1, j) + at(i + 1, j)) + (at(i, j - 1) + at(i, j + 1)) - 4 * at(i, j));
      }
  return u;
}

class wave_of_buffers {
 public:
  explicit wave_of_buffers(const field& f)
      : f_(f), hills_(hills(f)), u_(f.all(), hills_.data()), older_(f.all(), hills_.data()) {}
  void step(long times) {
    for (long s = 0; s < times; ++s, std::swap(u_, older_))
      launch(wave_on, f_.inside(), older_(one_to_one), u_(star(1)));
    u_.read(box({0, 0}, {1, 1})).get();
  }
  std::vector<float> content() { return all_of(u_); }

 private:
  const field f_;
  const std::vector<float> hills_;
  buffer<float, 2> u_, older_;
};

/// Bands of rows, each with a row around it that neighbours send: two instances on each device, and an event for what
/// was last done with each.
outcome_of_steps by_hand(const bench::options& o, const field& f) {
  outcome_of_steps is;
  in_runtime(o, f.devices, f.rate(), [&](runtime& rt) {
    struct band {
      instance<float, 2> of[2];
      box inside;
      event computed, sent[2];  // the last launch; the last copies of its borders to the band before and behind
    };
    const place ram = rt.machine().memories().front();
    const auto memories = rt.machine().places(place_kind::gpu_memory);
    const auto whole = on_host<2>(f.all(), hills(f), ram);
    std::vector<band> bands(static_cast<std::size_t>(f.devices));
    for (long d = 0; d < f.devices; ++d) {
      band& b = bands[std::size_t(d)];
      b.inside = box({d * f.side / f.devices, 0}, {(d + 1) * f.side / f.devices, f.side});
      const box all({b.inside.min()[0] - 1, -1}, {b.inside.max()[0] + 1, f.side + 1});
      std::vector<event> filled;
      for (auto& i : b.of)
        i = instance<float, 2>::create(at(memories[std::size_t(d)]), all).made, filled.push_back(copy(whole, i, all));
      b.computed = merge(filled);
    }
    int now = 0;
    const auto step = [&](long times) {
      for (long s = 0; s < times; ++s, now = 1 - now) {
        // A launch reads `now`, whose borders neighbours have sent, and overwrites the other, whose borders it has sent
        // them before that.
        std::vector<event> begun;
        for (std::size_t d = 0; d < bands.size(); ++d) {
          std::vector<event> first{bands[d].computed};
          if (d > 0) first.push_back(bands[d - 1].sent[1]), first.push_back(bands[d].sent[0]);
          if (d + 1 < bands.size()) first.push_back(bands[d + 1].sent[0]), first.push_back(bands[d].sent[1]);
          begun.push_back(
              launch(after(merge(first)), wave_on, bands[d].inside, bands[d].of[1 - now], bands[d].of[now]));
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
      read_corner(bands[0].of[now], box({0, 0}, {1, 1}), ram, merge(last));
    };
    is = timed(f.steps, step, [&] {
      for (const band& b : bands) wait(copy(b.of[now], whole, b.inside));
      return std::vector<float>(whole.data(), whole.data() + f.all().volume());
    });
    for (band& b : bands)
      for (auto& i : b.of) i.destroy();
    whole.destroy();
  });
  return is;
}

// ---- bodies

struct cloud {
  long devices, count, steps;
  double seconds_of_kernel;
  double rate() const { return static_cast<double>(count / devices) / seconds_of_kernel; }
};

/// No two at one place.
std::vector<float> places_of(const cloud& c) {
  std::vector<float> all;
  for (long i = 0; i < c.count; ++i) all.push_back(float(i) * 0.01f + 0.3f * std::sin(float(i)));
  return all;
}

std::vector<float> by_loop(const cloud& c) {
  std::vector<float> x = places_of(c), v(x.size());
  for (long s = 0; s < warm_steps + c.steps; ++s) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      float pull = 0;
      for (std::size_t j = 0; j < x.size(); ++j) pull += (x[j] - x[i]) / (1 + (x[j] - x[i]) * (x[j] - x[i]));
      v[i] += 1e-4f * pull;
    }
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += 1e-3f * v[i];
  }
  return x;
}

class bodies_of_buffers {
 public:
  explicit bodies_of_buffers(const cloud& c)
      : count_(int(c.count)),
        begin_(places_of(c)),
        rest_(begin_.size()),
        x_(box(0, c.count), begin_.data()),
        v_(box(0, c.count), rest_.data()) {}
  void step(long times) {
    for (long s = 0; s < times; ++s) {
      launch(attract_all, x_.elements(), x_(all), v_(one_to_one), count_);
      launch(drift_on, x_.elements(), x_(one_to_one), v_(one_to_one));
    }
    x_.read(box(0, 1)).get();
  }
  std::vector<float> content() { return all_of(x_); }

 private:
  const int count_;
  const std::vector<float> begin_, rest_;
  buffer<float> x_, v_;
};

/// All positions on each device, of which it moves its own and sends them to all others.
outcome_of_steps by_hand(const bench::options& o, const cloud& c) {
  outcome_of_steps is;
  in_runtime(o, c.devices, c.rate(), [&](runtime& rt) {
    struct share {
      instance<float> x, v;
      box own;
      event moved, here;  // its own positions; all positions
    };
    const place ram = rt.machine().memories().front();
    const auto memories = rt.machine().places(place_kind::gpu_memory);
    const auto whole = on_host<1>(box(0, c.count), places_of(c), ram);
    std::vector<share> shares(static_cast<std::size_t>(c.devices));
    for (long d = 0; d < c.devices; ++d) {
      share& s = shares[std::size_t(d)];
      s.own = box(d * c.count / c.devices, (d + 1) * c.count / c.devices);
      s.x = instance<float>::create(at(memories[std::size_t(d)]), box(0, c.count)).made;
      s.v = instance<float>::create(at(memories[std::size_t(d)]), s.own).made;
      const event filled[] = {copy(whole, s.x), fill(s.v, 0.0f)};
      s.here = merge(filled);
    }
    const auto step = [&](long times) {
      for (long t = 0; t < times; ++t) {
        std::vector<event> pulled;
        for (share& s : shares) pulled.push_back(launch(after(s.here), attract_all, s.own, s.x, s.v, int(c.count)));
        for (std::size_t d = 0; d < shares.size(); ++d)
          shares[d].moved = launch(after(pulled[d]), drift_on, shares[d].own, shares[d].x, shares[d].v);
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
      read_corner(shares[0].x, box(0, 1), ram, shares[0].here);
    };
    is = timed(c.steps, step, [&] {
      for (const share& s : shares) wait(copy(s.x, whole, s.own, after(s.here)));
      return std::vector<float>(whole.data(), whole.data() + c.count);
    });
    for (share& s : shares) s.x.destroy(), s.v.destroy();
    whole.destroy();
  });
  return is;
}

// ---- both

template <class Program, class Shape>
outcome_of_steps on_buffers(const bench::options& o, const Shape& s) {
  outcome_of_steps is;
  in_runtime(o, s.devices, s.rate(), [&](runtime&) {
    Program p(s);
    is = timed(s.steps, [&](long times) { p.step(times); }, [&] { return p.content(); });
  });
  return is;
}

/// All alternately, several times; the minimum of each counts, because of other load on the machine.
template <class Program, class Shape>
bench::outcome compare(const bench::options& o, const Shape& shape) {
  const std::vector<float> expected = by_loop(shape);
  double of_ours = 1e300, of_hand = 1e300;
  const auto least = [&](double& of, const char* what, const outcome_of_steps& is) {
    bench::expect(what, wrong_elements(is.content, expected), 0);
    of = std::min(of, is.seconds);
  };
  for (int round = 0; round < 5; ++round) {
    least(of_hand, "elements that a loop computes otherwise than what is driven by hand", by_hand(o, shape));
    least(of_ours, "elements that a loop computes otherwise than launches on buffers", on_buffers<Program>(o, shape));
  }
  const double us = 1e6 / static_cast<double>(shape.steps);
  return {of_ours / of_hand, {{"us_per_step", of_ours * us}, {"us_by_hand", of_hand * us}}};
}

/// Percent of the time of a program that goes into horizons every `size` steps: the least of each in several rounds,
/// since others use this machine, too.
template <class Program, class Shape>
bench::outcome share_of_horizons(const bench::options& o, const Shape& shape) {
  double took = 1e300, seconds = 1e300, count = 0;
  in_runtime(o, shape.devices, shape.rate(), [&](runtime&) {
    set_horizons({.step = static_cast<std::uint64_t>(o.size)});
    Program p(shape);
    p.step(warm_steps);
    auto& horizons = buffers::state_of(*base::current()->runtime)->horizons;
    for (int round = 0; round < 20; ++round) {
      horizons = {.is_measured = true};
      const bench::stopwatch clock;
      p.step(shape.steps);
      seconds = std::min(seconds, clock.seconds());
      took = std::min(took, static_cast<double>(horizons.nanoseconds) * 1e-9);
      count = static_cast<double>(horizons.count);
    }
  });
  bench::expect("whether there were horizons", count > 0, 1);
  return {took / seconds * 100,
          {{"us_per_horizon", took / count * 1e6},
           {"us_per_step", seconds / static_cast<double>(shape.steps) * 1e6},
           {"horizons_per_step", count / static_cast<double>(shape.steps)}}};
}

constexpr field wave_of(double seconds_of_kernel, long steps) {
  return {.devices = 2, .side = 128, .steps = steps, .seconds_of_kernel = seconds_of_kernel};
}
constexpr cloud bodies_of(double seconds_of_kernel, long steps) {
  return {.devices = 2, .count = 256, .steps = steps, .seconds_of_kernel = seconds_of_kernel};
}

}  // namespace

// `size` microseconds for a kernel on each device.
bench::outcome compare_wave_on_buffers(const bench::options& o) {
  return compare<wave_of_buffers>(o, wave_of(double(o.size) * 1e-6, 400));
}
bench::outcome compare_bodies_on_buffers(const bench::options& o) {
  return compare<bodies_of_buffers>(o, bodies_of(double(o.size) * 1e-6, 400));
}

// Kernels of 50 microseconds; horizons every `size` steps.
bench::outcome measure_horizons_of_wave(const bench::options& o) {
  return share_of_horizons<wave_of_buffers>(o, wave_of(50e-6, 160));
}
bench::outcome measure_horizons_of_bodies(const bench::options& o) {
  return share_of_horizons<bodies_of_buffers>(o, bodies_of(50e-6, 160));
}

// check_micro.cpp - the cost of STRETTO_CHECK=1: the same program unchecked and checked alternately, and the ratio.
#include <benchmark/benchmark.h>

#include <stretto/stretto.hpp>

#include <array>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <vector>

using namespace stretto;

namespace {

using clock_type = std::chrono::steady_clock;

std::unique_ptr<runtime> started(const char* check, unsigned workers) {
  setenv("STRETTO_CHECK", check, 1);
  auto made = std::make_unique<runtime>(runtime_options{.workers = workers});
  unsetenv("STRETTO_CHECK");
  return made;
}

/// Runs `program(ram)` in two runtimes alternately; each run consists of `parts` operations.
template <class Program>
void compare(benchmark::State& state, unsigned workers, std::int64_t parts, Program&& program) {
  const auto unchecked = started("0", workers), checked = started("1", workers);
  double seconds[2] = {};
  const auto measure = [&](runtime& rt, double& sum) {
    rt.run([&] {
      const auto from = clock_type::now();
      program(rt.machine().memories()[0]);
      sum += std::chrono::duration<double>(clock_type::now() - from).count();
    });
  };
  for (auto _ : state) {
    measure(*unchecked, seconds[0]);
    measure(*checked, seconds[1]);
  }
  const double all = static_cast<double>(state.iterations() * parts);
  state.counters["unchecked_ns"] = seconds[0] / all * 1e9;
  state.counters["checked_ns"] = seconds[1] / all * 1e9;
  state.counters["ratio"] = seconds[1] / seconds[0];
}

// Copies of 8 bytes to and fro, each after the one before.
void copies(benchmark::State& state) {
  constexpr int count = 10000;
  compare(state, 1, count, [](place ram) {
    const auto a = instance<double>::create(at(ram), {0, 1}).made, b = instance<double>::create(at(ram), {0, 1}).made;
    event last = merge(fill(a, 1.0), fill(b, 1.0));
    for (int i = 0; i < count; ++i) last = i % 2 ? copy(b, a, after(last)) : copy(a, b, after(last));
    wait(last);
    wait(a.destroy()), wait(b.destroy());
  });
}
BENCHMARK(copies)->Unit(benchmark::kMillisecond);

/// A field in tiles, each with a halo of one cell; a step of a tile is a task, the edges travel by copies.
class wave {
 public:
  static constexpr coordinate side = 4, cells = 64;

  explicit wave(place ram) {
    for (auto* fields : {&now_, &next_})
      for (coordinate t = 0; t < side * side; ++t) {
        fields->push_back(instance<float, 2>::create(at(ram), box({-1, -1}, {cells + 1, cells + 1})).made);
        wait(fill(fields->back(), static_cast<float>(t)));
      }
    done_.resize(side * side);
    arrived_.resize(side * side);
  }

  void run(int steps) {
    for (int n = 0; n < steps; ++n) {
      for (coordinate t = 0; t < side * side; ++t) {
        const auto& in = arrived_[t];
        done_[t] = async(after(done_[t], in[0], in[1], in[2], in[3]), [u = now_[t], v = next_[t]] { advance(u, v); });
      }
      std::swap(now_, next_);
      for (coordinate t = 0; t < side * side; ++t) exchange(t);
    }
    for (const event e : done_) wait(e);
    for (const auto& all : arrived_)
      for (const event e : all) wait(e);
    for (auto* fields : {&now_, &next_})
      for (auto& f : *fields) wait(f.destroy());
  }

 private:
  static void advance(const instance<float, 2>& from, const instance<float, 2>& to) {
    const auto u = from.view(), v = to.view();
    for (coordinate i = 0; i < cells; ++i)
      for (coordinate j = 0; j < cells; ++j)
        v(i, j) = 0.2f * (u(i, j) + u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1));
  }

  /// Asks for the halo of tile `t`, after the steps of its neighbours and, before the next step, its own.
  void exchange(coordinate t) {
    const coordinate row = t / side, column = t % side;
    const auto from = [&](coordinate other, const box& mine, point shift) {
      return copy(now_[other], mine.shifted(shift), now_[t], mine.min(), after(done_[other], done_[t]));
    };
    auto& in = arrived_[t];
    if (row > 0) in[0] = from(t - side, box({-1, 0}, {0, cells}), {cells, 0});
    if (row + 1 < side) in[1] = from(t + side, box({cells, 0}, {cells + 1, cells}), {-cells, 0});
    if (column > 0) in[2] = from(t - 1, box({0, -1}, {cells, 0}), {0, cells});
    if (column + 1 < side) in[3] = from(t + 1, box({0, cells}, {cells, cells + 1}), {0, -cells});
  }

  std::vector<instance<float, 2>> now_, next_;
  std::vector<event> done_;
  std::vector<std::array<event, 4>> arrived_;
};

void wave_steps(benchmark::State& state) {
  constexpr int steps = 50;
  compare(state, static_cast<unsigned>(state.range(0)), steps, [](place ram) { wave(ram).run(steps); });
}
BENCHMARK(wave_steps)->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond);

// Tasks without data: only spawns and waits are checked.
void tasks(benchmark::State& state) {
  constexpr int count = 10000;
  compare(state, 1, count, [](place) {
    finish([] {
      for (int i = 0; i < count; ++i) async([] {});
    });
  });
}
BENCHMARK(tasks)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();

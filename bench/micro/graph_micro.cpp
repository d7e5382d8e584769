// graph_micro.cpp - a repeated set of operations: replays of a recorded graph, compared with new operations each time.
//
// "per_op" is seconds per task or copy. Each pair does the same work: async and after, then replay.
#include <benchmark/benchmark.h>

#include <stretto/platform.hpp>
#include <stretto/recorded_data.hpp>
#include <stretto/runtime.hpp>

#include <vector>

using namespace stretto;

namespace {

/// Runs `body(state)` in a runtime with as many workers as the benchmark's first argument says.
template <class Body>
void inside(benchmark::State& state, Body&& body) {
  runtime rt({.workers = static_cast<std::uint32_t>(state.range(0))});
  rt.run([&] { body(); });
}

void per_op(benchmark::State& state, double operations) {
  state.counters["per_op"] =
      benchmark::Counter(operations, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

constexpr int length = 1000;           // of chains
constexpr int width = 64, steps = 50;  // of stencils

void chain_anew(benchmark::State& state) {
  inside(state, [&] {
    long hops = 0;
    for (auto _ : state) {
      auto last = async([&hops] { ++hops; });
      for (int i = 1; i < length; ++i) last = async(after(last), [&hops] { ++hops; });
      last.get();
    }
    benchmark::DoNotOptimize(hops);
  });
  per_op(state, length);
}

void chain_replayed(benchmark::State& state) {
  inside(state, [&] {
    long hops = 0;
    recorded_graph g;
    auto last = g.add([&hops] { ++hops; });
    for (int i = 1; i < length; ++i) last = g.add(after(last), [&hops] { ++hops; });
    for (auto _ : state) wait(g.replay());
    benchmark::DoNotOptimize(hops);
  });
  per_op(state, length);
}

/// Task i of each step comes after tasks i - 1, i and i + 1 of the step before.
template <class Handle, class Add>
void lay_out_stencil(std::vector<Handle>& now, std::vector<Handle>& before, Add&& add) {
  for (int step = 0; step < steps; ++step) {
    std::swap(now, before);
    for (int i = 0; i < width; ++i) now[i] = add(step, i);
  }
}

void stencil_anew(benchmark::State& state) {
  inside(state, [&] {
    std::vector<long> cells(width);
    for (auto _ : state) {
      std::vector<future<>> now(width), before(width);
      finish([&] {
        lay_out_stencil(now, before, [&](int step, int i) {
          const auto body = [&cells, i] { ++cells[i]; };
          if (step == 0) return async(body);
          return async(after(before[i ? i - 1 : i], before[i], before[i + 1 < width ? i + 1 : i]), body);
        });
      });
    }
    benchmark::DoNotOptimize(cells.data());
  });
  per_op(state, width * steps);
}

void stencil_replayed(benchmark::State& state) {
  inside(state, [&] {
    std::vector<long> cells(width);
    recorded_graph g;
    std::vector<recorded_operation> now(width), before(width);
    lay_out_stencil(now, before, [&](int step, int i) {
      const auto body = [&cells, i] { ++cells[i]; };
      if (step == 0) return g.add(body);
      return g.add(after(before[i ? i - 1 : i], before[i], before[i + 1 < width ? i + 1 : i]), body);
    });
    for (auto _ : state) wait(g.replay());
    benchmark::DoNotOptimize(cells.data());
  });
  per_op(state, width * steps);
}

place some_memory(const runtime& rt) { return rt.machine().memories().front(); }

/// `lay_out(a, b)` submits or records `length` copies to and fro.
template <class Measure>
void with_two_instances(benchmark::State& state, Measure&& measure) {
  runtime rt({.workers = static_cast<std::uint32_t>(state.range(0))});
  rt.run([&] {
    const auto a = instance<double>::create(at(some_memory(rt)), {0, 1}).made;
    const auto b = instance<double>::create(at(some_memory(rt)), {0, 1}).made;
    measure(a, b);
    a.destroy();
    b.destroy();
  });
  per_op(state, length);
}

void copies_anew(benchmark::State& state) {
  with_two_instances(state, [&](const instance<double>& a, const instance<double>& b) {
    for (auto _ : state) {
      const user_event go = user_event::create();
      event last = go;
      for (int i = 0; i < length; ++i) last = i % 2 ? copy(b, a, after(last)) : copy(a, b, after(last));
      go.trigger();
      wait(last);
    }
  });
}

void copies_replayed(benchmark::State& state) {
  with_two_instances(state, [&](const instance<double>& a, const instance<double>& b) {
    recorded_graph g;
    recorded_operation last = copy(g, a, b);
    for (int i = 1; i < length; ++i) last = i % 2 ? copy(g, b, a, after(last)) : copy(g, a, b, after(last));
    for (auto _ : state) wait(g.replay());
  });
}

/// The cost of one replay without its operations.
void smallest_replay(benchmark::State& state) {
  inside(state, [&] {
    recorded_graph g;
    g.add([] {});
    for (auto _ : state) wait(g.replay());
  });
  per_op(state, 1);
}

BENCHMARK(chain_anew)->Arg(1)->Arg(2);
BENCHMARK(chain_replayed)->Arg(1)->Arg(2);
BENCHMARK(stencil_anew)->Arg(1)->Arg(2);
BENCHMARK(stencil_replayed)->Arg(1)->Arg(2);
BENCHMARK(copies_anew)->Arg(1);
BENCHMARK(copies_replayed)->Arg(1);
BENCHMARK(smallest_replay)->Arg(1)->Arg(2);

}  // namespace

BENCHMARK_MAIN();

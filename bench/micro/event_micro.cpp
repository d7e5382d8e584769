// event_micro.cpp - what events cost on one thread, in nanoseconds per operation ("per_op").
//
// Each benchmark first runs its work once, so that slots are warm, as they are in a program past its start.

#include <benchmark/benchmark.h>

#include <stretto/barrier.hpp>
#include <stretto/completion_queue.hpp>
#include <stretto/reservation.hpp>

#include <algorithm>
#include <chrono>
#include <random>
#include <vector>

#include "event/event_floor.hpp"
#include "micro/event_work.hpp"

using namespace stretto;

namespace {

struct world {
  base::runtime_context runtime;
  base::thread_context thread;
  base::thread_context* before;

  world() {
    detail::start_events(runtime);
    thread.runtime = &runtime;
    detail::enter_events(thread);
    before = base::set_current(&thread);
  }
  ~world() {
    base::set_current(before);
    detail::leave_events(thread);
    detail::stop_events(runtime);
  }
};

using seconds = std::chrono::duration<double>;

/// Runs `setup` untimed and `timed` timed; reports the minimum over iterations, per operation.
template <class Setup, class Timed>
void run(benchmark::State& state, double operations, Setup&& setup, Timed&& timed) {
  double best = 1e300;
  setup();
  timed();
  for (auto _ : state) {
    setup();
    const auto start = std::chrono::steady_clock::now();
    timed();
    const double s = seconds(std::chrono::steady_clock::now() - start).count();
    state.SetIterationTime(s);
    best = std::min(best, s);
  }
  state.counters["min_ns_per_op"] = best / operations * 1e9;
  state.counters["per_op"] =
      benchmark::Counter(operations, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void nothing() {}

/// One of the works that the comparison with peers measures too.
template <class Work>
void run_work(benchmark::State& state) {
  world w;
  Work work{state.range(0)};
  run(state, work.operations(), [&] { work.setup(); }, [&] { work.timed(); });
  if constexpr (requires { work.finish(); }) work.finish();
}

void query(benchmark::State& state) {
  world w;
  const auto e = user_event::create();
  run(state, 1000, nothing, [&] {
    for (int i = 0; i < 1000; ++i) benchmark::DoNotOptimize(e.has_triggered());
  });
  e.trigger();
}

void merge_call(benchmark::State& state) {
  world w;
  std::vector<user_event> users(state.range(0));
  std::vector<event> inputs(state.range(0));
  event all;
  run(
      state, state.range(0),
      [&] {
        for (auto u : users)
          if (u != event()) u.trigger();
        for (std::size_t i = 0; i < users.size(); ++i) inputs[i] = users[i] = user_event::create();
      },
      [&] { all = merge(inputs); });
}

void reservation_uncontended(benchmark::State& state) {
  world w;
  const auto r = reservation::create();
  run(state, 1000, nothing, [&] {
    for (int i = 0; i < 1000; ++i) {
      benchmark::DoNotOptimize(r.acquire());
      r.release();
    }
  });
}

/// 1,024 chains of 32 links over n reservations: each link acquires a random one after the link before, and releases it
/// as soon as it is granted. Per grant, from the common start.
void reservation_chains(benchmark::State& state) {
  world w;
  constexpr int chains = 1024, depth = 32;
  std::vector<reservation> all;
  for (int i = 0; i < state.range(0); ++i) all.push_back(reservation::create());
  std::mt19937 random(1);
  user_event start;
  run(
      state, chains * depth,
      [&] {
        start = user_event::create();
        for (int c = 0; c < chains; ++c) {
          event before = start;
          for (int d = 0; d < depth; ++d) {
            const auto& r = all[random() % all.size()];
            before = r.acquire(before);
            r.release(before);
          }
        }
      },
      [&] { start.trigger(); });
}

void barrier_arrive_and_trigger(benchmark::State& state) {
  world w;
  auto b = barrier::create(static_cast<std::uint32_t>(state.range(0)));
  run(state, 1000.0 * state.range(0), nothing, [&] {
    for (int i = 0; i < 1000; ++i, b = b.advance())
      for (int k = 0; k < state.range(0); ++k) b.arrive();
  });
}

/// As above, with someone who asked for each phase's event.
void barrier_with_event(benchmark::State& state) {
  world w;
  auto b = barrier::create(1);
  run(state, 1000, nothing, [&] {
    for (int i = 0; i < 1000; ++i, b = b.advance()) {
      benchmark::DoNotOptimize(b.event());
      b.arrive();
    }
  });
}

struct sum {
  using value_type = double;
  static double identity() { return 0; }
  static void apply(double& into, const double& value) { into += value; }
};

void barrier_with_value(benchmark::State& state) {
  world w;
  auto b = reducing_barrier<sum>::create(1);
  run(state, 1000, nothing, [&] {
    for (int i = 0; i < 1000; ++i, b = b.advance()) b.arrive_with(i);
  });
}

void completion_queue_add_and_pop(benchmark::State& state) {
  world w;
  const auto q = completion_queue::create();
  std::vector<user_event> users(1000);
  std::vector<completion_queue::entry> out(1000);
  run(
      state, 1000,
      [&] {
        for (auto& u : users) u = user_event::create();
      },
      [&] {
        for (auto u : users) q.add(u);
        for (auto u : users) u.trigger();
        q.pop(std::span(out));
      });
}

}  // namespace

BENCHMARK(run_work<bench::chain_trigger>)
    ->Name("chain_trigger")
    ->Arg(100)
    ->Arg(1'000)
    ->Arg(10'000)
    ->Arg(100'000)
    ->Arg(1'000'000)
    ->UseManualTime();
BENCHMARK(run_work<bench::chain_create_and_link>)
    ->Name("chain_create_and_link")
    ->Arg(100)
    ->Arg(1'000)
    ->Arg(100'000)
    ->UseManualTime();
BENCHMARK(run_work<bench::create_and_trigger>)->Name("create_and_trigger")->Arg(1'000)->UseManualTime();
BENCHMARK(query)->UseManualTime();
BENCHMARK(run_work<bench::merge_and_trigger>)
    ->Name("merge_call_and_triggers")
    ->Arg(2)
    ->Arg(10)
    ->Arg(100)
    ->Arg(1'000)
    ->UseManualTime();
BENCHMARK(merge_call)->Arg(2)->Arg(10)->Arg(100)->Arg(1'000)->UseManualTime();
BENCHMARK(run_work<bench::fan_out>)->Name("fan_out")->Arg(1)->Arg(8)->Arg(64)->Arg(1'024)->UseManualTime();
BENCHMARK(run_work<bench::fan_in_and_out>)->Name("fan_in_and_out")->RangeMultiplier(2)->Range(1, 256)->UseManualTime();
BENCHMARK(reservation_uncontended)->UseManualTime();
BENCHMARK(reservation_chains)->RangeMultiplier(4)->Range(1, 1'024)->UseManualTime();
BENCHMARK(barrier_arrive_and_trigger)->Arg(1)->Arg(4)->UseManualTime();
BENCHMARK(barrier_with_event)->UseManualTime();
BENCHMARK(barrier_with_value)->UseManualTime();
BENCHMARK(completion_queue_add_and_pop)->UseManualTime();

BENCHMARK_MAIN();

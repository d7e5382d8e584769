// objects_micro.cpp - the cost of dependency analysis per argument of a task, and of scheduling decisions; no devices.
#include <benchmark/benchmark.h>

#include <stretto/scheduler.hpp>

#include <array>
#include <memory>
#include <vector>

#include "data/replica_set.hpp"
#include "objects/dependencies.hpp"

using namespace stretto;
using namespace stretto::objects;
using data::in_use, data::inout_use, data::out_use, data::usage;

namespace {

// Tasks that stay live until `lag` more have been submitted.
class window {
 public:
  explicit window(std::size_t lag) : live_(lag) {}
  task_id next() {
    task_id& oldest = live_[at_++ % live_.size()];
    if (oldest.generation) slots.retire(oldest);
    oldest = slots.add();
    return oldest;
  }
  task_slots slots;

 private:
  std::vector<task_id> live_;
  std::size_t at_ = 0;
};

void submit(window& w, dependencies& d, const box& where, usage how, std::vector<task_id>& found) {
  found.clear();
  d.access(where, how, w.next(), found);
  benchmark::DoNotOptimize(found.data());
}

void chain_on_whole_array(benchmark::State& state) {
  window w(64);
  dependencies d(w.slots);
  std::vector<task_id> found;
  for (auto _ : state) submit(w, d, box(0, 1 << 20), inout_use, found);
}
BENCHMARK(chain_on_whole_array);

void readers_of_whole_array(benchmark::State& state) {
  window w(64);
  dependencies d(w.slots);
  std::vector<task_id> found;
  submit(w, d, box(0, 1 << 20), out_use, found);
  for (auto _ : state) submit(w, d, box(0, 1 << 20), in_use, found);
}
BENCHMARK(readers_of_whole_array);

// Tasks of three whole arrays, read, read, written: as a small kernel has them.
void three_arrays(benchmark::State& state) {
  window w(64);
  std::vector<std::unique_ptr<dependencies>> arrays;
  for (int i = 0; i < 64; ++i) arrays.push_back(std::make_unique<dependencies>(w.slots));
  std::vector<task_id> found;
  std::size_t i = 0;
  for (auto _ : state) {
    found.clear();
    const task_id t = w.next();
    arrays[i % 64]->access(box(0, 4096), in_use, t, found);
    arrays[(i * 7 + 1) % 64]->access(box(0, 4096), in_use, t, found);
    arrays[(i * 13 + 2) % 64]->access(box(0, 4096), inout_use, t, found);
    ++i;
  }
}
BENCHMARK(three_arrays);

// A grid of tiles of one array, updated one after another.
void repeated_tiles(benchmark::State& state) {
  const auto side = static_cast<coordinate>(state.range(0));
  const auto tiles = split_grid(box({0, 0}, {32 * side, 32 * side}), {side, side});
  window w(64);
  dependencies d(w.slots);
  std::vector<task_id> found;
  std::size_t i = 0;
  for (auto _ : state) submit(w, d, tiles[i++ % tiles.size()], inout_use, found);
}
BENCHMARK(repeated_tiles)->Arg(4)->Arg(32);

// A stencil's tile with its border read from one array, the tile written to the other; then the other way round. Two
// arguments per iteration.
void tiles_with_borders(benchmark::State& state) {
  const box all({0, 0}, {512, 512});
  const auto tiles = split_grid(all, {16, 16});
  window w(64);
  dependencies a(w.slots), b(w.slots);
  std::array<dependencies*, 2> arrays{&a, &b};
  std::vector<task_id> found;
  std::size_t i = 0;
  for (auto _ : state) {
    const std::size_t step = i / tiles.size() % 2;
    const box& tile = tiles[i++ % tiles.size()];
    found.clear();
    const task_id t = w.next();
    arrays[step]->access(intersection(tile.widened({1, 1, 0}), all), in_use, t, found);
    arrays[1 - step]->access(tile, out_use, t, found);
  }
}
BENCHMARK(tiles_with_borders);

// The cost of one argument of a task if the array is whole and valid: acquire, waits_of, used.
void replica_in_place(benchmark::State& state) {
  std::uint64_t now = 0;
  data::replica_set set(4, [](auto, auto, auto) { return 1.0; }, [&](data::token t) { return t + 64 < now; });
  const box all(0, 1 << 20);
  set.add({set.next_id(), 1, all}, 0);
  set.used(0, {all, out_use}, ++now);
  data::replica_set::plan plan;
  std::vector<data::token> waits;
  const data::replica_set::need need{all, state.range(0) ? inout_use : in_use};
  for (auto _ : state) {
    set.acquire(1, {&need, 1}, plan);
    waits.clear();
    set.waits_of(plan.use[0], need, waits);
    set.used(plan.use[0], need, ++now);
    benchmark::DoNotOptimize(waits.data());
  }
}
BENCHMARK(replica_in_place)->Arg(0)->Arg(1);

// The same for one of many tiles, each stored for itself.
void replica_of_tile(benchmark::State& state) {
  std::uint64_t now = 0;
  data::replica_set set(4, [](auto, auto, auto) { return 1.0; }, [&](data::token t) { return t + 64 < now; });
  const auto tiles = split_grid(box({0, 0}, {1024, 1024}), {32, 32});
  for (const box& b : tiles) {
    set.add({set.next_id(), 1, b}, 0);
    set.used(set.next_id() - 1, {b, out_use}, ++now);
  }
  data::replica_set::plan plan;
  std::vector<data::token> waits;
  std::size_t i = 0;
  for (auto _ : state) {
    const data::replica_set::need need{tiles[i++ % tiles.size()], inout_use};
    set.acquire(1, {&need, 1}, plan);
    waits.clear();
    set.waits_of(plan.use[0], need, waits);
    set.used(plan.use[0], need, ++now);
    benchmark::DoNotOptimize(waits.data());
  }
}
BENCHMARK(replica_of_tile);

// push and pop of a task with one argument, while 64 wait and two devices ask alternately.
struct plain_task final : device_task {
  std::string_view name() const override { return "task"; }
  int priority() const override { return 0; }
  std::uint64_t position() const override { return 0; }
  bool may_run_on(const device_view&) const override { return true; }
  std::uint64_t kind() const override { return 1; }
  std::uint64_t bytes_at(const device_view& d) const override { return d.index == home ? 1000 : 0; }
  std::uint64_t missing_bytes(const device_view& d) const override { return d.index == home ? 0 : 1000; }
  double transfer_seconds(const device_view& d) const override { return d.index == home ? 0 : 1e-6; }
  std::optional<double> predicted_seconds(const device_view&) const override { return 1e-6; }
  std::uint32_t home = 0;
};

void scheduler_push_pop(benchmark::State& state, const char* policy) {
  const auto s = make_device_scheduler(policy);
  const std::array<device_view, 2> devices{device_view{.index = 0}, device_view{.index = 1}};
  s->start(devices);
  std::array<plain_task, 64> tasks;
  std::vector<const device_task*> issued;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    tasks[i].home = i % 2;
    s->push(tasks[i]);
  }
  std::size_t i = 0;
  for (auto _ : state) {
    const device_view& d = devices[i++ % 2];
    const device_task* const t = s->pop(d);
    if (!t) continue;
    s->finished(*t, d);
    s->push(*t);
  }
}
BENCHMARK_CAPTURE(scheduler_push_pop, fifo, "fifo");
BENCHMARK_CAPTURE(scheduler_push_pop, locality, "locality");
BENCHMARK_CAPTURE(scheduler_push_pop, earliest_finish, "earliest_finish");
BENCHMARK_CAPTURE(scheduler_push_pop, work_stealing, "work_stealing");

}  // namespace

BENCHMARK_MAIN();

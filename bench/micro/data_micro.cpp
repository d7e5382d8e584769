// data_micro.cpp - the cost of instances, copies and reductions, compared with memcpy and plain loops in the same run.
#include <benchmark/benchmark.h>

#include <stretto/copy.hpp>
#include <stretto/reduce.hpp>
#include <stretto/runtime.hpp>

#include <atomic>
#include <cstring>
#include <memory>
#include <random>
#include <vector>

#include "base/context.hpp"
#include "data/data_floor.hpp"

using namespace stretto;

namespace {

constexpr place ram{0};

/// Runs `body` in a runtime of `workers` with one memory of 8 GiB.
template <class Body>
void inside(unsigned workers, Body&& body) {
  runtime_options options;
  options.workers = workers;
  runtime rt(options);
  base::runtime_context* context = nullptr;
  rt.run([&] {
    context = base::current()->runtime;
    if (context->get<void>(base::floor_slot::data)) data::stop_data(*context);
    data::data_settings settings;
    settings.memories = {{ram, "ram", place_kind::system_memory, std::uint64_t{8} << 30}};
    settings.width = workers;
    data::start_data(*context, std::move(settings));
  });
  rt.run(body);
  rt.run([&] { data::stop_data(*context); });
}

void instance_create_destroy(benchmark::State& state) {
  inside(1, [&] {
    for (auto _ : state) {
      auto [u, ready] = instance<char>::create(at(ram), {0, state.range(0)});
      benchmark::DoNotOptimize(u.destroy());
    }
  });
}
BENCHMARK(instance_create_destroy)->Arg(128)->Arg(4096)->Arg(1 << 20);

void copy_8_bytes(benchmark::State& state) {
  inside(1, [&] {
    const auto a = instance<double>::create(at(ram), {0, 1}).made;
    const auto b = instance<double>::create(at(ram), {0, 1}).made;
    fill(a, 1.0);
    for (auto _ : state) benchmark::DoNotOptimize(copy(a, b));
  });
}
BENCHMARK(copy_8_bytes);

// Submits a chain of copies that waits for one event, triggers that, and waits for the last.
void copy_8_bytes_chained(benchmark::State& state) {
  inside(1, [&] {
    const auto a = instance<double>::create(at(ram), {0, 1}).made;
    const auto b = instance<double>::create(at(ram), {0, 1}).made;
    fill(a, 1.0);
    const auto length = state.range(0);
    for (auto _ : state) {
      const auto start = user_event::create();
      event last = start;
      for (std::int64_t i = 0; i < length; ++i) last = i % 2 ? copy(b, a, after(last)) : copy(a, b, after(last));
      start.trigger();
      wait(last);
    }
    state.SetItemsProcessed(state.iterations() * length);
  });
}
BENCHMARK(copy_8_bytes_chained)->Arg(100)->Arg(1000);

void memcpy_large(benchmark::State& state) {
  const auto bytes = static_cast<std::size_t>(state.range(0));
  std::vector<char> a(bytes, 1), b(bytes, 2);
  for (auto _ : state) {
    std::memcpy(b.data(), a.data(), bytes);
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * state.range(0));
}
BENCHMARK(memcpy_large)->Arg(512 << 10)->Arg(64 << 20);

void copy_large(benchmark::State& state) {
  inside(static_cast<unsigned>(state.range(1)), [&] {
    const auto a = instance<char>::create(at(ram), {0, state.range(0)}).made;
    const auto b = instance<char>::create(at(ram), {0, state.range(0)}).made;
    wait(fill(a, 1));
    wait(fill(b, 2));
    for (auto _ : state) wait(copy(a, b));
  });
  state.SetBytesProcessed(state.iterations() * state.range(0));
}
BENCHMARK(copy_large)->Args({512 << 10, 1})->Args({64 << 20, 1})->Args({64 << 20, 2})->UseRealTime();

void copy_transposed(benchmark::State& state) {
  inside(1, [&] {
    const box b({0, 0}, {2048, 2048});
    const auto rows = instance<float, 2>::create(at(ram), b).made;
    const auto columns = instance<float, 2>::create(at(ram), b, {.order = axis_order::fortran}).made;
    wait(fill(rows, 1));
    wait(fill(columns, 2));
    for (auto _ : state) wait(copy(rows, columns));
  });
  state.SetBytesProcessed(state.iterations() * 2048 * 2048 * 4);
}
BENCHMARK(copy_transposed)->UseRealTime();

std::vector<std::int64_t> random_elements(std::int64_t elements, std::int64_t count) {
  std::minstd_rand numbers(7);
  std::uniform_int_distribution<std::int64_t> any(0, elements - 1);
  std::vector<std::int64_t> out(static_cast<std::size_t>(count));
  for (auto& e : out) e = any(numbers);
  return out;
}

// Contributions, one sweep, and clearing: everything that a phase of a program pays. Elements, contributions, style.
void reduction(benchmark::State& state) {
  const auto elements = state.range(0), count = state.range(1);
  const auto where = random_elements(elements, count);
  inside(1, [&] {
    const auto total = instance<double>::create(at(ram), {0, elements}).made;
    wait(fill(total, 0.0));
    const auto r = reduction_instance<sum<double>>::create(at(ram), {0, elements},
                                                           {.style = static_cast<reduction_style>(state.range(2))});
    for (auto _ : state) {
      {
        auto c = r.contribute();
        for (const auto e : where) c(e) << 1.0;
      }
      wait(clear(r, after(reduce(r, total))));
    }
  });
  state.SetItemsProcessed(state.iterations() * count);
}
void by_density(benchmark::internal::Benchmark* b) {
  const std::int64_t elements = 4 << 20;
  for (const std::int64_t per : {1024, 64, 16, 8, 4, 2, 1})
    for (const auto style : {reduction_style::list, reduction_style::fold, reduction_style::automatic})
      b->Args({elements, elements / per, static_cast<int>(style)});
  for (const std::int64_t per : {64, 16, 8, 4, 1})
    for (const auto style : {reduction_style::list, reduction_style::fold, reduction_style::automatic})
      b->Args({65536, 65536 / per, static_cast<int>(style)});
}
BENCHMARK(reduction)->Apply(by_density)->UseRealTime()->Unit(benchmark::kMicrosecond);

void list_contributions(benchmark::State& state) {
  const auto where = random_elements(4 << 20, 1 << 16);
  inside(1, [&] {
    const auto r = reduction_instance<sum<double>>::create(at(ram), {0, 4 << 20}, {.style = reduction_style::list});
    for (auto _ : state) {
      {
        auto c = r.contribute();
        for (const auto e : where) c(e) << 1.0;
      }
      state.PauseTiming();
      wait(clear(r));
      state.ResumeTiming();
    }
  });
  state.SetItemsProcessed(state.iterations() * (1 << 16));
}
BENCHMARK(list_contributions)->UseRealTime();

// The five ways of a histogram by two tasks: dense (many values per bucket) and sparse (few).
enum class method { original, fold_instance, list_instance, localize, single };

void histogram(benchmark::State& state) {
  const auto buckets = state.range(0), values = state.range(1);
  const auto how = static_cast<method>(state.range(2));
  constexpr unsigned tasks = 2;
  std::vector<std::vector<std::int64_t>> input;
  for (unsigned t = 0; t < tasks; ++t) input.push_back(random_elements(buckets, values / tasks));
  inside(2, [&] {
    const auto counts = instance<std::uint32_t>::create(at(ram), {0, buckets}).made;
    wait(fill(counts, 0));
    using votes = reduction_instance<sum<std::uint32_t>>;
    const auto folded = votes::create(at(ram), {0, buckets}, {.style = reduction_style::fold});
    const auto listed = votes::create(at(ram), {0, buckets}, {.style = reduction_style::list});
    for (auto _ : state) switch (how) {
        case method::original:
          finish([&] {
            for (const auto& in : input)
              async([&, v = counts.view()] {
                for (const auto e : in) std::atomic_ref(v(e)).fetch_add(1, std::memory_order_relaxed);
              });
          });
          break;
        case method::fold_instance:
        case method::list_instance: {
          const auto& r = how == method::fold_instance ? folded : listed;
          finish([&] {
            for (const auto& in : input)
              async([&] {
                auto c = r.contribute();
                for (const auto e : in) c(e) << 1u;
              });
          });
          wait(clear(r, after(reduce(r, counts))));
          break;
        }
        case method::localize:  // each task takes the whole histogram to itself, one after another
          for (const auto& in : input)
            wait(async([&] {
              const auto mine = instance<std::uint32_t>::create(at(ram), {0, buckets}).made;
              wait(copy(counts, mine));
              for (auto v = mine.view(); const auto e : in) ++v(e);
              wait(copy(mine, counts));
              mine.destroy();
            }));
          break;
        case method::single:
          wait(async([&, v = counts.view()] {
            for (const auto& in : input)
              for (const auto e : in) ++v(e);
          }));
      }
  });
  state.SetItemsProcessed(state.iterations() * values);
}
void five_methods(benchmark::internal::Benchmark* b) {
  for (int m = 0; m < 5; ++m) b->Args({262144, 8 << 20, m});  // dense: 32 values per bucket
  for (int m = 0; m < 5; ++m) b->Args({4 << 20, 131072, m});  // sparse: 1 value per 32 buckets
}
BENCHMARK(histogram)->Apply(five_methods)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();

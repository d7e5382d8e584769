// reductions.cpp - Stretto: a histogram by two or more tasks, by several methods.
//
//   original    every task adds atomically to the one histogram
//   fold        a private right-hand side per element and task, applied in one sweep
//   shared_fold the same, one for all tasks, combined atomically
//   list        a log per task, applied in one sweep
//   automatic   what Stretto chooses
//   localize    one task after another copies the whole histogram, adds, and copies it back
//   single      one task does everything
//
// Source      the five methods (all but shared_fold and automatic) and the two densities: Treichler, Bauer, Aiken,
//             "Realm", PACT 2014, section 6. Our tables are larger, as caches are.

#include <stretto/copy.hpp>
#include <stretto/finish.hpp>
#include <stretto/instance.hpp>
#include <stretto/platform.hpp>
#include <stretto/reduce.hpp>
#include <stretto/task.hpp>

#include <atomic>
#include <optional>
#include <random>
#include <ranges>
#include <string_view>

#include "peers/stretto/benchmarks.hpp"

namespace {

using stretto::instance;
using count_type = std::uint32_t;
using votes = stretto::reduction_instance<stretto::sum<count_type>>;

stretto::place memory() {
  static const stretto::place first = stretto::platform::discover().memories().front();
  return first;
}

using bucket_list = std::vector<std::uint32_t>;

/// One list of random buckets per task.
std::vector<bucket_list> inputs(std::int64_t buckets, std::int64_t values, int tasks) {
  std::vector<bucket_list> all;
  for (int t = 0; t < tasks; ++t) {
    std::minstd_rand draw(static_cast<unsigned>(7 + t));
    std::uniform_int_distribution<std::uint32_t> any(0, static_cast<std::uint32_t>(buckets - 1));
    auto& list = all.emplace_back(static_cast<std::size_t>(values / tasks));
    for (auto& e : list) e = any(draw);
  }
  return all;
}

template <class Body>
void for_each_input(const std::vector<bucket_list>& in, Body body) {
  stretto::finish([&] {
    for (const auto& list : in) stretto::async([&list, body] { body(list); });
  });
}

/// Contributions, one sweep, and clearing: what a phase of a program pays.
void contribute(const votes& to, const instance<count_type>& counts, const std::vector<bucket_list>& in) {
  for_each_input(in, [to](const bucket_list& list) {
    auto c = to.contribute();
    for (const auto e : list) c(e) << 1u;
  });
  wait(clear(to, stretto::after(reduce(to, counts))));
}

std::optional<stretto::reduction_style> style_named(std::string_view method) {
  using enum stretto::reduction_style;
  if (method == "fold") return fold;
  if (method == "shared_fold") return shared_fold;
  if (method == "list") return list;
  if (method == "automatic") return automatic;
  return std::nullopt;
}

/// Nanoseconds per value of `method`: the fastest of `phases` phases after one for warming up.
bench::outcome time_method(std::string_view method, std::int64_t buckets, std::int64_t values, int tasks) {
  const auto in = inputs(buckets, values, tasks);
  const auto counts = instance<count_type>::create(stretto::at(memory()), {0, buckets}).made;
  stretto::wait(stretto::fill(counts, 0u));
  const auto style = style_named(method);
  const auto r = style ? votes::create(stretto::at(memory()), {0, buckets}, {.style = *style}) : votes();
  const auto phase = [&] {
    const auto v = counts.view();
    if (style) {
      contribute(r, counts, in);
    } else if (method == "original") {
      for_each_input(in, [v](const bucket_list& list) {
        for (const auto e : list) std::atomic_ref(v(e)).fetch_add(1, std::memory_order_relaxed);
      });
    } else if (method == "single") {
      stretto::wait(stretto::async([&in, v] {
        for (const auto& list : in)
          for (const auto e : list) ++v(e);
      }));
    } else {
      for (const auto& list : in)
        stretto::wait(stretto::async([&] {
          const auto mine = instance<count_type>::create(stretto::at(memory()), {0, buckets}).made;
          stretto::wait(stretto::copy(counts, mine));
          for (auto local = mine.view(); const auto e : list) ++local(e);
          stretto::wait(stretto::copy(mine, counts));
          mine.destroy();
        }));
    }
  };
  constexpr int phases = 3;
  double best = 1e300;
  for (int i = 0; i <= phases; ++i) {
    const bench::stopwatch clock;
    phase();
    if (i > 0) best = std::min(best, clock.seconds());
  }
  long total = 0, wanted = 0;
  for (const auto& list : in) wanted += static_cast<long>(list.size());
  for (auto v = counts.view(); std::int64_t b : std::views::iota(std::int64_t{0}, buckets)) total += v(b);
  bench::expect("sum of all buckets", total, (phases + 1) * wanted);
  if (style) r.destroy();
  counts.destroy();
  return {best * 1e9 / static_cast<double>(wanted)};
}

std::string_view after_last(const std::string& name, std::string_view prefix) {
  return std::string_view(name).substr(prefix.size());
}

}  // namespace

bench::outcome time_histogram_dense(const bench::options& o) {
  return time_method(after_last(o.bench, "histogram_dense_"), std::int64_t{1} << 18, o.size, o.workers);
}

bench::outcome time_histogram_sparse(const bench::options& o) {
  return time_method(after_last(o.bench, "histogram_sparse_"), std::int64_t{1} << 26, o.size, o.workers);
}

/// `size` elements for each value, in a table of 64 MiB.
bench::outcome time_reduction_density(const bench::options& o) {
  constexpr std::int64_t buckets = std::int64_t{1} << 24;
  return time_method(after_last(o.bench, "density_"), buckets, buckets / o.size, o.workers);
}

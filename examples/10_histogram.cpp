// 10_histogram.cpp - five ways for tasks to count into shared buckets.
//
// This program compares five ways in which two tasks can update the same array. It helps readers who have to choose
// between atomics, reductions and copies: the best one depends on how many values fall into one bucket.
//
// Each task counts 1,000,000 random values into 4,096 buckets (dense: many values per bucket) or into 4,000,000 buckets
// (sparse: one value per two buckets). The ways are those of the Realm paper. "original" uses atomics on the shared
// buckets. "fold" uses a reduction with one count per bucket. "list" uses a reduction that keeps a list of the values.
// "localize" copies all buckets, counts in the copy, and copies them back, one task after the other. "single" counts
// without atomics, one task after the other.
//
// Output
//   dense   original    2000000 counted
//   dense   fold        2000000 counted
//   dense   list        2000000 counted
//   dense   localize    2000000 counted
//   dense   single      2000000 counted
//   sparse  original    2000000 counted
//   sparse  fold        2000000 counted
//   sparse  list        2000000 counted
//   sparse  localize    2000000 counted
//   sparse  single      2000000 counted
#include <stretto/copy.hpp>
#include <stretto/platform.hpp>
#include <stretto/reduce.hpp>
#include <stretto/runtime.hpp>

#include <atomic>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

using namespace stretto;
using counts = instance<std::uint32_t>;
using votes = reduction_instance<sum<std::uint32_t>>;

constexpr int tasks = 2, per_task = 1'000'000;

std::vector<std::uint32_t> values_of(int task, std::uint32_t buckets) {
  std::minstd_rand numbers(static_cast<unsigned>(task + 1));
  std::vector<std::uint32_t> values(per_task);
  for (auto& v : values) v = numbers() % buckets;
  return values;
}

event original(const counts& all, const std::vector<std::uint32_t>& values, place, event) {
  return async([&values, v = all.view()] {
    for (const auto bucket : values) std::atomic_ref(v(bucket)).fetch_add(1, std::memory_order_relaxed);
  });
}

template <reduction_style Style>
event reduced(const counts& all, const std::vector<std::uint32_t>& values, place memory, event before) {
  const auto mine = votes::create(at(memory), all.elements(), {.style = Style});
  event counted = async([&values, mine] {
    auto c = mine.contribute();
    for (const auto bucket : values) c(bucket) << 1u;
  });
  const event applied = reduce(mine, all, after(counted, before));
  mine.destroy(after(applied));
  return applied;
}

event localized(const counts& all, const std::vector<std::uint32_t>& values, place memory, event before) {
  auto [mine, ready] = counts::create(at(memory), all.elements());
  event copied = copy(all, mine, after(before));
  event counted = async(after(copied), [&values, mine = mine] {
    for (auto v = mine.view(); const auto bucket : values) ++v(bucket);
  });
  const event back = copy(mine, all, after(counted));
  mine.destroy(after(back));
  return back;
}

event single(const counts& all, const std::vector<std::uint32_t>& values, place, event before) {
  return async(after(before), [&values, v = all.view()] {
    for (const auto bucket : values) ++v(bucket);
  });
}

int main() {
  runtime rt;
  rt.run([&] {
    const place memory = rt.machine().memories().front();
    for (const std::uint32_t buckets : {4'096u, 4'000'000u}) {
      std::vector<std::vector<std::uint32_t>> values;
      for (int t = 0; t < tasks; ++t) values.push_back(values_of(t, buckets));
      const auto run = [&](const char* name, auto method) {
        auto [all, ready] = counts::create(at(memory), {0, buckets});
        event before = fill(all, 0);
        wait(before);
        std::vector<event> done;  // the last way's tasks all follow one another, the first way's do not at all
        for (const auto& mine : values) done.push_back(before = method(all, mine, memory, before));
        wait(merge(done));
        std::uint64_t total = 0;
        for (const auto count : all.view().row()) total += count;
        std::printf("%-8s%-12s%llu counted\n", buckets < 10'000 ? "dense" : "sparse", name,
                    static_cast<unsigned long long>(total));
        all.destroy();
      };
      run("original", original);
      run("fold", reduced<reduction_style::fold>);
      run("list", reduced<reduction_style::list>);
      run("localize", localized);
      run("single", single);
    }
  });
}

// 17_random_streams.cpp - launches on separate columns of a buffer, which run concurrently.
//
// This program shows independent work on one buffer. Each column holds generators of random numbers, and each round
// launches a kernel on each column. Launches on one column run in order. Launches on different columns run
// concurrently. It helps readers who have many small jobs on parts of an array.
//
// The program does not say which launches are independent: the runtime compares the elements that launches read and
// write. Nodes send each other no data until the program reads the result.
//
// The generators are those of Park and Miller ("minimal standard"). Begun with 1, such a generator gives 1043618065
// after 10,000 steps; the authors ask to check implementations by that number. Started alone, the program simulates
// three nodes in one process, or as many as its argument says. `stretto run -n 4 17_random_streams` starts four
// processes instead.
//
// Output
//   20 rounds of 12 tasks; the first generator after 10000 steps: 1043618065
//   300 generators: as std::minstd_rand0
#include <cstdio>
#include <random>
#include <vector>

#include "on_nodes.hpp"

using namespace stretto;

// clang-format off
STRETTO_KERNEL(draw, (inout<long long, 2> x, int steps), {
  long long value = x(global_id(0), global_id(1));
  for (int s = 0; s < steps; ++s) value = 16807 * value % 2147483647;
  x(global_id(0), global_id(1)) = value;
})
// clang-format on

constexpr int rounds = 20, tasks = 12, rows = 25, steps = 10'000;

void program() {
  std::vector<long long> seeds;
  for (int i = 0; i < rows * tasks; ++i) seeds.push_back(i + 1);
  const buffer<long long, 2> x({{0, 0}, {rows, tasks}}, seeds.data(), {.name = "generators"});
  for (int r = 0; r < rounds; ++r)
    for (int t = 0; t < tasks; ++t) launch(draw, box({0, t}, {rows, t + 1}), x(one_to_one), steps / rounds);

  const auto later = x.read();
  if (is_dry_run()) return;  // nothing is computed then (example 40)
  const auto& seen = later.get();
  int right = 0;
  for (int i = 0; i < rows; ++i)
    for (int t = 0; t < tasks; ++t) {
      std::minstd_rand0 same(static_cast<unsigned>(i * tasks + t + 1));
      same.discard(steps - 1);
      right += seen.view()(i, t) == static_cast<long long>(same());
    }
  if (this_node() != 0) return;
  std::printf("%d rounds of %d tasks; the first generator after %d steps: %lld\n", rounds, tasks, steps,
              seen.view()(0, 0));
  std::printf("%d generators: as std::minstd_rand0\n", right);
}

int main(int count, char** arguments) { return run_on_nodes(program, count > 1 ? arguments[1] : nullptr); }

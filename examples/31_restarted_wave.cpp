// 31_restarted_wave.cpp - a checkpoint of buffers, from which a larger job goes on.
//
// This program computes a wave on buffers and saves a checkpoint every 50 steps. The first job ends after 130 steps.
// The second job has more nodes and goes on from step 100. It helps readers who want to restart simulations.
//
// All nodes call offer(). The checkpoint holds the buffers and the number of the step as they are at that point of the
// program; later steps run while files are written. The first job has two nodes and the second one three, both
// simulated in one process. On a cluster they would be two runs of the program, and the first may be killed at any
// moment. Kernels run on the devices of STRETTO_DEVICES, if it names any.
//
// Output
//   the first job, of 2 nodes, begins at step 0
//   the second job, of 3 nodes, goes on from step 100
//   after 200 steps the wave is that of a serial run, to the last bit
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <stdlib.h>  // mkdtemp
#include <stretto/stretto.hpp>

using namespace stretto;

constexpr int n = 61;  // points along a side; the border is held at 0

// clang-format off
STRETTO_KERNEL(step_on, (in<double, 2> now, inout<double, 2> other), {
  const int i = global_id(0);
  const int j = global_id(1);
  other(i, j) = 2 * now(i, j) - other(i, j) + 0.25 * (now(i - 1, j) + now(i + 1, j) + now(i, j - 1) + now(i, j + 1) - 4 * now(i, j));
})
// clang-format on

double pulse(coordinate i, coordinate j) {
  if (i == 0 || j == 0 || i == n - 1 || j == n - 1) return 0;
  return std::exp(-0.05 * static_cast<double>((i - 20) * (i - 20) + (j - 30) * (j - 30)));
}

/// On every node of a job.
std::vector<double> simulate(const std::string& directory, int until, const char* which) {
  const box all_points({0, 0}, {n, n}), inside({1, 1}, {n - 1, n - 1});
  buffer<double, 2> before(all_points, pulse), now(all_points, pulse);
  int step = 0;
  buffer_checkpoint saved(directory, {.offers = 50});
  saved.keep("before", before).keep("now", now).keep("step", step);
  const bool goes_on = saved.restore();
  if (this_node() == 0)
    std::printf("the %s job, of %u nodes, %s step %d\n", which, job_nodes(), goes_on ? "goes on from" : "begins at",
                step);
  while (step < until) {
    launch(step_on, inside, now(star(1)), before(one_to_one));
    std::swap(before, now);
    ++step;
    saved.offer();  // every 50 steps
  }
  const auto seen = now.read().get();
  std::vector<double> result;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) result.push_back(seen.view()(i, j));
  return result;
}

std::vector<double> on_nodes(std::uint32_t nodes, const std::string& directory, int until, const char* which) {
  const simulated_job job({.nodes = nodes});
  std::vector<double> result;
  std::vector<std::thread> all;
  for (std::uint32_t node = 0; node < nodes; ++node)
    all.emplace_back([&, node] {
      try {
        runtime rt({.workers = 1, .job = job.endpoint(node)});
        rt.run([&] {
          auto found = simulate(directory, until, which);
          if (node == 0) result = std::move(found);
        });
      } catch (const error& e) {  // of one node, which is all of them: the job ends
        std::fprintf(stderr, "%s\n", e.what());
        std::_Exit(1);
      }
    });
  for (std::thread& t : all) t.join();
  return result;
}

int main() {
  std::string folder = std::filesystem::temp_directory_path() / "stretto-31-XXXXXX";
  if (!mkdtemp(folder.data())) return 1;  // a folder of our own, under a name that nobody can foresee
  const std::string directory = (std::filesystem::path(folder) / "wave.ckpt").string();
  on_nodes(2, directory, 130, "first");
  const std::vector<double> restarted = on_nodes(3, directory, 200, "second");
  std::filesystem::remove_all(folder);

  std::vector<double> before, now;
  const auto at = [](int i, int j) { return static_cast<std::size_t>(i * n + j); };
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) before.push_back(pulse(i, j));
  now = before;
  for (int s = 0; s < 200; ++s, std::swap(before, now))
    for (int i = 1; i < n - 1; ++i)
      for (int j = 1; j < n - 1; ++j)
        before[at(i, j)] =
            2 * now[at(i, j)] - before[at(i, j)] +
            0.25 * (now[at(i - 1, j)] + now[at(i + 1, j)] + now[at(i, j - 1)] + now[at(i, j + 1)] - 4 * now[at(i, j)]);
  std::printf("after 200 steps the wave is %sthat of a serial run, to the last bit\n", restarted == now ? "" : "NOT ");
}

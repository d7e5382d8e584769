// 4_nodes.cpp - several nodes: node 0 calls functions on all of them, and works on an array of the last one.
#include <cstdint>
#include <cstdio>
#include <vector>

#include <stretto/stretto.hpp>

using namespace stretto;

double part_of_pi(std::uint32_t part, std::uint32_t parts) {
  constexpr std::uint32_t steps = 1'000'000;
  double sum = 0;
  for (std::uint32_t i = part; i < steps; i += parts) {
    const double x = (i + 0.5) / steps;
    sum += 4 / (1 + x * x);
  }
  return sum / steps;
}

void square(const instance<int>& a) {
  for (int i = 0; i < 1000; ++i) a.view()(i) *= a.view()(i);
}

int main() {
  runtime rt;  // under `stretto run` this process is one node of a job; started alone it is a job of one node
  rt.run([] {
    if (this_node() != 0) return;  // the other nodes run what node 0 sends them, until the job ends
    std::vector<future<double>> parts;
    for (std::uint32_t n = 0; n < job_nodes(); ++n)
      parts.push_back(async(at_node(n), call<&part_of_pi>(n, job_nodes())));
    double pi = 0;
    for (const auto& part : parts) pi += part.get();
    std::printf("nodes: %u, pi: %.6f\n", job_nodes(), pi);

    const std::uint32_t last = job_nodes() - 1;
    const auto [there, made_there] = instance<int>::create(at_node(last), box(0, 1000));
    const auto [here, made_here] = instance<int>::create(at_node(0), box(0, 1000));
    const event filled = fill(there, 12, after(made_there));
    const event squared = async(at_node(last), after(filled), call<&square>(there));
    const event fetched = copy(there, here, after(squared, made_here));
    there.destroy(after(fetched));
    wait(fetched);  // the only wait: each operation follows the one before it without node 0
    std::printf("an element from node %u: %d\n", last, here.view()(999));
    here.destroy();
  });
}

// 24_put.cpp - one-sided puts and gets between nodes, in order with kernels.
//
// This program shows global pointers. A rod that is warm at one end lies in two halves on two nodes. Node 0 holds a
// global pointer to the half of the other node. A get copies an edge from that half, and a put writes an edge into it.
// It helps readers who know one-sided MPI or OpenSHMEM.
//
// Puts, gets and launches on both nodes run in the order of the elements that they use. The handler of a put runs
// behind it, and launches the step on that node. Started alone, the program simulates two nodes in one process, each
// with the devices of STRETTO_DEVICES or one simulated device. `stretto run -n 2 24_put` starts two processes instead.
//
// Output
//   after 2000 steps: a quarter of the way 0.255, half of it 0.512, off by 0
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include <stretto/stretto.hpp>

using namespace stretto;

constexpr coordinate n = 16;  // elements of a half; each has one of the other's beside it
constexpr int steps = 2000;

STRETTO_KERNEL(cold_or_warm, (out<double> u, int warm_from),
               { u(global_id(0)) = global_id(0) >= warm_from ? 1.0 : 0.0; })
STRETTO_KERNEL(diffuse, (in<double> u, out<double> v), {
  int i = global_id(0);
  v(i) = 0.25 * u(i - 1) + 0.5 * u(i) + 0.25 * u(i + 1);
})
STRETTO_KERNEL(take, (out<double> u, in<double> v), { u(global_id(0)) = v(global_id(0)); })

object<double> half_of_rod(const box& elements) {
  object<double> u(elements);
  launch(cold_or_warm, elements, u, (int)(2 * n - 1));
  return u;
}
/// All but the outer elements, which are another's or the ends of the rod.
void step(object<double>& u) {
  const box inner(u.elements().min()[0] + 1, u.elements().max()[0] - 1);
  const object<double> v(inner);
  launch(diffuse, inner, u, v);
  launch(take, inner, u(inner), v);
}
/// The same without anything of ours.
std::vector<double> rod_alone() {
  std::vector<double> u(2 * n), v;
  u.back() = 1;
  for (int s = 0; s < steps; ++s) {
    v = u;
    for (std::size_t i = 1; i + 1 < u.size(); ++i) u[i] = 0.25 * v[i - 1] + 0.5 * v[i] + 0.25 * v[i + 1];
  }
  return u;
}

void program() {
  if (this_node() != 0) return;  // the other serves, until the job is over
  object<double> mine = half_of_rod(box(0, n + 1));
  const auto there = async(at_node(job_nodes() - 1), call([] { return share(half_of_rod(box(n - 1, 2 * n))); })).get();
  for (int s = 0; s < steps; ++s) {
    get(there(box(n, n + 1)), mine(box(n, n + 1)));
    const auto stepped = put(mine(box(n - 1, n)), there(box(n - 1, n)), call<&step>());
    step(mine);
    stepped.get();  // it has launched: what is asked for next comes behind that
  }
  std::vector<double> rod(2 * n);
  get(there(box(n, 2 * n)), std::span(rod).subspan(n)).get();
  wait(mine.copy_to(rod.data(), box(0, n)));
  const auto alone = rod_alone();
  double off = 0;
  for (std::size_t i = 0; i < rod.size(); ++i) off = std::max(off, std::abs(rod[i] - alone[i]));
  std::printf("after %d steps: a quarter of the way %.3f, half of it %.3f, off by %g\n", steps, rod[n / 2], rod[n],
              off);
}

int main() {
  if (runtime rt; rt.nodes() > 1) {  // a launcher has started several processes
    rt.run(program);
    return 0;
  }
  const char* const asked = std::getenv("STRETTO_DEVICES");
  const std::string devices = asked ? asked : "sim";
  simulated_job job({.nodes = 2});
  std::vector<std::thread> nodes;
  for (std::uint32_t node = 0; node < job.nodes(); ++node)
    nodes.emplace_back([&job, &devices, node] {
      runtime rt({.devices = devices, .job = job.endpoint(node)});
      rt.run(program);
    });
  for (auto& t : nodes) t.join();
}

// heat.cpp - a rod that is hot at one end, cut among the processes: each step exchanges one element with either
// neighbour, while the inside, which needs none of them, is computed. On any number of processes that divides 1,000 it
// prints
//
//   after 400 steps: 15.4677 in all, 0.6176 in the middle of the warm part
#include <cstdio>
#include <vector>

#include <stretto/stretto.hpp>
#include <stretto_mpi/mpi.hpp>

using namespace stretto;

constexpr int cells = 1000, steps = 400;

void relax(const std::vector<double>& u, std::vector<double>& next, int first, int last) {
  for (int i = first; i <= last; ++i) next[i] = u[i] + 0.5 * (u[i - 1] - 2 * u[i] + u[i + 1]);
}

int main() {
  auto net = std::make_shared<mpi_module>();  // starts MPI, as the program has not
  runtime rt({.workers = 2, .modules = {net}});
  rt.run([&] {
    const auto world = net->world();
    const int n = cells / world.size(), me = world.rank(), last = world.size() - 1;
    const int left = me == 0 ? MPI_PROC_NULL : me - 1, right = me == last ? MPI_PROC_NULL : me + 1;
    std::vector<double> u(n + 2), next(n + 2);  // with one more at either end
    if (me == 0) u[0] = next[0] = 1;
    const auto at = [](std::vector<double>& v, int i) { return std::span(&v[i], 1); };
    for (int s = 0; s < steps; ++s) {
      auto from_left = world.irecv(left < 0 ? std::span<double>() : at(u, 0), left, 1, name("from the left"));
      auto from_right = world.irecv(right < 0 ? std::span<double>() : at(u, n + 1), right, 2, name("from the right"));
      auto to_left = world.isend(at(u, 1), left, 2), to_right = world.isend(at(u, n), right, 1);
      auto inside = async([&] { relax(u, next, 2, n - 1); });
      auto edges = async(after(from_left, from_right), [&] { relax(u, next, 1, 1), relax(u, next, n, n); });
      when_all(inside, edges, to_left, to_right).get();  // this task waits, its worker does not
      u.swap(next);
    }
    double mine = 0;
    for (int i = 1; i <= n; ++i) mine += u[i];
    const double sum = world.allreduce(mine, MPI_SUM);
    const double some = world.bcast(u[10], 0);
    if (me == 0) std::printf("after %d steps: %.4f in all, %.4f in the middle of the warm part\n", steps, sum, some);
  });
}

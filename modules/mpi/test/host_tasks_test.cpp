// MPI within collective host tasks: two groups, each on a communicator of its own, beside launches on buffers.
#include "tests.hpp"

#include <stretto/stretto.hpp>

#include <atomic>

#include "checks.hpp"

using namespace stretto;

STRETTO_KERNEL(place_times, (out<long long> x, long long by), { x(global_id(0)) = global_id(0) * by; })

void test_host_tasks(const mpi::communicator& world) {
  mpi::communicator other = world.dup();
  const auto nodes = static_cast<coordinate>(job_nodes());
  constexpr coordinate n = 1000;
  buffer<long long> x(box(0, n)), sums(box(0, nodes)), first(box(0, nodes));
  std::atomic<int> in_order = 0;
  for (int round = 1; round <= 20; ++round) {
    launch(place_times, x.elements(), x(one_to_one), round);
    host_task(
        name("sum"), collective{},
        [&, world, round](collective_part me, view<const long long> x, view<long long> sums) {
          long long mine = 0;
          for (coordinate i = n * me.node / me.nodes; i < n * (me.node + 1) / me.nodes; ++i) mine += x(i);
          sums(me.node) = world.allreduce(mine, MPI_SUM);
          if (++in_order == round) return;
          check(false, "tasks of a group run in the order of the program");
        },
        x.in([nodes](const box& part) { return box(n * part.min()[0] / nodes, n * part.max()[0] / nodes); }),
        sums.out(one_to_one));
    host_task(
        name("first"), collective{1},
        [other](collective_part me, view<const long long> x, view<long long> first) {
          first(me.node) = other.bcast(me.node == 0 ? x(0) + 7 : 0LL, 0);
        },
        x.in(all), first.out(one_to_one));
    const auto seen = sums.read().get(), seven = first.read().get();
    for (coordinate i = 0; i < nodes; ++i)
      check(seen.view()(i) == round * n * (n - 1) / 2 && seven.view()(i) == 7,
            "collective calls of two groups meet on every node");
  }
  other.free();
}

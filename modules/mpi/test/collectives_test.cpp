// Every collective call in every spelling, with answers that are known; and their order.
#include "tests.hpp"

#include <numeric>
#include <vector>

#include "checks.hpp"

using namespace stretto;

namespace {

using numbers = std::vector<int>;

void broadcasts(const mpi::communicator& c) {
  for (int root = 0; root < c.size(); ++root) {
    numbers data(5, c.rank() == root ? root + 1 : -1);
    c.ibcast(data, root).get();
    check(data == numbers(5, root + 1), "bcast of a range");
    check(c.bcast(c.rank() == root ? 2.5 + root : 0.0, root) == 2.5 + root, "bcast of a value");
    int raw[2] = {c.rank() == root ? 7 : 0, c.rank() == root ? 8 : 0};
    c.ibcast(raw, 2, MPI_INT, root).get();
    check(raw[0] == 7 && raw[1] == 8, "bcast as MPI");
    c.bcast(data, root);
  }
}

void reductions(const mpi::communicator& c) {
  const int all = c.size(), sum = all * (all - 1) / 2, me = c.rank();
  const numbers from{me, 1, -me};
  numbers into(3, -9);
  for (int root = 0; root < all; ++root) {
    into.assign(3, -9);
    c.reduce(from, into, MPI_SUM, root);
    check(into == (me == root ? numbers{sum, all, -sum} : numbers(3, -9)), "reduce of a range, to its root");
    check(c.reduce(me + 1, MPI_MAX, root) == (me == root ? all : me + 1), "reduce of a value");
    int raw = -1;
    c.ireduce(&me, &raw, 1, MPI_INT, MPI_SUM, root).get();
    check(raw == (me == root ? sum : -1), "reduce as MPI");
  }
  c.allreduce(from, into, MPI_SUM);
  check(into == numbers{sum, all, -sum}, "allreduce of a range");
  numbers both{me, 2};
  c.allreduce(both, MPI_SUM);
  check(both == numbers{sum, 2 * all}, "allreduce in place");
  check(c.allreduce(double(me), MPI_MAX) == all - 1, "allreduce of a value");
  check(c.iallreduce(std::complex<double>(1, me), MPI_SUM).get() == std::complex<double>(all, sum),
        "allreduce of complex numbers");
  int raw = -1;
  c.iallreduce(&me, &raw, 1, MPI_INT, MPI_SUM).get();
  check(raw == sum, "allreduce as MPI");

  c.scan(from, into, MPI_SUM);
  check(into == numbers{me * (me + 1) / 2, me + 1, -me * (me + 1) / 2}, "scan of a range");
  check(c.scan(1, MPI_SUM) == me + 1 && c.exscan(1, MPI_SUM) == me, "scan and exscan of a value");
  into.assign(3, 0);
  c.exscan(from, into, MPI_SUM);
  check(into[1] == me, "exscan of a range");
  c.iscan(&me, &raw, 1, MPI_INT, MPI_MAX).get();
  check(raw == me, "scan as MPI");
  raw = -1;
  c.iexscan(&me, &raw, 1, MPI_INT, MPI_MAX).get();
  check(raw == me - 1, "exscan as MPI");

  numbers many(static_cast<std::size_t>(2 * all));
  std::iota(many.begin(), many.end(), 0);
  numbers mine(2);
  c.reduce_scatter_block(many, mine, MPI_SUM);
  check(mine == numbers{2 * me * all, (2 * me + 1) * all}, "reduce_scatter_block");
  c.ireduce_scatter_block(many.data(), mine.data(), 2, MPI_INT, MPI_MAX).get();
  check(mine == numbers{2 * me, 2 * me + 1}, "reduce_scatter_block as MPI");
  numbers counts(static_cast<std::size_t>(all), 2);
  c.reduce_scatter(many, mine, counts, MPI_SUM);
  check(mine == numbers{2 * me * all, (2 * me + 1) * all}, "reduce_scatter");
  c.ireduce_scatter(many.data(), mine.data(), counts, MPI_INT, MPI_MAX).get();
  check(mine == numbers{2 * me, 2 * me + 1}, "reduce_scatter as MPI");
}

/// Rank r has r + 1 elements, all r.
struct uneven {
  explicit uneven(const mpi::communicator& c) : mine(static_cast<std::size_t>(c.rank() + 1), c.rank()) {
    for (int r = 0; r < c.size(); ++r) {
      offsets.push_back(static_cast<int>(all.size()));
      counts.push_back(r + 1);
      all.insert(all.end(), static_cast<std::size_t>(r + 1), r);
    }
  }
  numbers mine, all, counts, offsets;
};

void gathers(const mpi::communicator& c) {
  const int all = c.size(), me = c.rank();
  const uneven u(c);
  const numbers pair{me, 10 * me};
  numbers pairs;
  for (int r = 0; r < all; ++r) pairs.insert(pairs.end(), {r, 10 * r});
  for (int root = 0; root < all; ++root) {
    numbers into(me == root ? pairs.size() : 0);
    c.gather(pair, into, root);
    check(me != root || into == pairs, "gather");
    c.igather(pair.data(), 2, MPI_INT, into.data(), 2, MPI_INT, root).get();
    check(me != root || into == pairs, "gather as MPI");
    numbers most(me == root ? u.all.size() : 0);
    c.gatherv(u.mine, most, u.counts, root);
    check(me != root || most == u.all, "gatherv");
    c.igatherv(u.mine.data(), me + 1, MPI_INT, most.data(), u.counts, u.offsets, MPI_INT, root).get();
    check(me != root || most == u.all, "gatherv as MPI");

    numbers part(2), parts(static_cast<std::size_t>(me + 1), -1);
    c.scatter(me == root ? pairs : numbers(), part, root);
    check(part == pair, "scatter");
    c.iscatter(pairs.data(), 2, MPI_INT, part.data(), 2, MPI_INT, root).get();
    check(part == pair, "scatter as MPI");
    c.scatterv(u.all, u.counts, parts, root);
    check(parts == u.mine, "scatterv");
    parts.assign(parts.size(), -1);
    c.iscatterv(u.all.data(), u.counts, u.offsets, MPI_INT, parts.data(), me + 1, MPI_INT, root).get();
    check(parts == u.mine, "scatterv as MPI");
  }
  numbers everything(pairs.size()), uneven_everything(u.all.size());
  c.allgather(pair, everything);
  check(everything == pairs, "allgather");
  c.iallgather(pair.data(), 2, MPI_INT, everything.data(), 2, MPI_INT).get();
  check(everything == pairs, "allgather as MPI");
  c.allgatherv(u.mine, uneven_everything, u.counts);
  check(uneven_everything == u.all, "allgatherv");
  c.iallgatherv(u.mine.data(), me + 1, MPI_INT, uneven_everything.data(), u.counts, u.offsets, MPI_INT).get();
  check(uneven_everything == u.all, "allgatherv as MPI");
}

void exchanges(const mpi::communicator& c) {
  const int all = c.size(), me = c.rank();
  numbers from, expected;
  for (int r = 0; r < all; ++r) {
    from.insert(from.end(), {100 * me + r, me});
    expected.insert(expected.end(), {100 * r + me, r});
  }
  numbers into(from.size());
  c.alltoall(from, into);
  check(into == expected, "alltoall");
  into.assign(into.size(), -1);
  c.ialltoall(from.data(), 2, MPI_INT, into.data(), 2, MPI_INT).get();
  check(into == expected, "alltoall as MPI");
  // Each sends r + 1 elements to rank r.
  const uneven u(c);
  numbers out(u.all.size(), me), counts(static_cast<std::size_t>(all), me + 1), offsets,
      came(static_cast<std::size_t>(all * (me + 1)));
  for (int r = 0; r < all; ++r) offsets.push_back(r * (me + 1));
  numbers expect;
  for (int r = 0; r < all; ++r) expect.insert(expect.end(), static_cast<std::size_t>(me + 1), r);
  c.alltoallv(out, u.counts, came, counts);
  check(came == expect, "alltoallv");
  came.assign(came.size(), -1);
  c.ialltoallv(out.data(), u.counts, u.offsets, MPI_INT, came.data(), counts, offsets, MPI_INT).get();
  check(came == expect, "alltoallv as MPI");
}

/// One waits for an event that happens at other times on other processes; those behind it wait for it.
void order_of_calls(const mpi::communicator& c) {
  for (int round = 0; round < 10; ++round) {
    const user_event gate = user_event::create();
    const bool late = (c.rank() + round) % 2 == 0;
    const auto first = c.iallreduce(1, MPI_SUM, {late ? after(gate) : after(event()), name("first")});
    const auto second = c.iallreduce(10 * (c.rank() + 1), MPI_MAX);
    const auto third = c.ibarrier(after(first));
    if (late) gate.trigger();
    check(first.get() == c.size() && second.get() == 10 * c.size(),
          "collective calls start in the order in which they are made");
    third.get();
  }
}

void communicators(const mpi::communicator& c) {
  auto other = c.dup();
  check(other.raw() != c.raw() && other.rank() == c.rank() && other.size() == c.size(), "a copy of a communicator");
  const int right = (c.rank() + 1) % c.size();
  const auto in_other = other.irecv<int>(MPI_ANY_SOURCE, 1), in_this = c.irecv<int>(MPI_ANY_SOURCE, 1);
  c.send(1, right, 1);
  other.send(2, right, 1);
  check(in_other.get() == 2 && in_this.get() == 1, "messages in a copy do not meet those of the original");
  const auto a = c.iallreduce(1, MPI_SUM), b = other.iallreduce(2, MPI_SUM);
  check(a.get() == c.size() && b.get() == 2 * c.size(), "calls on two communicators at the same time");
  other.free();
}

}  // namespace

void test_collectives(const mpi::communicator& c) {
  c.barrier();
  broadcasts(c);
  reductions(c);
  gathers(c);
  exchanges(c);
  order_of_calls(c);
  communicators(c);
}

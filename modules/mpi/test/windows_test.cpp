// One-sided calls, with answers that are known.
#include "tests.hpp"

#include <numeric>
#include <vector>

#include "checks.hpp"

using namespace stretto;

namespace {

void puts_and_gets(const mpi::communicator& c) {
  const int all = c.size(), me = c.rank(), right = (me + 1) % all, left = (me + all - 1) % all;
  auto w = c.win_allocate<int>(8);
  const auto mine = w.local<int>();
  check(mine.size() == 8 && std::accumulate(mine.begin(), mine.end(), 0) == 0, "a new window is zero");
  w.fence();
  w.put(std::vector<int>{me, me + 1}, right, 2);
  w.iput(77, right, 7).get();
  w.fence();
  check(mine[2] == left && mine[3] == left + 1 && mine[7] == 77, "what was put is there after a fence");
  std::vector<int> got(2);
  w.get(got, right, 2);
  check(got[0] == me && got[1] == me + 1 && w.get<int>(right, 7) == 77, "and is got");
  int raw[2] = {40 + me, 41 + me}, back[2] = {};
  w.fence();
  w.iput(raw, 2, MPI_INT, right, 4).get();
  w.flush(right);
  w.iget(back, 2, MPI_INT, right, 4).get();
  check(back[0] == 40 + me && back[1] == 41 + me, "put and get as MPI, with a flush between");
  w.fence();
  w.free();
}

void combinations(const mpi::communicator& c) {
  const int all = c.size(), me = c.rank();
  auto w = c.win_allocate<long>(4);
  const auto mine = w.local<long>();
  w.fence();
  std::vector<future<void>> started;
  const std::vector<long> add{1, me};
  for (int r = 0; r < all; ++r) started.push_back(w.iaccumulate(add, r, 0, MPI_SUM));
  for (auto& f : started) f.get();
  w.fence();
  check(mine[0] == all && mine[1] == all * (all - 1) / 2, "accumulate");
  long ticket = w.fetch_and_op(1L, 0, 2, MPI_SUM);
  check(ticket >= 0 && ticket < all, "fetch_and_op brings what was there");
  check(c.allreduce(ticket, MPI_SUM) == all * (all - 1) / 2L, "each another");
  w.fence();
  check(me != 0 || mine[2] == all, "and adds");
  long before[2] = {-1, -1};
  const std::vector<long> none{0, 0};
  w.get_accumulate(none, before, 0, 0, MPI_NO_OP);
  check(before[0] == all && before[1] == all * (all - 1) / 2, "get_accumulate");
  const long more = 1;
  w.iaccumulate(&more, 1, MPI_LONG, me, 3, MPI_SUM).get();
  w.flush_all();
  w.iget_accumulate(&more, before, 1, MPI_LONG, me, 3, MPI_SUM).get();
  check(before[0] == 1, "accumulate and get_accumulate as MPI");
  w.fence();
  // The rank that finds 0 in the last place of rank 0 wins it.
  if (me == 0) w.put(0L, 0, 3);
  w.fence();
  const long won = w.compare_and_swap(0L, me + 1L, 0, 3) == 0 ? 1 : 0;
  check(c.allreduce(won, MPI_SUM) == 1, "compare_and_swap: one wins");
  w.fence();
  const auto later = user_event::create();
  const auto read = w.iget<long>(0, 3, after(later));
  check(!read.is_ready(), "a get waits for its preconditions");
  later.trigger();
  check(read.get() > 0, "then brings what is there");
  w.ifence().get();
  w.ifree().get();
}

}  // namespace

void test_windows(const mpi::communicator& c) {
  puts_and_gets(c);
  combinations(c);
}

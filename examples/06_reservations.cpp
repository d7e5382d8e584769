// 06_reservations.cpp - exclusive access without blocking locks, and barriers that reduce.
//
// This program shows two ways to coordinate tasks. A reservation is a lock whose acquire() returns an event instead of
// blocking, so the program submits 3000 transfers between accounts without waiting for one. A reducing barrier combines
// a value of each member in each phase, and all members read the result. It helps readers who would otherwise use a
// mutex or MPI_Allreduce.
//
// Output
//   3000 transfers between 5 accounts: 5000 in all, as before
//   phase 0: 4 members, sum 10
//   phase 1: 4 members, sum 40
//   phase 2: 4 members, sum 160
//   phase 3: 4 members, sum 640
#include <algorithm>
#include <array>
#include <cstdio>
#include <numeric>
#include <utility>

#include <stretto/barrier.hpp>
#include <stretto/reservation.hpp>
#include <stretto/stretto.hpp>

using namespace stretto;

// Tasks that change two accounts hold both: asked for in a fixed order, so that no two tasks wait for one another.
void transfer_between_accounts() {
  std::array<long, 5> account;
  account.fill(1000);
  std::array<reservation, 5> use;
  for (auto& one : use) one = reservation::create();
  finish([&] {
    for (int i = 0; i < 3000; ++i) {
      int from = i % 5, to = (i * 7 + 1) % 5;
      if (from == to) to = (to + 1) % 5;
      // Asked for, used and given back before any of it has begun: nothing waits here.
      const auto [low, high] = std::minmax(from, to);
      const event held_low = use[low].acquire();
      const event held = use[high].acquire(held_low);
      const event done = async(after(held), [&account, from, to, i] {
        account[from] -= i % 10;
        account[to] += i % 10;
      });
      use[low].release(done);
      use[high].release(done);
    }
  });
  const long sum = std::accumulate(account.begin(), account.end(), 0L);
  std::printf("3000 transfers between 5 accounts: %ld in all, as before\n", sum);
  for (auto& one : use) one.destroy();
}

struct addition {
  using value_type = long;
  static long identity() { return 0; }
  static void apply(long& into, const long& value) { into += value; }
};

// Each member gives a value to every phase, and goes on with the sum of all: a reduction to all, four times.
void reduce_by_phases() {
  constexpr int members = 4, phases = 4;
  const auto first = reducing_barrier<addition>::create(members);
  std::array<std::array<long, phases>, members> seen{};
  finish([&] {
    for (int m = 0; m < members; ++m)
      async([&seen, first, m] {
        long value = m + 1;
        auto phase = first;
        for (int p = 0; p < phases; ++p, phase = phase.advance()) {
          phase.arrive_with(value);
          wait(phase.event());
          seen[m][p] = value = *phase.result();
        }
      });
  });
  for (int p = 0; p < phases; ++p) {
    int same = 0;
    for (const auto& member : seen) same += member[p] == seen[0][p];
    std::printf("phase %d: %d members, sum %ld\n", p, same, seen[0][p]);
  }
  first.destroy();
}

int main() {
  runtime rt;
  rt.run([] {
    transfer_between_accounts();
    reduce_by_phases();
  });
}

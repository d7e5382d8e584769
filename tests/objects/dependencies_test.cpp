#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "campaign.hpp"
#include "objects/dependencies.hpp"

using namespace stretto;
using namespace stretto::objects;
using data::in_use, data::inout_use, data::out_use, data::reduce_use, data::usage;

namespace {

// One array; tasks are numbered in order of submission.
struct array {
  task_slots slots;
  dependencies deps{slots};
  std::vector<task_id> tasks;

  std::vector<int> use(const box& where, usage how) {
    tasks.push_back(slots.add());
    return more(where, how);
  }
  std::vector<int> more(const box& where, usage how) {
    std::vector<task_id> found;
    deps.access(where, how, tasks.back(), found);
    std::vector<int> numbers;
    for (const task_id t : found)
      numbers.push_back(static_cast<int>(std::find(tasks.begin(), tasks.end(), t) - tasks.begin()));
    std::sort(numbers.begin(), numbers.end());
    return numbers;
  }
  void retire(int number) { slots.retire(tasks[static_cast<std::size_t>(number)]); }
};

using numbers = std::vector<int>;
const box all(0, 100);

}  // namespace

TEST_CASE("readers follow the writer, and the next writer follows the readers") {
  array a;
  CHECK(a.use(all, out_use) == numbers{});
  CHECK(a.use(all, in_use) == numbers{0});
  CHECK(a.use(all, in_use) == numbers{0});
  CHECK(a.use(all, inout_use) == numbers{1, 2});
  CHECK(a.use(all, out_use) == numbers{3});
}

TEST_CASE("reductions by one operator share, by two they do not") {
  array a;
  CHECK(a.use(all, out_use) == numbers{});
  CHECK(a.use(all, reduce_use(1)) == numbers{0});
  CHECK(a.use(all, reduce_use(1)) == numbers{0});
  CHECK(a.use(all, reduce_use(2)) == numbers{1, 2});
  CHECK(a.use(all, in_use) == numbers{3});
}

TEST_CASE("disjoint tiles do not order each other, overlapping ones do") {
  array a;
  CHECK(a.use(box(0, 50), inout_use) == numbers{});
  CHECK(a.use(box(50, 100), inout_use) == numbers{});
  CHECK(a.use(box(40, 60), in_use) == numbers{0, 1});
  CHECK(a.use(box(0, 40), inout_use) == numbers{0});
  CHECK(a.use(box(40, 50), inout_use) == numbers{2});
  CHECK(a.use(all, in_use) == numbers{1, 3, 4});
}

TEST_CASE("a task that names an array twice does not follow itself, and is followed once") {
  array a;
  a.use(all, out_use);
  CHECK(a.use(box(0, 50), in_use) == numbers{0});
  CHECK(a.more(box(25, 75), out_use) == numbers{});
  CHECK(a.more(box(0, 60), in_use) == numbers{});
  CHECK(a.use(box(0, 75), inout_use) == numbers{1});
  CHECK(a.use(all, inout_use) == numbers{0, 2});
}

TEST_CASE("retired tasks are followed by nobody and forgotten") {
  array a;
  a.use(all, out_use);
  a.use(all, in_use);
  a.use(all, in_use);
  a.retire(0);
  a.retire(1);
  CHECK(a.use(all, in_use) == numbers{});
  CHECK(a.use(all, inout_use) == numbers{2, 3});
  for (const int t : {2, 3, 4}) a.retire(t);
  a.deps.forget();
  CHECK(a.deps.tiles() == 0);
  CHECK(a.deps.remembered() == 0);
}

TEST_CASE("memory stays within bounds however long a program runs") {
  std::mt19937 random(7);
  const auto below = [&](unsigned n) { return static_cast<coordinate>(random() % n); };
  task_slots slots;
  dependencies deps(slots);
  const task_id stuck = slots.add();  // never ends
  std::vector<task_id> live, found;
  deps.access(box(0, 1), in_use, stuck, found);
  std::size_t most_tiles = 0, most_remembered = 0;
  for (int i = 0; i < test::scaled_of_one_thread(60'000, 2'000'000); ++i) {
    const task_id t = slots.add();
    found.clear();
    const coordinate x = below(1'000'000), y = below(1'000);
    // All tasks read the first element; boxes elsewhere are never used again.
    deps.access(box(0, 1), in_use, t, found);
    deps.access(box::between({x, y, 0}, {x + 1 + below(50), y + 1 + below(50), 1}), i % 3 ? inout_use : in_use, t,
                found);
    live.push_back(t);
    if (live.size() == 40) {
      for (const task_id l : live) slots.retire(l);
      live.clear();
    }
    if (i % 500 == 0) most_remembered = std::max(most_remembered, deps.remembered());
    most_tiles = std::max(most_tiles, deps.tiles());
  }
  CHECK(slots.size() <= 41);
  CHECK(most_tiles <= 16384 + 1024);
  CHECK(most_remembered <= 4 * 16384);
}

// The model: every pair of tasks, every element. The predecessors are right if each of them conflicts with the task,
// and each live task that conflicts is reached over predecessors.
TEST_CASE("order is that of the naive model, in one to three dimensions, over many seeds") {
  for (unsigned seed = 0; seed < test::scaled_of_one_thread(3'000u, 100'000u); ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    const int axes = 1 + below(3), side = axes == 1 ? 16 : axes == 2 ? 6 : 4;
    struct use {
      box where;
      usage how;
    };
    std::vector<std::vector<use>> uses;
    std::vector<std::uint64_t> before, conflicts;  // bit per task
    std::uint64_t live = 0;
    array a;
    std::vector<box> named;
    bool good = true;
    for (int t = 0; t < 64 && good; ++t) {
      a.tasks.push_back(a.slots.add());
      uses.emplace_back();
      std::vector<task_id> found;
      for (int n = 1 + (below(3) == 0) + (below(6) == 0); n > 0; --n) {
        std::vector<box> parts;
        for (int p = 1 + (below(6) == 0); p > 0; --p) {
          point min, max(1, 1, 1);
          for (int i = 0; i < axes; ++i) {
            min[i] = below(side);
            max[i] = min[i] + 1 + below(side - static_cast<int>(min[i]));
          }
          box where = box::between(min, max);
          if (!named.empty() && below(3) != 0)
            where = named[static_cast<std::size_t>(below(static_cast<int>(named.size())))];
          named.push_back(where);
          parts.push_back(where);
        }
        const int kind = below(seed % 2 ? 12 : 5);  // half of the seeds have mostly sharing uses
        const usage how = kind == 0   ? out_use
                          : kind == 1 ? inout_use
                          : kind < 4  ? reduce_use(static_cast<unsigned>(kind))
                                      : in_use;
        for (const box& where : parts) uses.back().push_back({where, how});
        const region where{std::span<const box>(parts)};
        a.deps.access(where, how, a.tasks.back(), found);
      }
      std::uint64_t conflicting = 0, reached = 0, direct = 0;
      for (int u = 0; u < t; ++u)
        for (const use& mine : uses[static_cast<std::size_t>(t)])
          for (const use& theirs : uses[static_cast<std::size_t>(u)])
            if (!may_share(mine.how, theirs.how) && mine.where.meets(theirs.where))
              conflicting |= std::uint64_t{1} << u;
      for (const task_id f : found) {
        const auto u = static_cast<std::size_t>(std::find(a.tasks.begin(), a.tasks.end(), f) - a.tasks.begin());
        good = good && u < static_cast<std::size_t>(t) && !(direct >> u & 1);  // earlier, and only once
        if (!good) break;
        direct |= std::uint64_t{1} << u;
        reached |= std::uint64_t{1} << u | before[u];
      }
      good = good && (direct & ~(conflicting & live)) == 0 && (conflicting & live & ~reached) == 0;
      before.push_back(reached);
      conflicts.push_back(conflicting);
      live |= std::uint64_t{1} << t;
      for (int tries = below(4); tries > 0; --tries) {
        const int u = below(t + 1);
        if (!(live >> u & 1) || (conflicts[static_cast<std::size_t>(u)] & live)) continue;
        live &= ~(std::uint64_t{1} << u);
        a.retire(u);
      }
      if (below(20) == 0) a.deps.forget();
    }
    REQUIRE(good);
  }
}

#include <doctest/doctest.h>

#include <stretto/error.hpp>
#include <stretto/scheduler.hpp>

#include <algorithm>
#include <numeric>
#include <random>
#include <set>
#include <vector>

#include "campaign.hpp"
#include "objects/simulated_devices.hpp"
#include "thrown_by.hpp"

using namespace stretto;
using test::made_up_device, test::made_up_task, test::outcome, test::simulated_devices;

namespace {

struct situation {
  std::vector<made_up_device> devices;
  std::vector<std::uint64_t> blocks;
  std::vector<made_up_task> tasks;

  outcome under(const char* policy) const {
    const auto s = make_device_scheduler(policy);
    return simulated_devices(devices, blocks).run(*s, tasks);
  }
};

// Tasks on random blocks. Each follows the last writer of what it uses and the readers of what it writes.
situation random_graph(unsigned seed) {
  std::mt19937 random(seed);
  const auto below = [&](unsigned n) { return random() % n; };
  situation s;
  const std::size_t kernels = 1 + below(3);
  for (unsigned d = 2 + below(3); d > 0; --d) {
    made_up_device device{.items_per_second = {},
                          .bytes_per_second = 1e8 * (1 + below(100)),
                          .depth = 1 + static_cast<std::uint32_t>(below(4))};
    for (std::size_t k = 0; k < kernels; ++k) device.items_per_second.push_back(1e6 * (1 + below(20)));
    s.devices.push_back(device);
  }
  for (unsigned b = 4 + below(40); b > 0; --b) s.blocks.push_back(1000 * (1 + below(1000)));
  std::vector<std::vector<std::size_t>> readers(s.blocks.size()), writer(s.blocks.size());
  const unsigned n = 60 + below(140);
  const bool with_priorities = below(2), with_limits = below(3) == 0;
  for (std::size_t t = 0; t < n; ++t) {
    made_up_task task{.kernel = below(static_cast<unsigned>(kernels)), .items = 100u << below(5)};
    std::set<std::size_t> used;
    for (unsigned r = below(3); r > 0; --r) used.insert(below(static_cast<unsigned>(s.blocks.size())));
    task.reads.assign(used.begin(), used.end());
    const std::size_t w = below(static_cast<unsigned>(s.blocks.size()));
    if (!used.contains(w)) task.writes.push_back(w);
    std::set<std::size_t> follows;
    for (const std::size_t b : task.reads) follows.insert(writer[b].begin(), writer[b].end());
    for (const std::size_t b : task.writes) {
      follows.insert(writer[b].begin(), writer[b].end());
      follows.insert(readers[b].begin(), readers[b].end());
      writer[b] = {t};
      readers[b].clear();
    }
    for (const std::size_t b : task.reads) readers[b].push_back(t);
    task.follows.assign(follows.begin(), follows.end());
    if (with_priorities) task.priority = static_cast<int>(below(3));
    if (with_limits && below(4) == 0) task.devices = std::uint64_t{1} << below(static_cast<unsigned>(s.devices.size()));
    s.tasks.push_back(task);
  }
  return s;
}

// A lower bound for all schedules: all devices at their best speeds on all tasks, and the longest chain at best speeds.
double bound(const situation& s) {
  double work = 0, longest = 0, rate = 0;
  std::vector<double> end(s.tasks.size());
  for (std::size_t t = 0; t < s.tasks.size(); ++t) {
    double best = 1e300, share = 0;
    for (std::size_t d = 0; d < s.devices.size(); ++d) {
      if (!(s.tasks[t].devices >> d & 1)) continue;
      best = std::min(best, static_cast<double>(s.tasks[t].items) / s.devices[d].items_per_second[s.tasks[t].kernel]);
    }
    for (const std::size_t p : s.tasks[t].follows) end[t] = std::max(end[t], end[p]);
    longest = std::max(longest, end[t] += best);
    share = best;
    work += share;
  }
  rate = static_cast<double>(s.devices.size());
  return std::max(longest, work / rate);
}

constexpr const char* policies_in_time[] = {"fifo", "locality", "earliest_finish", "work_stealing"};

std::vector<made_up_task> independent(std::size_t n, std::uint64_t items) {
  return std::vector<made_up_task>(n, made_up_task{.items = items});
}

}  // namespace

TEST_CASE("an unknown policy is refused with the names there are") {
  CHECK(test::thrown_by([] { make_device_scheduler("locallity"); }).find("did you mean \"locality\"?") !=
        std::string::npos);
  CHECK(test::thrown_by([] { make_device_scheduler("best"); }).find("one of fifo, locality") != std::string::npos);
}

TEST_CASE("fifo issues in order of submission, larger priorities first") {
  situation s{{{{1e6}}}, {}, independent(6, 100)};
  s.tasks[4].priority = 1;
  CHECK(s.under("fifo").order == std::vector<std::size_t>{4, 0, 1, 2, 3, 5});
}

TEST_CASE(
    "a task that became ready late comes before those submitted after it, on one device under all policies but "
    "locality") {
  // A product of tiles: each further product into a tile is ready once the one before has been issued.
  constexpr std::size_t tiles = 4;
  situation s{{{{1e6}}}, std::vector<std::uint64_t>(3 * tiles * tiles, 1000), {}};
  for (std::size_t i = 0; i < tiles; ++i)
    for (std::size_t j = 0; j < tiles; ++j)
      for (std::size_t k = 0; k < tiles; ++k) {
        made_up_task product{
            .items = 100, .reads = {i * tiles + k, (tiles + k) * tiles + j}, .writes = {(2 * tiles + i) * tiles + j}};
        if (k > 0) product.follows = {s.tasks.size() - 1};
        s.tasks.push_back(product);
      }
  std::vector<std::size_t> submitted(s.tasks.size());
  std::iota(submitted.begin(), submitted.end(), std::size_t{0});
  for (const char* p : {"fifo", "earliest_finish", "work_stealing"}) {
    CAPTURE(p);
    CHECK(s.under(p).order == submitted);
  }
}

TEST_CASE("every policy issues each task once, where it may run, and never gets stuck, over many seeds") {
  for (unsigned seed = 0; seed < test::scaled(200u, 10'000u); ++seed) {
    CAPTURE(seed);
    const situation s = random_graph(seed);
    const double least = bound(s);
    for (const char* p : policies_in_time) {
      CAPTURE(p);
      REQUIRE(s.under(p).seconds >= least * 0.999);
    }
  }
}

TEST_CASE("all policies but earliest_finish leave no device without work that it could do, over many seeds") {
  for (unsigned seed = 0; seed < test::scaled(200u, 10'000u); ++seed) {
    CAPTURE(seed);
    const situation s = random_graph(seed);
    for (const char* p : {"fifo", "locality", "work_stealing"}) REQUIRE(s.under(p).always_busy);
  }
}

// Ratios over the same graphs: mean gain, and worst loss.
TEST_CASE("policies keep their promises against fifo on random graphs, over many seeds") {
  const unsigned seeds = test::scaled(300u, 20'000u);
  struct sums {
    double seconds = 0, bytes = 0, worst_seconds = 0;
  };
  std::vector<sums> of(std::size(policies_in_time));
  for (unsigned seed = 0; seed < seeds; ++seed) {
    const situation s = random_graph(seed);
    const outcome fifo = s.under("fifo");
    for (std::size_t p = 0; p < std::size(policies_in_time); ++p) {
      const outcome o = s.under(policies_in_time[p]);
      const double ratio = o.seconds / fifo.seconds;
      of[p].seconds += ratio / seeds;
      of[p].worst_seconds = std::max(of[p].worst_seconds, ratio);
      of[p].bytes += static_cast<double>(o.bytes_moved + 1) / static_cast<double>(fifo.bytes_moved + 1) / seeds;
    }
  }
  const sums &locality = of[1], &earliest_finish = of[2], &work_stealing = of[3];
  INFO("locality " << locality.seconds << ", bytes " << locality.bytes);
  INFO("earliest finish " << earliest_finish.seconds << ", at worst " << earliest_finish.worst_seconds);
  INFO("work stealing " << work_stealing.seconds << ", bytes " << work_stealing.bytes);
  CHECK(earliest_finish.seconds < 0.7);
  CHECK(earliest_finish.worst_seconds < 2);
  CHECK(locality.bytes < 0.85);
  CHECK(locality.seconds < 1);
  CHECK(work_stealing.bytes < 0.8);
  CHECK(work_stealing.seconds < 0.85);
}

TEST_CASE("earliest_finish shares work by speed, without knowing speeds beforehand") {
  situation s{{{{1e6}}, {{4e6}}, {{16e6}}}, {}, independent(2000, 1000)};
  const double ideal = 2000 * 1000 / 21e6;
  CHECK(s.under("earliest_finish").seconds < 1.02 * ideal);
  CHECK(s.under("fifo").seconds < 1.2 * ideal);
}

TEST_CASE("earliest_finish tries a device that is far too slow once, and then leaves it alone") {
  situation s{{{{1e3}}, {{1e6}}}, {}, independent(100, 1000)};
  const outcome o = s.under("earliest_finish");
  CHECK(o.per_device == std::vector<std::size_t>{1, 99});
  CHECK(s.under("fifo").per_device[0] > 1);
}

TEST_CASE("earliest_finish sends each kernel where it is fast") {
  situation s{{{{1e6, 9e6}}, {{9e6, 1e6}}}, {}, {}};
  for (std::size_t i = 0; i < 400; ++i) s.tasks.push_back({.kernel = i / 3 % 2, .items = 1000});
  const outcome o = s.under("earliest_finish");
  std::size_t misplaced = 0;
  for (std::size_t i = 0; i < 400; ++i) misplaced += o.where[i] == s.tasks[i].kernel;
  CHECK(misplaced <= 2 + 12);  // one trial of each, and a few at the end
  CHECK(o.seconds < 0.35 * s.under("fifo").seconds);
}

namespace {

// Tiles updated one after the other, round after round.
situation tile_sweeps(std::size_t devices, std::size_t tiles, std::size_t rounds, double bandwidth) {
  situation s;
  s.devices.assign(devices, made_up_device{.items_per_second = {1e6}, .bytes_per_second = bandwidth});
  s.blocks.assign(tiles, 100'000);
  for (std::size_t r = 0; r < rounds; ++r)
    for (std::size_t t = 0; t < tiles; ++t) {
      made_up_task task{.items = 1000, .writes = {t}};
      if (r > 0) task.follows = {s.tasks.size() - tiles};
      s.tasks.push_back(task);
    }
  return s;
}

}  // namespace

TEST_CASE("tiles stay where they are under all policies but fifo") {
  // 15 tiles on 4 devices, 5 ms each to copy and 1 ms to compute: a scheduler that ignores data gives them to other
  // devices in each round.
  const situation s = tile_sweeps(4, 15, 20, 2e7);
  const std::uint64_t once = 15 * 100'000;
  const outcome fifo = s.under("fifo");
  CHECK(fifo.bytes_moved == 20 * once);
  CHECK(s.under("locality").bytes_moved < 6 * once);  // it never lets a device wait
  CHECK(s.under("work_stealing").bytes_moved < 2 * once);
  CHECK(s.under("earliest_finish").bytes_moved < 2 * once);
  for (const char* p : {"locality", "work_stealing", "earliest_finish"}) {
    CAPTURE(p);
    CHECK(s.under(p).seconds < 0.7 * fifo.seconds);
  }
}

TEST_CASE("work stealing spreads tasks whose data all lies in one place") {
  situation s{{{{1e6}}, {{1e6}}, {{1e6}}, {{1e6}}}, {10}, {}};
  s.tasks.push_back({.items = 10, .writes = {0}});
  for (int i = 0; i < 400; ++i) s.tasks.push_back({.items = 1000, .reads = {0}, .follows = {0}});
  const outcome o = s.under("work_stealing");
  for (const std::size_t n : o.per_device) CHECK(n >= 98);
  CHECK(o.seconds < 1.02 * 400 * 1000 / 4e6);
}

namespace {

// The scheduler of the header's example, owned by a user.
class newest_first : public device_scheduler {
  void push(const device_task& t) override { waiting_.push_back(&t); }
  const device_task* pop(const device_view& d) override {
    for (auto t = waiting_.rbegin(); t != waiting_.rend(); ++t)
      if ((*t)->may_run_on(d)) {
        const device_task* taken = *t;
        waiting_.erase(std::next(t).base());
        return taken;
      }
    return nullptr;
  }
  std::vector<const device_task*> waiting_;
};

}  // namespace

TEST_CASE("a scheduler of the program's own decides as it likes") {
  const situation s{{{.items_per_second = {1e6}, .depth = 1}}, {}, independent(4, 100)};
  newest_first own;
  CHECK(simulated_devices(s.devices, s.blocks).run(own, s.tasks).order == std::vector<std::size_t>{3, 2, 1, 0});
}

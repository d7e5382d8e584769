// Endless programs on buffers: the memory of graphs, executor and process does not grow.
#include <stretto/buffer.hpp>
#include <stretto/job.hpp>
#include <stretto/runtime.hpp>

#include <doctest/doctest.h>
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/config.hpp"
#include "buffers/buffers_state.hpp"
#include "buffers/launch_pipeline.hpp"
#include "campaign.hpp"
#include "dist/simulated.hpp"
#include "graph/buffer_table.hpp"
#include "thrown_by.hpp"
#include "with_variable.hpp"

namespace stretto {
namespace {

STRETTO_KERNEL(add_one, (inout<long long> x), { x(global_id(0)) += 1; })
STRETTO_KERNEL(add_beside, (in<long long> x, out<long long> y, int n), {
  int i = global_id(0);
  y(i) = (x(i) + (i > 0 ? x(i - 1) : 0) + (i + 1 < n ? x(i + 1) : 0)) % 1009;
})
STRETTO_KERNEL(sum_of_line, (in<long long> x, reduce<sum<long long>> total), { total(0) << x(global_id(0)); })

constexpr int cells = 64;

/// Stored tasks, commands, instructions, and entries of the executor.
using counts = std::array<std::size_t, 4>;

counts remembered_now() {
  buffers::buffers_state& s = *buffers::state_of(*base::current()->runtime);
  const buffers::drained_submission_lock held(s, std::source_location::current());
  return {s.tasks.remembered(), s.commands.remembered(), s.instructions.remembered(), s.executor.remembered()};
}
std::size_t unsettled_now() {
  buffers::buffers_state& s = *buffers::state_of(*base::current()->runtime);
  const buffers::drained_submission_lock held(s, std::source_location::current());
  return s.executor.unsettled();
}

double resident_bytes() {
  malloc_trim(0);
  double pages = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> pages >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE));
}

/// Steps of every kind: transfers from neighbours, reductions, host tasks, temporary buffers, custom mappers,
/// collective tasks.
class endless {
 public:
  void step(int i) {
    launch(add_beside, box(0, cells), u_(neighborhood(1)), v_(one_to_one), cells);
    std::swap(u_, v_);
    if (i % 3 == 0) launch(sum_of_line, box(0, cells), u_(one_to_one), total_.from_identity());
    if (i % 7 == 0) host_task(on_each_node, [](view<const long long>) {}, u_.in(all));
    if (i % 11 == 0) host_task(collective{}, [](view<const long long>) {}, u_.in(even_split));
    if (i % 5 == 0) {
      const buffer<long long> passing(box(0, cells), [](coordinate c) { return c; });
      const auto around = [i](const box& part, const box& all) {
        return intersection(box(part.min()[0] - 1 - i % 2, part.max()[0] + 1), all);
      };
      launch(add_beside, box(0, cells), passing(around), v_(one_to_one), cells);
    }
    if (i % 50 == 0) total_.read().get();
  }

 private:
  buffer<long long> u_ = buffer<long long>(box(0, cells), [](coordinate c) { return c; }),
                    v_ = buffer<long long>(box(0, cells));
  const buffer<long long> total_ = buffer<long long>(box(0, 1));
};

}  // namespace

TEST_CASE("a program of very many launches remembers, and takes, what a short one does") {
  const test::with_variable off("STRETTO_TRACE_LEVEL", "off");  // trace rings are allocated gradually
  constexpr int first = 1'200;                                  // steps, or 2,000 launches
  constexpr int windows = 8;
  for (const char* devices : {"none", "sim:2"}) {
    CAPTURE(devices);
    const bool no_devices = devices == std::string("none");
    const int steps = std::max(
        2 * first, no_devices ? test::scaled(12'000, 600'000) : test::scaled(4'000, 60'000));  // the former a million
    std::array<double, windows + 1> held{};  // at the ends of equal numbers of steps
    test::on_nodes_of(simulated_job({.nodes = 2, .seed = 3}), {.workers = 1, .devices = devices}, [&](runtime& rt) {
      // Measured weights would change the counts of instructions.
      const std::vector<double> alike(no_devices ? 0 : 2, 1.0);
      set_weights({.nodes = {1, 1}, .devices = alike});
      endless program;
      counts early{}, late{};
      for (int i = 0; i < steps; ++i) {
        program.step(i);
        counts& most = i < first ? early : late;
        const counts now = remembered_now();
        for (std::size_t c = 0; c < now.size(); ++c) most[c] = std::max(most[c], now[c]);
        const int since = i + 1 - first, window = (steps - first) / windows;
        if (rt.node() == 0 && since >= 0 && since % window == 0 && since / window <= windows)
          held[static_cast<std::size_t>(since / window)] = resident_bytes();
      }
      for (std::size_t c = 0; c < early.size(); ++c) {
        CAPTURE(c);
        CHECK(late[c] <= early[c]);
      }
      for (int epochs = 0; epochs < 2; ++epochs) wait(epoch());  // the second drops the writes before the first
      CHECK(unsettled_now() == 0);
    });
    // Memory that grows for ever grows in each window. How far nodes are from each other, what the hang detector keeps,
    // and a heap that operations of devices have fragmented, make it grow in some. Sanitizers delay frees.
    double least = held[1] - held[0];
    for (std::size_t w = 1; w < windows; ++w) least = std::min(least, held[w + 1] - held[w]);
    const double room = no_devices ? 2e6 : 4e6;
    CAPTURE(least);
    if (!base::address_sanitizer && !base::thread_sanitizer && !test::is_brief()) CHECK(least < room / windows);
  }
}

TEST_CASE("a program that makes buffers and drops them for ever takes no more memory for it") {
  if (base::address_sanitizer || base::thread_sanitizer) return;  // sanitizers have heaps of their own
  const test::with_variable off("STRETTO_TRACE_LEVEL", "off");
  const auto in_use = [] {
    const auto is = mallinfo2();
    return static_cast<double>(is.uordblks) + static_cast<double>(is.hblkhd);
  };
  runtime rt({.workers = 1});
  rt.run([&] {
    const buffer<int> stays(box(0, 4));
    const auto growth_by_many = [&] {
      const double before = in_use();
      for (int i = test::scaled(30'000, 500'000); i > 0; --i) const buffer<int> passing(box(0, 64));
      wait(epoch());
      return in_use() - before;
    };
    growth_by_many();
    // Threads of the runtime may hold more at the moment, but not each time.
    double least = growth_by_many();
    for (int times = 1; times < 4; ++times) least = std::min(least, growth_by_many());
    CHECK(least < 25e3);
  });
}

TEST_CASE("an epoch is reached when all before it has been done here, and nothing older is remembered") {
  for (const char* devices : {"none", "sim:2"})
    test::on_nodes_of(simulated_job({.nodes = 3, .seed = 5}), {.workers = 1, .devices = devices}, [](runtime&) {
      set_horizons({.step = 0, .most_parallel = 0});  // only the epochs release anything
      const buffer<long long> x(box(0, cells), [](coordinate) { return 0; });
      for (int round = 1; round <= 4; ++round) {
        std::vector<event> before;
        for (int i = 0; i < 25; ++i) before.push_back(launch(add_one, x.elements(), x(one_to_one)));
        CHECK(remembered_now()[0] > 20);
        const event reached = epoch();
        const counts left = remembered_now();
        for (int n = 0; n < 3; ++n) CHECK(left[static_cast<std::size_t>(n)] == 1);
        const event after = launch(add_one, x.elements(), x(one_to_one));
        wait(reached);
        for (const event e : before) CHECK(e.has_triggered());
        wait(after);
        CHECK(x.read().get().view()(cells - 1) == 26 * round);
      }
    });
}

TEST_CASE("an epoch fails with the failures before it as causes") {
  runtime rt({.workers = 1});
  rt.run([] {
    const buffer<long long> x(box(0, cells));
    host_task(on_one_node, [](view<long long>) { throw std::runtime_error("no toner"); }, x.out(all));
    CHECK(test::thrown_by([] { wait(epoch()); }).find("no toner") != std::string::npos);
  });
}

TEST_CASE("a graph keeps next to nothing of destroyed buffers, in any order of destruction") {
  struct counted {
    int* there;
    explicit counted(int& n) : there(&n) { ++n; }
    counted(counted&& other) noexcept : there(other.there) { ++*there; }
    ~counted() { --*there; }
  };
  int there = 0;
  graph::buffer_table<counted> all;
  std::vector<graph::buffer_id> kept;
  for (int i = 0; i < 100'000; ++i) {
    const graph::buffer_id id = all.add(counted(there));
    REQUIRE(id.number == static_cast<std::uint32_t>(i));
    if (i % 9'000 == 37) kept.push_back(id);
    else all.remove(id);
  }
  CHECK(there == static_cast<int>(kept.size()));
  std::vector<graph::buffer_id> found;
  all.each([&](graph::buffer_id id, const counted&) { found.push_back(id); });
  CHECK(found == kept);
  for (const graph::buffer_id id : kept) CHECK(*all.at(id).there == there), all.remove(id);
  CHECK(there == 0);
  CHECK(all.add(counted(there)).number == 100'000);
}

TEST_CASE("very many launches on one buffer add up") {
  test::on_nodes_of(simulated_job({.nodes = 2, .seed = 3}), {.workers = 1}, [](runtime&) {
    const int launches = test::scaled(3'000, 100'000);
    const buffer<long long> x(box(0, cells), [](coordinate) { return 0; });
    for (int i = 0; i < launches; ++i) launch(add_one, x.elements(), x(one_to_one));
    CHECK(x.read().get().view()(cells - 1) == launches);
  });
}

}  // namespace stretto

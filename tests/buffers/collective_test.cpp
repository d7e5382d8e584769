// Collective host tasks: once on every node; tasks of one group in one order and never concurrently.
#include <stretto/buffer.hpp>
#include <stretto/error.hpp>
#include <stretto/job.hpp>
#include <stretto/runtime.hpp>

#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "dist/simulated.hpp"
#include "nodes_with_devices.hpp"
#include "thrown_by.hpp"

namespace stretto {
namespace {

STRETTO_KERNEL(number_all, (out<int> u, int by), { u(global_id(0)) = global_id(0) * by; })

/// An all-gather: each call of `all` returns on every node the values of all nodes for this call of the group. Like
/// MPI, it does not check that nodes make the same call.
class all_gather {
 public:
  explicit all_gather(std::uint32_t nodes) : nodes_(nodes), calls_(nodes) {}

  std::vector<int> all(std::uint32_t node, std::uint32_t group, int mine) {
    std::shared_ptr<round> current;
    {
      const std::scoped_lock lock(mutex_);
      const std::size_t number = calls_[node][group]++;
      auto& rounds = rounds_[group];
      while (rounds.size() <= number) rounds.push_back(std::make_shared<round>(round{std::vector<int>(nodes_), 0}));
      current = rounds[number];
      current->values[node] = mine;
      ++current->arrived;
    }
    while (!is_complete(*current)) yield();
    return current->values;
  }

 private:
  struct round {
    std::vector<int> values;
    std::uint32_t arrived = 0;
  };
  bool is_complete(const round& r) {
    const std::scoped_lock lock(mutex_);
    return r.arrived == nodes_;
  }

  const std::uint32_t nodes_;
  std::mutex mutex_;
  std::vector<std::array<std::size_t, 4>> calls_;
  std::array<std::vector<std::shared_ptr<round>>, 4> rounds_;
};

}  // namespace

TEST_CASE("a collective task runs once on every node, receives its index, and uses its part of buffers") {
  test::on_nodes_with_devices([] {
    const auto nodes = static_cast<coordinate>(job_nodes());
    if (nodes > 1) set_weights({.nodes = std::vector<double>(job_nodes(), 1.0)});
    buffer<int> u(box(0, 50)), who(box(0, nodes)), runs(box(0, 1));
    launch(number_all, u.elements(), u(one_to_one), 3);
    std::atomic<int> here = 0;
    host_task(
        name("sum"), collective{},
        [&here](collective_part me, view<const int> u, view<const int> all, view<int> who, view<int> runs) {
          ++here;
          int sum = 0;
          const coordinate first = 50 * me.node / me.nodes, last = 50 * (me.node + 1) / me.nodes;
          for (coordinate i = first; i < last; ++i) sum += u(i);
          who(me.node) = sum + 1000 * all(49);
          runs(0) += 1;
        },
        u.in([nodes](const box& part) { return box(50 * part.min()[0] / nodes, 50 * part.max()[0] / nodes); }),
        u.in(all), who.out(one_to_one), runs.reduce<sum<int>>().from_identity());
    const auto seen = who.read().get();
    int sum = 0;
    for (coordinate n = 0; n < nodes; ++n) sum += seen.view()(n) - 147000;
    CHECK(sum == 3 * 49 * 50 / 2);
    CHECK(runs.read().get().view()(0) == nodes);
    CHECK(here == 1);
  });
}

TEST_CASE(
    "collective tasks of a group run in the same order on all nodes and never overlap on one, whatever other groups "
    "do") {
  for (std::uint32_t seed = 0; seed < 12; ++seed) {
    const std::uint32_t nodes = seed % 4 + 1, workers = seed / 4 % 3 + 1;
    INFO("seed " << seed);
    all_gather values(nodes);
    test::on_nodes_of(simulated_job({.nodes = nodes, .seed = seed}), {.workers = workers}, [&](runtime&) {
      std::mt19937 random(seed);  // the same on every node
      std::array<std::atomic<int>, 3> inside{};
      std::atomic<int> wrong = 0, ran = 0;
      buffer<int> u(box(0, nodes), [](coordinate) { return 0; });
      std::vector<int> expected(nodes, 0);
      for (int i = 0; i < 60; ++i) {
        const std::uint32_t group = random() % 3;
        if (i % 7 == 0) {
          host_task(u.elements(), [](const box& part, view<int> u) { u(part.min()[0]) += 1; }, u.inout(one_to_one));
          for (int& e : expected) ++e;
        }
        const bool adds = random() % 2;
        const auto body = [&, group, i](collective_part me) {
          wrong += inside[group]++ != 0;
          int sum = 0;
          for (const int other : values.all(me.node, group, i)) wrong += other != i, ++sum;
          wrong += sum != static_cast<int>(me.nodes);
          --inside[group];
          ++ran;
        };
        if (adds) {
          host_task(
              collective{group},
              [body](collective_part me, view<int> u) { body(me), u(me.node) += static_cast<int>(me.node); },
              u.inout(one_to_one));
          for (std::uint32_t n = 0; n < nodes; ++n) expected[n] += static_cast<int>(n);
        } else {
          host_task(collective{group}, body);
        }
      }
      const auto seen = u.read().get();
      for (std::uint32_t n = 0; n < nodes; ++n) CHECK(seen.view()(n) == expected[n]);
      // behind all tasks of the groups
      for (std::uint32_t group = 0; group < 3; ++group) wait(host_task(collective{group}, [] {}));
      CHECK(ran == 60);
      CHECK(wrong == 0);
    });
  }
}

TEST_CASE("collective tasks of two groups overlap") {
  test::on_nodes_of(simulated_job({.nodes = 2, .seed = 3}), {.workers = 1}, [](runtime&) {
    const user_event go = user_event::create();
    const event first = host_task(collective{0}, [go] { wait(go); });
    const event second = host_task(collective{1}, [go] { go.trigger(); });
    wait(merge(first, second));
    CHECK(first.has_triggered());
  });
}

TEST_CASE(
    "after a collective task fails on a node, later ones of its group are skipped there, and other groups continue") {
  test::on_nodes_of(simulated_job({.nodes = 3, .seed = 5}), {.workers = 2}, [](runtime&) {
    std::atomic<int> later = 0, other = 0;
    const event failed = host_task(collective{0}, [](collective_part me) {
      if (me.node == 1) throw std::runtime_error("the link is down");
    });
    const event behind = host_task(collective{0}, [&later] { ++later; });
    const event of_other_group = host_task(collective{1}, [&other] { ++other; });
    wait(of_other_group);
    CHECK(other == 1);
    const std::string text = test::thrown_by([&] { wait(behind); });
    CHECK((text.find("the link is down") != text.npos) == (this_node() == 1));
    CHECK(later == (this_node() == 1 ? 0 : 1));
    test::thrown_by([&] { wait(failed); });
  });
}

TEST_CASE("in a job without MPI, a collective task that requests a communicator fails with N30") {
  test::on_nodes_of(simulated_job({.nodes = 2, .seed = 1}), {.workers = 1}, [](runtime&) {
    const event asked = host_task(collective{7}, [](collective_part me) {
      CHECK(me.group == 7);
      me.communicator<int>();
    });
    const std::string text = test::thrown_by([&] { wait(asked); });
    CHECK_MESSAGE(text.find("error N30: there is no MPI communicator for a collective task\n"
                            "  requested   collective_test.cpp:") == 0,
                  text);
    CHECK(text.find("because     the nodes of this job are not MPI processes") != text.npos);
  });
}

TEST_CASE("two nodes that write the same elements in a collective task are refused on all nodes") {
  test::on_nodes_of(simulated_job({.nodes = 2, .seed = 1}), {.workers = 1}, [](runtime&) {
    buffer<int> u(box(0, 8), {.name = "u"});
    const std::string text =
        test::thrown_by([&] { host_task(name("both"), collective{}, [](view<int>) {}, u.out(all)); });
    CHECK_MESSAGE(text.find("error B04: two chunks of \"both\" write the same elements of buffer B0 \"u\"") == 0, text);
    host_task(
        collective{},
        [](collective_part me, view<int> u) {
          for (int i = 0; i < 4; ++i) u(4 * me.node + i) = static_cast<int>(me.node);
        },
        u.out(even_split));
    CHECK(u.read().get().view()(7) == 1);
  });
}

}  // namespace stretto

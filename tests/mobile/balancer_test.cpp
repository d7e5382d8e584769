// Balancers as pure functions: the invariants of all balancers for any table, and the promises of each.
#include <doctest/doctest.h>

#include <stretto/balancer.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "campaign.hpp"
#include "thrown_by.hpp"

namespace stretto {
namespace {

using test::error_of;

struct named {
  const char* name;
  balancer decide;
};
std::vector<named> all_balancers() {
  using namespace balancers;
  return {{"none", none{}},
          {"greedy", greedy{}},
          {"refine", refine{}},
          {"refine to the last", refine{.tolerance = 1}},
          {"diffusion over a hypercube", diffusion{}},
          {"diffusion round a ring", diffusion{.neighbours = diffusion::shape::ring, .sweeps = 30}},
          {"stealing", stealing{}},
          {"greedy by hints", by_hints(greedy{})}};
}

/// In whole seconds: sums are exact in any order.
enum class speeds { equal, unlike };
load_table drawn(std::mt19937_64& random, speeds s, std::uint32_t most_nodes = 40, std::size_t most_objects = 300) {
  load_table t;
  t.nodes.resize(1 + random() % most_nodes);
  for (auto& n : t.nodes) {
    if (s == speeds::unlike) n.speed = double(std::uint64_t{1} << random() % 4);
    if (s == speeds::unlike && random() % 10 == 0) n.speed = 0;
    if (random() % 4 == 0) n.background = double(random() % 200);
  }
  const std::size_t objects = random() % most_objects;
  const std::uint64_t heaviest = 1 + random() % 100;
  const auto nodes_used = 1 + random() % t.nodes.size();
  for (std::size_t i = 0; i < objects; ++i) {
    const double seconds = random() % 5 ? double(random() % heaviest) : double(random() % 500);
    t.objects.push_back(
        {.id = i, .node = std::uint32_t(random() % nodes_used), .seconds = seconds, .hint = double(random() % 7)});
  }
  return t;
}

std::vector<double> loads_of(const load_table& t) {
  std::vector<double> loads;
  for (const auto& n : t.nodes) loads.push_back(n.background);
  for (const auto& o : t.objects) loads[o.node] += o.seconds;
  return loads;
}
double longest(const load_table& t) {
  const auto loads = loads_of(t);
  double most = 0;
  for (std::size_t n = 0; n < loads.size(); ++n)
    if (loads[n] > 0)
      most =
          std::max(most, t.nodes[n].speed > 0 ? loads[n] / t.nodes[n].speed : std::numeric_limits<double>::infinity());
  return most;
}
double total(const load_table& t) {
  const auto loads = loads_of(t);
  return std::accumulate(loads.begin(), loads.end(), 0.0);
}

TEST_CASE("any balancer keeps the load, moves each object at most once, and never slows the slowest node") {
  std::mt19937_64 random(11);
  for (std::uint64_t i = 0; i < test::scaled_of_one_thread<std::uint64_t>(300, 20'000); ++i) {
    const load_table t = drawn(random, i % 2 ? speeds::equal : speeds::unlike);
    for (const named& b : all_balancers()) {
      CAPTURE(i);
      CAPTURE(b.name);
      const object_moves moves = b.decide(t);
      const load_table after = moved(t, moves);  // throws if an object moves twice
      CHECK(total(after) == total(t));
      const bool by_load = std::string(b.name).find("hints") == std::string::npos;
      if (by_load) CHECK(longest(after) <= longest(t));
      if (by_load) CHECK(imbalance(after) <= imbalance(t) * (1 + 1e-12));
      for (const object_move& m : moves) {
        CHECK(t.nodes[m.to].speed > 0);
        CHECK(t.objects[m.object].node != m.to);
        if (by_load) CHECK(t.objects[m.object].seconds > 0);
      }
      CHECK(b.decide(t) == moves);
    }
  }
}

TEST_CASE("imbalance is the time of the slowest node over the mean") {
  load_table t{.objects = {{.node = 0, .seconds = 3}, {.node = 1, .seconds = 1}}, .nodes = {{}, {}}};
  CHECK(imbalance(t) == 1.5);
  t.nodes[0].speed = 3;
  CHECK(imbalance(t) == 1);
  t.nodes[1].background = 2;
  CHECK(imbalance(t) == 2);  // 3 seconds; with a speed of 4, 6 seconds of load need 1.5
  CHECK(imbalance({}) == 1);
  CHECK(imbalance({.objects = {{.seconds = 0}}, .nodes = {{}}}) == 1);
  CHECK(std::isinf(imbalance({.objects = {{.seconds = 1}}, .nodes = {{.speed = 0}, {}}})));
}

TEST_CASE("if devices are scarcer than workers, device time is balanced") {
  std::mt19937_64 random(17);
  std::size_t all_moves = 0;
  for (std::uint64_t i = 0; i < test::scaled_of_one_thread<std::uint64_t>(300, 20'000); ++i) {
    CAPTURE(i);
    const load_table t = drawn(random, i % 2 ? speeds::equal : speeds::unlike);
    // The same load on devices, and a little load on workers, all on one node.
    load_table on_devices = t;
    for (auto& n : on_devices.nodes) {
      n.devices = n.speed;
      n.device_background = n.background;
      n.speed = n.speed > 0 ? 8 : 0;
      n.background = 0;
    }
    for (auto& o : on_devices.objects) o.device_seconds = o.seconds, o.seconds = o.node == 0 ? o.seconds / 64 : 0;
    if (!(total(t) > 0) || std::isinf(imbalance(t))) continue;
    REQUIRE(scarcest(on_devices) == scarce::devices);
    CHECK(imbalance(on_devices) == imbalance(t));
    load_table on_workers = t;  // devices are not the scarcest resource
    for (auto& n : on_workers.nodes) n.devices = 2 * double(t.nodes.size());
    for (auto& o : on_workers.objects) o.device_seconds = o.seconds / 16;
    const bool workers = scarcest(on_workers) == scarce::workers;
    for (const named& b : all_balancers()) {
      CAPTURE(b.name);
      if (std::string(b.name).find("hints") != std::string::npos) continue;
      all_moves += b.decide(t).size();
      CHECK(b.decide(on_devices) == b.decide(t));
      if (workers) CHECK(b.decide(on_workers) == b.decide(t));
    }
  }
  CHECK(all_moves > 0);
  // A device of a node without workers does not count.
  CHECK(scarcest({.objects = {{.device_seconds = 5}}, .nodes = {{}, {}}}) == scarce::workers);
  CHECK(scarcest({.objects = {{.device_seconds = 5}}, .nodes = {{.speed = 0, .devices = 1}, {}}}) == scarce::workers);
}

TEST_CASE("negative and infinite loads count as zero") {
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  load_table t{.objects = {{.seconds = nan}, {.seconds = -3}, {.seconds = inf}, {.seconds = 2}, {.seconds = 1}},
               .nodes = {{}, {.background = nan}, {.speed = nan}}};
  CHECK(imbalance(t) == 2);
  for (const named& b : all_balancers()) {
    CAPTURE(b.name);
    for (const object_move& m : b.decide(t)) CHECK(m.to < 2);
  }
  CHECK(imbalance(moved(t, balancers::greedy{}(t))) == doctest::Approx(4.0 / 3));
}

TEST_CASE("greedy keeps the bounds of list scheduling and of longest processing time first") {
  std::mt19937_64 random(5);
  for (std::uint64_t i = 0; i < test::scaled_of_one_thread<std::uint64_t>(300, 20'000); ++i) {
    CAPTURE(i);
    const load_table t = drawn(random, speeds::equal);
    const object_moves moves = balancers::greedy{}(t);
    double heaviest = 0, background = 0;
    for (const auto& o : t.objects) heaviest = std::max(heaviest, o.seconds);
    for (const auto& n : t.nodes) background = std::max(background, n.background);
    const double nodes = double(t.nodes.size());
    CHECK(longest(moved(t, moves)) <= std::max(background, total(t) / nodes + (1 - 1 / nodes) * heaviest) + 1e-9);
  }
  for (std::uint64_t i = 0; i < test::scaled_of_one_thread<std::uint64_t>(100, 3'000); ++i) {
    CAPTURE(i);
    load_table t{.nodes = std::vector<load_table::node>(2 + i % 2)};
    for (std::uint64_t o = 0; o < 1 + random() % 8; ++o) t.objects.push_back({.seconds = double(1 + random() % 20)});
    // All possible placements.
    double best = total(t);
    std::size_t placements = 1;
    for (std::size_t o = 0; o < t.objects.size(); ++o) placements *= t.nodes.size();
    for (std::size_t p = 0; p < placements; ++p) {
      load_table other = t;
      std::size_t digits = p;
      for (auto& o : other.objects) o.node = std::uint32_t(digits % t.nodes.size()), digits /= t.nodes.size();
      best = std::min(best, longest(other));
    }
    const double nodes = double(t.nodes.size());
    CHECK(longest(moved(t, balancers::greedy{}(t))) <= best * (4.0 / 3 - 1 / (3 * nodes)) + 1e-9);
  }
}

TEST_CASE("refine moves nothing within its tolerance, and little more than the excess of nodes") {
  std::mt19937_64 random(7);
  std::size_t of_refine = 0, of_greedy = 0;
  for (std::uint64_t i = 0; i < test::scaled_of_one_thread<std::uint64_t>(300, 20'000); ++i) {
    CAPTURE(i);
    const load_table t = drawn(random, speeds::equal);
    const double tolerance = 1 + double(random() % 4) / 8;
    const object_moves moves = balancers::refine{.tolerance = tolerance}(t);
    const double most = tolerance * total(t) / double(t.nodes.size());
    const auto before = loads_of(t);
    std::vector<double> gone(before.size()), heaviest(before.size());
    for (const object_move& m : moves) {
      const auto& o = t.objects[m.object];
      gone[o.node] += o.seconds;
      heaviest[o.node] = std::max(heaviest[o.node], o.seconds);
    }
    for (std::size_t n = 0; n < before.size(); ++n) {
      // An object that arrives may have to displace another one.
      if (before[n] > most) CHECK(gone[n] <= before[n] - most + 2 * heaviest[n] + 1e-9);
    }
    if (imbalance(t) <= tolerance) CHECK(moves.empty());
    of_refine += moves.size();
    of_greedy += balancers::greedy{}(t).size();
  }
  CHECK(of_refine * 2 < of_greedy);
  // One object is enough, and the right one is moved.
  const load_table t{.objects = {{.seconds = 8}, {.seconds = 5}, {.seconds = 3}, {.node = 1, .seconds = 10}},
                     .nodes = {{}, {}}};
  CHECK(balancers::refine{.tolerance = 1}(t) == object_moves{{.object = 2, .to = 1}});
}

TEST_CASE("every balancer balances many light objects") {
  for (const std::uint32_t nodes : {2u, 3u, 8u, 37u, 64u}) {
    load_table t{.nodes = std::vector<load_table::node>(nodes)};
    std::mt19937_64 random(nodes);
    for (std::uint32_t i = 0; i < 100 * nodes; ++i)
      t.objects.push_back(
          {.id = i, .node = std::uint32_t(random() % (1 + random() % nodes)), .seconds = double(1 + random() % 3)});
    CAPTURE(nodes);
    CAPTURE(imbalance(t));
    CHECK(imbalance(moved(t, balancers::greedy{}(t))) < 1.02);
    CHECK(imbalance(moved(t, balancers::refine{}(t))) <= 1.05);
    CHECK(imbalance(moved(t, balancers::diffusion{}(t))) < 1.1);
    CHECK(imbalance(moved(
              t, balancers::diffusion{.neighbours = balancers::diffusion::shape::ring, .sweeps = 1000}(t))) < 1.3);
    CHECK(imbalance(moved(t, balancers::stealing{}(t))) < 2);
  }
}

TEST_CASE("an idle node takes half of the load of the busiest node") {
  load_table t{.nodes = {{}, {}, {}}};
  for (std::uint32_t i = 0; i < 12; ++i) t.objects.push_back({.id = i, .node = i < 8 ? 0u : 1u, .seconds = 1});
  const load_table after = moved(t, balancers::stealing{}(t));
  CHECK(loads_of(after) == std::vector<double>{4, 4, 4});
}

TEST_CASE("by_hints replaces measured loads") {
  const load_table t{.objects = {{.seconds = 9, .hint = 1}, {.seconds = 1, .hint = 1}, {.seconds = 0, .hint = 2}},
                     .nodes = {{}, {.background = 50}}};
  const load_table after = moved(t, by_hints(balancers::greedy{})(t));
  CHECK(after.objects[0].node == after.objects[1].node);
  CHECK(after.objects[0].node != after.objects[2].node);
}

TEST_CASE("a user's balancer is a function, and its moves are checked") {
  const balancer round_robin = [](const load_table& t) {
    object_moves m;
    for (std::size_t i = 0; i < t.objects.size(); ++i) m.push_back({i, std::uint32_t(i % t.nodes.size())});
    return m;
  };
  const load_table t{.objects = {{}, {}, {}}, .nodes = {{}, {}}};
  CHECK(moved(t, round_robin(t)).objects[1].node == 1);
  CHECK(error_of([&] { moved(t, {{3, 0}}); }).code() == "G05");
  CHECK(error_of([&] { moved(t, {{0, 2}}); }).code() == "G05");
  CHECK(error_of([&] { moved(t, {{0, 1}, {0, 1}}); }).code() == "G05");
}

TEST_CASE("a hundred thousand objects on 4,096 nodes are balanced") {
  const std::uint32_t part = test::stride();  // under sanitizers a third and a fifth of both
  const std::uint32_t nodes = 4096 / part, objects = 100'000 / part;
  std::mt19937_64 random(1);
  load_table t{.nodes = std::vector<load_table::node>(nodes)};
  for (std::uint32_t i = 0; i < objects; ++i)
    t.objects.push_back(
        {.id = i, .node = std::uint32_t(random() % (1 + random() % nodes)), .seconds = double(1 + random() % 100)});
  for (const named& b : all_balancers()) {
    CAPTURE(b.name);
    const load_table after = moved(t, b.decide(t));
    CHECK(longest(after) <=
          std::max(longest(t), 0.0) + (std::string(b.name).find("hints") == std::string::npos ? 0 : 1e9));
  }
  CHECK(imbalance(moved(t, balancers::greedy{}(t))) < 1.05);
  CHECK(imbalance(moved(t, balancers::refine{}(t))) < 1.06);
}

}  // namespace
}  // namespace stretto

#include "ranks/process/rank_placement.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "ranks/process/domain_binding.hpp"

using namespace stretto;
using namespace stretto::ranks;

namespace {

using numbers = std::vector<std::uint32_t>;

const numbers two_domains{0, 0, 1, 1};  // of four workers

}  // namespace

TEST_CASE("blocks: consecutive ranks share a worker, then a domain") {
  CHECK(workers_of_ranks(worker_order::blocks, 8, two_domains) == numbers{0, 0, 1, 1, 2, 2, 3, 3});
  CHECK(workers_of_ranks(worker_order::blocks, 6, two_domains) == numbers{0, 0, 1, 1, 2, 3});
  CHECK(workers_of_ranks(worker_order::blocks, 3, two_domains) == numbers{0, 1, 2});
  CHECK(workers_of_ranks(worker_order::blocks, 8, {0, 1, 0, 1}) == numbers{0, 0, 2, 2, 1, 1, 3, 3});
}

TEST_CASE("workers: consecutive ranks are on consecutive workers") {
  CHECK(workers_of_ranks(worker_order::workers, 6, two_domains) == numbers{0, 1, 2, 3, 0, 1});
}

TEST_CASE("domains: consecutive ranks are on consecutive domains, and in blocks within each") {
  CHECK(workers_of_ranks(worker_order::domains, 8, two_domains) == numbers{0, 2, 0, 2, 1, 3, 1, 3});
  CHECK(workers_of_ranks(worker_order::domains, 3, two_domains) == numbers{0, 2, 1});
  CHECK(workers_of_ranks(worker_order::domains, 4, {0, 0, 0, 0}) == numbers{0, 1, 2, 3});
}

TEST_CASE("each worker has as many ranks as any other, or one more") {
  for (const auto order : {worker_order::blocks, worker_order::workers})
    for (std::uint32_t ranks = 1; ranks < 40; ++ranks)
      for (std::uint32_t workers = 1; workers < 10; ++workers) {
        const auto all = workers_of_ranks(order, ranks, numbers(workers, 0));
        std::map<std::uint32_t, std::uint32_t> count;
        for (const auto w : all) ++count[w];
        const auto [least, most] = std::ranges::minmax_element(count, {}, [](const auto& one) { return one.second; });
        CHECK(count.size() == std::min(ranks, workers));
        CHECK(most->second - least->second <= 1);
      }
}

TEST_CASE("the names of orders are those that users of MPI know") {
  CHECK(placement_named("slot") == placement_named("blocks"));
  CHECK(placement_named("node") == placement_named("cyclic"));
  CHECK(placement_named("core") == rank_placement{rank_order::blocks, worker_order::workers});
  CHECK(placement_named("numa") == rank_placement{rank_order::blocks, worker_order::domains});
  CHECK(!placement_named("socket"));
  for (const auto name : placement_names) CHECK(placement_named(name));
}

TEST_CASE("workers and processors of a machine with NUMA know their domain") {
  const auto machine = platform::synthetic("numa:2 l3:1 core:2 pu:2");
  CHECK(domains_of_workers(machine) == numbers{0, 0, 1, 1});  // one for each core
  CHECK(processors_by_domain(machine) == std::vector<numbers>{{0, 1, 2, 3}, {4, 5, 6, 7}});
  const auto clusters = platform::synthetic("pack:2 numa:2 l3:1 core:2 pu:1");
  CHECK(domains_of_workers(clusters) == numbers{0, 0, 1, 1, 2, 2, 3, 3});
}

TEST_CASE("a machine without NUMA has one domain and binds nothing") {
  const auto machine = platform::synthetic("l3:1 core:4 pu:1");
  CHECK(domains_of_workers(machine) == numbers{0, 0, 0, 0});
  CHECK(processors_by_domain(machine).empty());
  CHECK(!domain_binding(machine).is_on());
}

TEST_CASE("workers are bound to domains only if they are in all of them") {
  CHECK(domain_binding(platform::synthetic("numa:2 core:2 pu:1")).is_on());
  CHECK(!domain_binding(platform::synthetic("numa:2 core:2 pu:1", 2)).is_on());
}

TEST_CASE("ranks with devices are on workers near these, and share them evenly") {
  const numbers near_first{0, 1}, near_second{2, 3};
  CHECK(workers_near_devices({0, 1, 2, 3}, {near_second, near_second, near_first, near_first}) == numbers{2, 3, 0, 1});
  CHECK(workers_near_devices({0, 0, 1, 1}, {near_second, near_second, near_second, near_first}) == numbers{2, 3, 2, 0});
  CHECK(workers_near_devices({0, 1}, {near_first, {}}) == numbers{0, 1});
  CHECK(workers_near_devices({1, 0}, {near_first, {}}) == numbers{1, 0});
  CHECK(workers_near_devices({0, 1, 2}, {{}, {}, {}}) == numbers{0, 1, 2});
}

TEST_CASE("the workers on processors are those whose homes have them") {
  const platform machine = platform::synthetic("numa:2 l3:1 core:2 pu:2");
  CHECK(workers_on(machine, machine.about(machine.home(2)).cpus) == numbers{2});
  CHECK(workers_on(machine, {4, 5, 6, 7}) == numbers{2, 3});
  CHECK(workers_on(machine, {0, 1, 2, 3, 4, 5, 6, 7}).empty());
  CHECK(workers_on(machine, {1000}).empty());
  CHECK(workers_on(machine, {}).empty());
}

// Descriptions of other nodes' machines, and using their places: each node has a machine of its own.
#include <stretto/copy.hpp>
#include <stretto/error.hpp>
#include <stretto/instance.hpp>
#include <stretto/job.hpp>
#include <stretto/platform_of.hpp>
#include <stretto/remote.hpp>
#include <stretto/runtime.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "campaign.hpp"
#include "thrown_by.hpp"

namespace stretto {
namespace {

constexpr const char* devices_of[] = {"none", "sim", "sim(memory=64M),sim(memory=32M)", "sim:3"};

/// Node n has n + 1 workers, and devices of its own.
template <class F>
void on_unlike_nodes(std::uint64_t seed, F&& program) {
  const simulated_job job({.nodes = 4, .seed = seed});
  std::vector<std::thread> all;
  for (std::uint32_t n = 0; n < job.nodes(); ++n)
    all.emplace_back([&, n] {
      runtime rt({.workers = n + 1, .devices = devices_of[n], .job = job.endpoint(n)});
      rt.run([&] { program(job); });
    });
  for (std::thread& t : all) t.join();
}

std::string text_here() { return this_machine().to_json(); }
bool is_at(std::string place_name) { return this_machine().at(place_name) && this_node() == 3; }

/// The legs and latency of the route that copies take here; empty if there is none.
std::vector<double> way_here(std::uint32_t from, std::uint32_t to, std::uint64_t bytes) {
  const auto way = this_machine().route(place{from}, place{to}, bytes);
  if (!way) return {};
  return {static_cast<double>(way->legs.size()), way->latency_seconds.value(), way->bandwidth_bytes_per_second.value()};
}

TEST_CASE("every node can query the routes of copies on any other") {
  on_unlike_nodes(7, [](const simulated_job&) {
    for (std::uint32_t n = 0; n < job_nodes(); ++n) {
      const platform there = platform_of(at_node(n)).get();
      for (const place from : there.memories())
        for (const place to : there.memories())
          for (const std::uint64_t bytes : {64u, 1u << 20}) {
            const std::vector<double> said = async(at_node(n), call<&way_here>(from.index, to.index, bytes)).get();
            const auto way = there.route(from, to, bytes);
            REQUIRE(way.has_value() == !said.empty());
            if (!way) continue;
            CHECK(static_cast<double>(way->legs.size()) == said[0]);
            CHECK(way->latency_seconds == said[1]);
            CHECK(way->bandwidth_bytes_per_second == said[2]);
          }
    }
  });
}

TEST_CASE("every node can query the machine of any other") {
  for (std::uint64_t seed = 1; seed <= test::scaled<std::uint64_t>(4, 100); ++seed) {
    CAPTURE(seed);
    on_unlike_nodes(seed, [&](const simulated_job&) {
      for (std::uint32_t n = 0; n < job_nodes(); ++n) {
        const platform there = platform_of(at_node(n)).get();
        CHECK(there.to_json() == async(at_node(n), call<&text_here>()).get());
        CHECK((there == this_machine()) == (n == this_node()));
        CHECK(there.worker_count() == n + 1);
        CHECK(there.places(place_kind::gpu).size() == std::vector<std::size_t>{0, 1, 2, 3}[n]);
      }
      const platform two = platform_of(at_node(2)).get();
      std::vector<std::uint64_t> memories;
      for (const place p : two.memories())
        if (two.kind(p) == place_kind::gpu_memory || two.kind(p) == place_kind::gpu)
          memories.push_back(two.about(p).capacity_bytes.value());
      std::ranges::sort(memories);
      CHECK(memories == std::vector<std::uint64_t>{32u << 20, 64u << 20});
    });
  }
}

TEST_CASE("a place of another node's machine is used there") {
  on_unlike_nodes(5, [](const simulated_job&) {
    if (this_node() != 1) return;
    const platform there = platform_of(at_node(3)).get();
    // An instance in the memory of each GPU there, filled there and read here.
    for (const place gpu : there.places(place_kind::gpu)) {
      const auto near = there.affinities(gpu, place_role::memory);
      const place memory = there.has_role(gpu, place_role::memory) ? gpu : near.at(0).to;
      CHECK((there.kind(memory) == place_kind::gpu_memory || memory == gpu));
      const auto [far, made] = instance<int>::create(at_node(3), at(memory), box(0, 1000));
      const auto [here, made_here] = instance<int>::create(at_node(this_node()), box(0, 1000));
      wait(copy(far, here, after(merge(made_here, fill(far, 7, after(made))))));
      CHECK(far.node() == 3);
      CHECK(here.view()(999) == 7);
      wait(merge(far.destroy(), here.destroy()));
    }
    // And a task on one of its cores.
    const place core = there.home(there.worker_count() - 1);
    CHECK(async(at_node(3), at(core), call<&is_at>(there.name(core))).get());
  });
}

TEST_CASE("the machines of all nodes are returned at once, in order") {
  on_unlike_nodes(7, [](const simulated_job&) {
    const std::vector<platform> all = machines_of_job().get();
    REQUIRE(all.size() == job_nodes());
    CHECK(all[this_node()] == this_machine());
    std::size_t gpus = 0;
    for (std::uint32_t n = 0; n < all.size(); ++n) {
      CHECK(all[n].worker_count() == n + 1);
      gpus += all[n].places(place_kind::gpu).size();
    }
    CHECK(gpus == 6);
  });
}

TEST_CASE("a query for the machine of a lost or non-existent node fails") {
  on_unlike_nodes(6, [](const simulated_job& job) {
    if (this_node() != 0) return;
    CHECK(test::error_of([] { platform_of(at_node(4)); }).code() == "N02");
    job.kill(2);
    const std::string said = test::thrown_by([] { platform_of(at_node(2)).get(); });
    CAPTURE(said);
    CHECK(said.find("N05") != said.npos);
    CHECK(platform_of(at_node(3)).get().worker_count() == 4);
  });
}

}  // namespace
}  // namespace stretto

// Nodes of a job on one host divide its devices among them; here nodes of one process, on the devices that exist.
#include <stretto/job.hpp>
#include <stretto/platform.hpp>
#include <stretto/runtime.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "usable_devices.hpp"
#include "with_variable.hpp"
#include "written_by.hpp"

namespace stretto {
namespace {

/// The memory size of each device of a node.
using memories = std::vector<std::uint64_t>;

memories memories_of(const runtime& rt) {
  memories all;
  for (const place m : rt.machine().places(place_kind::gpu_memory))
    all.push_back(*rt.machine().about(m).capacity_bytes);
  return all;
}

std::vector<memories> of_nodes(std::uint32_t nodes, const std::string& devices) {
  const simulated_job job({.nodes = nodes});
  std::vector<std::unique_ptr<runtime>> all;
  std::vector<memories> has;
  for (std::uint32_t n = 0; n < nodes; ++n) {
    all.push_back(
        std::make_unique<runtime>(runtime_options{.devices = devices, .stepped = true, .job = job.endpoint(n)}));
    has.push_back(memories_of(*all.back()));
  }
  for (const auto& rt : all) rt->leave();
  for (bool is_over = false; !is_over;) {
    is_over = true;
    for (const auto& rt : all) rt->step(), is_over = is_over && rt->is_job_over();
  }
  return has;
}

std::size_t count(const std::vector<memories>& all) {
  std::size_t n = 0;
  for (const memories& m : all) n += m.size();
  return n;
}

TEST_CASE("devices of drivers are assigned to nodes, and nodes that share a device divide its memory") {
  for (const std::string& kind : test::usable_devices({"opencl"}, "devices that are dealt")) {
    CAPTURE(kind);
    const memories alone = memories_of(runtime({.workers = 1, .devices = kind}));
    const std::size_t there = alone.size();
    const auto one_each = of_nodes(static_cast<std::uint32_t>(there), kind);
    for (std::size_t n = 0; n < there; ++n) {
      REQUIRE(one_each[n].size() == 1);
      CHECK(one_each[n][0] >= alone[n] / 10 * 9);
    }
    constexpr std::uint32_t sharers = 8;
    const auto shared = of_nodes(static_cast<std::uint32_t>(sharers * there), kind);
    for (std::size_t n = 0; n < sharers * there; ++n) {
      REQUIRE(shared[n].size() == 1);
      CHECK(shared[n][0] <= alone[n % there] / 2);
      CHECK(shared[n][0] >= alone[n % there] / 10);
    }
    const auto all_of_them = of_nodes(2, kind + ":" + std::to_string(there));
    CHECK(count(all_of_them) == 2 * there);
    const auto one = of_nodes(2, kind + ":1");
    CHECK(count(one) == 2);
    const test::with_variable off("STRETTO_DEAL_DEVICES", "0");
    const test::with_variable little("STRETTO_DEVICE_MEMORY", "1M");
    const auto undealt = of_nodes(2, kind);
    CHECK(count(undealt) == 2 * there);
    CHECK(undealt[1][0] == 1 << 20);
  }
}

TEST_CASE("a node that asks for no devices gets none, and simulated devices are each node's own") {
  CHECK(count(of_nodes(2, "none")) == 0);
  CHECK(count(of_nodes(3, "sim:2")) == 6);
}

TEST_CASE("the log says which devices a node has, and why") {
  const test::with_variable talks("STRETTO_LOG", "info");
  CHECK(test::written_by([] { of_nodes(1, "sim"); }).find("info: device sim_0 is \"simulated device 0\"\n") !=
        std::string::npos);
  for (const std::string& kind : test::usable_devices({"opencl:1"}, "devices that are dealt")) {
    const std::string said = test::written_by([&] { of_nodes(2, kind); });
    CAPTURE(said);
    CHECK(said.find("info: device " + kind.substr(0, kind.find(':')) + "_0 is \"") != std::string::npos);
    CHECK(said.find("that are assigned to the 2 processes of this host") != std::string::npos);
  }
}

}  // namespace
}  // namespace stretto

// The assignment of a host's devices to its processes, which each process computes from all inventories.
#include "device/device_assignment.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace stretto::device {
namespace {

/// An inventory of one kind, by device numbers. `near`: the devices near the process's cores; empty: all.
device_inventory sees(std::vector<std::uint64_t> devices, std::uint32_t most = device_inventory::all,
                      std::vector<std::uint64_t> near = {}) {
  device_inventory c;
  for (const std::uint64_t d : devices)
    c.entries[c.count++] = {
        .device = d, .kind = 1, .requested = most, .is_near = near.empty() || std::ranges::find(near, d) != near.end()};
  return c;
}

/// "0,1 2,3/2": the devices of each process, and behind a slash the number of openers of a shared device.
std::string assignment_text(const std::vector<device_inventory>& inventories) {
  std::string text;
  for (std::size_t p = 0; p < inventories.size(); ++p) {
    if (p) text += ' ';
    bool is_next = false;
    for (const assigned_device& d : assign_devices(inventories, p).own) {
      if (is_next) text += ',';
      text += std::to_string(inventories[p].entries[d.entry].device);
      if (d.share.sharers > 1) text += "/" + std::to_string(d.share.sharers);
      is_next = true;
    }
  }
  return text;
}

std::string alike(std::size_t processes, const device_inventory& c) {
  return assignment_text(std::vector(processes, c));
}

TEST_CASE("processes that see the same devices have each its own, in a row") {
  CHECK(alike(1, sees({0, 1, 2})) == "0,1,2");
  CHECK(alike(2, sees({0, 1})) == "0 1");
  CHECK(alike(2, sees({0, 1, 2, 3})) == "0,1 2,3");
  CHECK(alike(2, sees({0, 1, 2})) == "0,1 2");
  CHECK(alike(4, sees({0, 1, 2, 3, 4, 5})) == "0,1 2,3 4 5");
  CHECK(alike(3, sees({})) == "  ");
}

TEST_CASE("more processes than devices share them in turn, and know how many they are") {
  CHECK(alike(2, sees({0})) == "0/2 0/2");
  CHECK(alike(4, sees({0, 1})) == "0/2 1/2 0/2 1/2");
  CHECK(alike(5, sees({0, 1})) == "0/3 1/2 0/3 1/2 0/3");
}

TEST_CASE("a number is how many devices each process opens") {
  CHECK(alike(2, sees({0, 1, 2, 3}, 1)) == "0 1");
  CHECK(alike(4, sees({0, 1, 2, 3}, 2)) == "0/2,1/2 2/2,3/2 0/2,1/2 2/2,3/2");
  CHECK(alike(2, sees({0, 1}, 2)) == "0/2,1/2 0/2,1/2");
  CHECK(alike(2, sees({0, 1}, 8)) == "0/2,1/2 0/2,1/2");
  CHECK(assignment_text({sees({0, 1}, 1), sees({0, 1}, 2)}) == "0/2 0/2,1");
}

TEST_CASE("a process with devices from its launcher keeps them") {
  CHECK(assignment_text({sees({0}), sees({1}), sees({2})}) == "0 1 2");
  CHECK(assignment_text({sees({0, 1}), sees({2, 3})}) == "0,1 2,3");
  CHECK(assignment_text({sees({0, 1}), sees({0, 1}), sees({2, 3}), sees({2, 3})}) == "0 1 2 3");  // two on each half
  CHECK(assignment_text({sees({0, 1}), sees({1, 2})}) == "0,1/2 1/2,2");
  CHECK(assignment_text({sees({1, 0}), sees({0, 1})}) == "1 0");             // the same, in another order
  CHECK(assignment_text({sees({}), sees({0, 1}), sees({0, 1})}) == " 0 1");  // a process that requests none gets none
}

TEST_CASE("devices near the cores of a process come first") {
  CHECK(assignment_text({sees({0, 1, 2, 3}, device_inventory::all, {2, 3}),
                         sees({0, 1, 2, 3}, device_inventory::all, {0, 1})}) == "2,3 0,1");
  // A process that may run anywhere leaves near devices to others.
  CHECK(assignment_text({sees({0, 1}), sees({0, 1}, device_inventory::all, {0})}) == "1 0");
  CHECK(assignment_text({sees({0, 1}, device_inventory::all, {0}), sees({0, 1}, device_inventory::all, {0}),
                         sees({0, 1}, device_inventory::all, {1}), sees({0, 1}, device_inventory::all, {1})}) ==
        "0/2 0/2 1/2 1/2");
  // A remote device is better than an idle one.
  CHECK(assignment_text({sees({0, 1}, device_inventory::all, {0}), sees({0, 1}, device_inventory::all, {0})}) == "0 1");
}

TEST_CASE("each kind is assigned separately, and a request's number is used up kind by kind") {
  device_inventory c;
  const auto add = [&](std::uint64_t device, std::uint64_t kind, std::uint32_t request, std::uint32_t most) {
    c.entries[c.count++] = {.device = device, .kind = kind, .request = request, .requested = most};
  };
  SUBCASE("") {
    add(0, 1, 0, device_inventory::all), add(1, 1, 0, device_inventory::all), add(7, 2, 0, device_inventory::all);
    CHECK(alike(2, c) == "0,7/2 1,7/2");
  }
  SUBCASE("") {
    add(0, 1, 0, 3), add(1, 1, 0, 3), add(7, 2, 0, 3), add(8, 2, 0, 3);
    CHECK(alike(2, c) == "0/2,1/2,7 0/2,1/2,8");
  }
  SUBCASE("a device of two words is shared with oneself alone") {
    add(0, 1, 0, 1), add(0, 1, 1, 1);
    CHECK(alike(1, c) == "0,0");
  }
}

TEST_CASE("all processes compute the same assignment, and numbers of devices and of sharers differ by at most one") {
  std::mt19937 random(5);
  for (int round = 0; round < 2000; ++round) {
    const std::size_t processes = 1 + random() % 9, devices = 1 + random() % 9;
    std::vector<device_inventory> inventories;
    for (std::size_t p = 0; p < processes; ++p) {
      std::vector<std::uint64_t> all, near;
      for (std::uint64_t d = 0; d < devices; ++d) {
        all.push_back(d);
        if (random() % 3) near.push_back(d);
      }
      inventories.push_back(sees(all, device_inventory::all, near));
    }
    std::map<std::uint64_t, std::uint32_t> takers;
    std::map<std::uint64_t, std::uint32_t> said;
    std::size_t fewest = devices, most = 0;
    for (std::size_t p = 0; p < processes; ++p) {
      const device_assignment made = assign_devices(inventories, p);
      fewest = std::min(fewest, made.own.size()), most = std::max(most, made.own.size());
      for (const assigned_device& d : made.own) {
        ++takers[inventories[p].entries[d.entry].device];
        said[inventories[p].entries[d.entry].device] = d.share.sharers;
      }
      REQUIRE(made.has_shared == (processes > devices));
    }
    CAPTURE(round);
    REQUIRE(takers.size() == devices);
    REQUIRE(takers == said);
    REQUIRE(most - fewest <= 1);
    for (const auto& [device, by] : takers)
      REQUIRE((by == std::max(processes / devices, 1ul) || by == processes / devices + 1));
  }
}

}  // namespace
}  // namespace stretto::device

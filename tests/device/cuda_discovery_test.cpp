// Listing of CUDA devices before they are opened, and their memory shares; with the fake driver.
#include <doctest/doctest.h>

#include <set>
#include <string>

#include "device/cuda/cuda_discovery.hpp"
#include "device/fake_driver.hpp"
#include "with_variable.hpp"

namespace stretto::device::cuda {
namespace {

using test::fake_driver;
using test::fake_driver_options;

options for_all_memory(std::vector<device_selection> only) {
  options o = fake_driver_options();
  o.memory_bytes = 0;
  o.only = std::move(only);
  return o;
}

TEST_CASE("devices are listed without being opened, and keep their identities if others are hidden") {
  fake_driver d{{"devices", 4}};
  const auto all = list_visible(fake_driver_options());
  REQUIRE(all.size() == 4);
  CHECK(all[3].number == 3);
  CHECK(all[3].name == "Fake GPU 3");
  CHECK(all[3].kind == all[0].kind);
  CHECK(all[3].is_near);
  std::set<std::string> identities;
  for (const visible_device& s : all) identities.insert(s.identity);
  CHECK(identities.size() == 4);
  const test::with_variable hidden("CUDA_VISIBLE_DEVICES", "2,0");
  const auto two = list_visible(fake_driver_options());
  REQUIRE(two.size() == 2);
  CHECK(two[0].number == 0);
  CHECK(two[0].identity == all[2].identity);
  CHECK(two[1].identity == all[0].identity);
  CHECK(d.get("live") == 0);
}

TEST_CASE("an unusable device is not listed") {
  fake_driver d{{"capability", 35}};
  CHECK(list_visible(fake_driver_options()).empty());
}

TEST_CASE("selected devices are opened, and no other") {
  fake_driver d{{"devices", 4}};
  const auto two = find(for_all_memory({{.number = 3}, {.number = 1}}));
  REQUIRE(two.size() == 2);
  CHECK(two[0].name == "Fake GPU 1");
  CHECK(two[1].name == "Fake GPU 3");
}

TEST_CASE("processes that share a device take equal parts of its memory, in any order") {
  fake_driver d{{"devices", 1}};
  options o = for_all_memory({{.number = 0, .share = {.sharers = 2}}});
  SUBCASE("all of it, where nobody knows what is free") {
    const auto first = find(o), second = find(o);
    CHECK(first[0].is->about().memory_bytes == 114u << 20);  // nine tenths of half of 256
    CHECK(second[0].is->about().memory_bytes == 114u << 20);
  }
  SUBCASE("what was free before, where others use it, too") {
    options other = fake_driver_options();
    other.memory_bytes = 100 << 20;
    const auto of_others = find(other);
    const measured_memory m = measure(o);
    REQUIRE(m.free_bytes.size() == 1);
    CHECK(m.free_bytes[0] == 156u << 20);
    (*o.only)[0].share.free_bytes = m.free_bytes[0];
    const auto first = find(o), second = find(o);
    CHECK(first[0].is->about().memory_bytes == 70u << 20);
    CHECK(second[0].is->about().memory_bytes == 70u << 20);
  }
  SUBCASE("what is asked for, where somebody asks") {
    o.memory_bytes = 12 << 20;
    CHECK(find(o)[0].is->about().memory_bytes == 12u << 20);
  }
  CHECK(d.get("live") == 0);
}

TEST_CASE("a device stays open while what is free of it is compared") {
  fake_driver d;
  {
    const measured_memory m = measure(for_all_memory({{.number = 0}, {.number = 1}}));
    CHECK(m.free_bytes == std::vector<std::uint64_t>{256u << 20, 256u << 20});
    CHECK(d.get("live") == 2);  // contexts
  }
  CHECK(d.get("live") == 0);
  d.set("retain", 999);
  CHECK(measure(for_all_memory({{.number = 0}})).free_bytes == std::vector<std::uint64_t>{0});
}

}  // namespace
}  // namespace stretto::device::cuda

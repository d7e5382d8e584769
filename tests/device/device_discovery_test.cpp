// Inventories of fake devices, and the devices that a process opens after the assignment.
#include "device/device_discovery.hpp"

#include <stretto/error.hpp>

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

#include "with_variable.hpp"

namespace stretto::device {
namespace {

visible_device of(unsigned number, std::string identity, std::string kind) {
  return {.number = number, .name = "a device", .identity = std::move(identity), .kind = std::move(kind)};
}

/// Two kinds of one driver, another driver that lists the same devices, one that throws, and one whose devices belong
/// to each process.
std::vector<backend> discovered() {
  std::vector<backend> all(4);
  all[0].name = "two";
  all[0].list_visible =
      +[](const open_options&) { return std::vector{of(0, "a", "gpu"), of(2, "b", "gpu"), of(3, "c", "cpu")}; };
  all[0].measure = +[](const open_options& how) {
    measured_memory m;
    for (const device_selection& c : *how.only) m.free_bytes.push_back(1000 + c.number);
    m.held = std::make_shared<int>(1);
    return m;
  };
  all[1].name = "other";
  all[1].list_visible = +[](const open_options&) { return std::vector{of(0, "a", "gpu")}; };
  all[2].name = "refuses";
  all[2].list_visible = +[](const open_options&) -> std::vector<visible_device> { throw error("K42", "no driver"); };
  all[3].name = "made_up";
  return all;
}

std::vector<unsigned> numbers(const device_request& w) {
  std::vector<unsigned> all;
  for (const device_selection& c : *w.only) all.push_back(c.number);
  return all;
}

TEST_CASE("an inventory identifies devices, kinds and requests equally in every process") {
  const auto all = discovered();
  const auto which = parse_devices("made_up:2,two:2,refuses,other,two", all);
  const visible_devices visible = discover_devices(which, all, {});
  REQUIRE(visible.inventory.count == 7);
  REQUIRE(visible.entries.size() == 7);
  const auto& e = visible.inventory.entries;
  CHECK(e[0].kind == e[1].kind);
  CHECK(e[0].kind != e[2].kind);
  CHECK(e[0].device != e[1].device);
  CHECK(e[3].device != e[0].device);  // another driver allocates its own memory of the device
  CHECK(e[4].device == e[0].device);
  CHECK(e[4].request != e[0].request);
  CHECK(e[0].requested == 2);
  CHECK(e[4].requested == device_inventory::all);
  const visible_devices again = discover_devices(parse_devices("other,two:1,two", all), all, {});
  CHECK(again.inventory.entries[1].device == e[0].device);
  CHECK(again.inventory.entries[1].request == e[0].request);
  CHECK(again.inventory.entries[4].request == e[4].request);
}

TEST_CASE("devices to which a driver gives one identity are distinguished by their order") {
  std::vector<backend> all(1);
  all[0].name = "careless";
  all[0].list_visible = +[](const open_options&) {
    return std::vector{of(0, "same", "cpu"), of(1, "same", "cpu"), of(2, "same", "cpu")};
  };
  const auto which = parse_devices("careless,careless:1", all);
  const visible_devices visible = discover_devices(which, all, {});
  const auto& e = visible.inventory.entries;
  CHECK(e[0].device != e[1].device);
  CHECK(e[1].device != e[2].device);
  CHECK(e[0].device != e[2].device);
  CHECK(e[4].device == e[1].device);
}

TEST_CASE("assigned devices are opened by number, and requests without listed devices are unchanged") {
  const auto all = discovered();
  auto which = parse_devices("made_up:2,two,refuses", all);
  const visible_devices visible = discover_devices(which, all, {});
  const std::vector<device_inventory> both(2, visible.inventory);
  const device_assignment made = assign_devices(both, 1);
  apply_assignment(which, visible, made);
  CHECK_FALSE(which[0].only);
  CHECK_FALSE(which[2].only);
  CHECK(numbers(which[1]) == std::vector<unsigned>{2, 3});
  CHECK((*which[1].only)[0].share.sharers == 1);
  CHECK((*which[1].only)[1].share.sharers == 2);
  CHECK(selection_of(which[1].only, 3));
  CHECK_FALSE(selection_of(which[1].only, 0));
  CHECK(selection_of({}, 7)->share.processes == 0);

  std::vector<std::shared_ptr<void>> held;
  free_memory mine = measure_free_memory(which, all, visible, held);
  CHECK(held.size() == 1);
  REQUIRE(mine.count == 2);
  free_memory others = mine;
  others.entries[0].bytes = 0;  // unknown
  others.entries[1].bytes = 700;
  apply_least_free_memory(which, visible, std::vector{mine, others});
  CHECK((*which[1].only)[0].share.free_bytes == 1002);
  CHECK((*which[1].only)[1].share.free_bytes == 700);
}

TEST_CASE("a device without an identity is known by its place, as long as the same are hidden") {
  const std::string here = identity_by_number("a device", 0);
  CHECK(here == identity_by_number("a device", 0));
  CHECK(here != identity_by_number("a device", 1));
  const test::with_variable hidden("GPU_DEVICE_ORDINAL", "3");
  CHECK(here != identity_by_number("a device", 0));
  CHECK_FALSE(hiding_variable().empty());
}

}  // namespace
}  // namespace stretto::device

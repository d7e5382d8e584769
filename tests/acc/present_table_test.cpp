#include "acc/present_table.hpp"

#include <doctest/doctest.h>

#include <array>
#include <stretto/error.hpp>
#include <string>

using namespace stretto;

namespace {

/// A table with "b" at [100, 200) of the host, [0, 100) of the device.
struct table_with_one {
  table_with_one() {
    table.add({.host = host.data() + 100, .bytes = 100, .device = device.data(), .name = "b", .where = "x.c:7"});
  }

  acc::mapping* find(std::size_t first, std::size_t bytes) {
    return table.find(host.data() + first, bytes, "a", "x.c:9");
  }
  std::string refusal(std::size_t first, std::size_t bytes) {
    try {
      find(first, bytes);
    } catch (const error& e) {
      return e.what();
    }
    return "";
  }

  std::array<std::byte, 400> host = {}, device = {};
  acc::present_table table;
};

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("a range is found where a mapping holds all of it") {
  table_with_one t;
  for (const auto& [first, bytes] : {std::pair{100, 100}, {100, 1}, {199, 1}, {120, 50}}) {
    const acc::mapping* const found = t.find(first, bytes);
    REQUIRE(found);
    CHECK(found->name == "b");
  }
  CHECK(!t.find(0, 100));
  CHECK(!t.find(200, 50));
  CHECK(!t.find(300, 1));
}

TEST_CASE("no bytes are found in the mapping in which they begin") {
  table_with_one t;
  CHECK(!t.find(99, 0));
  CHECK(t.find(100, 0));
  CHECK(t.find(199, 0));
  CHECK(!t.find(200, 0));
}

TEST_CASE("a range that is partly present is refused, with both ranges and both lines") {
  table_with_one t;
  for (const auto& [first, bytes] : {std::pair{50, 51}, {199, 2}, {99, 102}, {0, 400}, {150, 100}}) {
    const std::string text = t.refusal(first, bytes);
    CHECK(has(text, "O12"));
    CHECK(has(text, "a part of \"a\" is on the device already, as a part of \"b\""));
    CHECK(has(text, "\"a\", " + acc::range_text(t.host.data() + first, bytes) + ", at x.c:9"));
    CHECK(has(text, "\"b\", " + acc::range_text(t.host.data() + 100, 100) + ", since x.c:7"));
  }
}

TEST_CASE("mappings are found by addresses of the host and of the device, until they are removed") {
  table_with_one t;
  acc::mapping& other = t.table.add(
      {.host = t.host.data() + 200, .bytes = 50, .device = t.device.data() + 100, .name = "c", .where = "x.c:8"});
  CHECK(t.table.at_host(t.host.data() + 200) == &other);
  CHECK(t.table.at_host(t.host.data() + 199)->name == "b");
  CHECK(!t.table.at_host(t.host.data() + 250));
  CHECK(t.table.at_device(t.device.data() + 149) == &other);
  CHECK(t.table.at_device(t.device.data() + 99)->name == "b");
  CHECK(!t.table.at_device(t.device.data() + 150));
  CHECK(acc::device_address(other, t.host.data() + 210) == t.device.data() + 110);
  CHECK(t.table.all().size() == 2);
  t.table.remove(other);
  CHECK(!t.table.at_host(t.host.data() + 200));
  CHECK(!t.table.at_device(t.device.data() + 100));
  CHECK(!t.find(200, 50));
  CHECK(t.table.all().size() == 1);
}

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "campaign.hpp"
#include "ranks/random_types.hpp"
#include "ranks/thrown_class.hpp"
#include "ranks/windows/memory_block.hpp"
#include "ranks/windows/window_memory.hpp"

using namespace stretto;
using ranks::error_class, ranks::target_place, ranks::window_memory;

namespace {

struct attached_range {
  std::int64_t first, size;
};

const ranks::datatype& type_of_bytes() { return *ranks::predefined_type(0x247); }

}  // namespace

TEST_CASE("an access must lie within the window: random types and sizes") {
  for (std::uint64_t seed = 0; seed < test::scaled<std::uint64_t>(3000, 100'000); ++seed) {
    CAPTURE(seed);
    test::random_types random(seed);
    const test::modelled_type made = random.next();
    std::array<std::byte, 8> base{};  // addresses are compared only
    const std::int64_t size = random.number(0, 600), unit = random.number(1, 8), count = random.number(0, 3);
    const std::int64_t displacement = random.number(0, 60);
    window_memory memory;
    memory.set_fixed({base.data(), size, unit});
    const auto all = made.model.bytes(count);
    const bool is_inside = std::ranges::all_of(
        all, [&](std::int64_t at) { return displacement * unit + at >= 0 && displacement * unit + at < size; });
    const target_place place{displacement, count, made.type.get()};
    if (is_inside) REQUIRE(memory.address_of(place) == base.data() + displacement * unit);
    else REQUIRE(test::thrown_class([&] { memory.address_of(place); }) == error_class::rma_range);
  }
}

TEST_CASE("an access to a dynamic window must lie in attached memory: random ranges and types") {
  std::vector<std::byte> arena(800);
  for (std::uint64_t seed = 0; seed < test::scaled<std::uint64_t>(3000, 100'000); ++seed) {
    CAPTURE(seed);
    test::random_types random(seed);
    window_memory memory;
    std::vector<attached_range> attached;
    for (std::int64_t step = random.number(1, 8); step > 0; --step) {
      if (!attached.empty() && random.number(0, 3) == 0) {
        memory.detach(arena.data() + attached.front().first);
        attached.erase(attached.begin());
      } else {
        const std::int64_t first = 10 * random.number(0, 60), size = 10 * random.number(1, 20);
        const bool is_known = std::ranges::any_of(attached, [&](const auto& range) { return range.first == first; });
        if (is_known) continue;
        memory.attach(arena.data() + first, size);
        attached.push_back({first, size});
      }
    }
    const test::modelled_type made = random.next();
    const std::int64_t count = random.number(0, 2), origin = random.number(0, 700);
    const bool is_attached = std::ranges::all_of(made.model.bytes(count), [&](std::int64_t at) {
      return std::ranges::any_of(attached, [&](const attached_range& range) {
        return origin + at >= range.first && origin + at < range.first + range.size;
      });
    });
    const target_place place{reinterpret_cast<std::intptr_t>(arena.data() + origin), count, made.type.get()};
    const auto thrown = test::thrown_class([&] { memory.address_of(place); });
    REQUIRE(thrown == (is_attached ? error_class::success : error_class::rma_range));
  }
}

TEST_CASE("displacements and sizes that can be none are refused") {
  std::array<std::byte, 16> base{};
  window_memory fixed, dynamic;
  fixed.set_fixed({base.data(), 16, 4});
  const auto refused = [&](std::int64_t displacement, std::int64_t count) {
    return test::thrown_class([&] { fixed.address_of({displacement, count, &type_of_bytes()}); });
  };
  CHECK(refused(-1, 1) == error_class::displacement);
  CHECK(refused(std::int64_t{1} << 62, 1) == error_class::rma_range);
  CHECK(refused(4, 1) == error_class::rma_range);
  CHECK(refused(3, 4) == error_class::success);
  CHECK(test::thrown_class([&] { fixed.attach(base.data(), 4); }) == error_class::rma_flavor);
  CHECK(test::thrown_class([&] { dynamic.detach(base.data()); }) == error_class::rma_attach);
  CHECK(test::thrown_class([&] { dynamic.attach(base.data(), -1); }) == error_class::size);
  CHECK(test::thrown_class([&] { dynamic.attach(nullptr, 1); }) == error_class::argument);
}

TEST_CASE("memory of a window is zero") {
  const ranks::memory_block block(100'000), none(0);
  CHECK(std::all_of(block.memory(), block.memory() + 100'000, [](std::byte b) { return b == std::byte{0}; }));
  CHECK(none.memory() == nullptr);
  CHECK(test::thrown_class([] { ranks::memory_block(std::int64_t{1} << 62); }) == error_class::no_memory);
}

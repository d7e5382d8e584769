#include "base/cache_line_copy.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

namespace stretto::base {

TEST_CASE("copies by lines copy what they are told, and nothing else, wherever it lies") {
  constexpr std::size_t room = 400;
  std::vector<std::byte> from(room);
  for (std::size_t i = 0; i < room; ++i) from[i] = static_cast<std::byte>(i * 7 + 1);
  for (const auto copy : {copy_nontemporal, copy_by_lines})
    for (std::size_t source = 0; source < 66; source += 5)
      for (std::size_t target = 0; target < 66; ++target)
        for (const std::size_t bytes : {0u, 1u, 15u, 63u, 64u, 65u, 127u, 128u, 200u, 321u}) {
          std::vector<std::byte> to(room, std::byte{0xee}), expected = to;
          std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(source), bytes,
                      expected.begin() + static_cast<std::ptrdiff_t>(target));
          copy(to.data() + target, from.data() + source, bytes);
          if (to != expected) FAIL(source << ' ' << target << ' ' << bytes);
        }
}

}  // namespace stretto::base

// usage.hpp - how a task uses a part of an array.
#pragma once

#include <cstdint>

namespace stretto::data {

/// Readers may share elements; so may reductions by one operator. All other uses are exclusive.
struct usage {
  enum class mode : std::uint8_t { in, out, inout, reduce };

  mode is = mode::in;
  std::uint8_t side = 0;        // of reductions: host or device; only reductions of one side are atomic to one another
  std::uint32_t reduction = 0;  // the operator, if is == reduce

  constexpr bool needs_content() const noexcept { return is != mode::out; }
  constexpr bool changes_content() const noexcept { return is != mode::in; }

  friend constexpr bool operator==(const usage&, const usage&) = default;
};

inline constexpr usage in_use{usage::mode::in}, out_use{usage::mode::out}, inout_use{usage::mode::inout};
constexpr usage reduce_use(std::uint32_t operator_number) { return {usage::mode::reduce, 0, operator_number}; }

/// Whether two tasks with these uses of the same elements may run in any order.
constexpr bool may_share(const usage& a, const usage& b) {
  return a == b && (a.is == usage::mode::in || a.is == usage::mode::reduce);
}

}  // namespace stretto::data

#include "device/cuda/cuda_launch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "device/cuda/cuda_memories.hpp"
#include "device/layout_of.hpp"
#include "device/native_code.hpp"

namespace stretto::device::cuda {

namespace {

constexpr std::int64_t most_blocks_of_first_axis = (std::int64_t{1} << 31) - 1, most_blocks_of_others = 65535;
constexpr unsigned most_items_of_third_axis = 64;
constexpr unsigned usual_items = 256;  // of a block of a plain kernel: enough to hide latencies, few enough to spread

}  // namespace

std::optional<geometry> geometry_of(const launch_range& range, bool in_groups, int most_items) noexcept {
  geometry g;
  std::int64_t blocks[3] = {1, 1, 1};
  unsigned left = std::bit_floor(std::min(static_cast<unsigned>(std::max(most_items, 1)), usual_items));
  for (int a = 0; a < range.dimensions; ++a) {
    const int axis = range.dimensions - 1 - a;  // of the program
    const std::int64_t count = range.max[axis] - range.min[axis];
    if (in_groups) {
      g.block[a] = static_cast<unsigned>(range.group[axis]);
      blocks[a] = count;
      continue;
    }
    // A warp covers neighbours along the first axis; block size that an axis does not need goes to the next one.
    const unsigned wanted = a == 0 && range.dimensions > 1 ? std::min(left, 32u) : left;
    g.block[a] = std::min(
        wanted,
        static_cast<unsigned>(std::bit_ceil(static_cast<std::uint64_t>(std::min<std::int64_t>(count, wanted)))));
    left /= g.block[a];
    blocks[a] = (count + g.block[a] - 1) / g.block[a];
  }
  if (blocks[0] > most_blocks_of_first_axis) return {};
  if (blocks[1] <= most_blocks_of_others && blocks[2] <= most_blocks_of_others) {
    for (int a = 0; a < 3; ++a) g.grid[a] = static_cast<unsigned>(blocks[a]);
    return g;
  }
  if (blocks[1] > most_blocks_of_first_axis / blocks[0] ||
      blocks[2] > most_blocks_of_first_axis / (blocks[0] * blocks[1]))
    return {};
  g.grid[0] = static_cast<unsigned>(blocks[0] * blocks[1] * blocks[2]);
  g.blocks = in_groups ? counting::groups_in_line : counting::items_in_line;
  return g;
}

geometry fitting(const device& on, const kernel_code& code, const launch_range& range, int most_items) {
  const std::optional<geometry> g = geometry_of(range, code.in_groups, most_items);
  if (!g)
    throw unsupported_range(on, code, "the range has more groups than a launch can have",
                            fmt::format("{} groups", most_blocks_of_first_axis));
  if (code.native && g->blocks != counting::by_axis)
    throw unsupported_range(on, code, "the range has more groups along an axis than a launch can have",
                            fmt::format("{} groups", most_blocks_of_others));
  if (g->block[2] > most_items_of_third_axis)
    throw unsupported_range(on, code,
                            fmt::format("groups of {} items along axis 0 are too large for the device", g->block[2]),
                            fmt::format("{} items along axis 0 of three", most_items_of_third_axis));
  return *g;
}

packed_arguments::packed_arguments(const kernel_code& code, const launch_range& range,
                                   std::span<const launch_argument> given, std::uint64_t locks) {
  words_.reserve(given.size() + 2);  // pointers into it must stay valid
  layouts_.reserve(given.size());
  pointers_.reserve(2 * given.size() + 3);
  for (std::size_t i = 0; i < given.size(); ++i) {
    const kernel_parameter& p = code.parameters[i];
    const kernel_argument& a = given[i].is;
    if (p.mode == access::value) {
      pointers_.push_back(a.origin);
    } else if (p.mode == access::local) {
      local_bytes_ = (local_bytes_ + p.alignment - 1) / p.alignment * p.alignment;
      pointers_.push_back(&words_.emplace_back(local_bytes_));
      local_bytes_ += static_cast<std::uint64_t>(std::max<std::int64_t>(a.max[0], 0)) * p.element_bytes;
    } else {
      array_layout& layout = layouts_.emplace_back(layout_of(given[i], p.element_bytes));
      pointers_.push_back(&words_.emplace_back(reinterpret_cast<std::uintptr_t>(locate(given[i].first).address)));
      pointers_.push_back(&layout);
    }
  }
  for (int a = 0; a < 3; ++a) {
    whole_.min[a] = range.min[a];
    whole_.count[a] = std::max<std::int64_t>(range.max[a] - range.min[a], 0);
  }
  pointers_.push_back(&whole_);
  if (locks) pointers_.push_back(&words_.emplace_back(locks));
}

void packed_arguments::add(const checked_launch& checked, std::uint64_t words, const kernel_code& code,
                           std::span<const launch_argument> given) {
  // Each array has a word and a layout; local memory has a word.
  for (std::size_t i = 0, word = 0; i < given.size(); ++i) {
    if (code.parameters[i].mode == access::value) continue;
    if (is_array(code.parameters[i]) && checked_launch::is_empty(given[i]))
      words_[word] = words + checked.dummy_offset();
    ++word;
  }
  pointers_.push_back(&words_.emplace_back(words));
}

}  // namespace stretto::device::cuda

#include "device/checked_launch.hpp"

#include <stretto/kernel.hpp>

#include <algorithm>
#include <array>
#include <cstring>

#include "device/allowed_elements.hpp"
#include "device/kernel_preludes.hpp"
#include "device/native_code.hpp"

namespace stretto::device {

namespace {

constexpr std::size_t words_back = checked_launch::result_bytes / sizeof(std::int64_t);
static_assert(words_back == checked_words::first_start);

void add_box(std::vector<std::int64_t>& words, const std::int64_t* min, const std::int64_t* max, int axes) {
  for (int a = 0; a < 3; ++a) words.push_back(a < axes ? min[a] : 0);
  for (int a = 0; a < 3; ++a) words.push_back(a < axes ? max[a] : 1);
}

/// Floor division: group numbers may be negative.
std::int64_t group_of(std::int64_t item, std::int64_t length) noexcept {
  return (item >= 0 ? item : item - length + 1) / length;
}

}  // namespace

checked_launch::checked_launch(const kernel_code& code, const launch_range& range,
                               std::span<const launch_argument> arguments)
    : code_(code), range_(range), arguments_(arguments), words_(checked_words::first_start + arguments.size()) {
  std::size_t largest = 1;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const kernel_parameter& p = code.parameters[i];
    if (!is_array(p)) continue;
    const kernel_argument& a = arguments[i].is;
    largest = std::max<std::size_t>(largest, p.element_bytes);
    words_[checked_words::first_start + i] = static_cast<std::int64_t>(words_.size());
    words_.push_back(a.allowed ? static_cast<std::int64_t>(a.allowed->boxes.size()) : 0);
    add_box(words_, a.min, a.max, p.dimensions);
    if (!a.allowed) continue;
    for (const allowed_elements::one_box& b : a.allowed->boxes) add_box(words_, b.min, b.max, p.dimensions);
  }
  constexpr std::size_t alignment = 64;
  while (words_.size() * sizeof words_[0] % alignment) words_.push_back(0);
  dummy_offset_ = words_.size() * sizeof words_[0];
  words_.resize(words_.size() + (largest + sizeof words_[0] - 1) / sizeof words_[0]);
}

void checked_launch::check_result(std::span<const std::byte, result_bytes> back) const {
  std::array<std::int64_t, words_back> said;
  std::memcpy(said.data(), back.data(), back.size());
  std::uint32_t is_any = 0;
  std::memcpy(&is_any, back.data(), sizeof is_any);
  if (!is_any) return;
  index_out_of_range what{static_cast<unsigned>(said[checked_words::parameter]), {}};
  std::copy_n(said.begin() + checked_words::index, 3, what.index);
  const std::int64_t* const item = said.data() + checked_words::item;
  std::int64_t id[3];
  item_in_group in_group;
  for (int a = 0; a < 3; ++a) {
    id[a] = code_.in_groups ? group_of(item[a], range_.group[a]) : item[a];
    in_group.global[a] = item[a];
    in_group.local[a] = item[a] - id[a] * range_.group[a];
  }
  in_group.is_in_region = code_.in_groups;
  std::vector<kernel_argument> given;
  for (const launch_argument& a : arguments_) given.push_back(a.is);
  detail::tell_out_of_range(code_, what, work_of(range_), given.data(), id, in_group);
}

}  // namespace stretto::device

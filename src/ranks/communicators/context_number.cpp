// context_number.cpp - free numbers as bits.
#include "ranks/communicators/context_number.hpp"

#include <bit>
#include <string>

#include "ranks/call_error.hpp"

namespace stretto::ranks {

namespace {

constexpr int word_bits = 64;

std::uint64_t bit_of(std::uint32_t place) { return std::uint64_t{1} << (place % word_bits); }

}  // namespace

int lowest_free(const context_mask& numbers) {
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] != 0) return static_cast<int>(i) * word_bits + std::countr_zero(numbers[i]);
  }
  return -1;
}

context_offer combined(const context_offer& a, const context_offer& b) {
  context_offer both;
  for (std::size_t i = 0; i < both.free.size(); ++i) both.free[i] = a.free[i] & b.free[i];
  both.is_held = a.is_held & b.is_held;
  return both;
}

context_table::context_table() {
  for (context_mask& numbers : free_) numbers.fill(~std::uint64_t{0});
  for (const context_number reserved : {world_context, self_context, group_context}) take(reserved);
}

context_number context_table::take_single() {
  const std::lock_guard lock(mutex_);
  const int place = lowest_free(part(context_part::single));
  if (place < 0) {
    throw call_error(error_class::other,
                     "the rank has " + std::to_string(contexts_per_part) + " communicators of one rank already");
  }
  const auto number = numbered(context_part::single, place);
  take(number);
  return number;
}

void context_table::release(context_number number) {
  const std::lock_guard lock(mutex_);
  word_of(number) |= bit_of(static_cast<std::uint32_t>(number));
}

int context_table::used() const {
  const std::lock_guard lock(mutex_);
  int count = 0;
  for (const context_mask& numbers : free_) {
    for (const std::uint64_t word : numbers) count += std::popcount(~word);
  }
  return count;
}

void context_table::take(context_number number) { word_of(number) &= ~bit_of(static_cast<std::uint32_t>(number)); }

context_number context_table::numbered(context_part which, int place) {
  return context_number(static_cast<std::uint32_t>(which) * contexts_per_part + static_cast<std::uint32_t>(place));
}

std::uint64_t& context_table::word_of(context_number number) {
  const auto value = static_cast<std::uint32_t>(number);
  return free_[value / contexts_per_part][value % contexts_per_part / word_bits];
}

}  // namespace stretto::ranks

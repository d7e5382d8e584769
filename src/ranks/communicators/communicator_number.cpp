// communicator_number.cpp - free numbers as bits.
#include "ranks/communicators/communicator_number.hpp"

#include <bit>
#include <string>

#include "ranks/call_error.hpp"

namespace stretto::ranks {

namespace {

constexpr int word_bits = 64;

std::uint64_t bit_of(std::uint32_t place) { return std::uint64_t{1} << (place % word_bits); }

}  // namespace

int lowest_free(const number_mask& numbers) {
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] != 0) return static_cast<int>(i) * word_bits + std::countr_zero(numbers[i]);
  }
  return -1;
}

number_offer combined(const number_offer& a, const number_offer& b) {
  number_offer both;
  for (std::size_t i = 0; i < both.free.size(); ++i) both.free[i] = a.free[i] & b.free[i];
  both.is_held = a.is_held & b.is_held;
  return both;
}

number_table::number_table() {
  for (number_mask& numbers : free_) numbers.fill(~std::uint64_t{0});
  for (const communicator_number reserved : {world_number, self_number, creation_number}) take(reserved);
}

communicator_number number_table::take_single() {
  const std::lock_guard lock(mutex_);
  const int place = lowest_free(part(number_part::single));
  if (place < 0) {
    throw call_error(error_class::other,
                     "the rank has " + std::to_string(numbers_per_part) + " communicators of one rank already");
  }
  const auto number = numbered(number_part::single, place);
  take(number);
  return number;
}

void number_table::release(communicator_number number) {
  const std::lock_guard lock(mutex_);
  word_of(number) |= bit_of(static_cast<std::uint32_t>(number));
}

int number_table::used() const {
  const std::lock_guard lock(mutex_);
  int count = 0;
  for (const number_mask& numbers : free_) {
    for (const std::uint64_t word : numbers) count += std::popcount(~word);
  }
  return count;
}

void number_table::take(communicator_number number) { word_of(number) &= ~bit_of(static_cast<std::uint32_t>(number)); }

communicator_number number_table::numbered(number_part which, int place) {
  return communicator_number(static_cast<std::uint32_t>(which) * numbers_per_part + static_cast<std::uint32_t>(place));
}

std::uint64_t& number_table::word_of(communicator_number number) {
  const auto value = static_cast<std::uint32_t>(number);
  return free_[value / numbers_per_part][value % numbers_per_part / word_bits];
}

}  // namespace stretto::ranks

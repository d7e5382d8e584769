// number_agreement.cpp - holds a part of a rank's numbers during a round.
#include "ranks/communicators/number_agreement.hpp"

#include <utility>

namespace stretto::ranks {

namespace {

enum kind : std::uint32_t { collective, of_group, of_sides };

std::uint32_t value(communicator_number number) { return static_cast<std::uint32_t>(number); }
std::uint32_t value(world_rank rank) { return static_cast<std::uint32_t>(rank); }

std::uint64_t joined(std::uint32_t high, std::uint32_t low) { return std::uint64_t{high} << 32 | low; }

}  // namespace

agreement_key key_of_collective(communicator_number parent, std::uint32_t call) {
  return {joined(collective, value(parent)), call, 0};
}

agreement_key key_of_group(communicator_number parent, int tag) {
  return {joined(of_group, value(parent)), static_cast<std::uint32_t>(tag), 0};
}

agreement_key key_of_sides(const intercommunicator_side& one, const intercommunicator_side& other) {
  if (other.leader < one.leader) return key_of_sides(other, one);
  return {joined(of_sides, 0), joined(value(one.local), value(other.local)),
          joined(value(one.leader), value(other.leader))};
}

number_agreement::~number_agreement() {
  const std::lock_guard lock(table_->mutex_);
  leave();
}

number_offer number_agreement::start_round() {
  const std::lock_guard lock(table_->mutex_);
  bool& is_held = table_->is_held_[static_cast<std::size_t>(part_)];
  const bool is_first = part_ == number_part::first_round || *table_->waiting_.begin() == key_;
  number_offer offer;
  if (is_held || !is_first) return offer;
  is_held = is_holding_ = true;
  offer.free = table_->part(part_);
  offer.is_held = ~std::uint64_t{0};
  return offer;
}

agreement_outcome number_agreement::end_round(const number_offer& combined) {
  const std::lock_guard lock(table_->mutex_);
  const int place = lowest_free(combined.free);
  if (place >= 0) {
    number_ = number_table::numbered(part_, place);
    table_->take(number_);
    leave();
    return agreement_outcome::agreed;
  }
  const bool is_exhausted = part_ == number_part::later_rounds && combined.is_held != 0;
  leave();
  if (is_exhausted) return agreement_outcome::exhausted;
  part_ = number_part::later_rounds;
  table_->waiting_.insert(key_);
  return agreement_outcome::another_round;
}

void number_agreement::leave() {
  if (std::exchange(is_holding_, false)) table_->is_held_[static_cast<std::size_t>(part_)] = false;
  if (part_ != number_part::later_rounds) return;
  const auto entry = table_->waiting_.find(key_);
  if (entry != table_->waiting_.end()) table_->waiting_.erase(entry);
}

}  // namespace stretto::ranks

// schedule.cpp - appends steps and allocates temporaries.
#include "ranks/collectives/schedule.hpp"

#include <algorithm>

#include "ranks/datatypes/checked_number.hpp"

namespace stretto::ranks {

namespace {

constexpr std::size_t alignment_of_temporaries = 64;
constexpr std::size_t least_block = 4096;            // bytes
constexpr std::size_t largest_kept_block = 1 << 16;  // bytes

}  // namespace

transfer_number schedule::send(peer_rank to, const data_part& data) {
  steps_.emplace_back(transfer_step{transfer_step::direction::send, transfers_, to, data});
  return transfers_++;
}

transfer_number schedule::receive(peer_rank from, const data_part& data) {
  steps_.emplace_back(transfer_step{transfer_step::direction::receive, transfers_, from, data});
  return transfers_++;
}

void schedule::wait_all() {
  if (waited_ == transfers_) return;
  steps_.emplace_back(wait_step{waited_, transfers_});
  waited_ = transfers_;
}

void schedule::copy(const data_part& to, const data_part& from) {
  if (to.bytes() > 0 && from.bytes() > 0) steps_.emplace_back(copy_step{to, from});
}

void schedule::combine(const void* in, void* inout, std::int64_t count) {
  if (count > 0) steps_.emplace_back(combine_step{in, inout, count});
}

void schedule::keep(const datatype& type) {
  if (!type.is_predefined()) types_.emplace_back(&type);
}

std::byte* schedule::temporary(std::int64_t bytes) {
  constexpr std::size_t unit = alignment_of_temporaries;
  const std::size_t needed = (static_cast<std::size_t>(bytes) + unit - 1) / unit * unit;
  if (needed > free_bytes_) {
    const std::size_t capacity = std::max(needed, least_block);
    blocks_.push_back({std::make_unique_for_overwrite<std::byte[]>(capacity + unit), capacity});
    use_block(blocks_.back());
  }
  free_bytes_ -= needed;
  return std::exchange(free_, free_ + needed);
}

std::byte* schedule::temporary(std::int64_t count, const datatype& type) {
  if (count == 0 || type.size() == 0) return temporary(0);
  const std::int64_t all_but_one = product(count - 1, type.extent());
  const std::int64_t bytes = sum(type.true_extent(), all_but_one < 0 ? -all_but_one : all_but_one);
  const std::int64_t lowest = type.bounds().true_lb + std::min<std::int64_t>(all_but_one, 0);
  return temporary(bytes) - lowest;
}

void schedule::clear() {
  steps_.clear();
  transfers_ = waited_ = 0;
  combiner_.reset();
  types_.clear();
  const bool keeps_first = !blocks_.empty() && blocks_.front().bytes <= largest_kept_block;
  blocks_.resize(keeps_first ? 1 : 0);
  free_ = nullptr;
  free_bytes_ = 0;
  if (keeps_first) use_block(blocks_.front());
}

void schedule::use_block(const memory_block& block) {
  void* first = block.memory.get();
  free_bytes_ = block.bytes + alignment_of_temporaries;
  free_ = static_cast<std::byte*>(std::align(alignment_of_temporaries, block.bytes, first, free_bytes_));
}

}  // namespace stretto::ranks

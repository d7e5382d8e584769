#include "data/block_allocator.hpp"

#include <algorithm>
#include <utility>

namespace stretto::data {

namespace {
constexpr std::size_t descriptors_per_chunk = 128;
}

block_allocator::block_allocator(std::uint64_t capacity, std::uint64_t own_grain)
    : own_grain_(own_grain), capacity_(capacity / own_grain * own_grain) {
  if (capacity_ == 0) return;
  block* all = new_descriptor();
  *all = {0, capacity_, nullptr, nullptr, nullptr, nullptr, block::state::free};
  lowest_ = all;
  insert_free(*all);
}

block* block_allocator::new_descriptor() {
  if (!spare_) {
    chunks_.reserve(chunks_.size() + 1);
    chunks_.push_back(std::make_unique<block[]>(descriptors_per_chunk));
    for (std::size_t i = 0; i < descriptors_per_chunk; ++i) {
      chunks_.back()[i].next = spare_;
      spare_ = &chunks_.back()[i];
    }
  }
  block* b = spare_;
  spare_ = b->next;
  return b;
}

// Level 0 has one class for each size below `steps` grains. Each further level is a power of two with `steps` classes.
block_allocator::size_class block_allocator::class_of(std::uint64_t bytes) noexcept {
  const std::uint64_t grains = bytes / grain;
  if (grains < steps) return {0, static_cast<unsigned>(grains)};
  const unsigned high = 63 - static_cast<unsigned>(std::countl_zero(grains));
  return {high - 3, static_cast<unsigned>(grains >> (high - 4)) - steps};
}

void block_allocator::insert_free(block& b) noexcept {
  const auto [level, step] = class_of(b.bytes);
  block*& head = free_[level][step];
  b.is = block::state::free;
  b.previous = nullptr;
  b.next = head;
  if (head) head->previous = &b;
  head = &b;
  steps_in_use_[level] |= 1u << step;
  levels_in_use_ |= std::uint64_t{1} << level;
}

void block_allocator::remove_free(block& b) noexcept {
  if (b.next) b.next->previous = b.previous;
  if (b.previous) {
    b.previous->next = b.next;
    return;
  }
  const auto [level, step] = class_of(b.bytes);
  free_[level][step] = b.next;
  if (b.next) return;
  steps_in_use_[level] &= ~(1u << step);
  if (steps_in_use_[level] == 0) levels_in_use_ &= ~(std::uint64_t{1} << level);
}

block* block_allocator::find(std::uint64_t bytes) noexcept {
  const auto own = class_of(bytes);
  // Any block of a higher class is long enough; the bit masks find one in constant time.
  std::uint32_t in_level = own.step + 1 < steps ? steps_in_use_[own.level] & (~0u << (own.step + 1)) : 0;
  unsigned level = own.level;
  // At level 0 all blocks of a class have the same size. At other levels, try the first block of the own class.
  if (block* head = free_[own.level][own.step]; head && head->bytes >= bytes) return head;
  if (!in_level) {
    const std::uint64_t above = own.level + 1 < levels ? levels_in_use_ & (~std::uint64_t{0} << (own.level + 1)) : 0;
    if (above) {
      level = static_cast<unsigned>(std::countr_zero(above));
      in_level = steps_in_use_[level];
    }
  }
  if (in_level) return free_[level][static_cast<unsigned>(std::countr_zero(in_level))];
  for (block* b = free_[own.level][own.step]; b; b = b->next)
    if (b->bytes >= bytes) return b;
  return nullptr;
}

block* block_allocator::allocate(std::uint64_t bytes, side from) {
  if (bytes > capacity_) return nullptr;
  bytes = taken_by(bytes);
  if (bytes <= max_parked_bytes && from == side::front)
    if (block*& head = parked_[bytes / grain - 1]) {
      block* b = head;
      head = b->next;
      --parked_count_;
      b->is = block::state::used;
      b->destruction_ticket = 0;
      used_ += bytes;
      return b;
    }
  block* b = find(bytes);
  if (!b && parked_count_) {
    merge_parked();
    b = find(bytes);
  }
  if (!b) return nullptr;
  if (b->bytes > bytes) {
    block* rest = cut(*b, from == side::front ? bytes : b->bytes - bytes);
    if (from == side::back) std::swap(b, rest);
    insert_free(*rest);
  } else {
    remove_free(*b);
  }
  b->is = block::state::used;
  b->destruction_ticket = 0;
  used_ += b->bytes;
  return b;
}

/// Removes a free block from its list and cuts it: `b` keeps `first` bytes. Returns the rest as a new block. Neither is
/// in a list afterwards.
block* block_allocator::cut(block& b, std::uint64_t first) {
  block* const rest = new_descriptor();
  remove_free(b);
  *rest = {b.offset + first, b.bytes - first, &b, b.behind, nullptr, nullptr, block::state::free};
  if (b.behind) b.behind->before = rest;
  b.behind = rest;
  b.bytes = first;
  return rest;
}

block* block_allocator::allocate_at(std::uint64_t offset, std::uint64_t bytes) {
  if (bytes > capacity_ || offset > capacity_ - bytes || offset % own_grain_ != 0) return nullptr;
  bytes = taken_by(bytes);
  merge_parked();
  block* b = lowest_;
  while (b && b->offset + b->bytes <= offset) b = b->behind;
  if (!b || b->is != block::state::free || b->offset + b->bytes - offset < bytes) return nullptr;
  if (b->offset < offset) {
    block* const rest = cut(*b, offset - b->offset);
    insert_free(*b);
    insert_free(*rest);
    b = rest;
  }
  if (b->bytes > bytes) insert_free(*cut(*b, bytes));
  else remove_free(*b);
  b->is = block::state::used;
  b->destruction_ticket = 0;
  used_ += b->bytes;
  return b;
}

void block_allocator::allocate_free(std::uint64_t offset, std::uint64_t bytes, std::vector<block*>& out) {
  merge_parked();
  const std::uint64_t end = std::min(capacity_, offset + taken_by(bytes));
  for (const block* b = lowest_; b && b->offset < end;) {
    const block* const behind = b->behind;  // a cut leaves free space behind it, outside of the range
    const std::uint64_t from = std::max(b->offset, offset), to = std::min(b->offset + b->bytes, end);
    if (b->is == block::state::free && from < to) out.push_back(allocate_at(from, to - from));
    b = behind;
  }
}

bool block_allocator::is_free_before(std::uint64_t ticket, std::uint64_t offset, std::uint64_t bytes) const noexcept {
  for (const block* b = lowest_; b && b->offset < offset + bytes; b = b->behind) {
    const bool stays = b->is == block::state::used && (b->destruction_ticket == 0 || b->destruction_ticket >= ticket);
    if (stays && b->offset + b->bytes > offset) return false;
  }
  return true;
}

block* block_allocator::allocate_last(std::uint64_t bytes) {
  if (bytes > capacity_) return nullptr;
  bytes = taken_by(bytes);
  merge_parked();
  const block* last = nullptr;
  for (const block* b = lowest_; b; b = b->behind)
    if (b->is == block::state::free && b->bytes >= bytes) last = b;
  return last ? allocate_at(last->offset + last->bytes - bytes, bytes) : nullptr;
}

void block_allocator::free(block& b) noexcept {
  used_ -= b.bytes;
  if (b.bytes <= max_parked_bytes && parked_count_ < max_parked_blocks) {
    b.is = block::state::parked;
    block*& head = parked_[b.bytes / grain - 1];
    b.next = head;
    head = &b;
    ++parked_count_;
    return;
  }
  merge_and_insert(b);
}

void block_allocator::merge_and_insert(block& b) noexcept {
  const auto append = [this](block& to, block& removed) {
    to.bytes += removed.bytes;
    to.behind = removed.behind;
    if (removed.behind) removed.behind->before = &to;
    removed.next = spare_;
    spare_ = &removed;
  };
  if (block* behind = b.behind; behind && behind->is == block::state::free) {
    remove_free(*behind);
    append(b, *behind);
  }
  if (block* before = b.before; before && before->is == block::state::free) {
    remove_free(*before);
    append(*before, b);
    insert_free(*before);
    return;
  }
  insert_free(b);
}

void block_allocator::merge_parked() noexcept {
  for (block*& head : parked_)
    while (block* b = head) {
      head = b->next;
      merge_and_insert(*b);
    }
  parked_count_ = 0;
}

std::uint64_t block_allocator::largest_free() noexcept {
  merge_parked();
  if (!levels_in_use_) return 0;
  const unsigned level = 63 - static_cast<unsigned>(std::countl_zero(levels_in_use_));
  const unsigned step = 31 - static_cast<unsigned>(std::countl_zero(steps_in_use_[level]));
  std::uint64_t largest = 0;
  for (block* b = free_[level][step]; b; b = b->next) largest = std::max(largest, b->bytes);
  return largest;
}

std::uint64_t block_allocator::longest_free_run(std::uint64_t ticket) const noexcept {
  std::uint64_t longest = 0, run = 0;
  for (const block* b = lowest_; b; b = b->behind) {
    const bool available =
        b->is != block::state::used || (b->destruction_ticket != 0 && b->destruction_ticket < ticket);
    run = available ? run + b->bytes : 0;
    longest = std::max(longest, run);
  }
  return longest;
}

}  // namespace stretto::data

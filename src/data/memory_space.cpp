#include "data/memory_space.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace stretto::data {

memory_space::memory_space(place where, std::string name, place_kind kind, std::uint64_t capacity)
    : where_(where), kind_(kind), name_(std::move(name)), range_(capacity), blocks_(range_.capacity()) {
  announced_.next = announced_.previous = &announced_;
}

memory_space::memory_space(place where, std::string name, place_kind kind, std::byte* first, std::uint64_t bytes)
    : where_(where), kind_(kind), name_(std::move(name)), range_(first, bytes), blocks_(range_.capacity()) {
  announced_.next = announced_.previous = &announced_;
}

memory_space::memory_space(place where, std::string name, place_kind kind, const std::filesystem::path& folder)
    : where_(where), kind_(kind), name_(std::move(name)), range_(folder), blocks_(range_.capacity()) {
  announced_.next = announced_.previous = &announced_;
}

memory_space::memory_space(place where, std::string name, place_kind kind, device::device& of)
    : where_(where), kind_(kind), name_(std::move(name)), device_(&of), range_(of.memory(), of.about().memory_bytes),
      blocks_(range_.capacity(), block_allocator::rounded(of.about().alignment)) {
  announced_.next = announced_.previous = &announced_;
}

void memory_space::lock_pages_for(std::vector<device::device*> who, std::uint64_t most) {
  locked_.emplace(std::move(who), blocks_, range_, std::min(most, blocks_.capacity()));
}

bool memory_space::grant(creation& c) {
  if (waiting_ && waiting_->ticket < c.ticket) return grant_beside_waiting(c);
  return grant(c, block_allocator::side::front);
}

// The first in line must still find its place once those it waits for are gone. A later creation takes the back of a
// free block, which leaves the longer stretches whole.
bool memory_space::grant_beside_waiting(creation& c) {
  if (is_promised_away(c)) return false;
  const creation& first = *waiting_;
  const std::uint64_t needs = taken_by(first.bytes);
  const bool was_possible = blocks_.longest_stretch(first.ticket) >= needs;
  if (!grant(c, block_allocator::side::back)) return false;
  if (!was_possible || blocks_.longest_stretch(first.ticket) >= needs) return true;
  give_back(*std::exchange(c.held, nullptr));
  c.is = creation::outcome::waiting;
  return false;
}

bool memory_space::grant(creation& c, block_allocator::side from) {
  block* b = nullptr;
  refusal_ = nullptr;
  try {
    if (c.at.offset) b = blocks_.allocate_at(*c.at.offset, c.bytes);
    if (c.at.is_at_end && device_) b = blocks_.allocate_last(c.bytes);
    if (!b) b = blocks_.allocate(c.bytes, from);
  } catch (const std::bad_alloc&) {
    return false;
  }
  if (!b) return false;
  bool can_be_used = range_.commit(b->offset + b->bytes);
  if (can_be_used && device_) {
    try {
      device_->allocated(address_of(*b), b->bytes);
    } catch (const std::exception&) {
      refusal_ = std::current_exception();
      can_be_used = false;
    }
  }
  if (!can_be_used) {
    blocks_.free(*b);
    return false;
  }
  if (locked_) locked_->reach(b->offset, range_);
  c.held = b;
  c.is = creation::outcome::granted;
  peak_ = std::max(peak_, blocks_.used());
  return true;
}

void memory_space::give_back(block& held) noexcept {
  if (device_) device_->freed(address_of(held), held.bytes);
  blocks_.free(held);
}

void memory_space::refuse(creation& c) noexcept {
  c.is = creation::outcome::refused;
  c.free_bytes = blocks_.free_bytes();
  c.largest_block = blocks_.largest_free();
}

// Those that wait were promised what is free now and what earlier destructions will free; a later creation may go
// first only if that still covers them all.
bool memory_space::is_promised_away(const creation& c) const noexcept {
  std::uint64_t promised = 0, expected = blocks_.free_bytes(), last = 0;
  for (const creation* w = waiting_; w && w->ticket < c.ticket; w = w->next) {
    promised += taken_by(w->bytes);
    last = w->ticket;
  }
  if (promised == 0) return false;
  for (const destruction* d = announced_.next; d != &announced_ && d->ticket < last; d = d->next)
    expected += d->bytes;
  return taken_by(c.bytes) + promised > expected;
}

block* memory_space::try_create(std::uint64_t bytes, const wish& at) {
  std::scoped_lock lock(mutex_);
  creation c;
  c.bytes = bytes;
  c.at = at;
  c.ticket = ~std::uint64_t{0};
  return grant(c) ? c.held : nullptr;
}

creation::outcome memory_space::create(creation& c) {
  std::scoped_lock lock(mutex_);
  const bool may_wait = announced_.next != &announced_ && announced_.next->ticket < c.ticket;
  if (grant(c)) return c.is;
  if (!may_wait) {
    refuse(c);
    return c.is;
  }
  creation** at = &waiting_;
  while (*at && (*at)->ticket < c.ticket) at = &(*at)->next;
  c.next = *at;
  *at = &c;
  return c.is = creation::outcome::waiting;
}

void memory_space::announce(destruction& d, block* held) {
  std::scoped_lock lock(mutex_);
  if (held) held->leaves_with = d.ticket;
  destruction* before = announced_.previous;  // tickets mostly arrive in order
  while (before != &announced_ && before->ticket > d.ticket) before = before->previous;
  d.previous = before;
  d.next = before->next;
  before->next->previous = &d;
  before->next = &d;
}

creation* memory_space::destroy(block* held, destruction* announced) noexcept {
  std::scoped_lock lock(mutex_);
  if (announced) {
    announced->previous->next = announced->next;
    announced->next->previous = announced->previous;
  }
  if (held) give_back(*held);
  return waiting_ ? resolve_waiting() : nullptr;
}

creation* memory_space::resolve_waiting() noexcept {
  const std::uint64_t oldest = announced_.next == &announced_ ? ~std::uint64_t{0} : announced_.next->ticket;
  creation* resolved = nullptr;
  creation** last = &resolved;
  for (creation** at = &waiting_; *at;) {
    creation& c = **at;
    const bool may_wait = oldest < c.ticket;
    if (!grant(c)) {
      if (may_wait) {
        at = &c.next;
        continue;
      }
      refuse(c);
    }
    *at = c.next;
    c.next = nullptr;
    *last = &c;
    last = &c.next;
  }
  return resolved;
}

void memory_space::join_free() noexcept {
  std::scoped_lock lock(mutex_);
  blocks_.settle();
}

std::exception_ptr memory_space::refusal() {
  std::scoped_lock lock(mutex_);
  return refusal_;
}

memory_usage memory_space::usage() {
  std::scoped_lock lock(mutex_);
  return {blocks_.capacity(), blocks_.used(),     blocks_.free_bytes(),
          blocks_.largest_free(), range_.committed(), peak_};
}

}  // namespace stretto::data

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
    : where_(where),
      kind_(kind),
      name_(std::move(name)),
      device_(&of),
      range_(of.memory(), of.about().memory_bytes),
      blocks_(range_.capacity(), block_allocator::rounded(of.about().alignment)) {
  announced_.next = announced_.previous = &announced_;
}

void memory_space::lock_pages_for(std::vector<device::device*> devices, std::uint64_t most) {
  locked_.emplace(std::move(devices), blocks_, range_, std::min(most, blocks_.capacity()));
}

bool memory_space::grant(creation& c) { return c.is_planned ? grant_planned(c) : grant_anywhere(c); }

const creation* memory_space::first_waiting_anywhere(std::uint64_t before) const noexcept {
  for (const creation* w = waiting_; w && w->ticket < before; w = w->next)
    if (!w->is_planned) return w;
  return nullptr;
}

/// Reserves the free blocks in the planned range. Only planned creations compete for it, and their ranges differ.
bool memory_space::grant_planned(creation& c) {
  release_reserved(c);
  try {
    if (assign(c, blocks_.allocate_at(*c.at.offset, c.bytes))) return true;
    if (c.is == creation::outcome::waiting) blocks_.allocate_free(*c.at.offset, c.bytes, c.reserved);
  } catch (const std::bad_alloc&) {
    return false;
  }
  for (block* const b : c.reserved) b->destruction_ticket = c.ticket;
  return false;
}

void memory_space::release_reserved(creation& c) noexcept {
  for (block* const b : c.reserved) blocks_.free(*b);
  c.reserved.clear();
}

bool memory_space::grant_anywhere(creation& c) {
  if (const creation* const first = first_waiting_anywhere(c.ticket)) return grant_ahead_of_waiting(c, *first);
  if (waiting_ && is_promised_to_others(c)) return false;
  try {
    if (c.at.is_at_end && device_ && assign(c, blocks_.allocate_last(c.bytes))) return true;
    return assign(c, blocks_.allocate(c.bytes, block_allocator::side::front));
  } catch (const std::bad_alloc&) {
    return false;
  }
}

// The first waiting creation must still fit once the destructions it waits for are done. A later creation takes the
// back of a free block, so that long runs stay whole.
bool memory_space::grant_ahead_of_waiting(creation& c, const creation& first) {
  if (is_promised_to_others(c)) return false;
  const std::uint64_t needs = taken_by(first.bytes);
  const bool was_possible = blocks_.longest_free_run(first.ticket) >= needs;
  try {
    if (!assign(c, blocks_.allocate(c.bytes, block_allocator::side::back))) return false;
  } catch (const std::bad_alloc&) {
    return false;
  }
  if (!was_possible || blocks_.longest_free_run(first.ticket) >= needs) return true;
  free_block(*std::exchange(c.held, nullptr));
  c.is = creation::outcome::waiting;
  return false;
}

/// Assigns the block to the creation, if the system and the device have memory for it.
bool memory_space::assign(creation& c, block* b) {
  refusal_ = nullptr;
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
  if (c.at.offset && c.instance) record_planned(c);
  peak_ = std::max(peak_, blocks_.used());
  return true;
}

/// The destruction of the instance may have been announced already, or be announced before its owner knows the block.
void memory_space::record_planned(const creation& c) noexcept {
  for (const destruction* d = announced_.next; d != &announced_; d = d->next)
    if (d->instance == c.instance) c.held->destruction_ticket = d->ticket;
  try {
    planned_.emplace_back(c.instance, c.held);
  } catch (const std::bad_alloc&) {  // then no creation waits for its addresses
  }
}

void memory_space::free_block(block& held) noexcept {
  if (!planned_.empty()) std::erase_if(planned_, [&](const auto& p) { return p.second == &held; });
  if (device_) device_->freed(address_of(held), held.bytes);
  blocks_.free(held);
}

/// No destruction is left to wait for: the creation takes any addresses.
creation::outcome memory_space::stop_waiting(creation& c) noexcept {
  release_reserved(c);
  const bool was_planned = std::exchange(c.is_planned, false);
  if (!(was_planned && grant_anywhere(c))) refuse(c);
  return c.is;
}

void memory_space::refuse(creation& c) noexcept {
  c.is = creation::outcome::refused;
  c.free_bytes = blocks_.free_bytes();
  c.largest_block = blocks_.largest_free();
}

/// Without the blocks that it has reserved.
std::uint64_t memory_space::still_needed(const creation& c) const noexcept {
  std::uint64_t has = 0;
  for (const block* const b : c.reserved) has += b->bytes;
  return taken_by(c.bytes) - has;
}

// Waiting creations were promised the memory free now, and that of earlier destructions. A later creation may go first
// only if the rest still covers them all.
bool memory_space::is_promised_to_others(const creation& c) const noexcept {
  std::uint64_t promised = 0, expected = blocks_.free_bytes(), last = 0;
  for (const creation* w = waiting_; w && w->ticket < c.ticket; w = w->next) {
    promised += still_needed(*w);
    last = w->ticket;
  }
  if (promised == 0) return false;
  for (const destruction* d = announced_.next; d != &announced_ && d->ticket < last; d = d->next) expected += d->bytes;
  return still_needed(c) + promised > expected;
}

block* memory_space::try_create(std::uint64_t bytes, const placement_hint& at) {
  std::scoped_lock lock(mutex_);
  creation c;
  c.bytes = bytes;
  c.at = at;
  c.ticket = ~std::uint64_t{0};
  c.is = creation::outcome::refused;  // unless it is granted: it never waits
  c.is_planned = at.offset.has_value();
  return grant(c) ? c.held : nullptr;
}

creation::outcome memory_space::create(creation& c) {
  std::scoped_lock lock(mutex_);
  const bool may_wait = announced_.next != &announced_ && announced_.next->ticket < c.ticket;
  c.is_planned = c.at.offset && blocks_.is_free_before(c.ticket, *c.at.offset, c.bytes);
  if (grant(c)) return c.is;
  if (!may_wait) return stop_waiting(c);
  creation** at = &waiting_;
  while (*at && (*at)->ticket < c.ticket) at = &(*at)->next;
  c.next = *at;
  *at = &c;
  return c.is = creation::outcome::waiting;
}

void memory_space::announce(destruction& d, block* held) {
  std::scoped_lock lock(mutex_);
  for (const auto& [instance, its_block] : planned_)
    if (!held && instance == d.instance) held = its_block;
  if (held) held->destruction_ticket = d.ticket;
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
  if (held) free_block(*held);
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
      stop_waiting(c);
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
  blocks_.merge_parked();
}

bool memory_space::is_free(std::uint64_t offset, std::uint64_t bytes) {
  std::scoped_lock lock(mutex_);
  return blocks_.is_free_before(0, offset, bytes);
}

std::exception_ptr memory_space::refusal() {
  std::scoped_lock lock(mutex_);
  return refusal_;
}

memory_usage memory_space::usage() {
  std::scoped_lock lock(mutex_);
  return {blocks_.capacity(), blocks_.used(), blocks_.free_bytes(), blocks_.largest_free(), range_.committed(), peak_};
}

}  // namespace stretto::data

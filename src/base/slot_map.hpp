// slot_map.hpp - a map that assigns numbers to values, with constant-time access and iteration in insertion order.
//
// A number is a slot's index and generation: the number of an erased value stays invalid when the slot is reused.
//
//     slot_map<request> all;
//     const auto number = all.add({...});
//     if (request* const r = all.find(number)) ...
//     all.erase(number);
//
// Threads     none of its own.
// Cost        add, find, erase: a few instructions; memory follows the peak number of values.
// Invariants  (1) no number is 0. (2) a value does not move. (3) a number is reused only after its slot has been
//             used 2^32 times.
// Source      generational indices, as of handles: event/event_table.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace stretto::base {

template <class T>
class slot_map {
 public:
  using number = std::uint64_t;

  slot_map() = default;
  slot_map(const slot_map&) = delete;

  number add(T&& value) {
    index at = free_;
    if (at == none) {
      at = made_;
      if (at / in_chunk == chunks_.size()) chunks_.push_back(std::make_unique<slot[]>(in_chunk));
      ++made_;
    }
    slot& s = slot_at(at);
    s.value.emplace(std::move(value));
    if (free_ == at) free_ = s.after;
    s.before = last_;
    s.after = none;
    (last_ == none ? first_ : slot_at(last_).after) = at;
    last_ = at;
    ++size_;
    return std::uint64_t{s.generation} << 32 | at;
  }
  /// Null for an erased value or an unknown number.
  T* find(number n) noexcept {
    slot* const s = slot_of(n);
    return s ? &*s->value : nullptr;
  }
  bool erase(number n) noexcept {
    slot* const s = slot_of(n);
    if (!s) return false;
    (s->before == none ? first_ : slot_at(s->before).after) = s->after;
    (s->after == none ? last_ : slot_at(s->after).before) = s->before;
    s->value.reset();
    if (++s->generation == 0) s->generation = 1;
    s->after = free_;
    free_ = static_cast<index>(n);
    --size_;
    return true;
  }
  std::size_t size() const noexcept { return size_; }
  bool is_empty() const noexcept { return !size_; }

  /// f(number, value) for each, in the order of adding; `f` may erase the one that it is given.
  template <class F>
  void for_each(F&& f) {
    for (index at = first_; at != none;) {
      slot& s = slot_at(at);
      const index after = s.after;
      f(std::uint64_t{s.generation} << 32 | at, *s.value);
      at = after;
    }
  }

 private:
  using index = std::uint32_t;
  static constexpr index none = 0xffffffff, in_chunk = 64;
  struct slot {
    std::uint32_t generation = 1;
    index before = none, after = none;  // of those that are there; after: of those that are free
    std::optional<T> value;
  };

  slot& slot_at(index at) noexcept { return chunks_[at / in_chunk][at % in_chunk]; }
  slot* slot_of(number n) noexcept {
    const auto at = static_cast<index>(n);
    if (at >= made_) return nullptr;
    slot& s = slot_at(at);
    return s.value && s.generation == n >> 32 ? &s : nullptr;
  }

  std::vector<std::unique_ptr<slot[]>> chunks_;
  index made_ = 0, first_ = none, last_ = none, free_ = none;
  std::size_t size_ = 0;
};

}  // namespace stretto::base

// key_table.hpp - values by number: for what comes and goes all the time, with no memory of its own for each.
//
// Threads     one at a time.
// Cost        find, insert and erase: a multiplication and mostly one line of the cache; it grows by doubling and never shrinks.
// Invariants  (1) at most half of the slots are taken. (2) between a key's own slot and the one that it is in none is free.
// Source      linear probing with deletion by moving back: Knuth, The Art of Computer Programming, volume 3, section 6.4.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace stretto::device {

/// Keys are any numbers but 0.
template <class T>
class key_table {
 public:
  using key = std::uint64_t;

  /// Null if it is not there. Until the next insert or erase.
  const T* find(key k) const noexcept {
    for (std::size_t i = home_of(k);; i = next(i)) {
      if (slots_[i].k == k) return &slots_[i].value;
      if (!slots_[i].k) return nullptr;
    }
  }
  /// A key that is not there yet.
  void insert(key k, const T& value) {
    if (2 * (count_ + 1) > slots_.size()) grow();
    put(k, value);
    ++count_;
  }
  void erase(key k) noexcept {
    std::size_t hole = home_of(k);
    for (; slots_[hole].k != k; hole = next(hole))
      if (!slots_[hole].k) return;
    --count_;
    // What would not be found over the hole moves into it.
    for (std::size_t i = next(hole); slots_[i].k; i = next(i)) {
      const std::size_t mask = slots_.size() - 1;
      if (((i - home_of(slots_[i].k)) & mask) < ((i - hole) & mask)) continue;
      slots_[hole] = slots_[i];
      hole = i;
    }
    slots_[hole].k = 0;
  }
  std::size_t size() const noexcept { return count_; }

 private:
  struct slot {
    key k = 0;
    T value{};
  };
  static constexpr std::size_t least = 64;

  std::size_t home_of(key k) const noexcept {
    return static_cast<std::size_t>((k * 0x9e3779b97f4a7c15u) >> (64 - std::countr_zero(slots_.size())));
  }
  std::size_t next(std::size_t i) const noexcept { return (i + 1) & (slots_.size() - 1); }
  void put(key k, const T& value) noexcept {
    std::size_t i = home_of(k);
    while (slots_[i].k) i = next(i);
    slots_[i] = {k, value};
  }
  void grow() {
    const std::vector<slot> old = std::exchange(slots_, std::vector<slot>(2 * slots_.size()));
    for (const slot& s : old)
      if (s.k) put(s.k, s.value);
  }

  std::vector<slot> slots_ = std::vector<slot>(least);
  std::size_t count_ = 0;
};

}  // namespace stretto::device

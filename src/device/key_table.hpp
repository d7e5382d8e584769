// key_table.hpp - a hash table from numbers to values without an allocation per entry, for entries that come and go
// all the time.
//
// Threads     one at a time.
// Cost        find, insert and erase: one multiplication and mostly one cache line. The table doubles when it grows
//             and never shrinks.
// Invariants  (1) at most half of the slots are used. (2) no slot between a key's home slot and its actual slot is
//             free.
// Source      linear probing with deletion by moving back: Knuth, The Art of Computer Programming, volume 3, section
//             6.4.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace stretto::device {

/// Keys are numbers other than 0.
template <class T>
class key_table {
 public:
  using key = std::uint64_t;

  /// Null if the key is absent. Valid until the next insert or erase.
  const T* find(key k) const noexcept {
    for (std::size_t i = home_of(k);; i = next(i)) {
      if (slots_[i].k == k) return &slots_[i].value;
      if (!slots_[i].k) return nullptr;
    }
  }
  /// Inserts a key that must be absent.
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
    // An entry that would not be found across the hole moves into it.
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

// object_table.hpp - a table of objects by handle: look-up takes no lock, and stale handles are refused.
//
// A handle has 16 bits of node, 24 of index, 24 of generation; the generation is odd while the object lives.
//
// Threads     any. find() takes no lock. The object may be destroyed meanwhile only by misuse, and its memory stays an
//             object of the same type until the table is destroyed.
// Cost        find: three loads.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "base/numbers.hpp"

namespace stretto::detail {

/// Object: default constructible, with `std::atomic<std::uint32_t> generation{0}`. Id: an enumeration of 64 bits.
template <class Object, class Id>
class object_table {
 public:
  static constexpr unsigned index_bits = 24, generation_bits = 24;
  static constexpr std::uint32_t index_of(Id id) noexcept {
    return static_cast<std::uint32_t>(base::value_of(id) >> generation_bits) & ((1u << index_bits) - 1);
  }
  static constexpr std::uint32_t generation_of(Id id) noexcept {
    return static_cast<std::uint32_t>(base::value_of(id)) & ((1u << generation_bits) - 1);
  }
  static constexpr std::uint16_t node_of(Id id) noexcept {
    return static_cast<std::uint16_t>(base::value_of(id) >> (index_bits + generation_bits));
  }

  /// Null if the object has been destroyed or never existed.
  Object* find(Id id) const noexcept {
    const std::uint32_t biased = index_of(id) + first_chunk;
    const unsigned chunk = std::bit_width(biased) - 1 - std::countr_zero(first_chunk);
    Object* objects = chunks_[chunk].load(std::memory_order_acquire);
    if (!objects) return nullptr;
    Object* object = objects + (biased - (first_chunk << chunk));
    return object->generation.load(std::memory_order_acquire) == generation_of(id) ? object : nullptr;
  }

  /// Takes a free object, calls `fill(object)`, and only then makes its handle valid.
  template <class Fill>
  Id create(std::uint16_t node, Fill&& fill) {
    std::scoped_lock lock(mutex_);
    std::uint32_t index;
    if (free_.empty()) {
      index = used_;
      const std::uint32_t biased = index + first_chunk;
      const unsigned chunk = std::bit_width(biased) - 1 - std::countr_zero(first_chunk);
      if (!chunks_.at(chunk).load(std::memory_order_relaxed)) {
        memory_[chunk] = std::make_unique<Object[]>(std::size_t{first_chunk} << chunk);
        chunks_[chunk].store(memory_[chunk].get(), std::memory_order_release);
      }
      free_.push_back(index);
      ++used_;
    }
    index = free_.back();
    Object& object = at(index);
    fill(object);
    free_.pop_back();
    const auto generation = object.generation.load(std::memory_order_relaxed) + 1;
    object.generation.store(generation, std::memory_order_release);
    return id_of(node, index, generation);
  }

  /// No thread may use the object any more. A slot whose generations are used up is not used again.
  void destroy(Id id) noexcept {
    std::scoped_lock lock(mutex_);
    const auto next = generation_of(id) + 1;
    at(index_of(id)).generation.store(next, std::memory_order_release);
    if (next < (1u << generation_bits) - 2) free_.push_back(index_of(id));
  }

  /// Calls each(id, object) for all live objects; none is made or destroyed meanwhile.
  template <class Each>
  void for_each(std::uint16_t node, Each&& each) {
    std::scoped_lock lock(mutex_);
    for (std::uint32_t i = 0; i < used_; ++i)
      if (const auto generation = at(i).generation.load(std::memory_order_acquire); generation & 1)
        each(id_of(node, i, generation), at(i));
  }

 private:
  static constexpr std::uint32_t first_chunk = 16;

  static constexpr Id id_of(std::uint16_t node, std::uint32_t index, std::uint32_t generation) noexcept {
    return Id{std::uint64_t{node} << (index_bits + generation_bits) | std::uint64_t{index} << generation_bits |
              generation};
  }
  Object& at(std::uint32_t index) noexcept {
    const std::uint32_t biased = index + first_chunk;
    const unsigned chunk = std::bit_width(biased) - 1 - std::countr_zero(first_chunk);
    return memory_[chunk][biased - (first_chunk << chunk)];
  }

  std::mutex mutex_;
  std::array<std::atomic<Object*>, index_bits - 4 + 1> chunks_{};
  std::array<std::unique_ptr<Object[]>, index_bits - 4 + 1> memory_;
  std::vector<std::uint32_t> free_;
  std::uint32_t used_ = 0;
};

}  // namespace stretto::detail

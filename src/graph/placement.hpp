// placement.hpp - the allocations of one buffer in the memories of one node, the memories in which each element is
// valid (holds the last written value), and the instructions that use the elements.
//
// Threads     one owner.
// Cost        O(pieces met). find scans the allocations of the memory, which are few: overlapping ones are joined.
// Invariants  (1) allocations of a memory are disjoint. (2) an element that is valid in a memory lies in one of its
//             allocations.
// Source      allocations that grow to the requested boxes: Celerity's instruction graph.
#pragma once

#include <span>
#include <vector>

#include "graph/access_fronts.hpp"
#include "graph/instruction.hpp"
#include "graph/memoized_state.hpp"
#include "graph/validity.hpp"

namespace stretto::graph {

class placement {
 public:
  struct allocation {
    allocation_id is;
    memory_number where = 0;
    box elements;
    access_fronts uses;          // by instruction number
    std::uint32_t growths = 0;   // how often the program has outgrown it and its predecessors
    std::uint64_t last_use = 0;  // in a bounded memory: the last instruction that used it
    std::uint64_t kept_for = 0;  // in a bounded memory: the round of allocations in which it must not be evicted
  };

  explicit placement(const box& elements) : elements_(elements), valid_(validity(elements)) {}

  const box& elements() const noexcept { return elements_; }

  /// The allocation in memory `m` that contains all of `where`; null if there is none. `where` must not be empty.
  allocation* find(memory_number m, const box& where);
  allocation& at(allocation_id a);
  /// The box of a new allocation for `where`. Because allocations are disjoint, it includes those that it meets. It
  /// also includes neighbours with which it forms a box.
  box box_to_allocate(memory_number m, const box& where) const;
  /// The same, with spare elements if the buffer keeps growing: an allocation that replaces one that has grown before
  /// extends beyond `where`, in each direction of growth, by half of the length of the replaced allocation. A box next
  /// to an allocation that has grown repeatedly is joined with it.
  box box_with_growth(memory_number m, const box& where) const;
  /// Removes and returns the allocations that lie within `where`.
  std::vector<allocation> remove_within(memory_number m, const box& where);
  allocation& put(allocation&& a) { return allocations_.emplace_back(std::move(a)); }
  /// Removes the allocation. Elements that are valid only there are lost.
  void drop(allocation_id a);
  std::vector<allocation>& allocations() noexcept { return allocations_; }
  const std::vector<allocation>& allocations() const noexcept { return allocations_; }

  // The calls below are memoised (memoized_state.hpp): a program that repeats itself looks their results up. A returned
  // reference is valid until the next of these calls.

  /// The parts of `where` that are valid in some memory, with these memories.
  const std::vector<valid_part>& valid(const box& where) {
    return valid_.apply({queries, 0, where},
                        [&](validity& is, std::vector<valid_part>& found) { found = is.of(where); });
  }
  /// Returns the parts of `where` that are valid only in other memories, which the caller must copy. Marks them as
  /// valid in memory `m`.
  const std::vector<valid_part>& make_valid(const box& where, memory_number m) {
    return valid_.apply({validates, m, where},
                        [&](validity& is, std::vector<valid_part>& lacking) { is.make_valid(where, m, lacking); });
  }
  /// `where` was written in memory `m`: it is valid only there.
  void written(const box& where, memory_number m) {
    valid_.apply({writes, m, where}, [&](validity& is, std::vector<valid_part>&) { is.written(where, m); });
  }
  /// `where` was copied to memory `m`: the parts that are valid anywhere are valid there, too.
  void copied(const box& where, memory_number m) {
    valid_.apply({copies, m, where}, [&](validity& is, std::vector<valid_part>&) { is.copied(where, m); });
  }

  /// Calls f(allocation&, const box& piece) for the allocations from which the parts should be copied: those of host
  /// memory, if a part is valid there.
  template <class F>
  void each_source(std::span<const valid_part> parts, F f) {
    for (const auto& [part, has] : parts)
      for (allocation& a : allocations_) {
        const box piece = a.where == nearest_of(has) ? intersection(a.elements, part) : box();
        if (!piece.is_empty()) f(a, piece);
      }
  }

  /// The number of pieces stored.
  std::size_t pieces() { return valid_.current().pieces(); }

 private:
  static constexpr std::uint32_t repeated_growth = 2;  // growths from which an allocation counts as growing repeatedly
  /// `where`, joined with an allocation next to it that has grown repeatedly, if there is one.
  box joined_with_growing(memory_number m, const box& where) const;

  box elements_;
  std::vector<allocation> allocations_;
  enum step : std::uint64_t { queries = 1, validates, writes, copies, drops };
  memoized_state<validity, std::vector<valid_part>> valid_;
};

}  // namespace stretto::graph

// placement.hpp - where on one node the elements of one buffer are: in which memories, in which allocations, and who uses these.
//
// Threads     one owner.
// Cost        O(pieces met). Finding an allocation looks at those of its memory, of which there are few: what overlaps is joined.
// Invariants  (1) allocations of a memory are disjoint. (2) an element that is valid in a memory lies in one of its allocations.
// Source      allocations that grow to the boxes that are asked for: Celerity's instruction graph.
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
    access_fronts uses;  // by numbers of instructions
    std::uint32_t grown = 0;  // how often it has, or those before it
    std::uint64_t last_use = 0;  // in a memory of bounded size: as of this instruction,
    std::uint64_t kept_for = 0;  // and it stays until this part of a task has been made
  };

  explicit placement(const box& elements) : elements_(elements), valid_(validity(elements)) {}

  const box& elements() const noexcept { return elements_; }

  /// The allocation of that memory with all of `where`, which is not empty; null if there is none.
  allocation* find(memory_number m, const box& where);
  allocation& at(allocation_id a);
  /// What an allocation that is to contain `where` has to contain, too, since allocations are disjoint: those that it meets, and those
  /// beside it with which it makes up a box.
  box box_to_allocate(memory_number m, const box& where) const;
  /// The same, with more of what has grown before: half as much along the axes along which it grows again. A part at the border of what has grown
  /// again and again makes that grow, too: the rest beside it will be asked for next.
  box box_with_growth(memory_number m, const box& where) const;
  /// Takes out those that lie within `where`.
  std::vector<allocation> take(memory_number m, const box& where);
  allocation& put(allocation&& a) { return allocations_.emplace_back(std::move(a)); }
  /// What only it has is lost.
  void drop(allocation_id a);
  std::vector<allocation>& allocations() noexcept { return allocations_; }
  const std::vector<allocation>& allocations() const noexcept { return allocations_; }

  // Who has what comes again where a program repeats itself, and is then looked up. What is returned is valid until the next of these calls.

  /// The parts of `where` that some memory has, and which do.
  const std::vector<valid_part>& valid(const box& where) {
    return valid_.apply({of, 0, where}, [&](validity& is, std::vector<valid_part>& found) { found = is.of(where); });
  }
  /// Those that other memories have and this one has not: now it has.
  const std::vector<valid_part>& take(const box& where, memory_number m) {
    return valid_.apply({takes, m, where}, [&](validity& is, std::vector<valid_part>& lacking) { is.take(where, m, lacking); });
  }
  void written(const box& where, memory_number m) {
    valid_.apply({writes, m, where}, [&](validity& is, std::vector<valid_part>&) { is.written(where, m); });
  }
  void copied(const box& where, memory_number m) {
    valid_.apply({copies, m, where}, [&](validity& is, std::vector<valid_part>&) { is.copied(where, m); });
  }

  /// Calls f(allocation&, const box& piece) for where these parts are to be read: in the host's memory, if that has them.
  template <class F>
  void each_source(std::span<const valid_part> parts, F f) {
    for (const auto& [part, has] : parts)
      for (allocation& a : allocations_) {
        const box piece = a.where == nearest_of(has) ? intersection(a.elements, part) : box();
        if (!piece.is_empty()) f(a, piece);
      }
  }

  /// Pieces remembered.
  std::size_t pieces() { return valid_.current().pieces(); }

 private:
  static constexpr std::uint32_t again = 2;
  box with_growth(memory_number m, const box& where) const;

  box elements_;
  std::vector<allocation> allocations_;
  enum step : std::uint64_t { of = 1, takes, writes, copies, loses };
  memoized_state<validity, std::vector<valid_part>> valid_;
};

}  // namespace stretto::graph

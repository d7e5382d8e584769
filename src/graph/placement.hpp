// placement.hpp - where on one node the elements of one buffer are: in which memories, in which allocations, and who uses these.
//
// Threads     one owner.
// Cost        O(pieces met). Finding an allocation looks at those of its memory, of which there are few: what overlaps is joined.
// Invariants  (1) allocations of a memory are disjoint. (2) an element that is valid in a memory lies in one of its allocations.
// Source      allocations that grow to the boxes that are asked for: Celerity's instruction graph.
#pragma once

#include <vector>

#include "geometry/region_map.hpp"
#include "graph/access_fronts.hpp"
#include "graph/instruction.hpp"

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

  explicit placement(const box& elements) : elements_(elements) {}

  const box& elements() const noexcept { return elements_; }

  /// The allocation of that memory with all of `where`, which is not empty; null if there is none.
  allocation* find(memory_number m, const box& where);
  allocation& at(allocation_id a);
  /// What an allocation that is to contain `where` has to contain, too, since allocations are disjoint: those that it meets, and those
  /// beside it with which it makes up a box.
  box room_for(memory_number m, const box& where) const;
  /// The same, with more of what has grown before: half as much along the axes along which it grows again.
  box room_to_grow(memory_number m, const box& where) const;
  /// Takes out those that lie within `where`.
  std::vector<allocation> take(memory_number m, const box& where);
  allocation& put(allocation&& a) { return allocations_.emplace_back(std::move(a)); }
  /// What only it has is lost.
  void drop(allocation_id a);
  std::vector<allocation>& allocations() noexcept { return allocations_; }
  const std::vector<allocation>& allocations() const noexcept { return allocations_; }

  /// The parts of `where` that some memory has, and which do.
  auto valid(const box& where) const { return valid_.query(where); }
  /// Calls f(allocation&, const box& piece) for where the valid parts of `where` are to be read, but those that a memory of `without` has:
  /// in the host's memory, if that has them.
  template <class F>
  void each_source(const box& where, memory_set without, F f) {
    for (const auto& [part, has] : valid_.query(where)) {
      if (has & without) continue;
      for (allocation& a : allocations_) {
        const box piece = a.where == nearest_of(has) ? intersection(a.elements, part) : box();
        if (!piece.is_empty()) f(a, piece);
      }
    }
  }
  /// Whether that memory lacks nothing of it that another has.
  bool is_valid(const box& where, memory_number m) const {
    bool all = true;
    valid_.look(where, [&](const box&, memory_set has) { return all = (has & only(m)) != 0; });
    return all;
  }
  void written(const box& where, memory_number m) { valid_.update(where, only(m)); }
  void copied(const box& where, memory_number m);

  /// Pieces remembered.
  std::size_t pieces() const noexcept { return valid_.size(); }

 private:
  box elements_;
  std::vector<allocation> allocations_;
  region_map<memory_set> valid_;
};

}  // namespace stretto::graph

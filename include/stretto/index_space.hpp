// index_space.hpp - an allocator of array elements, and element pointers that are valid in every instance.
//
//     struct vertex {
//       double value = 0;
//       element next;  // a pointer that is valid in every copy
//     };
//     double second_value(place here, place there) {
//       index_space list(1000);
//       const auto u = instance<vertex>::create(at(here), list.elements()).made;
//       const auto v = instance<vertex>::create(at(there), list.elements()).made;
//       const element last = list.allocate(), first = list.allocate();
//       wait(u.ready());
//       u.view()(last) = {2.0, {}}, u.view()(first) = {1.0, last};
//       wait(copy(u, v, list.runs()));  // the allocated elements only
//       return v.view()(v.view()(first).next).value;
//     }
//
// Threads     allocation from any thread, without a lock; only one thread may assign to an index_space.
// Cost        one compare-and-swap for an element.
// Source      element pointers that are valid in every instance: Treichler, Bauer, Aiken, "Realm", PACT 2014, "physical
//             regions", section 4.
#pragma once

#include <stretto/box.hpp>
#include <stretto/fields.hpp>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <source_location>
#include <span>
#include <vector>

STRETTO_API_BEGIN

namespace stretto {

/// A pointer to an element of an index space that is valid in every instance of it, in any memory: v(e) is the
/// element's value in view v. Plain data: elements can point to one another, and instances of pointers can be the
/// indices of a gather. A default-made one points to nothing.
struct element {
  coordinate index = -1;  // negative: points to nothing
  /// The coordinate of the element, for views.
  constexpr operator coordinate() const noexcept { return index; }
  /// Whether it points to an element.
  constexpr explicit operator bool() const noexcept { return index >= 0; }
};

/// A set of elements that are allocated and freed one by one. Instances over elements() hold their values.
///
/// A value type: a copy, also one sent to another node as an argument, has the same elements allocated and is
/// independent afterwards.
///
///   threads  any; allocation is lock-free and reuses the elements freed last. A copy made during changes has each
///            element as it was at some time during the copy. Only one thread may assign
///   cost     one compare-and-swap per element; a copy: a bit per element; a message: two numbers per run
class index_space {
 public:
  /// An index space without elements. Throws std::bad_alloc.
  index_space() : index_space(0) {}
  /// An index space of `capacity` free elements. Throws std::bad_alloc.
  explicit index_space(std::uint64_t capacity);
  /// A copy with the same elements allocated. Throws std::bad_alloc.
  index_space(const index_space& other);
  /// Becomes a copy of the other. Throws std::bad_alloc, and then changes nothing.
  index_space& operator=(const index_space& other);

  /// Allocates a free element. Throws D18 if there is none.
  element allocate(std::source_location where = std::source_location::current());
  /// Allocates a free element; nothing if there is none. Never fails otherwise.
  std::optional<element> try_allocate();
  /// Frees an allocated element. Throws D19 if it is not allocated.
  void free(element e, std::source_location where = std::source_location::current());

  /// Whether the element is allocated.
  bool contains(element e) const noexcept;
  /// The number of allocated elements.
  std::uint64_t size() const noexcept { return size_.load(std::memory_order_relaxed); }
  /// The number of elements, allocated or free.
  std::uint64_t capacity() const noexcept { return capacity_; }
  /// The box for instances of this index space: [0, capacity).
  box elements() const noexcept { return {0, static_cast<coordinate>(capacity_)}; }
  /// A snapshot of the allocated elements as ascending boxes, for copy(). Throws std::bad_alloc.
  std::vector<box> runs() const;

  /// Serialises the index space. Reading throws B40 for bytes that are no index space.
  template <class Archive>
  friend void fields(Archive& a, archived<index_space, Archive>& s) {
    std::uint64_t capacity = 0;
    std::vector<std::array<coordinate, 2>> runs;
    if constexpr (!Archive::is_reading) {
      capacity = s.capacity();
      for (const box& run : s.runs()) runs.push_back({run.min()[0], run.max()[0]});
    }
    a(capacity, runs);
    if constexpr (Archive::is_reading) s = index_space(capacity, runs);
  }

 private:
  index_space(std::uint64_t capacity, std::span<const std::array<coordinate, 2>> runs);  // throws B40

  std::uint64_t capacity_, words_;
  std::unique_ptr<std::atomic<std::uint64_t>[]> taken_;  // one bit per element
  std::atomic<std::uint64_t> hint_{0};                   // a word that had a free bit lately
  std::atomic<std::uint64_t> size_{0};
};

}  // namespace stretto

STRETTO_API_END

// index_space.hpp - elements that are allocated and freed one by one, and pointers to them that hold in every instance.
//
//     index_space nodes(1000);
//     auto here = instance<node>::create(at(ram), nodes.elements()).made;
//     element e = nodes.allocate();
//     here.view()(e) = node{};
//     nodes.free(e);
//
// Threads     allocation from any thread, without a lock; only one thread may assign to an index_space.
// Cost        one compare-and-swap for an element.
// Source      elements with pointers that hold in every instance: Treichler, Bauer, Aiken, "Realm", PACT 2014,
// "physical
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

/// A pointer to an element that holds in every instance of its index space, in any memory: v(e) is the element's value
/// there. Plain data, so that elements can point to one another and instances of pointers can be indices of a gather.
struct element {
  coordinate index = -1;
  constexpr operator coordinate() const noexcept { return index; }
  constexpr explicit operator bool() const noexcept { return index >= 0; }
};

/// A set of elements that are allocated and freed one by one, apart from where their values are kept.
///
///     index_space nodes(1000);
///     auto here = instance<node>::create(at(ram), nodes.elements()).made, there = ... ;
///     element e = nodes.allocate();
///     here.view()(e) = ...;                       // and after copy(here, there, nodes.runs()):
///     there.view()(e)                             // the same element
///
/// A value: a copy, also one that travels to another node as an argument, has the same elements allocated, and from
/// then on its own: what is allocated or freed in one changes no other.
///
/// Threads: any; allocation is lock-free and finds the places freed last. A copy of one that changes meanwhile has each
/// element as it was at some time. Only one thread may assign to it. Cost: one compare-and-swap; a copy: a bit for each
/// element; sent: two numbers for each run.
class index_space {
 public:
  index_space() : index_space(0) {}
  explicit index_space(std::uint64_t capacity);
  index_space(const index_space& other);
  index_space& operator=(const index_space& other);

  /// An element that was not allocated. Throws D18 if all are.
  element allocate(std::source_location where = std::source_location::current());
  std::optional<element> try_allocate();
  /// Throws D19 unless it is allocated.
  void free(element e, std::source_location where = std::source_location::current());

  bool contains(element e) const noexcept;
  std::uint64_t size() const noexcept { return size_.load(std::memory_order_relaxed); }
  std::uint64_t capacity() const noexcept { return capacity_; }
  /// The box that instances of this space have.
  box elements() const noexcept { return {0, static_cast<coordinate>(capacity_)}; }
  /// The allocated elements as ascending boxes, for copy: a snapshot.
  std::vector<box> runs() const;

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
  std::atomic<std::uint64_t> hint_{0};                   // a word that had room lately
  std::atomic<std::uint64_t> size_{0};
};

}  // namespace stretto

STRETTO_API_END

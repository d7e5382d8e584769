// shadow_memory.hpp - records which elements the items of a trial run read and write, and finds conflicts between
// items.
//
// A trial run computes a launch unit by unit: an item of a plain kernel, or a group. A body accesses elements through
// references, so an access is recorded before it is known whether it writes. When the item has ended, the elements
// that changed are those that it wrote. An element without a value holds a pattern when a unit first uses it. The
// caller runs each unit with two patterns: an element that changes under one of them is written, and a unit whose
// effects differ has read an element without a value.
//
// Threads     one: items run one after the other.
// Cost        16 bytes per element of a written array; a log entry per element that an item uses.
// Source      shadow memory per element, as race detectors for GPUs keep it: writer, readers, barrier intervals.
#pragma once

#include <stretto/group_scope.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace stretto {

/// The items that used an element, each given by its turn: turns number the items of the launch from 1. 0: none.
struct shadow_element {
  std::uint32_t last_use = 0, writer = 0, first_reader = 0, last_reader = 0;
};

struct shadow_array {
  shadow_memory* memory = nullptr;
  unsigned number = 0;  ///< of the parameter; or of the local_array, combined with index_out_of_range::is_local_array
  element_kind kind = element_kind::structure;
  std::uint32_t element_bytes = 0;
  std::uint32_t component_bytes = 0;  // of a short vector; 0: not a vector
  const std::byte* first = nullptr;
  std::uint32_t slot_bytes = 0;  ///< from one of `elements` to the next
  std::span<shadow_element> elements = {};
  bool has_no_values = false;    ///< no element has a value before the launch or, for group memory, before the group
  bool may_lack_values = false;  ///< elements that carry the mark of unwritten_elements.hpp have no value
  bool may_conflict = true;      ///< false: its reduction operator orders the accesses of items
  bool is_of_group = false;
};

class shadow_memory {
 public:
  explicit shadow_memory(std::int64_t items_of_group) : items_of_group_(items_of_group) {}
  shadow_memory(const shadow_memory&) = delete;

  /// Begins a unit. After roll_back it begins the same unit again, with other patterns in the first `altered`
  /// elements without values.
  void begin_unit(std::size_t altered);
  /// Ends the last item's turn.
  void end_unit();
  /// Undoes all effects of the unit.
  void roll_back();
  /// Keeps the effects; the next unit is a new one.
  void commit();

  void begin_item();
  void end_region();
  shadow_array& declare(const kernels::local_declaration& what, unsigned number, std::byte* first);
  void use(shadow_array& in, std::byte* element, const std::int64_t* at, std::size_t axes);

  struct named_element {
    unsigned array = 0;
    std::int64_t index[3] = {0, 0, 0};
    std::uint32_t turn = 0;  ///< turn of the item that used it
    const shadow_element* is = nullptr;
  };
  /// The number of elements without values that the unit used; without_value returns the n-th of them.
  std::size_t without_values() const noexcept { return without_values_; }
  named_element without_value(std::size_t n) const;

  /// The effects of a unit on arrays other than its own group memory, by address. For each element `bytes` holds its
  /// value before and then after.
  struct effects {
    struct one {
      const std::byte* at;
      std::size_t value, size;
    };
    std::vector<one> of;
    std::vector<std::byte> bytes;
  };
  effects all_effects() const;
  /// Whether two runs of a unit had the same effects: each byte has the same value now, or neither run changed it.
  static bool agree(const effects& a, const effects& b);

  /// The elements that the unit wrote, each with the writer's turn. `add` merges those of the unit's other run.
  using writers = std::vector<std::pair<shadow_element*, std::uint32_t>>;
  writers written() const;
  void add(const writers& also);

  /// Two unordered uses of one element, at least one of which writes.
  struct conflict {
    named_element element;  ///< the element, as the later turn used it
    std::uint32_t earlier = 0;
    bool earlier_writes = false, later_writes = false, is_in_group = false;
  };
  /// The first conflict; or the one at the preferred element, if there is one.
  const std::optional<conflict>& found() const noexcept { return at_preferred_ ? at_preferred_ : conflict_; }
  bool found_at_preferred() const noexcept { return at_preferred_.has_value(); }
  void forget_conflicts() noexcept { conflict_.reset(), at_preferred_.reset(); }
  void prefer(const shadow_element* e) noexcept { preferred_ = e; }

  /// The unit of a turn, and the item within its group; -1 for code that a group runs between its regions.
  struct position {
    std::int64_t unit = 0, item = -1;
  };
  position position_of(std::uint32_t turn) const;

 private:
  struct entry {
    shadow_array* array;
    shadow_element* element;
    std::byte* at;
    shadow_element before;
    std::size_t value;  // index into values_ of the previous value
    std::int64_t index[3];
    bool is_first_of_unit, had_no_value, was_marked;
  };
  struct local {
    shadow_array is;
    std::vector<shadow_element> elements;
  };

  void next_turn();
  void end_turn();
  void judge(const entry& e, bool writes);
  bool has_changed(const entry& e) const;
  named_element name(const entry& e) const;

  const std::int64_t items_of_group_;
  std::vector<std::uint32_t> units_ = {1};  // first turn of each unit
  std::uint32_t now_ = 1, region_ = 1;
  bool is_in_region_ = false;
  std::size_t altered_ = 0, without_values_ = 0;
  std::vector<entry> entries_;  // log of the current unit
  std::vector<std::byte> values_;
  std::size_t turn_begins_ = 0;  // index into entries_
  std::deque<local> locals_;
  std::size_t locals_used_ = 0;
  std::optional<conflict> conflict_, at_preferred_;
  const shadow_element* preferred_ = nullptr;
};

}  // namespace stretto

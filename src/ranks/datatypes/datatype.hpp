// datatype.hpp - an MPI datatype: what it consists of, where that lies, and how it was made.
//
// Threads     immutable after construction but for commit, which any thread may call; counts of references are atomic.
// Cost        bounds and hashes are computed once, at construction: O(blocks).
// Invariants  (1) true_lb .. true_ub covers all bytes of data; lb .. ub is one element in an array.
//             (2) a datatype keeps those that it consists of.
// Source      the definitions of type maps, bounds and extents: MPI 4.1, chapter 5.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ranks/datatypes/basic_type.hpp"
#include "ranks/datatypes/signature_hash.hpp"

namespace stretto::ranks {

class datatype;
class type_layout;

/// A counted reference to a datatype.
class datatype_ref {
 public:
  datatype_ref() = default;
  /// Counts one more reference.
  explicit datatype_ref(const datatype* type);
  datatype_ref(const datatype_ref& other) : datatype_ref(other.type_) {}
  datatype_ref(datatype_ref&& other) noexcept : type_(std::exchange(other.type_, nullptr)) {}
  datatype_ref& operator=(datatype_ref other) noexcept {
    std::swap(type_, other.type_);
    return *this;
  }
  ~datatype_ref();

  const datatype& operator*() const { return *type_; }
  const datatype* operator->() const { return type_; }
  const datatype* get() const { return type_; }
  explicit operator bool() const { return type_ != nullptr; }
  /// Gives the reference to the caller, as a handle does; adopt() takes it back.
  const datatype* release() { return std::exchange(type_, nullptr); }
  static datatype_ref adopt(const datatype* type);

 private:
  const datatype* type_ = nullptr;
};

/// How a datatype was made; the numbers are MPI's combiners.
enum class type_constructor : int {
  named = 101,
  dup,
  contiguous,
  vector,
  hvector,
  indexed,
  hindexed,
  indexed_block,
  hindexed_block,
  structure,
  subarray,
  darray,
  f90_real,
  f90_complex,
  f90_integer,
  resized,
  value_index = 117
};

/// The arguments of the call that made a datatype, in the order in which MPI_Type_get_contents returns them.
struct type_arguments {
  type_constructor constructor = type_constructor::named;
  std::vector<int> integers;
  std::vector<std::int64_t> addresses;
  std::vector<std::int64_t> large_counts;  // of functions for large counts only
  std::vector<datatype_ref> types;
};

/// Where a type map begins and ends, in bytes.
struct type_bounds {
  std::int64_t lb = 0;
  std::int64_t ub = 0;
  std::int64_t true_lb = 0;
  std::int64_t true_ub = 0;
  bool are_set = false;  // lb and ub, by a resized type within: data beyond them does not widen an element
};

/// `length` elements of a type, one after another.
struct type_block {
  std::int64_t displacement = 0;  // bytes
  std::int64_t length = 0;
  datatype_ref type;
};

/// A datatype's parts: `count` times all blocks, each time `stride` bytes further.
struct type_map {
  std::vector<type_block> blocks;
  std::int64_t count = 1;
  std::int64_t stride = 0;
};

class datatype {
 public:
  /// A basic type.
  explicit datatype(const basic_type& basic);
  /// A derived one. `bounds`, if given, replace those of the map, as for subarrays and resized types.
  datatype(type_map map, type_arguments arguments, const type_bounds* bounds = nullptr);
  datatype(const datatype&) = delete;
  datatype& operator=(const datatype&) = delete;
  ~datatype();

  const basic_type* basic() const { return basic_; }  // null for derived types
  const type_map& map() const { return map_; }
  const type_arguments& arguments() const { return arguments_; }
  const type_bounds& bounds() const { return bounds_; }
  std::int64_t size() const { return size_; }
  std::int64_t extent() const { return bounds_.ub - bounds_.lb; }
  std::int64_t true_extent() const { return bounds_.true_ub - bounds_.true_lb; }
  std::int64_t alignment() const { return alignment_; }
  /// How many basic elements one element of this type has.
  std::int64_t elements() const { return elements_; }
  const signature_hash& signature() const { return signature_; }
  /// The type of all basic elements if it is one; else null.
  const basic_type* only_basic() const { return only_basic_; }
  bool is_predefined() const { return arguments_.constructor == type_constructor::named; }

  /// Makes the layout by which data is copied; later calls return at once.
  void commit() const;
  bool is_committed() const { return layout_.load(std::memory_order_acquire) != nullptr; }
  /// The layout; the type must be committed.
  const type_layout& layout() const { return *layout_.load(std::memory_order_acquire); }

  void add_reference() const noexcept { references_.fetch_add(1, std::memory_order_relaxed); }
  void drop_reference() const noexcept;

 private:
  void add_blocks();
  void set_bounds();

  const basic_type* basic_ = nullptr;
  const basic_type* only_basic_ = nullptr;
  type_map map_;
  type_arguments arguments_;
  type_bounds bounds_;
  std::int64_t size_ = 0;
  std::int64_t alignment_ = 1;
  std::int64_t elements_ = 0;
  signature_hash signature_;
  mutable std::atomic<const type_layout*> layout_ = nullptr;
  mutable std::atomic<std::int64_t> references_ = 0;
};

inline datatype_ref::datatype_ref(const datatype* type) : type_(type) {
  if (type_) type_->add_reference();
}

inline datatype_ref::~datatype_ref() {
  if (type_) type_->drop_reference();
}

inline datatype_ref datatype_ref::adopt(const datatype* type) {
  datatype_ref ref;
  ref.type_ = type;
  return ref;
}

/// By handle: what predefined_type() has found before.
inline constinit std::array<std::atomic<const datatype*>, 0x400> found_types{};
const datatype* find_predefined_type(std::uintptr_t handle);

/// The predefined type with this handle of the ABI, committed; it lives until the process ends. Null if there is none.
inline const datatype* predefined_type(std::uintptr_t handle) {
  if (handle >= found_types.size()) return nullptr;
  const datatype* const found = found_types[handle].load(std::memory_order_acquire);
  return found ? found : find_predefined_type(handle);
}

/// MPI's name of a predefined type, as "MPI_INT"; empty for others.
std::string_view predefined_name(const datatype& type);

/// The layout of a datatype (layout_compiler.cpp). Adjacent runs become one, and runs of one length at regular
/// distances a loop; the order of the data stays. O(runs that are not regular): regular repetitions stay loops.
type_layout compile_layout(const datatype& type);

}  // namespace stretto::ranks

// kernel_group_memory.hpp - shared memory of a group on the host, and its checks.
#pragma once

#include <stretto/detail/kernel_elements.hpp>
#include <stretto/detail/kernel_loops.hpp>
#include <stretto/kernel_code.hpp>

#include <cstddef>
#include <cstdint>

STRETTO_API_BEGIN

namespace stretto {

/// The position of a checked group: the item that runs.
struct item_in_group {
  bool is_in_region = false;  ///< false: code between two regions
  std::int64_t local[3] = {0, 0, 0}, global[3] = {0, 0, 0};
};

namespace kernels {

/// Shared memory in a checked run, which checks each index.
template <class T, std::int64_t... Lengths>
class checked_local_values {
 public:
  checked_local_values(T* first, unsigned number, shadow_array* shadow) noexcept
      : first_(first), number_(number), shadow_(shadow) {}
  template <class... Index>
    requires(sizeof...(Index) == sizeof...(Lengths))
  T& operator()(Index... index) const {
    constexpr std::size_t axes = sizeof...(Lengths), shown = axes < 3 ? axes : 3;
    constexpr std::int64_t lengths[] = {Lengths...};
    const std::int64_t at[] = {static_cast<std::int64_t>(index)...};
    bool inside = true;
    std::int64_t offset = 0;
    for (std::size_t a = 0; a < axes; ++a) {
      inside = inside && at[a] >= 0 && at[a] < lengths[a];
      offset = offset * lengths[a] + at[a];
    }
    if (!inside) {
      index_out_of_range outside{index_out_of_range::is_local_array | number_, {}};
      for (std::size_t a = 0; a < shown; ++a) outside.index[a] = at[a], outside.length[a] = lengths[a];
      throw outside;
    }
    if (shadow_) note_use(*shadow_, reinterpret_cast<std::byte*>(first_ + offset), at, shown);
    return first_[offset];
  }

 private:
  T* first_;
  unsigned number_;
  shadow_array* shadow_;
};

/// Throws K02, because the group declares more memory than there is.
[[noreturn]] void scratch_exhausted(std::size_t wanted, std::size_t left);
// Trial runs call these when an item begins a region, when a region ends, and when the group declares a local_array.
void begin_item(shadow_memory& in);
void end_region(shadow_memory& in);
struct local_declaration {
  unsigned number;
  element_kind kind;
  std::uint32_t element_bytes;
  std::uint32_t component_bytes;  // of a short vector; 0: it is none
  std::size_t count;
};
shadow_array& declare_local(shadow_memory& in, const local_declaration& what, std::byte* first);

/// The same address, for which the compiler assumes no other pointers, because the memory has just been declared.
STRETTO_DETAIL_FRESH inline std::byte* fresh(std::byte* memory) noexcept { return memory; }

/// The state of a group for error messages: empty, unless the group is checked.
template <bool Checked>
struct group_memories {
  void begin_group() const noexcept {}
};
template <>
struct group_memories<true> {
  mutable item_in_group now_;
  mutable unsigned arrays_declared_ = 0;
  void begin_group() const noexcept { arrays_declared_ = 0; }
  void enter(const std::int64_t* local, const std::int64_t* global) const noexcept {
    now_.is_in_region = true;
    for (int a = 0; a < 3; ++a) now_.local[a] = local[a], now_.global[a] = global[a];
  }
  void leave() const noexcept { now_.is_in_region = false; }
};

}  // namespace kernels
}  // namespace stretto

STRETTO_API_END

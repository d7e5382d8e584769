// group_scope.hpp - the additional names in bodies of group kernels: the group, its items, regions between barriers,
// and shared memory.
//
//     STRETTO_GROUP_KERNEL(sum_of_group, (in<float> x, out<float> sums), {
//       auto part = local_array<float, 256>();
//       each_item([&](item it) { part(it.local_id(0)) = x(it.global_id(0)); });
//       for (int half = group_size(0) / 2; half > 0; half /= 2)
//         each_item([&](item it) {
//           if (it.local_id(0) < half) part(it.local_id(0)) += part(it.local_id(0) + half);
//         });
//       each_item([&](item it) { if (it.local_id(0) == 0) sums(group_id(0)) = part(0); });
//     })
//     void sums_of_groups(const object<float>& x, const object<float>& sums) {
//       launch(sum_of_group, in_groups(sums.elements(), 256), x, sums);
//     }
//
// Threads     groups run in any order and at the same time; all of them share the arrays.
// Cost        on the host, a region is a loop over the items of the group.
// Invariants  items of a group depend on one another only from region to region.
#pragma once

#include <stretto/detail/kernel_group_memory.hpp>
#include <stretto/detail/kernel_loops.hpp>
#include <stretto/kernel_code.hpp>
#include <stretto/kernel_scope.hpp>

#include <cstddef>
#include <cstdint>

STRETTO_API_BEGIN

namespace stretto::kernels {

/// One item of a group, as the function of a region gets it.
struct item {
  std::int64_t local_[3], global_[3];
  std::int64_t number_;
  /// The id of the item in its group along an axis, from 0: CUDA's threadIdx.
  std::int64_t local_id(int axis) const noexcept { return local_[axis]; }
  /// The id of the item in the launch along an axis.
  std::int64_t global_id(int axis) const noexcept { return global_[axis]; }
};

/// One value per item of a group that persists from region to region; T() at first.
template <class T>
class per_item_values {
 public:
  /// For Stretto itself; per_item<T>() makes them.
  explicit per_item_values(T* first) noexcept : first_(first) {}
  /// The value of this item.
  T& operator()(const item& it) const noexcept { return first_[it.number_]; }

 private:
  T* first_;
};

/// Shared memory of a group with a size fixed by the kernel, row-major: CUDA's __shared__ array.
template <class T, std::int64_t... Lengths>
class local_values {
 public:
  /// For Stretto itself; local_array<T, n...>() makes them.
  explicit local_values(T* first) noexcept : first_(first) {}
  /// The element at these coordinates, each from 0.
  template <class... Index>
    requires(sizeof...(Index) == sizeof...(Lengths))
  T& operator()(Index... index) const noexcept {
    std::int64_t at = 0;
    ((at = at * Lengths + static_cast<std::int64_t>(index)), ...);
    return first_[at];
  }

 private:
  T* first_;
};

/// The names in the body of a group kernel, which runs once per group.
template <bool Checked>
struct group_scope : language<Checked>, group_memories<Checked> {
  const kernel_work* launched_;
  std::int64_t id_[3];
  mutable std::byte* scratch_;
  mutable std::size_t scratch_left_;
  bool ids_are_ints_;

  using item = kernels::item;

  /// The id of this group along an axis: CUDA's blockIdx.
  std::int64_t group_id(int axis) const noexcept { return id_[axis]; }
  /// The number of items of a group along an axis: CUDA's blockDim.
  std::int64_t group_size(int axis) const noexcept { return launched_->group[axis]; }
  /// The number of groups of the launch along an axis: CUDA's gridDim.
  std::int64_t group_count(int axis) const noexcept { return launched_->all_max[axis] - launched_->all_min[axis]; }

  /// Declares one value per item that persists from region to region. Throws K02 on the host if the group has no memory
  /// left.
  template <class T>
  per_item_values<T> per_item() const {
    const auto count = static_cast<std::size_t>(launched_->group[0] * launched_->group[1] * launched_->group[2]);
    T* const first = take<T>(count);
    for (std::size_t i = 0; i < count; ++i) first[i] = T();
    return per_item_values<T>(first);
  }
  /// Declares shared memory of these lengths. Throws K02 on the host if the group has no memory left.
  template <class T, std::int64_t... Lengths>
  auto local_array() const {
    constexpr auto count = static_cast<std::size_t>((Lengths * ...));
    T* const first = take<T>(count);
    if constexpr (Checked) {
      const unsigned number = this->arrays_declared_++;
      shadow_memory* const shadow = launched_->shadow;
      const local_declaration what{number, element_kind_of<T>(), sizeof(T), component_bytes_of<T>(), count};
      return checked_local_values<T, Lengths...>(
          first, number, shadow ? &declare_local(*shadow, what, reinterpret_cast<std::byte*>(first)) : nullptr);
    } else {
      return local_values<T, Lengths...>(first);
    }
  }

  /// Calls the region for every item of the group, with a barrier after it: the items of the next region see all writes
  /// of this one. Throws, on the host, what a checked access throws: K01, K03 to K07.
  template <class Region>
  [[gnu::always_inline]] inline void each_item(Region&& region) const {
    if constexpr (Checked) {
      const std::int64_t n0 = launched_->group[0], n1 = launched_->group[1], n2 = launched_->group[2];
      for (std::int64_t n = 0; n < n0 * n1 * n2; ++n) {
        const item it = items<std::int64_t>(*this).at(n / (n1 * n2), n / n2 % n1, n % n2, n);
        this->enter(it.local_, it.global_);
        if (launched_->shadow) begin_item(*launched_->shadow);
        region(it);
      }
      this->leave();
      if (launched_->shadow) end_region(*launched_->shadow);
    } else if (ids_are_ints_) {
      items<int>(*this).run(region);
    } else {
      items<std::int64_t>(*this).run(region);
    }
  }

 private:
  // Most bodies keep ids in an int. The compiler knows that addresses are consecutive only if Int is int.
  template <class Int>
  struct items {
    std::int64_t n[3];
    Int first[3];
    int dimensions;

    [[gnu::always_inline]] explicit items(const group_scope& g) noexcept : dimensions(g.launched_->dimensions) {
      for (int a = 0; a < 3; ++a) {
        n[a] = static_cast<Int>(g.launched_->group[a]);
        first[a] = static_cast<Int>(g.id_[a] * g.launched_->group[a]);
      }
    }
    // Loops of the usual lengths need no remainder, and their invariants stay in registers: this halves the time.
    template <std::int64_t Length, class Region>
    [[gnu::always_inline]] void rows(Region&& region) const {
      for (std::int64_t i = 0; i < n[0]; ++i) {
        STRETTO_DETAIL_INDEPENDENT
        for (std::int64_t j = 0; j < Length; ++j) region(at(i, j, 0, i * Length + j));
      }
    }
    [[gnu::always_inline]] item at(std::int64_t i, std::int64_t j, std::int64_t k, std::int64_t number) const noexcept {
      return {{i, j, k},
              {first[0] + static_cast<Int>(i), first[1] + static_cast<Int>(j), first[2] + static_cast<Int>(k)},
              number};
    }
    template <class Region>
    [[gnu::always_inline]] void run(Region&& region) const {
      if (dimensions == 1) {
        STRETTO_DETAIL_INDEPENDENT
        for (std::int64_t i = 0; i < n[0]; ++i) region(at(i, 0, 0, i));
      } else if (dimensions == 2 && n[1] == 16) {
        rows<16>(region);
      } else if (dimensions == 2 && n[1] == 32) {
        rows<32>(region);
      } else if (dimensions == 2) {
        for (std::int64_t i = 0; i < n[0]; ++i) {
          STRETTO_DETAIL_INDEPENDENT
          for (std::int64_t j = 0; j < n[1]; ++j) region(at(i, j, 0, i * n[1] + j));
        }
      } else {
        for (std::int64_t i = 0; i < n[0]; ++i)
          for (std::int64_t j = 0; j < n[1]; ++j) {
            STRETTO_DETAIL_INDEPENDENT
            for (std::int64_t k = 0; k < n[2]; ++k) region(at(i, j, k, (i * n[1] + j) * n[2] + k));
          }
      }
    }
  };
  template <class T>
  T* take(std::size_t count) const {
    const std::size_t bytes = (count * sizeof(T) + 63) / 64 * 64;
    if (bytes > scratch_left_) scratch_exhausted(bytes, scratch_left_);
    auto* const first = reinterpret_cast<T*>(fresh(scratch_));
    scratch_ += bytes;
    scratch_left_ -= bytes;
    return first;
  }
};

}  // namespace stretto::kernels

STRETTO_API_END

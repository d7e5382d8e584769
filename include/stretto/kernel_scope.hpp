// kernel_scope.hpp - what the body of a kernel may name: ids, arrays, mathematics, atomics, regions of a group.
//
// The host compiles a body as a member function of a class that is derived from one of these, so that the names are
// found without a using-directive and cannot be confused with the program's own. Devices get the same names from a
// prelude.
//
// Threads     an item's own; arrays are shared by all items, which run in any order and at once.
// Cost        an element: one multiplication and one addition per axis, of which the compiler keeps those of the loop.
// Invariants  items of a launch do not depend on one another; items of a group only from region to region.
#pragma once

#include <stretto/kernel_code.hpp>
#include <stretto/reduction_operator.hpp>
#include <stretto/short_vector.hpp>

#include <bit>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

STRETTO_API_BEGIN

// Of the loop that follows: no iteration depends on another. Compilers have no common word for it.
#if defined(__clang__)
#define STRETTO_DETAIL_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define STRETTO_DETAIL_INDEPENDENT _Pragma("GCC ivdep")
#endif

// Of a kernel's loops: all that it calls becomes part of it, and its loops are worth what -O3 spends on them whatever
// the rest of the program gets. A build that does not optimise, or that is watched, stays what it is.
#if defined(__clang__) || !defined(__OPTIMIZE__) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define STRETTO_DETAIL_LOOPS [[gnu::noinline, gnu::flatten]]
#else
#define STRETTO_DETAIL_LOOPS [[gnu::noinline, gnu::flatten, gnu::optimize("O3")]]
#endif

// Of a function that returns memory to which nothing else leads, and into which no compiler looks.
#if defined(__clang__)
#define STRETTO_DETAIL_FRESH [[gnu::malloc, gnu::noinline]]
#else
#define STRETTO_DETAIL_FRESH [[gnu::malloc, gnu::noipa]]
#endif

// Of such loops: for vectors that not every processor of the architecture has. Without fused multiply-adds, which would
// round otherwise. What has them already needs nothing.
#if defined(__x86_64__) && !defined(__AVX2__)
#define STRETTO_DETAIL_WIDE [[gnu::target("avx2")]]
#else
#define STRETTO_DETAIL_WIDE
#endif

namespace stretto {

/// An element outside of an array was named; thrown by checked kernels, and turned into error K01 with the rest.
struct index_out_of_range {
  /// In `parameter`: it is an array of local_array, and the rest is its number.
  static constexpr unsigned is_local_array = 1u << 31;

  unsigned parameter;
  std::int64_t index[3];
  std::int64_t length[3] = {0, 0, 0};  ///< of a local_array; 0 beyond its axes
};

/// Where a checked group is: which of its items runs.
struct item_in_group {
  bool is_in_region = false;  ///< false: what the group does between its regions
  std::int64_t local[3] = {0, 0, 0}, global[3] = {0, 0, 0};
};

namespace kernels {

/// Whether kernels have a second function for wider vectors.
#if defined(__x86_64__) && !defined(__AVX2__)
inline constexpr bool has_wide_vectors = true;
#else
inline constexpr bool has_wide_vectors = false;
#endif

/// What may be an element of an array, or a value: a number, a bool, a short vector or a structure
/// of them that every device lays out alike.
template <class T>
concept device_type = std::is_trivially_copyable_v<T> && std::is_standard_layout_v<T> && !std::is_pointer_v<T> &&
                      !std::same_as<T, long double>;

/// Of a short vector, that of its components.
template <class T>
constexpr element_kind element_kind_of() noexcept {
  if constexpr (stretto::detail::short_vector_type<T>)
    return element_kind_of<typename stretto::detail::component<T>::type>();
  else if constexpr (std::is_floating_point_v<T>) return element_kind::floating;
  else if constexpr (std::is_integral_v<T>)
    return std::is_signed_v<T> ? element_kind::integer : element_kind::unsigned_integer;
  else return element_kind::structure;
}
/// Bytes of a component of a short vector; 0 of anything else.
template <class T>
constexpr std::uint32_t component_bytes_of() noexcept {
  if constexpr (stretto::detail::short_vector_type<T>) return sizeof(typename stretto::detail::component<T>::type);
  else return 0;
}

/// The elements of an array parameter. T is const where they are only read.
template <class T, std::size_t D, bool Checked>
class elements {
 public:
  using element = std::remove_const_t<T>;
  using pointer = T*;
  static constexpr std::size_t axes = D;

  elements() = default;
  elements(const kernel_argument& a, unsigned parameter) noexcept
      : origin_(reinterpret_cast<T*>(a.origin)), argument_(&a), parameter_(parameter) {
    for (std::size_t i = 0; i < D; ++i) stride_[i] = a.stride[i];
  }
  template <class U>
    requires(std::same_as<const U, T> && !std::is_const_v<U>)
  elements(const elements<U, D, Checked>& other) noexcept  // what may be written may be read
      : origin_(other.origin_), argument_(other.argument_), parameter_(other.parameter_) {
    for (std::size_t i = 0; i < D; ++i) stride_[i] = other.stride_[i];
  }

  template <class... Index>
    requires(sizeof...(Index) == D && (std::is_convertible_v<Index, std::int64_t> && ...))
  T& operator()(Index... index) const noexcept(!Checked) {
    const std::int64_t at[] = {static_cast<std::int64_t>(index)...};
    if constexpr (Checked) check(at);
    std::int64_t offset = 0;
    for (std::size_t i = 0; i < D; ++i) offset += at[i] * stride_[i];
    return origin_[offset];
  }

  /// Tells the compiler what the caller has seen: that the elements of the last axis are neighbours.
  void assume_dense_rows() noexcept { stride_[D - 1] = 1; }
  /// The same place by another pointer, of which the compiler knows more.
  void reach_by(T* origin) noexcept { origin_ = origin; }

 private:
  template <class, std::size_t, bool>
  friend class elements;

  void check(const std::int64_t* at) const {
    bool inside = true;
    for (std::size_t i = 0; i < D; ++i) inside = inside && at[i] >= argument_->min[i] && at[i] < argument_->max[i];
    inside = inside && (!argument_->allowed || is_allowed(*argument_->allowed, at, D));
    if (inside) {
      if (argument_->touched) note_touched(*argument_->touched, at, D);
      if (argument_->shadow) note_use(*argument_->shadow, address_of(at), at, D);
      return;
    }
    index_out_of_range outside{parameter_, {}};
    for (std::size_t i = 0; i < D; ++i) outside.index[i] = at[i];
    throw outside;
  }

  std::byte* address_of(const std::int64_t* at) const noexcept {
    std::int64_t offset = 0;
    for (std::size_t i = 0; i < D; ++i) offset += at[i] * stride_[i];
    return const_cast<std::byte*>(reinterpret_cast<const std::byte*>(origin_ + offset));
  }

  T* origin_ = nullptr;
  std::int64_t stride_[D] = {};
  const kernel_argument* argument_ = nullptr;
  unsigned parameter_ = 0;
};

/// in, out, inout or local, of plain or checked bodies.
template <class P>
concept array_parameter = requires {
  typename P::element;
  requires std::same_as<decltype(P::mode), const access>;
};

/// Which of the operators that every device has.
template <class Op>
inline constexpr fold_operator fold_of = fold_operator::none;
template <class T>
inline constexpr fold_operator fold_of<sum<T>> = fold_operator::sum;
template <class T>
inline constexpr fold_operator fold_of<product<T>> = fold_operator::product;
template <class T>
inline constexpr fold_operator fold_of<minimum<T>> = fold_operator::minimum;
template <class T>
inline constexpr fold_operator fold_of<maximum<T>> = fold_operator::maximum;
template <class T>
inline constexpr fold_operator fold_of<bit_and<T>> = fold_operator::bit_and;
template <class T>
inline constexpr fold_operator fold_of<bit_or<T>> = fold_operator::bit_or;
template <class T>
inline constexpr fold_operator fold_of<bit_xor<T>> = fold_operator::bit_xor;

/// One of the program's own, of STRETTO_DEVICE_OPERATOR.
template <class Op>
concept own_operator = requires {
  { Op::for_devices() } -> std::same_as<const device_operator&>;
};

/// Combines one value into an element that others combine into at the same time.
template <class Op, class T>
inline void fold_atomically(T* at, T by) noexcept {
  if constexpr (own_operator<Op>) {
    stretto::detail::fold_atomically<Op>(*at, by);
  } else if constexpr (fold_of<Op> == fold_operator::sum && std::is_integral_v<T>) {
    __atomic_fetch_add(at, by, __ATOMIC_RELAXED);
  } else {
    using word = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    auto* const place = reinterpret_cast<word*>(at);
    word old = __atomic_load_n(place, __ATOMIC_RELAXED), next;
    do {
      T value = std::bit_cast<T>(old);
      Op::fold(value, by);
      next = std::bit_cast<word>(value);
      if (next == old) return;  // most of those for a least or greatest change nothing
    } while (!__atomic_compare_exchange_n(place, &old, next, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
  }
}

/// An element that values are contributed to: h(i) << x. It cannot be read: others may be contributing.
template <class Op, class T>
class contributed {
 public:
  explicit contributed(T& element) noexcept : element_(element) {}
  void operator<<(T value) const noexcept { fold_atomically<Op>(&element_, value); }

 private:
  T& element_;
};

/// The names that bodies of all kernels share.
template <bool Checked>
struct language {
  using float2 = stretto::float2;
  using float4 = stretto::float4;
  using double2 = stretto::double2;
  using int2 = stretto::int2;
  using int4 = stretto::int4;
  using uint2 = stretto::uint2;
  using uint4 = stretto::uint4;
  using long2 = stretto::long2;
  using ulong2 = stretto::ulong2;

  template <device_type T, std::size_t D = 1>
  struct in : elements<const T, D, Checked> {
    using elements<const T, D, Checked>::elements;
    static constexpr access mode = access::in;
  };
  template <device_type T, std::size_t D = 1>
  struct out : elements<T, D, Checked> {
    using elements<T, D, Checked>::elements;
    static constexpr access mode = access::out;
  };
  template <device_type T, std::size_t D = 1>
  struct inout : elements<T, D, Checked> {
    using elements<T, D, Checked>::elements;
    static constexpr access mode = access::inout;
  };
  /// An array that is only contributed to, by an operator of reduction_operator.hpp or STRETTO_DEVICE_OPERATOR: h(i, j)
  /// << value.
  template <class Op, std::size_t D = 1>
  class reduce : elements<typename Op::rhs_type, D, Checked> {
    using base = elements<typename Op::rhs_type, D, Checked>;

   public:
    using operation = Op;
    using base::assume_dense_rows;
    using base::axes;
    using base::base;
    using base::reach_by;
    using typename base::element;
    using typename base::pointer;
    static constexpr access mode = access::reduce;
    static_assert(fold_of<Op> != fold_operator::none || own_operator<Op>,
                  "a kernel contributes by sum, product, minimum, maximum, bit_and, bit_or or bit_xor of "
                  "stretto/reduction_operator.hpp, or by "
                  "an operator of the program's own that STRETTO_DEVICE_OPERATOR defines");
    static_assert(own_operator<Op> || (std::is_arithmetic_v<element> && (sizeof(element) == 4 || sizeof(element) == 8)),
                  "a kernel contributes numbers of 32 or 64 bits");

    template <class... Index>
      requires(sizeof...(Index) == D && (std::is_convertible_v<Index, std::int64_t> && ...))
    contributed<Op, element> operator()(Index... index) const noexcept(!Checked) {
      return contributed<Op, element>(base::operator()(index...));
    }
  };
  /// Memory of a group, as many elements as the launch says.
  template <device_type T>
  struct local : elements<T, 1, Checked> {
    using elements<T, 1, Checked>::elements;
    static constexpr access mode = access::local;
  };

  /// Said anywhere in a body: numbers below the normal range may count as zero, in all of it. Where a field dies away,
  /// arithmetic on them costs many processors over a hundred cycles each.
  static void denormals_are_zero() noexcept {}

  template <std::floating_point T>
  static T sqrt(T x) {
    return std::sqrt(x);
  }
  template <std::floating_point T>
  static T rsqrt(T x) {
    return T(1) / std::sqrt(x);
  }
  template <std::floating_point T>
  static T exp(T x) {
    return std::exp(x);
  }
  template <std::floating_point T>
  static T log(T x) {
    return std::log(x);
  }
  template <std::floating_point T>
  static T sin(T x) {
    return std::sin(x);
  }
  template <std::floating_point T>
  static T cos(T x) {
    return std::cos(x);
  }
  template <std::floating_point T>
  static T tan(T x) {
    return std::tan(x);
  }
  template <std::floating_point T>
  static T atan(T x) {
    return std::atan(x);
  }
  template <std::floating_point T>
  static T tanh(T x) {
    return std::tanh(x);
  }
  template <std::floating_point T>
  static T floor(T x) {
    return std::floor(x);
  }
  template <std::floating_point T>
  static T ceil(T x) {
    return std::ceil(x);
  }
  template <std::floating_point T>
  static T round(T x) {
    return std::round(x);
  }
  template <std::floating_point T>
  static T fabs(T x) {
    return std::fabs(x);
  }
  template <std::floating_point T>
  static T pow(T x, std::type_identity_t<T> y) {
    return std::pow(x, y);
  }
  template <std::floating_point T>
  static T atan2(T y, std::type_identity_t<T> x) {
    return std::atan2(y, x);
  }
  template <std::floating_point T>
  static T fmod(T x, std::type_identity_t<T> y) {
    return std::fmod(x, y);
  }
  template <std::floating_point T>
  static T hypot(T x, std::type_identity_t<T> y) {
    return std::hypot(x, y);
  }
  template <std::floating_point T>
  static T fmin(T x, std::type_identity_t<T> y) {
    return y < x ? y : x;
  }
  template <std::floating_point T>
  static T fmax(T x, std::type_identity_t<T> y) {
    return x < y ? y : x;
  }
  template <std::floating_point T>
  static T fma(T x, std::type_identity_t<T> y, std::type_identity_t<T> z) {
    return std::fma(x, y, z);
  }
  template <std::integral T>
  static T min(T x, std::type_identity_t<T> y) {
    return y < x ? y : x;
  }
  template <std::integral T>
  static T max(T x, std::type_identity_t<T> y) {
    return x < y ? y : x;
  }
  template <std::integral T>
  static T abs(T x) {
    return x < 0 ? -x : x;
  }

  /// Each returns what was there before. Other items' plain accesses to the element are not ordered by it.
  template <class T>
  static T atomic_add(T* at, std::type_identity_t<T> x) {
    return change(at, [x](T old) { return static_cast<T>(old + x); });
  }
  template <class T>
  static T atomic_min(T* at, std::type_identity_t<T> x) {
    return change(at, [x](T old) { return x < old ? x : old; });
  }
  template <class T>
  static T atomic_max(T* at, std::type_identity_t<T> x) {
    return change(at, [x](T old) { return old < x ? x : old; });
  }

 private:
  template <class T, class Change>
  static T change(T* at, Change&& to) {
    static_assert(std::is_arithmetic_v<T> && (sizeof(T) == 4 || sizeof(T) == 8), "atomics are for 32 and 64 bits");
    using word = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    auto* const place = reinterpret_cast<word*>(at);
    word old = __atomic_load_n(place, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(place, &old, std::bit_cast<word>(to(std::bit_cast<T>(old))), true,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
    return std::bit_cast<T>(old);
  }
};

/// One item of a plain kernel.
template <bool Checked>
struct item_scope : language<Checked> {
  const kernel_work* launched_;
  std::int64_t id_[3];

  std::int64_t global_id(int axis) const noexcept { return id_[axis]; }
  /// Items of the launch along an axis, and the first of them.
  std::int64_t global_size(int axis) const noexcept { return launched_->all_max[axis] - launched_->all_min[axis]; }
  std::int64_t global_min(int axis) const noexcept { return launched_->all_min[axis]; }

  /// Where the item's share of [first, last) begins, or, `ends` 1, ends: STRETTO_FOREACH. On the host shares are in one
  /// piece.
  std::int64_t share_bound(std::int64_t first, std::int64_t last, std::int64_t ends) const noexcept {
    std::int64_t items = 1, number = 0;
    for (int axis = 0; axis < 3; ++axis) {
      number = number * global_size(axis) + id_[axis] - global_min(axis);
      items *= global_size(axis);
    }
    const std::int64_t length = last > first ? last - first : 0, n = number + ends, longer = length % items;
    return first + length / items * n + (n < longer ? n : longer);
  }
};

/// One item of a group, inside a region.
struct item {
  std::int64_t local_[3], global_[3];
  std::int64_t number_;
  std::int64_t local_id(int axis) const noexcept { return local_[axis]; }
  std::int64_t global_id(int axis) const noexcept { return global_[axis]; }
};

/// A value per item of a group that lasts from region to region; T() at first.
template <class T>
class per_item_values {
 public:
  explicit per_item_values(T* first) noexcept : first_(first) {}
  T& operator()(const item& it) const noexcept { return first_[it.number_]; }

 private:
  T* first_;
};

/// Memory of a group whose size the kernel says. Row-major.
template <class T, std::int64_t... Lengths>
class local_values {
 public:
  explicit local_values(T* first) noexcept : first_(first) {}
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

/// The same in a checked run, which looks at each index.
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

/// Throws K02: a group asked for more memory than there is.
[[noreturn]] void scratch_exhausted(std::size_t wanted, std::size_t left);
/// In a trial run: the group's next item begins a region; a region has ended; the group declares a local_array.
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

/// The same address, of which the compiler believes that nothing else leads there: memory of a group that was just
/// declared.
STRETTO_DETAIL_FRESH inline std::byte* fresh(std::byte* memory) noexcept { return memory; }

/// What a group remembers for messages: nothing, unless it is checked.
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

/// One group of a group kernel.
template <bool Checked>
struct group_scope : language<Checked>, group_memories<Checked> {
  const kernel_work* launched_;
  std::int64_t id_[3];
  mutable std::byte* scratch_;
  mutable std::size_t scratch_left_;
  bool ids_are_ints_;

  using item = kernels::item;

  std::int64_t group_id(int axis) const noexcept { return id_[axis]; }
  std::int64_t group_size(int axis) const noexcept { return launched_->group[axis]; }
  std::int64_t group_count(int axis) const noexcept { return launched_->all_max[axis] - launched_->all_min[axis]; }

  template <class T>
  per_item_values<T> per_item() const {
    const auto count = static_cast<std::size_t>(launched_->group[0] * launched_->group[1] * launched_->group[2]);
    T* const first = take<T>(count);
    for (std::size_t i = 0; i < count; ++i) first[i] = T();
    return per_item_values<T>(first);
  }
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

  /// Runs the region for every item of the group; what they wrote is seen by all items of the next region.
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
  // Bodies keep ids in an int, mostly: only if Int is one does the compiler know that addresses follow.
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
    // Loops of the usual lengths have no remainders, and what does not change in them stays in registers: half the
    // time.
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

}  // namespace kernels
}  // namespace stretto

STRETTO_API_END

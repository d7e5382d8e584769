// reduction_kind.hpp - the untyped form of reduction operators, for the compiled core.
#pragma once

#include <stretto/array_layout.hpp>
#include <stretto/box.hpp>
#include <stretto/kernel.hpp>
#include <stretto/reduction_operator.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>

STRETTO_API_BEGIN

namespace stretto::detail {

template <class Rhs>
struct log_entry {
  std::uint64_t element;  // position in the box, last axis fastest
  Rhs value;
};

/// The target of the entries of a log: `first` is the element at position 0.
struct log_target {
  std::byte* first;
  data::layout shape;
  stretto::box logged;     // the box that positions count in
  bool is_linear;          // position p is at first + p * element_bytes
  std::uint64_t from, to;  // only entries with from <= position < to
  std::byte* at(std::uint64_t position) const noexcept {
    if (is_linear) return first + position * shape.element_bytes;
    const auto n1 = static_cast<std::uint64_t>(logged.length(1)), n2 = static_cast<std::uint64_t>(logged.length(2));
    const auto k = static_cast<coordinate>(position % n2), j = static_cast<coordinate>(position / n2 % n1),
               i = static_cast<coordinate>(position / n2 / n1);
    return first + shape.offset_of(logged.min() + point(i, j, k));
  }
};

/// The untyped form of an operator. The compiled core calls its functions for runs of elements.
struct reduction_kind {
  std::uint32_t lhs_bytes, rhs_bytes, entry_bytes;
  bool is_commutative;
  void (*set_identity)(std::byte* rhs, std::uint64_t count);
  void (*apply)(std::byte* lhs, std::int64_t step, const std::byte* by, std::int64_t by_step, std::uint64_t count);
  void (*fold)(std::byte* rhs, std::int64_t step, const std::byte* by, std::int64_t by_step, std::uint64_t count);
  void (*apply_log)(const log_target& lhs, const std::byte* entries, std::uint64_t count);
  void (*fold_log)(const log_target& rhs, const std::byte* entries, std::uint64_t count);
  kernel_parameter
      on_devices;  // the parameter of kernels that contribute; its mode is not reduce if devices lack the operator
};

template <class Op>
constexpr kernel_parameter contributing_parameter() noexcept {
  using element = typename Op::rhs_type;
  if constexpr (kernels::own_operator<Op> ||
                (kernels::fold_of<Op> != fold_operator::none && std::is_arithmetic_v<element> &&
                 (sizeof(element) == 4 || sizeof(element) == 8)))
    return parameter_traits<typename kernels::language<false>::template reduce<Op, 3>>::value;
  else return {};
}

template <class Op>
struct erased_operator {
  using lhs = typename Op::lhs_type;
  using rhs = typename Op::rhs_type;
  using entry = log_entry<rhs>;

  static void set_identity(std::byte* to, std::uint64_t count) {
    const rhs none = Op::identity();
    auto* values = reinterpret_cast<rhs*>(to);
    for (std::uint64_t i = 0; i < count; ++i) ::new (values + i) rhs(none);
  }
  template <class Left, void (*Combine)(Left&, const rhs&)>
  static void walk(std::byte* l, std::int64_t ls, const std::byte* r, std::int64_t rs, std::uint64_t count) {
    if (ls == sizeof(Left) && rs == sizeof(rhs)) {  // constant strides allow the compiler to use vectors
      auto* left = reinterpret_cast<Left*>(l);
      const auto* right = reinterpret_cast<const rhs*>(r);
      for (std::uint64_t i = 0; i < count; ++i) Combine(left[i], right[i]);
      return;
    }
    for (std::uint64_t i = 0; i < count; ++i, l += ls, r += rs)
      Combine(*reinterpret_cast<Left*>(l), *reinterpret_cast<const rhs*>(r));
  }
  template <class Left, void (*Combine)(Left&, const rhs&)>
  static void log(const log_target& target, const std::byte* entries, std::uint64_t count) {
    const auto* e = reinterpret_cast<const entry*>(entries);
    const auto combine = [&](const entry& one) {
      Combine(*reinterpret_cast<Left*>(target.at(one.element)), one.value);
    };
    // Prefetch elements that are not in the cache, further ahead than the processor does by itself.
    constexpr std::uint64_t ahead = 32, cached_bytes = 1 << 20;
    const bool is_far = target.is_linear && target.logged.volume() * sizeof(Left) > cached_bytes;
    const auto announce = [&](const entry& one) { __builtin_prefetch(target.at(one.element), 1); };
    if (target.from == 0 && target.to == target.logged.volume()) {
      for (std::uint64_t i = 0; i < count; ++i) {
        if (is_far && i + ahead < count) announce(e[i + ahead]);
        combine(e[i]);
      }
      return;
    }
    // Branches on the entries of this part would be unpredictable: select them without a branch first, then combine
    // them, so that many elements are loaded from memory at the same time.
    constexpr std::uint64_t batch = 256;
    std::uint8_t picked[batch];
    for (; count > 0; e += std::min(batch, count), count -= std::min(batch, count)) {
      const std::uint64_t n = std::min(batch, count);
      std::uint64_t own = 0;
      for (std::uint64_t i = 0; i < n; ++i) {
        picked[own] = static_cast<std::uint8_t>(i);
        own += e[i].element - target.from < target.to - target.from;
      }
      if (is_far)
        for (std::uint64_t k = 0; k < std::min(ahead, own); ++k) announce(e[picked[k]]);
      for (std::uint64_t k = 0; k < own; ++k) {
        if (is_far && k + ahead < own) announce(e[picked[k + ahead]]);
        combine(e[picked[k]]);
      }
    }
  }
  static void apply_one(lhs& l, const rhs& r) { Op::apply(l, r); }
  static void fold_one(rhs& l, const rhs& r) { Op::fold(l, r); }
  static constexpr bool is_commutative() {
    if constexpr (requires { Op::is_commutative; }) return Op::is_commutative;
    else return true;
  }
};

/// The table of an operator, which also registers it.
template <reduction_operator Op>
inline constexpr reduction_kind kind_of{
    sizeof(typename Op::lhs_type),
    sizeof(typename Op::rhs_type),
    sizeof(log_entry<typename Op::rhs_type>),
    erased_operator<Op>::is_commutative(),
    erased_operator<Op>::set_identity,
    erased_operator<Op>::template walk<typename Op::lhs_type, erased_operator<Op>::apply_one>,
    erased_operator<Op>::template walk<typename Op::rhs_type, erased_operator<Op>::fold_one>,
    erased_operator<Op>::template log<typename Op::lhs_type, erased_operator<Op>::apply_one>,
    erased_operator<Op>::template log<typename Op::rhs_type, erased_operator<Op>::fold_one>,
    contributing_parameter<Op>()};

}  // namespace stretto::detail

STRETTO_API_END

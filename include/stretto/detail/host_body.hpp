// host_body.hpp - runs the body of a kernel on the host, for all items or groups of a range.
#pragma once

#include <stretto/detail/kernel_loops.hpp>
#include <stretto/detail/value_list.hpp>
#include <stretto/group_scope.hpp>
#include <stretto/kernel_code.hpp>
#include <stretto/kernel_scope.hpp>
#include <stretto/plain_value.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

STRETTO_API_BEGIN

namespace stretto::detail {

/// Converts the exception of a checked body to K01 with kernel, item, array, index and extent. For a group kernel, `id`
/// is that of the group.
[[noreturn]] void tell_out_of_range(const kernel_code& code, const index_out_of_range& what, const kernel_work& work,
                                    const kernel_argument* arguments, const std::int64_t* id,
                                    const item_in_group& item = {});

using kernels::element_kind_of;

template <class P>
struct parameter_traits {
  static_assert(kernels::device_type<P>,
                "a kernel takes numbers and plain structures by value, and arrays as in<T, D>, "
                "out<T, D> or inout<T, D>; not pointers, references or classes");
  static_assert(explain_bytes<P>());  // devices get the bytes
  static constexpr kernel_parameter value{
      access::value, element_kind_of<P>(), 0,       sizeof(P),
      alignof(P),    fold_operator::none,  nullptr, kernels::component_bytes_of<P>()};
  using passed = P;
  static passed pass(const kernel_argument& a) noexcept { return *reinterpret_cast<const P*>(a.origin); }
  static P open(const kernel_argument& a, unsigned) noexcept { return pass(a); }
  static P open_dense(const kernel_argument&, unsigned, const P& given) noexcept { return given; }
  static void assume_dense_rows(P&) noexcept {}
  static bool has_dense_rows(const kernel_argument&) noexcept { return true; }
};

template <class P>
constexpr fold_operator fold_of_parameter() noexcept {
  if constexpr (requires { typename P::operation; }) return kernels::fold_of<typename P::operation>;
  else return fold_operator::none;
}

template <class P>
constexpr const device_operator* own_of_parameter() noexcept {
  if constexpr (requires { requires kernels::own_operator<typename P::operation>; })
    return &P::operation::for_devices();
  else return nullptr;
}

template <kernels::array_parameter P>
struct parameter_traits<P> {
  static constexpr kernel_parameter value{P::mode,
                                          element_kind_of<typename P::element>(),
                                          P::axes,
                                          sizeof(typename P::element),
                                          alignof(typename P::element),
                                          fold_of_parameter<P>(),
                                          own_of_parameter<P>(),
                                          kernels::component_bytes_of<typename P::element>()};
  static P open(const kernel_argument& a, unsigned n) noexcept { return P(a, n); }
  using passed = typename P::pointer __restrict;
  static typename P::pointer pass(const kernel_argument& a) noexcept {
    return reinterpret_cast<typename P::pointer>(a.origin);
  }
  static P open_dense(const kernel_argument& a, unsigned n, typename P::pointer origin) noexcept {
    P array(a, n);
    array.reach_by(origin);
    array.assume_dense_rows();
    return array;
  }
  static void assume_dense_rows(P& array) noexcept { array.assume_dense_rows(); }
  static bool has_dense_rows(const kernel_argument& a) noexcept { return a.stride[P::axes - 1] == 1; }
};

/// Runs a body, a member function of Scope, for the items of a range.
template <class Scope, auto Body, class Signature = decltype(Body)>
struct host_body;

template <class Scope, auto Body, class... P>
struct host_body<Scope, Body, void (Scope::*)(P...) const> {
  static constexpr std::array<kernel_parameter, sizeof...(P)> table{parameter_traits<P>::value...};
  using values = value_list<P...>;
  using numbers = std::index_sequence_for<P...>;

  STRETTO_DETAIL_LOOPS static void run_items(const kernel_code&, const kernel_work& work,
                                             const kernel_argument* arguments) {
    values v = open(arguments, numbers());
    if (!has_dense_rows(arguments, numbers()) || !fits_int(work)) return loop<std::int64_t>(work, v);
    assume_dense_rows(v, numbers());
    loop<int>(work, v);
  }

  /// Under the conditions of kernel_code::run_dense.
  static void run_dense(const kernel_code&, const kernel_work& work, const kernel_argument* arguments) {
    pass<&dense>(work, arguments, numbers());
  }
  static void run_wide(const kernel_code&, const kernel_work& work, const kernel_argument* arguments) {
    pass<&wide>(work, arguments, numbers());
  }

  static void run_items_checked(const kernel_code& code, const kernel_work& work, const kernel_argument* arguments) {
    const values v = open(arguments, numbers());
    Scope s{};
    s.launched_ = &work;
    std::int64_t* const id = s.id_;
    try {
      for (id[0] = work.min[0]; id[0] < work.max[0]; ++id[0])
        for (id[1] = work.min[1]; id[1] < work.max[1]; ++id[1])
          for (id[2] = work.min[2]; id[2] < work.max[2]; ++id[2]) call(s, v, numbers());
    } catch (const index_out_of_range& outside) {
      tell_out_of_range(code, outside, work, arguments, id);
    }
  }

  STRETTO_DETAIL_LOOPS static void run_groups([[maybe_unused]] const kernel_code& code, const kernel_work& work,
                                              const kernel_argument* arguments) {
    Scope s{};
    each_group(work, open(arguments, numbers()), s);
  }
  static void run_groups_checked(const kernel_code& code, const kernel_work& work, const kernel_argument* arguments) {
    const values v = open(arguments, numbers());
    Scope s{};
    try {
      each_group(work, v, s);
    } catch (const index_out_of_range& outside) {
      tell_out_of_range(code, outside, work, arguments, s.id_, s.now_);
    }
  }

 private:
  template <std::size_t... I>
  static values open(const kernel_argument* a, std::index_sequence<I...>) noexcept {
    return values{{parameter_traits<P>::open(a[I], I)}...};
  }
  // Separate functions, because compilers honour __restrict for parameters only.
  STRETTO_DETAIL_LOOPS static void dense(const kernel_work& work, const kernel_argument* a,
                                         typename parameter_traits<P>::passed... given) {
    all_dense(work, a, numbers(), given...);
  }
  STRETTO_DETAIL_WIDE STRETTO_DETAIL_LOOPS static void wide(const kernel_work& work, const kernel_argument* a,
                                                            typename parameter_traits<P>::passed... given) {
    all_dense(work, a, numbers(), given...);
  }
  template <auto Loops, std::size_t... I>
  static void pass(const kernel_work& work, const kernel_argument* a, std::index_sequence<I...>) {
    Loops(work, a, parameter_traits<P>::pass(a[I])...);
  }
  template <std::size_t... I>
  [[gnu::always_inline]] static void all_dense(const kernel_work& work, const kernel_argument* a,
                                               std::index_sequence<I...>,
                                               typename parameter_traits<P>::passed... given) {
    const values v{{parameter_traits<P>::open_dense(a[I], I, given)}...};
    if constexpr (requires(Scope s) { s.ids_are_ints_; }) {
      Scope s{};
      s.ids_are_ints_ = true;
      each_group(work, v, s);
    } else {
      loop<int>(work, v);
    }
  }
  [[gnu::always_inline]] static void each_group(const kernel_work& work, const values& v, Scope& s) {
    s.launched_ = &work;
    std::int64_t* const id = s.id_;
    for (id[0] = work.min[0]; id[0] < work.max[0]; ++id[0])
      for (id[1] = work.min[1]; id[1] < work.max[1]; ++id[1])
        for (id[2] = work.min[2]; id[2] < work.max[2]; ++id[2]) {
          s.scratch_ = work.scratch;
          s.scratch_left_ = work.scratch_bytes;
          s.begin_group();
          call(s, v, numbers());
        }
  }
  template <std::size_t... I>
  static bool has_dense_rows(const kernel_argument* a, std::index_sequence<I...>) noexcept {
    return (parameter_traits<P>::has_dense_rows(a[I]) && ...);
  }
  static bool fits_int(const kernel_work& work) noexcept {
    bool fits = true;
    for (int a = 0; a < 3; ++a) fits = fits && work.min[a] >= -2'000'000'000 && work.max[a] <= 2'000'000'000;
    return fits;
  }
  template <std::size_t... I>
  [[gnu::always_inline]] static void assume_dense_rows(values& v, std::index_sequence<I...>) noexcept {
    (parameter_traits<P>::assume_dense_rows(value_at<I>(v)), ...);
  }
  template <std::size_t... I>
  [[gnu::always_inline]] static void call(const Scope& s, const values& v, std::index_sequence<I...>) {
    (s.*Body)(value_at<I>(v)...);
  }
  [[gnu::always_inline]] static void item(const kernel_work& work, const values& v, std::int64_t i, std::int64_t j,
                                          std::int64_t k) {
    Scope s;
    s.launched_ = &work;
    s.id_[0] = i, s.id_[1] = j, s.id_[2] = k;
    call(s, v, numbers());
  }

  // One innermost loop per number of axes, so that the compiler knows which id changes. Most bodies keep ids in an int:
  // the compiler knows that addresses are consecutive only if the loop counts in an int. The pragma states that items
  // are independent.
  template <class Int>
  [[gnu::always_inline]] static void loop(const kernel_work& work, const values v) {
    const Int min[] = {static_cast<Int>(work.min[0]), static_cast<Int>(work.min[1]), static_cast<Int>(work.min[2])};
    const Int max[] = {static_cast<Int>(work.max[0]), static_cast<Int>(work.max[1]), static_cast<Int>(work.max[2])};
    if (work.dimensions == 1) {
      STRETTO_DETAIL_INDEPENDENT
      for (Int i = min[0]; i < max[0]; ++i) item(work, v, i, 0, 0);
    } else if (work.dimensions == 2) {
      for (Int i = min[0]; i < max[0]; ++i) {
        STRETTO_DETAIL_INDEPENDENT
        for (Int j = min[1]; j < max[1]; ++j) item(work, v, i, j, 0);
      }
    } else {
      for (Int i = min[0]; i < max[0]; ++i)
        for (Int j = min[1]; j < max[1]; ++j) {
          STRETTO_DETAIL_INDEPENDENT
          for (Int k = min[2]; k < max[2]; ++k) item(work, v, i, j, k);
        }
    }
  }
};

/// The signature void(P...) of a member function.
template <class Member>
struct signature_of;
template <class Scope, class... P>
struct signature_of<void (Scope::*)(P...) const> {
  using type = void(P...);
};

}  // namespace stretto::detail

STRETTO_API_END

// reduce.hpp - reduction instances, which collect contributions, and reduce, which applies them to an array in one
// sweep.
//
//     void add_half_to(const std::vector<coordinate>& touched, const instance<double>& totals, place memory) {
//       auto r = reduction_instance<sum<double>>::create(at(memory), totals.elements());
//       event contributed = async([=] {
//         auto c = r.contribute();
//         for (auto i : touched) c(i) << 0.5;
//       });
//       event applied = reduce(r, totals, after(contributed));  // all elements in one sweep
//       r.destroy(after(applied));
//     }
//
// Threads     contributors of one reduction may work at the same time; one task at a time uses each of them.
// Memory      reduce, fold_into and clear are deferred operations, ordered by events as copies are.
// Cost        a contribution: about 1 ns and a cache miss (fold), 2 ns and none (list), an atomic addition (shared).
//             In device memory, the device combines elements if both arrays are there and devices have the operator;
//             otherwise the host combines copies of them.
// Invariants  (1) for an operator that does not commute, contributions are combined in the order of the contributors'
//             numbers, and within one contributor in its order. (2) a reduction takes memory of its place as
//             contributions arrive; in device memory all of it at once.
// Source      reduction operators with apply and fold, fold and list instances: Treichler, Bauer, Aiken, "Realm", PACT
//             2014, section 6. A contributor that goes over from list to fold by itself is Stretto's.
#pragma once

#include <stretto/detail/held_contributions.hpp>
#include <stretto/detail/reduction_kind.hpp>
#include <stretto/instance.hpp>
#include <stretto/kernel.hpp>
#include <stretto/reduction_operator.hpp>

#include <algorithm>
#include <atomic>
#include <concepts>
#include <new>

STRETTO_API_BEGIN

namespace stretto {

/// The storage of contributions.
enum class reduction_style : std::uint8_t {
  automatic,    // each contributor begins as a list and becomes a fold when that is the cheaper (docs/guide/data.md)
  fold,         // one right-hand side per element for every contributor: dense contributions
  shared_fold,  // one per element for all contributors together, combined atomically: dense, many contributors
  list,         // a log of element and value: sparse contributions
};

/// The options of a reduction instance.
struct reduction_options {
  reduction_style style = reduction_style::automatic;  // the storage of contributions
  std::string_view name = {};                          // shown in errors, traces and reports
};

template <class Op, std::size_t D>
class reduction_instance;

/// An accessor by which one task contributes. It closes when it goes out of scope, which must be before a reduce of the
/// reduction runs. Move-only.
template <class Op, std::size_t D>
class contributor {
 public:
  using rhs_type = typename Op::rhs_type;
  contributor(contributor&& other) noexcept : handle_(other.handle_), box_(other.box_), open_(other.open_) {
    other.open_.share = nullptr;
  }
  contributor& operator=(contributor&&) = delete;
  ~contributor() {
    if (open_.share) detail::close(handle_, open_);
  }

  /// One element: `c(i, j) << value` contributes to it.
  class target {
   public:
    /// Contributes a value. Throws D16 if there is no memory for it, and what Op::fold throws.
    void operator<<(const rhs_type& value) const { owner_.put(element_, value); }

   private:
    friend contributor;
    target(contributor& owner, std::uint64_t element) noexcept : owner_(owner), element_(element) {}
    contributor& owner_;
    std::uint64_t element_;
  };
  /// The element at these coordinates. Throws D25 if it lies outside of the reduction's box.
  template <class... Index>
    requires(sizeof...(Index) == D && (std::is_convertible_v<Index, coordinate> && ...))
  target operator()(Index... index) {
    const coordinate at[D] = {static_cast<coordinate>(index)...};
    std::uint64_t element = 0;
    bool is_inside = true;
    for (std::size_t a = 0; a < D; ++a) {
      const auto length = static_cast<std::uint64_t>(box_.length(static_cast<int>(a)));
      const std::uint64_t from_first =
          static_cast<std::uint64_t>(at[a]) - static_cast<std::uint64_t>(box_.min()[static_cast<int>(a)]);
      is_inside &= from_first < length;
      element = element * length + from_first;
    }
    if (!is_inside) [[unlikely]]
      detail::refuse_contribution(handle_, box_, at, D);
    return {*this, element};
  }

 private:
  friend class reduction_instance<Op, D>;
  contributor(detail::instance_handle h, const box& b, detail::open_contribution open) noexcept
      : handle_(h), box_(b), open_(open) {}

  void put(std::uint64_t element, const rhs_type& value) {
    for (;;) {
      if (open_.dense) {
        auto& held = reinterpret_cast<rhs_type*>(open_.dense)[element];
        if (open_.is_shared) detail::fold_atomically<Op>(held, value);
        else Op::fold(held, value);
        return;
      }
      if (open_.next != open_.end) [[likely]] {
        ::new (open_.next) detail::log_entry<rhs_type>{element, value};
        open_.next += sizeof(detail::log_entry<rhs_type>);
        return;
      }
      detail::refill(handle_, open_);
    }
  }

  detail::instance_handle handle_;
  box box_;
  detail::open_contribution open_;
};

/// A handle of contributions to the elements of a box, which the operator combines. Tasks and kernels contribute, and
/// reduce applies the contributions to an array; they cannot be read. Members throw B20 on a thread of no runtime, D01
/// for a destroyed reduction, and D13 for an empty handle or one of another, independent runtime.
template <class Op, std::size_t D = 1>
class reduction_instance {
  static_assert(reduction_operator<Op>, "a reduction operator has lhs_type, rhs_type, identity, apply and fold");

 public:
  constexpr reduction_instance() noexcept = default;
  /// Creates a reduction without contributions. It takes memory as contributions arrive. In device memory it is a
  /// shared fold to which kernels on that device contribute, and takes its memory at once.
  ///
  ///   throws   D04 if the place is no memory of this runtime; D05 for a shared_fold of an operator that does not
  ///            commute. In device memory: D16 if it is full, D05 for another style or an operator that devices do not
  ///            have, D15 if no open device uses that memory
  static reduction_instance create(at_place memory, const box& elements, const reduction_options& options = {},
                                   std::source_location where = std::source_location::current()) {
    reduction_instance made;
    made.handle_ = detail::create_reduction(memory.where, elements, D, detail::kind_of<Op>, options, where);
    made.box_ = elements;
    return made;
  }
  /// Creates a reduction on another node of the job, in the memory at that place of the node; without a place in its
  /// main memory. Tasks of that node contribute to it; reduce and fold_into work on every node. Errors of the node
  /// poison the operations that use it. Throws B20, and N02 if there is no such node.
  static reduction_instance create(at_node where_to, at_place memory, const box& elements,
                                   const reduction_options& options = {},
                                   std::source_location where = std::source_location::current()) {
    reduction_instance made;
    made.handle_ =
        detail::create_reduction_at(where_to.index, memory.where, elements, D, detail::kind_of<Op>, options, where);
    made.box_ = elements;
    return made;
  }
  static reduction_instance create(at_node where_to, const box& elements, const reduction_options& options = {},
                                   std::source_location where = std::source_location::current()) {
    return create(where_to, at_place{}, elements, options, where);
  }
  /// Destroys the reduction once the preconditions have ended, poisoned or not. Throws D01 if destroy was called
  /// before.
  event destroy(const preconditions& after = {}, std::source_location where = std::source_location::current()) const {
    return detail::destroy_instance(handle_, after, where);
  }

  /// A contributor that no other task holds. Throws D17 if the operator does not commute: give a number then; D15 if
  /// the reduction is in device memory, where only kernels contribute.
  contributor<Op, D> contribute(std::source_location where = std::source_location::current()) const {
    return contribute(detail::any_contributor, where);
  }
  /// Contributor `number`, from 0; contributions are combined in the order of these numbers. Throws D17 while another
  /// task holds it, D15.
  contributor<Op, D> contribute(std::uint32_t number,
                                std::source_location where = std::source_location::current()) const {
    const detail::instance_handle here = detail::handle_here(handle_, "contribute", where);
    return {here, box_, detail::open(here, number, where)};
  }
  /// The untyped handle, for Stretto itself.
  const detail::instance_handle& handle() const noexcept { return handle_; }
  /// Whether the handle names a reduction.
  explicit operator bool() const noexcept { return handle_.record != nullptr; }

 private:
  detail::instance_handle handle_;
  box box_;
};

/// Applies all contributions of `from` to the elements of `to` in one sweep. `from` keeps its contributions until
/// clear(). Both may be in any memory.
///
///   returns  an event that triggers when all are applied
///   throws   D06 if the box of `to` does not contain that of `from`; B20, D01, D13
template <class Op, std::size_t D>
event reduce(const reduction_instance<Op, D>& from, const instance<typename Op::lhs_type, D>& to,
             const preconditions& after = {}, std::source_location where = std::source_location::current()) {
  return detail::reduce_held(from.handle(), to.handle(), detail::kind_of<Op>, after, where);
}
/// Combines two arrays element by element: to[p] becomes Op::apply(to[p], from[p]) for every p, or every p of `part`.
/// Throws D06 if the boxes differ or `part` lies outside of one, D11 if both are the same instance; B20, D01, D13.
///
///     reduce<sum<float>>(ghost, shared, after(computed));
template <reduction_operator Op, std::size_t D>
event reduce(const instance<typename Op::rhs_type, D>& from, const instance<typename Op::lhs_type, D>& to,
             const preconditions& after = {}, std::source_location where = std::source_location::current()) {
  return detail::reduce_values(from.handle(), to.handle(), nullptr, detail::kind_of<Op>, after, where);
}
template <reduction_operator Op, std::size_t D>
event reduce(const instance<typename Op::rhs_type, D>& from, const instance<typename Op::lhs_type, D>& to,
             const box& part, const preconditions& after = {},
             std::source_location where = std::source_location::current()) {
  return detail::reduce_values(from.handle(), to.handle(), &part, detail::kind_of<Op>, after, where);
}

/// Contributes all contributions of `from` to `to`, as its contributor `number`, or as any one if the operator
/// commutes. With it, a tree of reductions can follow the machine. `from` keeps its contributions. Throws D06 if the
/// boxes differ, D17 if the operator needs a number; B20, D01, D13.
template <class Op, std::size_t D>
event fold_into(const reduction_instance<Op, D>& from, const reduction_instance<Op, D>& to,
                std::uint32_t number = detail::any_contributor, const preconditions& after = {},
                std::source_location where = std::source_location::current()) {
  return detail::fold_held(from.handle(), to.handle(), number, detail::kind_of<Op>, after, where);
}

/// Drops all contributions and frees their memory; device memory is kept for later ones. Throws B20, D01, D13.
template <class Op, std::size_t D>
event clear(const reduction_instance<Op, D>& r, const preconditions& after = {},
            std::source_location where = std::source_location::current()) {
  return detail::clear_held(r.handle(), after, where);
}

}  // namespace stretto

STRETTO_API_END

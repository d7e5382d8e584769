// reduce.hpp - instances that hold contributions until one sweep applies them to what they are for.
//
//     auto r = reduction_instance<sum<double>>::create(at(memory), {0, 1000});
//     event done = async([=] {
//       auto c = r.contribute();
//       for (auto i : touched) c(i) << 0.5;
//     });
//     event applied = reduce(r, totals, after(done));           // every element of totals, in one sweep
//     clear(r, after(applied));
//
// Threads     contributors of one reduction may work at the same time, each used by one task at a time.
// Memory      reduce, fold_into and clear are deferred operations, ordered by events as copies are.
// Cost        a contribution: about 1 ns and a cache miss (fold), 2 ns and none (list), an atomic addition (shared).
//             Where a memory is a device's, elements are combined on it if both arrays are there and devices have the
//             operator; else on the host, in a copy.
// Invariants  (1) for an operator that does not commute, contributions are combined in the order of the contributors'
//             numbers, and within one contributor in the order in which it made them. (2) a reduction's memory is
//             taken from its place as contributions arrive, and counted there; in the memory of a device at once.
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

/// How contributions are held.
enum class reduction_style : std::uint8_t {
  automatic,    // each contributor begins as a list and becomes a fold when that is the cheaper (docs/guide/data.md)
  fold,         // one right-hand side per element for every contributor: dense contributions
  shared_fold,  // one per element for all contributors together, combined atomically: dense, many contributors
  list,         // a log of element and value: sparse contributions
};

/// What a reduction instance may be given when it is made.
struct reduction_options {
  reduction_style style = reduction_style::automatic;
  std::string_view name = {};
};

template <class Op, std::size_t D>
class reduction_instance;

/// One task's way to contribute. Closed when it goes out of scope, which must be before the reduction is swept.
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

  /// An element to contribute to.
  class target {
   public:
    void operator<<(const rhs_type& value) const { owner_.put(element_, value); }

   private:
    friend contributor;
    target(contributor& owner, std::uint64_t element) noexcept : owner_(owner), element_(element) {}
    contributor& owner_;
    std::uint64_t element_;
  };
  /// The element at these coordinates: `c(i, j) << value` contributes to it. Throws D25 where the reduction does not
  /// have it.
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

/// Right-hand sides on their way to the elements of a box: they can be contributed to, reduced and cleared, not read.
///
///     auto r = reduction_instance<sum<double>>::create(at(memory), {0, 1000});
///     event done = async([=] { auto c = r.contribute(); c(7) << 0.5; });
///     event applied = reduce(r, totals, after(done));
template <class Op, std::size_t D = 1>
class reduction_instance {
  static_assert(reduction_operator<Op>, "a reduction operator has lhs_type, rhs_type, identity, apply and fold");

 public:
  constexpr reduction_instance() noexcept = default;
  /// Exists at once: it takes memory as contributions arrive. Throws D04 as instance::create does; D05 for a
  /// shared_fold of an operator that does not commute.
  ///
  /// In the memory of a device it is a shared fold, to which kernels contribute there; that memory is taken at once.
  /// Throws D16 where there is no room, D05 for another style, and for an operator that devices do not have.
  static reduction_instance create(at_place memory, const box& elements, const reduction_options& options = {},
                                   std::source_location where = std::source_location::current()) {
    reduction_instance made;
    made.handle_ = detail::create_reduction(memory.where, elements, D, detail::kind_of<Op>, options, where);
    made.box_ = elements;
    return made;
  }
  /// The same on another node of the job, in a memory of its own or, if none is named, in its main one. Tasks of that
  /// node contribute to it, and reduce and fold_into take it from everywhere. What the node finds wrong poisons what
  /// uses it.
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
  /// Frees it when the preconditions have ended, as instance::destroy.
  event destroy(const preconditions& after = {}, std::source_location where = std::source_location::current()) const {
    return detail::destroy_instance(handle_, after, where);
  }

  /// A contributor that nobody else holds. Throws D17 if the operator does not commute: then give a number; D15 where
  /// the reduction lies in the memory of a device.
  contributor<Op, D> contribute(std::source_location where = std::source_location::current()) const {
    return contribute(detail::any_contributor, where);
  }
  /// Contributor `number`, from 0: contributions are combined in the order of the numbers. Throws D17 while another
  /// task holds it.
  contributor<Op, D> contribute(std::uint32_t number,
                                std::source_location where = std::source_location::current()) const {
    const detail::instance_handle here = detail::handle_here(handle_, "contribute", where);
    return {here, box_, detail::open(here, number, where)};
  }
  const detail::instance_handle& handle() const noexcept { return handle_; }
  explicit operator bool() const noexcept { return handle_.record != nullptr; }

 private:
  detail::instance_handle handle_;
  box box_;
};

/// Applies everything contributed to `from` to the elements of `to`, whose box contains that of `from` (or D06), in
/// one sweep. What `from` holds stays: clear() empties it. Each of the two is in any memory.
template <class Op, std::size_t D>
event reduce(const reduction_instance<Op, D>& from, const instance<typename Op::lhs_type, D>& to,
             const preconditions& after = {}, std::source_location where = std::source_location::current()) {
  return detail::reduce_held(from.handle(), to.handle(), detail::kind_of<Op>, after, where);
}
/// to[p] becomes apply(to[p], from[p]) for every p of both; the boxes are equal (or D06).
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

/// Contributes everything that `from` holds to `to`, as contributor `number` of it (any one, if the operator
/// commutes): so trees of reductions follow the machine. Same box, or D06. What `from` holds stays.
template <class Op, std::size_t D>
event fold_into(const reduction_instance<Op, D>& from, const reduction_instance<Op, D>& to,
                std::uint32_t number = detail::any_contributor, const preconditions& after = {},
                std::source_location where = std::source_location::current()) {
  return detail::fold_held(from.handle(), to.handle(), number, detail::kind_of<Op>, after, where);
}

/// Forgets all contributions and gives their memory back; a device's is kept for the next ones.
template <class Op, std::size_t D>
event clear(const reduction_instance<Op, D>& r, const preconditions& after = {},
            std::source_location where = std::source_location::current()) {
  return detail::clear_held(r.handle(), after, where);
}

}  // namespace stretto

STRETTO_API_END

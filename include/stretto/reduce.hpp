// reduce.hpp - instances that hold contributions until one sweep applies them to what they are for.
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

struct reduction_options {
  reduction_style style = reduction_style::automatic;
  std::string_view name = {};
};

namespace detail {

struct contribution;  // one contributor's share of a reduction

template <class Rhs>
struct log_entry {
  std::uint64_t element;  // position in the box, last axis fastest
  Rhs value;
};

/// Where log entries go: `first` is the element at position 0.
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

/// An operator without its types: what the compiled core calls, a run of elements at a time.
struct reduction_kind {
  std::uint32_t lhs_bytes, rhs_bytes, entry_bytes;
  bool is_commutative;
  void (*set_identity)(std::byte* rhs, std::uint64_t count);
  void (*apply)(std::byte* lhs, std::int64_t step, const std::byte* by, std::int64_t by_step, std::uint64_t count);
  void (*fold)(std::byte* rhs, std::int64_t step, const std::byte* by, std::int64_t by_step, std::uint64_t count);
  void (*apply_log)(const log_target& lhs, const std::byte* entries, std::uint64_t count);
  void (*fold_log)(const log_target& rhs, const std::byte* entries, std::uint64_t count);
  kernel_parameter
      on_devices;  // by which kernels contribute; its mode is another where devices do not have the operator
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
    if (ls == sizeof(Left) && rs == sizeof(rhs)) {  // known steps let the compiler use vectors
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
    // What is not in the cache is asked for some entries early: more is on its way at once than the processor sees
    // ahead.
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
    // Which entries are this part's own cannot be predicted: they are picked without a branch, then combined, so that
    // the processor has many elements on their way from memory at once.
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

/// One table per operator: this is its registration.
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

/// What a contributor needs at hand: a dense array, or the free part of the log's last chunk.
struct open_contribution {
  contribution* share = nullptr;
  std::byte* dense = nullptr;
  std::byte* next = nullptr;
  std::byte* end = nullptr;
  bool is_shared = false;
};
inline constexpr std::uint32_t any_contributor = 0xffffffffu;

instance_handle create_reduction(place memory, const box& elements, std::uint8_t dimensions, const reduction_kind& kind,
                                 const reduction_options& options, const std::source_location& where);
instance_handle create_reduction_at(std::uint32_t node, place memory, const box& elements, std::uint8_t dimensions,
                                    const reduction_kind& kind, const reduction_options& options,
                                    const std::source_location& where);
open_contribution open(const instance_handle& h, std::uint32_t number, const std::source_location& where);
/// Throws D25 for a contribution to an element that the reduction does not have.
[[noreturn]] void refuse_contribution(const instance_handle& h, const box& elements, const coordinate* at,
                                      std::size_t axes);
/// The log's chunk is full: another one, or an array instead. Throws D16 if the memory has no room.
void refill(const instance_handle& h, open_contribution& c);
void close(const instance_handle& h, open_contribution& c) noexcept;

event reduce_held(const instance_handle& from, const instance_handle& to, const reduction_kind& kind,
                  const preconditions& after, const std::source_location& where);
event reduce_values(const instance_handle& from, const instance_handle& to, const box* part, const reduction_kind& kind,
                    const preconditions& after, const std::source_location& where);
event fold_held(const instance_handle& from, const instance_handle& to, std::uint32_t contributor,
                const reduction_kind& kind, const preconditions& after, const std::source_location& where);
event clear_held(const instance_handle& h, const preconditions& after, const std::source_location& where);

}  // namespace detail

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

// buffer.hpp - arrays that are distributed over all nodes of a job: one logical array, each part of it where it is
// needed.
//
//     buffer<float, 2> u({{0, 0}, {n, n}}), v({{0, 0}, {n, n}});
//     launch(init, u.elements(), u(one_to_one));
//     for (int s = 0; s < steps; ++s) launch(jacobi, inside, u(neighborhood(1)), v(one_to_one), 0.1f), swap(u, v);
//     auto seen = u.read().get();                       // on every node: seen.view()(i, j)
//
// Every node runs the same program and makes the same calls on buffers in the same order. A launch is cut into chunks,
// one for each node, and on a node one for each device; mappers say which elements a chunk uses. From that each node
// finds alone what it computes, what it sends and what it awaits, while earlier launches run.
//
// Threads     buffers are handles, copied as values. Calls on buffers come from one task at a time, on every node in
//             the same order.
// Memory      what a launch wrote is seen by launches that follow it, on all nodes, and through read().
// Cost        see docs/performance.md. A call takes a lock of the runtime's.
// Invariants  (1) results do not depend on how many nodes and devices there are, as far as kernels do not. (2) a buffer
//             outlives every operation that uses it. (3) what a kernel failed with comes to whoever needs what it was
//             to write, on whatever node.
// Source      Celerity's distributed buffers and range mappers; Thoman, Salzmann and others, "Command Horizons".
#pragma once

#include <stretto/collective_part.hpp>
#include <stretto/object.hpp>
#include <stretto/reduce.hpp>
#include <stretto/side_effect.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <source_location>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

STRETTO_API_BEGIN

namespace stretto {

namespace buffers {
struct buffer_record;
struct seen_elements;
}  // namespace buffers

namespace mappers {

struct star {
  point border;
};
struct wrapped {
  point border;
};
struct even_split {};

}  // namespace mappers

/// As neighborhood, but along the axes only: a cross.
constexpr mappers::star star(coordinate border) { return {{border, border, border}}; }
constexpr mappers::star star(coordinate border0, coordinate border1, coordinate border2 = 0) {
  return {{border0, border1, border2}};
}
/// As neighborhood, and what lies beyond the border of the array at its other side.
constexpr mappers::wrapped wrapped(coordinate border) { return {{border, border, border}}; }
constexpr mappers::wrapped wrapped(coordinate border0, coordinate border1, coordinate border2 = 0) {
  return {{border0, border1, border2}};
}
/// Rows of the array in the proportion in which a chunk has rows of the range, whatever their numbers.
inline constexpr mappers::even_split even_split{};

/// Tags of launches and host tasks. A range is cut along its first axis; or along two, into tiles that are nearly
/// square: on several nodes stencils then send less.
struct in_tiles_tag {};
inline constexpr in_tiles_tag in_tiles{};
/// Each device's part is cut into so many pieces, so that one is computed while another's elements are on their way.
struct in_pieces {
  std::uint32_t number;  // >= 1
};
/// This launch does nothing now, but one on such elements will come: what is allocated until then gets room for it, so
/// that arrays which launches use more and more of are not allocated and copied again. For this node alone; values are
/// not looked at.
///
///     launch(to_come{}, shine, box(0, all_rows), history(slice{0}), room(all));  // then launch(shine, box(0, rows),
///     ...), row by row
struct to_come {};

namespace detail {

/// A mapper as the compiled core is told it.
struct range_mapper {
  enum class kind : std::uint8_t {
    one_to_one,
    neighborhood,
    star,
    wrapped,
    slice,
    all,
    fixed,
    transposed,
    even_split,
    custom
  };
  using function = std::function<std::vector<box>(const box& chunk, const box& elements, const box& range)>;

  kind is = kind::all;
  point border = {};
  int axis = 0;
  box always = {};
  std::array<std::uint8_t, max_axes> by = {};
  std::shared_ptr<const function> custom = {};
  bool lasts = false;  // the function is the same in every launch, and owns nothing
};

inline range_mapper to_range_mapper(mappers::one_to_one) { return {.is = range_mapper::kind::one_to_one}; }
inline range_mapper to_range_mapper(mappers::neighborhood m) {
  return {.is = range_mapper::kind::neighborhood, .border = m.border};
}
inline range_mapper to_range_mapper(mappers::star m) { return {.is = range_mapper::kind::star, .border = m.border}; }
inline range_mapper to_range_mapper(mappers::wrapped m) {
  return {.is = range_mapper::kind::wrapped, .border = m.border};
}
inline range_mapper to_range_mapper(mappers::slice m) { return {.is = range_mapper::kind::slice, .axis = m.axis}; }
inline range_mapper to_range_mapper(mappers::all) { return {.is = range_mapper::kind::all}; }
inline range_mapper to_range_mapper(const mappers::fixed& m) {
  return {.is = range_mapper::kind::fixed, .always = m.always};
}
inline range_mapper to_range_mapper(mappers::transposed m) {
  return {.is = range_mapper::kind::transposed, .by = m.by};
}
inline range_mapper to_range_mapper(mappers::even_split) { return {.is = range_mapper::kind::even_split}; }

/// A function of the program's own: a box, or several, for a chunk.
template <class M>
std::vector<box> boxes_of(const M& by, const box& chunk, const box& elements, const box& range) {
  const auto used = call_mapper(by, chunk, elements, range);
  if constexpr (std::convertible_to<decltype(used), box>) return {used};
  else return {std::begin(used), std::end(used)};
}
template <class M>
concept mapping_function = requires(const M& m, const box& b) { boxes_of(m, b, b, b); };

template <mapping_function M>
range_mapper to_range_mapper(const M& m) {
  const auto make = [](const M& by) {
    return std::make_shared<const range_mapper::function>(
        [by](const box& chunk, const box& elements, const box& range) { return boxes_of(by, chunk, elements, range); });
  };
  if constexpr (std::is_empty_v<M> && std::is_default_constructible_v<M>) {
    static const auto same = make(m);  // what it gave is remembered
    return {.is = range_mapper::kind::custom, .custom = same, .lasts = true};
  } else {
    return {.is = range_mapper::kind::custom, .custom = make(m)};
  }
}

/// The counted reference that buffers are made of.
using buffer_handle = std::shared_ptr<buffers::buffer_record>;

struct buffer_description {
  box elements;
  std::uint8_t dimensions = 1;
  std::uint32_t element_bytes = 1, alignment = 1;
  std::string_view name;
  const void* from = nullptr;  // its first content, dense, the same on all nodes; null: nothing is written
};
buffer_handle make_buffer(const buffer_description& request, const std::source_location& where);
box elements_of(const buffer_handle& h, const std::source_location& where);

/// Elements for the host of this node.
struct release_seen {
  void operator()(buffers::seen_elements* seen) const noexcept;
};
using seen_pointer = std::unique_ptr<buffers::seen_elements, release_seen>;
std::byte* first_of(const buffers::seen_elements& seen, data::layout& shape);
/// Copies them, dense in C order.
void copy_seen(const buffers::seen_elements& seen, std::byte* to);
/// Where programs are checked, what was read; else null.
const view_limits* limits_of(const buffers::seen_elements& seen) noexcept;
void look_at(const view_limits& limits, const std::int64_t* at, std::size_t axes);
/// Throws B09: of a dry run.
[[noreturn]] void refuse_value(const std::source_location& where);
struct seen_later {
  event ready;
  seen_pointer seen;
};
seen_later see_elements(const buffer_handle& h, const box& part, const std::source_location& where);
/// Once they are there: from now on reports of a hang name them.
seen_pointer give_elements(seen_later& later);

/// How partial values of a buffer's elements are folded: what is for right-hand sides does for elements, too.
template <class Op>
inline constexpr reduction_kind folding_of = [] {
  reduction_kind k = kind_of<Op>;
  k.lhs_bytes = k.rhs_bytes;
  k.apply = k.fold;
  k.apply_log = k.fold_log;
  return k;
}();

/// An argument of a launch: a buffer and what chunks use of it, or what they reduce into it; or a value, or a size.
struct buffer_item {
  const buffer_handle* buffer = nullptr;
  const range_mapper* by = nullptr;
  const reduction_kind* fold = nullptr;
  bool includes_current = true;  // what the buffer holds is folded, too
  const void* value = nullptr;
  std::int64_t local_elements = 0;
};

/// How the range of a launch is cut.
struct range_hints {
  bool is_in_tiles = false;
  std::uint32_t pieces = 1;
  extent multiple = unit;  // every cut lies on a multiple of this
};

/// What a host task may touch of an array.
struct host_elements {
  std::byte* first;
  data::layout shape;
  const view_limits* limits = nullptr;  // of a view that looks at each coordinate
};
/// What elements are, as far as a check of host tasks looks into them.
enum class element_kind : std::uint8_t { any, float32, float64 };
template <class T>
inline constexpr element_kind kind_of_element = std::same_as<T, float>    ? element_kind::float32
                                                : std::same_as<T, double> ? element_kind::float64
                                                                          : element_kind::any;
enum class nodes_of_task : std::uint8_t { chunks, one, each, collective };
struct host_use_item {
  const buffer_handle* buffer;
  const range_mapper* by;
  access how;
  const reduction_kind* fold = nullptr;
  bool includes_current = true;
  element_kind elements = element_kind::any;
};
using host_function = std::function<void(const box& chunk, std::span<const host_elements> given)>;
template <class Request>
struct with_range_hints : Request {
  range_hints hints;
  using Request::apply;
  void apply(in_tiles_tag) noexcept { hints.is_in_tiles = true; }
  void apply(in_pieces p) noexcept { hints.pieces = p.number; }
  void apply(const split_constraint& c) noexcept { hints.multiple = c.multiple; }
};
struct host_task_request : with_range_hints<task_request> {
  std::vector<used_side_effect> effects;
  void apply(const side_effects_tag& t) { effects.insert(effects.end(), t.all.begin(), t.all.end()); }
  template <class Tag>
    requires requires(with_range_hints<task_request> request, const Tag& tag) { request.apply(tag); }
  void apply(const Tag& tag) {
    static_assert(!std::same_as<Tag, profile_into>,
                  "a host task runs in several parts, or in none on a node, and has no profile of its own: a "
                  "trace shows each part");
    with_range_hints<task_request>::apply(tag);
  }
};
template <>
inline constexpr bool may_repeat<side_effects_tag> = true;
/// Of a task with one id for each node.
struct collective_request : host_task_request {
  template <class Tag>
    requires requires(host_task_request request, const Tag& tag) { request.apply(tag); }
  void apply(const Tag& tag) {
    static_assert(!std::same_as<Tag, in_tiles_tag> && !std::same_as<Tag, in_pieces>,
                  "a collective host task has one part on each node, which is not cut");
    host_task_request::apply(tag);
  }
};
/// Tags that name a place of one node.
template <class Tag>
concept names_place = std::same_as<Tag, at_place> || std::same_as<Tag, on_processor> || std::same_as<Tag, on_worker>;
struct buffer_launch : with_range_hints<object_launch> {
  bool is_to_come = false;
  void apply(to_come) noexcept { is_to_come = true; }
  template <class Tag>
    requires requires(with_range_hints<object_launch> request, const Tag& tag) { request.apply(tag); }
  void apply(const Tag& tag) {
    static_assert(
        !names_place<Tag>,
        "a launch on buffers is computed by the devices of all nodes, not at one place: on(device_kind::host) or "
        "on(device_kind::gpu) says by which kind, set_weights how much each computes");
    with_range_hints<object_launch>::apply(tag);
  }
};
template <class Tag>
concept host_task_tag = requires(host_task_request request, const Tag& tag) { request.apply(tag); };
/// Of the job, or of the one that is not there in a dry run.
std::uint32_t nodes_of_buffers();
/// A collective task runs over as many ids as there are nodes.
struct task_nodes {
  nodes_of_task are = nodes_of_task::chunks;
  std::uint32_t group = 0;  // of a collective task
  constexpr task_nodes(nodes_of_task which, std::uint32_t of_group = 0) noexcept : are(which), group(of_group) {}
};
event run_host_task(task_nodes which, const box& range, std::span<const host_use_item> items, host_function f,
                    const host_task_request& request, const std::source_location& where);

template <class Tag>
concept buffer_launch_tag = requires(buffer_launch request, const Tag& tag) { request.apply(tag); };

event launch_on_buffers(const kernel_code& code, const kernel_range& range, std::span<const buffer_item> items,
                        const buffer_launch& request);
/// Calls f(part) for parts of the box, by several workers; returns when all have ended.
void for_parts_of(const box& all, const std::function<void(const box& part)>& f);
buffer_handle resize_buffer(const buffer_handle& h, const box& elements, std::string_view name,
                            const std::source_location& where);

}  // namespace detail

template <class T, std::size_t D>
class buffer;

/// A buffer and what each chunk of a launch uses of it, as an argument: u(neighborhood(1)).
template <class T, std::size_t D>
struct buffer_use {
  buffer<T, D> of;
  detail::range_mapper by;
};

/// The same for a host task, which says what it does with it: u.in(neighborhood(1)), v.out(one_to_one).
template <class T, std::size_t D, access How>
struct host_use {
  buffer<T, D> of;
  detail::range_mapper by;
  using element = std::conditional_t<How == access::in, const T, T>;
  using view = stretto::view<element, D>;
  using checked_view = stretto::view<element, D, bounds::checked>;
  static view view_of(const detail::host_elements& e) noexcept {
    return {reinterpret_cast<element*>(e.first), e.shape};
  }
  static checked_view checked_view_of(const detail::host_elements& e) noexcept {
    return {reinterpret_cast<element*>(e.first), e.shape, e.limits};
  }
};

/// A buffer that a launch reduces into, as an argument: total.from_identity(). The buffer alone is one whose content is
/// folded, too.
template <class T, std::size_t D>
struct buffer_reduction {
  buffer<T, D> of;
};

/// The same for a host task, which is given a view of elements of its own to fold into: total.reduce<sum<double>>().
template <class T, std::size_t D, class Op>
struct host_reduction {
  buffer<T, D> of;
  bool includes_current = true;
  using view = stretto::view<T, D>;
  using checked_view = stretto::view<T, D, bounds::checked>;
  static view view_of(const detail::host_elements& e) noexcept { return {reinterpret_cast<T*>(e.first), e.shape}; }
  static checked_view checked_view_of(const detail::host_elements& e) noexcept {
    return {reinterpret_cast<T*>(e.first), e.shape, e.limits};
  }
  /// What the buffer holds before does not count.
  host_reduction from_identity() const { return {of, false}; }
};

/// Where a host task runs, instead of a range: once, on node 0; or on every node.
struct one_node_tag {};
struct each_node_tag {};
inline constexpr one_node_tag on_one_node{};
inline constexpr each_node_tag on_each_node{};
/// Or on every node, for its part, as a task in which nodes talk with each other: collective{}, or collective{1} and so
/// on. On each node tasks of one group run one at a time, in the order of the program; those of others beside them.
struct collective {
  std::uint32_t group = 0;
};

/// A view of what was read, as long as that is kept. Where programs are checked (STRETTO_CHECK=1), it looks at each
/// coordinate, and throws B27 for one that was not read; rows are not looked at. It becomes a view<const T, D> where
/// one is asked for, which looks at nothing.
template <class T, std::size_t D>
class seen_view : public stretto::view<const T, D> {
 public:
  seen_view(const T* first, const data::layout& shape, const detail::view_limits* limits) noexcept
      : stretto::view<const T, D>(first, shape), limits_(limits) {}
  template <class... Index>
    requires(sizeof...(Index) == D && (std::is_convertible_v<Index, std::int64_t> && ...))
  const T& operator()(Index... index) const {
    return at({static_cast<std::int64_t>(index)...});
  }
  const T& at(const std::array<std::int64_t, D>& p) const {
    if (limits_) [[unlikely]]
      detail::look_at(*limits_, p.data(), D);
    return stretto::view<const T, D>::at(p);
  }

 private:
  const detail::view_limits* limits_;
};

/// Elements of a buffer on this node, until it goes; launches that would write them here wait until then, and a task
/// that keeps it while it waits for one of those waits for ever: it is released before. Move-only.
template <class T, std::size_t D>
class seen {
 public:
  seen_view<T, D> view() const {
    data::layout shape;
    auto* const first = reinterpret_cast<const T*>(detail::first_of(*is_, shape));
    return {first, shape, detail::limits_of(*is_)};
  }
  void release() noexcept { is_.reset(); }
  explicit operator bool() const noexcept { return is_ != nullptr; }

 private:
  friend class buffer<T, D>;
  explicit seen(detail::seen_pointer is) noexcept : is_(std::move(is)) {}
  detail::seen_pointer is_;
};

struct buffer_options {
  std::string_view name = {};  // shown in errors, traces and reports
};

/// When a horizon is made: what is older than the one before it is remembered as one thing, which bounds memory and the
/// cost of launches. Each follows all launches before it and holds none of them up.
struct horizon_settings {
  std::uint64_t step = 4;  // the longest chain of launches has grown by so many since the last; 0: never for that
  std::uint64_t most_parallel = 256;  // so many launches that none follows yet; at least 2, or 0: never for that
};
/// From this point of the program on, which has to be the same on every node. Where both are 0 memory grows with the
/// program, and nothing bounds how far it is ahead of its launches.
///
///   throws   B16 where most_parallel is 1: each launch would be followed by a horizon
void set_horizons(const horizon_settings& settings, std::source_location where = std::source_location::current());

/// A point of the program that everything later on buffers follows, on each node by itself; all nodes say it in the
/// same place. To wait for all at once, before time is taken or a library uses what buffers would:
///
///     wait(epoch());
///
///   returns  an event of this node: all that was asked of buffers before has been done here. Poisoned if some of it
///            has failed
///
/// Nothing older is remembered from then on. A program that goes on needs none: reads wait for what they read, and
/// horizons hold nothing up.
event epoch(std::source_location where = std::source_location::current());

/// The same for all nodes at once: a barrier.
///
///     wait(epoch(all_nodes));
///
///   returns  an event of this node: all that was asked of buffers before has been done on every node. Poisoned if
///            some of it has failed
///   cost     epoch(), and messages as for a reduction of one element
struct all_nodes_tag {};
inline constexpr all_nodes_tag all_nodes{};
event epoch(all_nodes_tag, std::source_location where = std::source_location::current());

/// How much of a launch nodes, and devices of this node, get. Rows are cut so; tiles are cut alike.
struct weight_settings {
  std::vector<double> nodes =
      {};  // one for each node, the same on all of them; none: all alike, or as measured (option weights)
  std::vector<double> devices =
      {};  // likewise for each device of this node; with one more, which is the host's, the host computes beside them
};
/// From this point of the program on, which has to be the same on every node; what a launch computes stays the same. A
/// list that is given stays: its level is measured again when a later call leaves it out. Elements move as launches
/// need them elsewhere than before.
///
///     set_weights({.nodes = {1, 1, 2}});  // node 2 gets half of each launch
///
///   throws   B22 where there are more or fewer weights than nodes or devices, or one is not above 0
void set_weights(const weight_settings& settings, std::source_location where = std::source_location::current());

namespace detail {

/// f(i, j): what the element there begins as.
template <class F, class T, std::size_t D>
concept element_function = (D == 1 && requires(const F& f, coordinate i) {
                             { f(i) } -> std::convertible_to<T>;
                           }) || (D == 2 && requires(const F& f, coordinate i) {
                             { f(i, i) } -> std::convertible_to<T>;
                           }) || (D == 3 && requires(const F& f, coordinate i) {
                             { f(i, i, i) } -> std::convertible_to<T>;
                           });

}  // namespace detail

template <class T, std::size_t D = 1>
class buffer {
  static_assert(D >= 1 && D <= 3, "a buffer has 1 to 3 dimensions");
  static_assert(std::is_trivially_copyable_v<T>,
                "elements move between memories and nodes as bytes: T must be trivially copyable");
  static_assert(detail::explain_bytes<T>());

 public:
  using element_type = T;
  static constexpr std::size_t dimensions = D;

  /// Names nothing; using it is B07.
  buffer() noexcept = default;
  /// Elements are undefined until a launch writes them; memory is taken where and when it is needed.
  explicit buffer(const box& elements, const buffer_options& options = {},
                  std::source_location where = std::source_location::current())
      : handle_(detail::make_buffer({elements, D, sizeof(T), alignof(T), options.name, nullptr}, where)) {}
  /// Begins with a copy of `from`, dense in C order and the same on every node, made in the call.
  buffer(const box& elements, const T* from, const buffer_options& options = {},
         std::source_location where = std::source_location::current())
      : handle_(detail::make_buffer({elements, D, sizeof(T), alignof(T), options.name, from}, where)) {}

  /// Begins with f(i), f(i, j) or f(i, j, k) of each element's coordinates: as a host task in which every node calls
  /// `f` for the rows of its chunk, with several workers at once; so `f` gives the same on every node, and depends on
  /// nothing else.
  ///
  ///   cost     a call for each element, on one node; devices get a copy when they first use it
  ///
  ///     buffer<float, 2> u(plate, [](coordinate i, coordinate j) { return i == j ? 1.0f : 0.0f; });
  template <detail::element_function<T, D> F>
  buffer(const box& elements, F f, const buffer_options& options = {},
         std::source_location where = std::source_location::current());

  /// A buffer of other elements that begins with those that both have: a copy on all nodes, from device to device where
  /// they lie there. The rest, and what nobody has written here, is unwritten. This one stays as it is; u =
  /// u.resized(box) lets it go when the copy has ended.
  ///
  ///   throws   B07
  ///   cost     a launch over the elements that both have (over each box of those that are written), which moves them
  ///            between nodes as far as their shares differ; elements that are not of 1, 2, 4 or 8 bytes are copied by
  ///            the host
  buffer resized(const box& elements, std::source_location where = std::source_location::current()) const {
    return resized(elements, {}, where);
  }
  buffer resized(const box& elements, const buffer_options& options,
                 std::source_location where = std::source_location::current()) const {
    return buffer(detail::resize_buffer(handle_, elements, options.name, where));
  }

  /// What other parts of Stretto have made.
  explicit buffer(detail::buffer_handle made) noexcept : handle_(std::move(made)) {}

  /// What each chunk of a launch uses: a mapper of this header or of mapper.hpp, or a function from a chunk (and the
  /// buffer's elements, and
  /// the range of the launch) to a box or a list of boxes, within the buffer's elements; the same on every node.
  template <class M>
  buffer_use<T, D> operator()(const M& by) const {
    static_assert(detail::fits_axes<M, D>, "transposed exchanges two axes: a buffer of one axis has none to exchange");
    return {*this, detail::to_range_mapper(by)};
  }
  /// What each chunk of a host task reads, writes (all that the mapper names), or changes.
  template <class M>
  host_use<T, D, access::in> in(const M& by) const {
    static_assert(detail::fits_axes<M, D>, "transposed exchanges two axes: a buffer of one axis has none to exchange");
    return {*this, detail::to_range_mapper(by)};
  }
  template <class M>
  host_use<T, D, access::out> out(const M& by) const {
    static_assert(detail::fits_axes<M, D>, "transposed exchanges two axes: a buffer of one axis has none to exchange");
    return {*this, detail::to_range_mapper(by)};
  }
  template <class M>
  host_use<T, D, access::inout> inout(const M& by) const {
    static_assert(detail::fits_axes<M, D>, "transposed exchanges two axes: a buffer of one axis has none to exchange");
    return {*this, detail::to_range_mapper(by)};
  }
  /// For a kernel's parameter reduce<Op, D>: what this buffer holds before does not count. The buffer itself, as an
  /// argument, is folded, too.
  buffer_reduction<T, D> from_identity() const { return {*this}; }
  /// Each chunk of a host task folds into elements of its own, which begin with Op::identity(); what all chunks made,
  /// on all nodes, is then folded by Op::fold, in the order of the chunks.
  ///
  ///   Op   reduction_operator.hpp, or the program's own, whose right-hand sides are elements. It need not commute
  template <reduction_operator Op>
  host_reduction<T, D, Op> reduce() const {
    static_assert(std::same_as<typename Op::rhs_type, T>,
                  "the operator of a reduction into a buffer folds the buffer's elements");
    static_assert(alignof(T) <= alignof(std::max_align_t), "elements that are reduced into have an ordinary alignment");
    return {*this};
  }
  box elements(std::source_location where = std::source_location::current()) const {
    return detail::elements_of(handle_, where);
  }

  /// The content for host code of this node, once every launch submitted so far that writes there has ended: as a
  /// launch in which every node reads all of `part`, which may be empty. Poisoned with what those launches failed with.
  /// Launches that would write there wait until it is let go of: read_copy() is for what is kept.
  future<seen<T, D>> read(const box& part, std::source_location where = std::source_location::current()) const {
    auto later = std::make_shared<detail::seen_later>(detail::see_elements(handle_, part, where));
    const event ready = later->ready;
    return async(
        after(ready), name("elements for the host"), [later] { return seen<T, D>(detail::give_elements(*later)); },
        where);
  }
  future<seen<T, D>> read(std::source_location where = std::source_location::current()) const {
    return read(elements(where), where);
  }

  /// A copy of the same content that the program owns: launches that write the buffer later do not wait for it to go.
  ///
  ///     auto before = u.read_copy().get();   // before(i, j), whatever launches write later
  ///
  ///   cost     that of read(), and a copy of the part on this node
  future<array_copy<T, D>> read_copy(const box& part,
                                     std::source_location where = std::source_location::current()) const {
    auto later = std::make_shared<detail::seen_later>(detail::see_elements(handle_, part, where));
    const event ready = later->ready;
    return async(
        after(ready), name("copy for the program"),
        [later, part] {
          array_copy<T, D> made(part);
          detail::copy_seen(*later->seen, reinterpret_cast<std::byte*>(made.data()));
          later->seen.reset();
          return made;
        },
        where);
  }
  future<array_copy<T, D>> read_copy(std::source_location where = std::source_location::current()) const {
    return read_copy(elements(where), where);
  }

  explicit operator bool() const noexcept { return handle_ != nullptr; }
  friend bool operator==(const buffer&, const buffer&) = default;
  const detail::buffer_handle& handle() const noexcept { return handle_; }

 private:
  detail::buffer_handle handle_;
};

namespace detail {

template <class T, std::size_t D>
inline constexpr bool is_buffer_argument<buffer<T, D>> = true;
template <class T, std::size_t D>
inline constexpr bool is_buffer_argument<buffer_use<T, D>> = true;
template <class T, std::size_t D>
inline constexpr bool is_buffer_argument<buffer_reduction<T, D>> = true;
template <class A>
concept buffer_argument = is_buffer_argument<A>;

/// How argument `Number` of a launch on buffers stands for its parameter; the numbers count from 0.
template <std::size_t Number, class Parameter, class Given>
struct argument_of_buffers : argument<Number, Parameter, Given> {
  using argument<Number, Parameter, Given>::argument;
  buffer_item item() const noexcept {
    const launch_item i = argument<Number, Parameter, Given>::item();
    return {.value = i.value, .local_elements = i.local_elements};
  }
};
template <std::size_t Number, kernels::array_parameter Parameter, class Given>
  requires(Parameter::mode == access::reduce)
struct argument_of_buffers<Number, Parameter, Given> {
  using reduced = buffer<typename Parameter::element, Parameter::axes>;
  using afresh = buffer_reduction<typename Parameter::element, Parameter::axes>;
  STRETTO_DETAIL_ARGUMENT(
      "must be a buffer, such as total or total.from_identity(), of the element type and the number of axes of the "
      "kernel's reduce parameter",
      std::same_as<Given, reduced> || std::same_as<Given, afresh>);
  static constexpr const reduction_kind* fold = &folding_of<typename Parameter::operation>;
  explicit argument_of_buffers(const reduced& b) noexcept : is{.buffer = &b.handle(), .fold = fold} {}
  explicit argument_of_buffers(const afresh& r) noexcept
      : is{.buffer = &r.of.handle(), .fold = fold, .includes_current = false} {}
  buffer_item item() const noexcept { return is; }
  buffer_item is;
};
template <std::size_t Number, kernels::array_parameter Parameter, class Given>
  requires(Parameter::mode != access::local && Parameter::mode != access::reduce)
struct argument_of_buffers<Number, Parameter, Given> {
  using element = std::remove_const_t<typename Parameter::element>;
  STRETTO_DETAIL_ARGUMENT(
      "must be a buffer with a mapper, such as u(one_to_one), of the element type and the number of axes of the "
      "kernel's array parameter",
      std::same_as<Given, buffer_use<element, Parameter::axes>>);
  explicit argument_of_buffers(const Given& u) noexcept : is{.buffer = &u.of.handle(), .by = &u.by} {}
  buffer_item item() const noexcept { return is; }
  buffer_item is;
};

template <class... P, class... A, std::size_t... N>
event launch_buffers_with(const buffer_launch& request, const kernel<void(P...)>& k, const kernel_range& range,
                          std::index_sequence<N...>, const A&... given) {
  const std::tuple<argument_of_buffers<N, P, A>...> all{argument_of_buffers<N, P, A>(given)...};
  const std::array<buffer_item, sizeof...(P)> items{std::get<N>(all).item()...};
  return launch_on_buffers(k.code(), range, items, request);
}
template <class... P, class... A>
event launch_buffers_checked(const buffer_launch& request, const kernel<void(P...)>& k, const kernel_range& range,
                             const A&... given) {
  static_assert(sizeof...(A) == sizeof...(P), "a launch gives as many arguments as the kernel has parameters");
  if constexpr (sizeof...(A) == sizeof...(P))
    return launch_buffers_with(request, k, range, std::index_sequence_for<P...>(), given...);
  else return {};
}

}  // namespace detail

/// Computes `k` for every id of `range` on buffers: each node its chunk, on its devices or its host; in the order of
/// submission as far as arguments ask for it.
///
///   tags     up to three of on(device_kind::...), in_tiles, in_pieces{n}, constrain_split(n), priority(n),
///            name("text"), before the kernel, the
///            same on every node; to_come{}: nothing is done, see there; after(...): this node's chunk waits for
///            events of this node. A kind or a
///            driver("...") other than the host is that of all devices of the node
///   given    for in, out and inout a buffer with a mapper, for reduce a buffer, or total.from_identity(), for a value
///            something that converts to it, for local a local_size. `out` declares that every element that the mapper
///            names is overwritten: else the parameter is inout. A reduction gives all nodes the same result, to the
///            last bit; with other numbers of nodes or devices, sums of floating-point numbers differ in rounding
///   returns  an event of this node: its chunk has been computed, or it has none. Poisoned as that of a launch on
///            instances
///   throws   A06 where a kind of device is named of which this node has none; B04 where two chunks write the same
///            element, B05 where a mapper leaves the buffer, B06 where a buffer that is reduced into is used otherwise,
///            too, B07 for a buffer that names nothing; B31 where mappers say that an item reads what another one
///            writes, however the range is cut; B32 where the axes of range, mapper and buffer do not fit, B33 where
///            one_to_one is given a range larger than the buffer; B35, K24, K25. Nothing has been done then, on any
///            node. B24 where a memory of this node is too small for what its smallest piece uses
template <class... P, class... A>
  requires(detail::buffer_argument<A> || ...)
event launch(const kernel<void(P...)>& k, const kernel_range& range, const A&... given) {
  return detail::launch_buffers_checked({}, k, range, given...);
}
template <detail::buffer_launch_tag T1, class... P, class... A>
  requires(detail::buffer_argument<A> || ...)
event launch(const T1& t1, const kernel<void(P...)>& k, const kernel_range& range, const A&... given) {
  const auto request = detail::request_of<detail::buffer_launch>(t1);
  return detail::launch_buffers_checked(request, k, range, given...);
}
template <detail::buffer_launch_tag T1, detail::buffer_launch_tag T2, class... P, class... A>
  requires(detail::buffer_argument<A> || ...)
event launch(const T1& t1, const T2& t2, const kernel<void(P...)>& k, const kernel_range& range, const A&... given) {
  const auto request = detail::request_of<detail::buffer_launch>(t1, t2);
  return detail::launch_buffers_checked(request, k, range, given...);
}
template <detail::buffer_launch_tag T1, detail::buffer_launch_tag T2, detail::buffer_launch_tag T3, class... P,
          class... A>
  requires(detail::buffer_argument<A> || ...)
event launch(const T1& t1, const T2& t2, const T3& t3, const kernel<void(P...)>& k, const kernel_range& range,
             const A&... given) {
  const auto request = detail::request_of<detail::buffer_launch>(t1, t2, t3);
  return detail::launch_buffers_checked(request, k, range, given...);
}

namespace detail {

template <class A>
inline constexpr bool is_host_use = false;
template <class T, std::size_t D, access How>
inline constexpr bool is_host_use<host_use<T, D, How>> = true;
template <class T, std::size_t D, class Op>
inline constexpr bool is_host_use<host_reduction<T, D, Op>> = true;

template <class T, std::size_t D, access How>
host_use_item item_of(const host_use<T, D, How>& u) noexcept {
  return {.buffer = &u.of.handle(), .by = &u.by, .how = How, .elements = kind_of_element<T>};
}
template <class T, std::size_t D, class Op>
host_use_item item_of(const host_reduction<T, D, Op>& r) noexcept {
  return {&r.of.handle(), nullptr, access::reduce, &folding_of<Op>, r.includes_current, kind_of_element<T>};
}

/// One type for each parameter, so that a view which looks at each coordinate would come without that.
template <class F>
concept names_its_views = std::is_pointer_v<F> || requires { &F::operator(); };

/// `first`, the chunk or which part it is, for functions that take it. With checks on, those that say `auto` get views
/// that look at each coordinate.
template <class F, class... U, class First, std::size_t... I>
void call_with_views(F& f, const First& first, std::span<const host_elements> given, std::index_sequence<I...>) {
  const auto call = [&](auto&&... views) {
    if constexpr (std::invocable<F&, const First&, typename U::view...>) f(first, std::move(views)...);
    else f(std::move(views)...);
  };
  if constexpr (!names_its_views<F>)
    if (!given.empty() && given[0].limits) return call(U::checked_view_of(given[I])...);
  call(U::view_of(given[I])...);
}

template <class F, class... U>
event host_task_with(nodes_of_task which, const box& range, const host_task_request& request,
                     const std::source_location& where, F&& f, const U&... uses) {
  static_assert(std::invocable<std::decay_t<F>&, const box&, typename U::view...> ||
                    std::invocable<std::decay_t<F>&, typename U::view...>,
                "the function of a host task takes a view of each buffer, in their order: view<const T, D> of what it "
                "reads, view<T, D> of "
                "what it writes or reduces into; and before them the box of its chunk, if it likes");
  const std::array<host_use_item, sizeof...(U)> items{item_of(uses)...};
  auto kept = std::make_shared<std::decay_t<F>>(std::forward<F>(f));
  return run_host_task(
      which, range, items,
      [kept](const box& chunk, std::span<const host_elements> given) {
        call_with_views<std::decay_t<F>, U...>(*kept, chunk, given, std::index_sequence_for<U...>());
      },
      request, where);
}

template <class F, class... U>
event collective_task_with(std::uint32_t group, const host_task_request& request, const std::source_location& where,
                           F&& f, const U&... uses) {
  static_assert(std::invocable<std::decay_t<F>&, collective_part, typename U::view...> ||
                    std::invocable<std::decay_t<F>&, typename U::view...>,
                "the function of a collective host task takes a view of each buffer, in their order; and before them a "
                "collective_part, if it likes");
  const std::array<host_use_item, sizeof...(U)> items{item_of(uses)...};
  auto kept = std::make_shared<std::decay_t<F>>(std::forward<F>(f));
  const std::uint32_t nodes = nodes_of_buffers();
  return run_host_task(
      {nodes_of_task::collective, group}, box(0, nodes), items,
      [kept, nodes, group, where](const box& chunk, std::span<const host_elements> given) {
        const collective_part part{static_cast<std::uint32_t>(chunk.min()[0]), nodes, group};
        const auto body = [&] {
          call_with_views<std::decay_t<F>, U...>(*kept, part, given, std::index_sequence_for<U...>());
        };
        run_collective_part(body, where);
      },
      request, where);
}

/// A group, with where that was said.
struct collective_range {
  collective_range(collective c, std::source_location called = std::source_location::current())
      : group(c.group), where(called) {}
  std::uint32_t group;
  std::source_location where;
};

/// A range, or which nodes, with where that was said.
struct host_task_range {
  host_task_range(const box& all_chunks, std::source_location called = std::source_location::current())
      : range(all_chunks), where(called) {}
  host_task_range(one_node_tag, std::source_location called = std::source_location::current())
      : which(nodes_of_task::one), range(0, 1), where(called) {}
  host_task_range(each_node_tag, std::source_location called = std::source_location::current())
      : which(nodes_of_task::each), range(0, 1), where(called) {}
  nodes_of_task which = nodes_of_task::chunks;
  box range;
  std::source_location where;
};

}  // namespace detail

/// Runs `f` on the host, as a task that may suspend: on each node for its chunk of a range, or once, or on every node.
///
///     host_task(u.elements(), [](const box& rows, view<const float, 2> u) { save(rows, u); }, u.in(one_to_one));
///     host_task(on_one_node, [](view<const double> sums) { std::printf("%g\n", sums(0)); }, sums.in(all));
///
///     host_task(x.elements(), [](const box& part, view<const double> x, view<double> most) {
///       for (auto i = part.min()[0]; i < part.max()[0]; ++i) most(0) = std::max(most(0), x(i));
///     }, x.in(one_to_one), most.reduce<maximum<double>>());
///
///   tags     up to three of after(...), affects(...), uses(...), in_tiles, in_pieces{n}, constrain_split(n),
///            priority(n), name("text"), before
///            the range
///   f        called with the chunk, if it takes one, and a view of each buffer, which may be used where the mapper
///            says. Of pieces, several may run at once
///   returns  an event of this node; throws as launch. Of B31, chunks stand for items along the axes that may be cut:
///            within a chunk the
///            function decides what comes first
template <class F, class... U>
  requires(detail::is_host_use<U> && ...)
event host_task(const detail::host_task_range& range, F&& f, const U&... uses) {
  return detail::host_task_with(range.which, range.range, {}, range.where, std::forward<F>(f), uses...);
}
template <detail::host_task_tag T1, class F, class... U>
  requires(detail::is_host_use<U> && ...)
event host_task(const T1& t1, const detail::host_task_range& range, F&& f, const U&... uses) {
  const auto request = detail::request_of<detail::host_task_request>(t1);
  return detail::host_task_with(range.which, range.range, request, range.where, std::forward<F>(f), uses...);
}
template <detail::host_task_tag T1, detail::host_task_tag T2, class F, class... U>
  requires(detail::is_host_use<U> && ...)
event host_task(const T1& t1, const T2& t2, const detail::host_task_range& range, F&& f, const U&... uses) {
  const auto request = detail::request_of<detail::host_task_request>(t1, t2);
  return detail::host_task_with(range.which, range.range, request, range.where, std::forward<F>(f), uses...);
}

template <detail::host_task_tag T1, detail::host_task_tag T2, detail::host_task_tag T3, class F, class... U>
  requires(detail::is_host_use<U> && ...)
event host_task(const T1& t1, const T2& t2, const T3& t3, const detail::host_task_range& range, F&& f,
                const U&... uses) {
  const auto request = detail::request_of<detail::host_task_request>(t1, t2, t3);
  return detail::host_task_with(range.which, range.range, request, range.where, std::forward<F>(f), uses...);
}

/// Runs `f` once on every node, at the same point of the program's order: for what nodes do together, such as calls of
/// MPI that are collective, or of a library that writes a file in parallel.
///
///     host_task(collective{}, [=](collective_part me, view<const float, 2> u) { write_rows(file, me.node, me.nodes,
///     u); }, u.in(even_split));
///
/// Two of one group never run at once on a node, and come in one order on all; of unlike groups they may overlap, in
/// any order. Each group talks by ways of its own: me.communicator<MPI_Comm>() is one (collective_part.hpp).
///
///   tags     up to three of after(...), affects(...), uses(...), priority(n), name("text"), before the group
///   f        called with a collective_part, if it takes one, and the views. Its node is the one id of a range of as
///            many as there are nodes, by which mappers say what it uses: u.in(even_split), v.out(one_to_one),
///            w.in(all). In a job over MPI whose level is MPI_THREAD_MULTIPLE, which is asked for where the program is
///            linked with MPI, it runs on a thread of its own and may block in calls of MPI. Elsewhere it waits for
///            others as tasks wait, by futures: a call that blocks its thread holds up a worker
///   returns  an event of this node. If f throws on a node, later tasks of its group do not run there, as if they read
///            what it was to write; where others wait for it in f, they have to find out by what they wait for
///   throws   as launch
template <class F, class... U>
  requires(detail::is_host_use<U> && ...)
event host_task(const detail::collective_range& group, F&& f, const U&... uses) {
  return detail::collective_task_with(group.group, {}, group.where, std::forward<F>(f), uses...);
}
template <detail::host_task_tag T1, class F, class... U>
  requires(detail::is_host_use<U> && ...)
event host_task(const T1& t1, const detail::collective_range& group, F&& f, const U&... uses) {
  const auto request = detail::request_of<detail::collective_request>(t1);
  return detail::collective_task_with(group.group, request, group.where, std::forward<F>(f), uses...);
}
template <detail::host_task_tag T1, detail::host_task_tag T2, class F, class... U>
  requires(detail::is_host_use<U> && ...)
event host_task(const T1& t1, const T2& t2, const detail::collective_range& group, F&& f, const U&... uses) {
  const auto request = detail::request_of<detail::collective_request>(t1, t2);
  return detail::collective_task_with(group.group, request, group.where, std::forward<F>(f), uses...);
}

template <detail::host_task_tag T1, detail::host_task_tag T2, detail::host_task_tag T3, class F, class... U>
  requires(detail::is_host_use<U> && ...)
event host_task(const T1& t1, const T2& t2, const T3& t3, const detail::collective_range& group, F&& f,
                const U&... uses) {
  const auto request = detail::request_of<detail::collective_request>(t1, t2, t3);
  return detail::collective_task_with(group.group, request, group.where, std::forward<F>(f), uses...);
}

/// The value of what a side effect stands for, on this node: f() is called, as a host task that uses it, behind all
/// host tasks asked for so far
/// that affect it, and before those asked for later.
///
///     const double total = fence(log, [&] { return log_total; }).get();
///
///   returns  what f() returned, poisoned if it threw or what affects it before has failed
template <class F>
future<std::invoke_result_t<F&>> fence(const side_effect& of, F f,
                                       std::source_location where = std::source_location::current()) {
  static_assert(!std::is_void_v<std::invoke_result_t<F&>>, "fence gives what the function returns: it returns a value");
  auto value = std::make_shared<std::optional<std::invoke_result_t<F&>>>();
  const event done = host_task(uses(of), name("fence"), detail::host_task_range(on_each_node, where),
                               [value, f = std::move(f)]() mutable { value->emplace(f()); });
  return async(
      after(done), name("value of a side effect"),
      [value, where] {
        if (!*value) detail::refuse_value(where);
        return std::move(**value);
      },
      where);
}

/// Whether this runtime only finds what the program would do on buffers as a node of a job (option dry_nodes), and does
/// none of it: kernels and host tasks are not run, every event of theirs has happened, and what `read` promises is
/// poisoned (B09). Throws B20 on a thread of no runtime.
///
///     auto error = residual.read();                       // on every node, in a dry run, too: it makes nodes send
///     elements if (!is_dry_run() && error.get().view()(0) < 1e-6) break;
bool is_dry_run();

template <class T, std::size_t D>
template <detail::element_function<T, D> F>
buffer<T, D>::buffer(const box& elements, F f, const buffer_options& options, std::source_location where)
    : buffer(elements, options, where) {
  if (elements.is_empty()) return;
  detail::host_task_request request;
  request.name = "first elements";
  const auto fill = [f = std::move(f)](const box& chunk, stretto::view<T, D> to) {
    detail::for_parts_of(chunk, [&](const box& part) {
      for (coordinate i = part.min()[0]; i < part.max()[0]; ++i)
        if constexpr (D == 1) to(i) = f(i);
        else
          for (coordinate j = part.min()[1]; j < part.max()[1]; ++j)
            if constexpr (D == 2) to(i, j) = f(i, j);
            else
              for (coordinate k = part.min()[2]; k < part.max()[2]; ++k) to(i, j, k) = f(i, j, k);
    });
  };
  detail::host_task_with(detail::nodes_of_task::chunks, elements, request, where, fill, out(one_to_one));
}

}  // namespace stretto

STRETTO_API_END

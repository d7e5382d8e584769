// instance.hpp - typed storage of a box of elements in one memory, made and destroyed when events say so.
//
// An instance is a node's, and its handle works on every node of the job: operations on it go to where it is, and
// elements travel between nodes (copy.hpp, reduce.hpp). Elements are looked at where they are: view and data throw D24
// elsewhere. What the instance is, its handle tells on every node: elements, memory, element_bytes and name. The first
// question about an instance of another node waits for that node's answer, which is kept.
//
// Threads     handles are values; every member may be called from any thread of the runtime.
// Memory      what an operation did to an instance is visible once its event has triggered.
// Cost        a handle is 16 bytes. create and destroy together: 100 ns when nothing is to be waited for.
//             view: a few loads; its operator() is one multiplication and one addition per axis.
// Invariants  (1) an instance is never moved. (2) operations on it wait by themselves until it exists. (3) once
//             its destruction has taken effect every use throws D01, or poisons what was submitted before with D08.
// Source      instances and deferred allocation: Treichler, Bauer, Aiken, "Realm", PACT 2014; elements with pointers
//             that hold in every instance: "physical regions", section 4 there.
#pragma once

#include <stretto/box.hpp>
#include <stretto/event.hpp>
#include <stretto/fields.hpp>
#include <stretto/native_memory.hpp>
#include <stretto/plain_value.hpp>
#include <stretto/task.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

STRETTO_API_BEGIN

namespace stretto {

namespace data {

/// Where the elements of a box are: at byte sum((p[a] - box.min()[a]) * stride[a]) from the first.
struct layout {
  stretto::box box;
  point stride;  // bytes; may be negative
  std::uint32_t element_bytes = 1;

  constexpr std::int64_t offset_of(const point& p) const noexcept {
    return (p[0] - box.min()[0]) * stride[0] + (p[1] - box.min()[1]) * stride[1] + (p[2] - box.min()[2]) * stride[2];
  }
};

}  // namespace data

/// Which axis is contiguous: the last one (C, row-major) or the first one (Fortran, column-major).
enum class axis_order : std::uint8_t { c, fortran };

namespace detail {

struct instance_record;

/// What identifies an instance: where its record is, and which of the record's instances it is, its node's number
/// first. For an instance that another node asked for, `record` is no address but a number of that node's, and only its
/// owner knows the record.
struct instance_handle {
  instance_record* record = nullptr;
  std::uint64_t key = 0;
  friend bool operator==(const instance_handle&, const instance_handle&) = default;
};

/// Whether an instance takes memory for its elements, or contributors take it as they come.
enum class storage : std::uint8_t { by_element, by_contributors };

/// Everything of an instance that the compiled core needs to be told.
struct instance_request {
  place memory;                           // none if external
  std::byte* external = nullptr;          // the first element of memory that the program owns
  const native_memory* native = nullptr;  // the same, of the device whose memory the place is
  stretto::box box;
  std::span<const std::int64_t> strides = {};  // elements, one per axis; empty: dense in `order`
  axis_order order = axis_order::c;
  std::uint8_t dimensions = 1;
  std::uint32_t element_bytes = 1;
  std::uint32_t alignment = 1;
  storage holds = storage::by_element;
  std::string_view name;
  bool only_at_once = false;  // a handle that names nothing, rather than an instance that waits for room
};

instance_handle create_instance(const instance_request& request, const preconditions& after,
                                const std::source_location& where);
struct made_elsewhere {
  instance_handle made;
  event ready;
};
/// Without a memory: in the main one of that node.
made_elsewhere create_instance_at(std::uint32_t node, const instance_request& request, const preconditions& after,
                                  const std::source_location& where);
std::uint32_t node_of(const instance_handle& h, const std::source_location& where);
/// The handle by which an instance of this node goes here, whatever name it was given by another. Throws D24 for
/// another node's.
instance_handle handle_here(const instance_handle& h, const char* verb, const std::source_location& where);
event destroy_instance(const instance_handle& h, const preconditions& after, const std::source_location& where);
event ready_event(const instance_handle& h, const std::source_location& where);
/// Address of the first element and layout; throws D09 unless it exists.
std::byte* open_instance(const instance_handle& h, data::layout& shape, const std::source_location& where);
/// The box and strides, existing or not.
data::layout shape_of(const instance_handle& h, const std::source_location& where);
place memory_of(const instance_handle& h, const std::source_location& where);
std::string name_of(const instance_handle& h, const std::source_location& where);
[[noreturn]] void out_of_bounds(const point& at, const box& box, unsigned dimensions);
/// What a checked view may be asked for where that is no box, and who throws for the rest.
struct view_limits {
  std::vector<box> allowed;
  std::function<void(const point& at)> refuse;
};
struct instance_access;
[[noreturn]] void row_not_contiguous(std::int64_t stride_bytes, std::size_t element_bytes);

}  // namespace detail

/// Whether a view looks at every coordinate before it is used.
enum class bounds : std::uint8_t { unchecked, checked };

/// The elements of an existing instance, for host code. Valid while the instance is.
///
///     auto v = u.view();              v(i, j) = 1.0f;
///     auto w = u.view<bounds::checked>();   w(i, j) throws D02 outside the box
template <class T, std::size_t D = 1, bounds Check = bounds::unchecked>
class view {
 public:
  view(T* first, const data::layout& shape) noexcept : box_(shape.box) {
    auto* at = reinterpret_cast<byte*>(first);
    for (int a = 0; a < static_cast<int>(D); ++a) {
      stride_[static_cast<std::size_t>(a)] = shape.stride[a];
      at -= shape.box.min()[a] * shape.stride[a];
    }
    origin_ = at;
  }
  view(T* first, const data::layout& shape, const detail::view_limits* limits) noexcept
    requires(Check == bounds::checked)
      : view(first, shape) {
    limits_ = limits;
  }
  /// Looks no longer.
  operator view<T, D>() const noexcept
    requires(Check == bounds::checked)
  {
    data::layout shape{box_, {}, sizeof(T)};
    byte* first = origin_;
    for (std::size_t a = 0; a < D; ++a) {
      shape.stride[a] = stride_[a];
      first += box_.min()[a] * stride_[a];
    }
    return {reinterpret_cast<T*>(first), shape};
  }

  template <class... Index>
    requires(sizeof...(Index) == D && (std::is_convertible_v<Index, std::int64_t> && ...))
  T& operator()(Index... index) const noexcept(Check == bounds::unchecked) {
    return at({static_cast<std::int64_t>(index)...});
  }
  T& at(const std::array<std::int64_t, D>& p) const noexcept(Check == bounds::unchecked) {
    if constexpr (Check == bounds::checked) check(p);
    std::int64_t offset = 0;
    for (std::size_t a = 0; a < D; ++a) offset += p[a] * stride_[a];
    return *reinterpret_cast<T*>(origin_ + offset);
  }

  /// The elements along the last axis that begin with the given point: ordinary contiguous memory from
  /// min(D-1) to max(D-1). Throws D10 if that axis is not the contiguous one.
  template <class... Index>
    requires(sizeof...(Index) + 1 == D)
  std::span<T> row(Index... index) const {
    const coordinate first = box_.min()[D - 1], count = box_.length(D - 1);
    if (count > 1 && stride_[D - 1] != static_cast<std::int64_t>(sizeof(T)))
      detail::row_not_contiguous(stride_[D - 1], sizeof(T));
    return {count > 0 ? &at({static_cast<std::int64_t>(index)..., first}) : nullptr, static_cast<std::size_t>(count)};
  }

  std::int64_t min(std::size_t axis) const noexcept { return box_.min()[axis]; }
  std::int64_t max(std::size_t axis) const noexcept { return box_.max()[axis]; }
  std::int64_t stride_bytes(std::size_t axis) const noexcept { return stride_[axis]; }
  std::uint64_t size() const noexcept { return box_.volume(); }

 private:
  using byte = std::conditional_t<std::is_const_v<T>, const char, char>;

  void check(const std::array<std::int64_t, D>& p) const {
    point coordinates;
    for (std::size_t i = 0; i < D; ++i) coordinates[i] = p[i];
    if (limits_) {
      for (const box& b : limits_->allowed)
        if (b.contains(coordinates)) return;
      limits_->refuse(coordinates);
    }
    if (!box_.contains(coordinates)) detail::out_of_bounds(coordinates, box_, D);
  }

  byte* origin_;  // where the element with all point 0 is, or would be
  std::array<std::int64_t, D> stride_;
  box box_;
  struct none {
    constexpr none(std::nullptr_t = nullptr) noexcept {}
  };
  [[no_unique_address]] std::conditional_t<Check == bounds::checked, const detail::view_limits*, none> limits_ =
      nullptr;
};

namespace detail {
template <class T, std::size_t D, bounds Check>
inline constexpr bool holds_address<view<T, D, Check>> = true;
}

struct instance_options {
  axis_order order = axis_order::c;
  std::span<const std::int64_t> strides = {};  // in elements, one per axis; overrides `order`; gaps are allowed
  std::string_view name = {};                  // shown in errors, traces and reports
};

template <class T, std::size_t D>
struct new_instance;

/// Typed storage of a box of 1 to 3 dimensions. A handle: copying it copies no element.
///
///     auto [u, ready] = instance<float, 2>::create(at(memory), {{0, 0}, {512, 512}});
///     event filled = fill(u, 0.0f);             // waits for `ready` by itself
///     u.destroy(after(filled));
template <class T, std::size_t D = 1>
class instance {
  static_assert(D >= 1 && D <= 3, "an instance has 1 to 3 dimensions");
  static_assert(std::is_trivially_copyable_v<T>,
                "elements move between memories as bytes: T must be trivially copyable");

 public:
  using element_type = T;
  static constexpr std::size_t dimensions = D;

  constexpr instance() noexcept = default;

  /// Makes an instance when the preconditions have ended. Elements are uninitialised.
  ///
  ///   returns  the handle, and an event: triggered when it exists, poisoned with D03 (wanted, free and largest block
  ///            in bytes) if the memory has no room and no earlier destruction could still make some
  ///   throws   D04 if the place is no memory of this runtime, D05 for strides that overlap, D14 for more than
  ///            2^62 bytes
  static new_instance<T, D> create(at_place memory, const box& elements, const preconditions& after = {},
                                   std::source_location where = std::source_location::current()) {
    return create(memory, elements, instance_options{}, after, where);
  }
  static new_instance<T, D> create(at_place memory, const box& elements, const instance_options& options,
                                   const preconditions& after = {},
                                   std::source_location where = std::source_location::current());

  /// The same on another node of the job, in a memory of its own or, if none is named, in its main one. Returns at
  /// once; what the node finds wrong poisons the event: D03, D04, N05 if it is lost.
  ///
  ///   throws   N02 if there is no such node, D05, D14
  static new_instance<T, D> create(at_node where_to, at_place memory, const box& elements,
                                   const instance_options& options = {}, const preconditions& after = {},
                                   std::source_location where = std::source_location::current());
  static new_instance<T, D> create(at_node where_to, const box& elements, const instance_options& options = {},
                                   const preconditions& after = {},
                                   std::source_location where = std::source_location::current()) {
    return create(where_to, at_place{}, elements, options, after, where);
  }

  /// An instance over memory that the program owns, which must outlive every operation on it.
  ///
  ///   first    the element with the least coordinates (strides may be negative)
  ///   throws   D05 if `first` or a stride breaks the alignment of T, or strides overlap
  static instance external(T* first, const box& elements, const instance_options& options = {},
                           std::source_location where = std::source_location::current());

  /// The same over memory of a device that the program has from its driver; of the host too, for one way to say both.
  /// All operations take it as an instance of that device's memory. It takes nothing of what the runtime has of that
  /// memory.
  ///
  ///   memory   at(place) of a device's memory, or of the host's
  ///   throws   D04 if the place is neither, D05, N19 where the driver says that the memory is not that device's, or
  ///   shorter
  static instance external(at_place memory, const native_memory& first, const box& elements,
                           const instance_options& options = {},
                           std::source_location where = std::source_location::current());

  /// Gives the storage back when the preconditions have ended, also if they are poisoned, and not before it exists:
  /// `after` names everything that uses it. External memory stays with the program. Throws D01 if destroy was called
  /// before.
  event destroy(const preconditions& after = {}, std::source_location where = std::source_location::current()) const {
    return detail::destroy_instance(handle_, after, where);
  }

  /// Triggered when it exists: the event that create returned.
  event ready(std::source_location where = std::source_location::current()) const {
    return detail::ready_event(handle_, where);
  }
  /// For host code, once it exists. Throws D09 before.
  template <bounds Check = bounds::unchecked>
  stretto::view<T, D, Check> view(std::source_location where = std::source_location::current()) const {
    data::layout shape;
    auto* first = reinterpret_cast<T*>(detail::open_instance(handle_, shape, where));
    return {first, shape};
  }
  /// The element with the least coordinates. Throws D09 before it exists.
  T* data(std::source_location where = std::source_location::current()) const {
    stretto::data::layout shape;
    return reinterpret_cast<T*>(detail::open_instance(handle_, shape, where));
  }
  /// What it is, existing or not, on any node. Of an instance of another node the first of these questions suspends the
  /// task until that node has answered; the answer is kept, also beyond the instance's end. Throws D01 if it was
  /// destroyed before that, N05 if its node is lost, and what its creation failed with.
  box elements(std::source_location where = std::source_location::current()) const {
    return detail::shape_of(handle_, where).box;
  }
  /// As it was given, the first 31 bytes; empty if it has none.
  std::string name(std::source_location where = std::source_location::current()) const {
    return detail::name_of(handle_, where);
  }
  /// Of one element: sizeof(T), unless the handle came as one of another type.
  std::uint32_t element_bytes(std::source_location where = std::source_location::current()) const {
    return detail::shape_of(handle_, where).element_bytes;
  }
  /// A place of the node that it is on; none for memory of the program.
  place memory(std::source_location where = std::source_location::current()) const {
    return detail::memory_of(handle_, where);
  }
  /// The node of the job that it is on.
  std::uint32_t node(std::source_location where = std::source_location::current()) const {
    return detail::node_of(handle_, where);
  }

  /// False for a handle that never named an instance.
  explicit operator bool() const noexcept { return handle_.record != nullptr; }
  friend bool operator==(const instance&, const instance&) = default;
  const detail::instance_handle& handle() const noexcept { return handle_; }

 private:
  friend detail::instance_access;
  explicit instance(detail::instance_handle h) noexcept : handle_(h) {}
  detail::instance_handle handle_;
};

template <class T, std::size_t D>
struct new_instance {
  instance<T, D> made;
  event ready;
};

namespace detail {
struct instance_access {
  /// The caller knows what its elements are.
  template <class T, std::size_t D>
  static instance<T, D> of(const instance_handle& h) noexcept {
    return instance<T, D>(h);
  }
};
}  // namespace detail

/// How full a memory is, in bytes.
struct memory_usage {
  std::uint64_t capacity = 0;
  std::uint64_t used = 0;
  std::uint64_t free = 0;
  std::uint64_t largest_block = 0;
  std::uint64_t committed = 0;  // obtained from the system so far; 0 at start
  std::uint64_t peak = 0;       // of `used`
};
/// Throws D04 if the place is no memory of the calling thread's runtime.
memory_usage usage_of(place memory, std::source_location where = std::source_location::current());

/// A pointer to an element that holds in every instance of its index space, in any memory: v(e) is the element's value
/// there. Plain data, so that elements can point to one another and instances of pointers can be indices of a gather.
struct element {
  coordinate index = -1;
  constexpr operator coordinate() const noexcept { return index; }
  constexpr explicit operator bool() const noexcept { return index >= 0; }
};

/// A set of elements that are allocated and freed one by one, apart from where their values are kept.
///
///     index_space nodes(1000);
///     auto here = instance<node>::create(at(ram), nodes.elements()).made, there = ... ;
///     element e = nodes.allocate();
///     here.view()(e) = ...;                       // and after copy(here, there, nodes.runs()):
///     there.view()(e)                             // the same element
///
/// A value: a copy, also one that travels to another node as an argument, has the same elements allocated, and from
/// then on its own: what is allocated or freed in one changes no other.
///
/// Threads: any; allocation is lock-free and finds the places freed last. A copy of one that changes meanwhile has each
/// element as it was at some time. Only one thread may assign to it. Cost: one compare-and-swap; a copy: a bit for each
/// element; sent: two numbers for each run.
class index_space {
 public:
  index_space() : index_space(0) {}
  explicit index_space(std::uint64_t capacity);
  index_space(const index_space& other);
  index_space& operator=(const index_space& other);

  /// An element that was not allocated. Throws D18 if all are.
  element allocate(std::source_location where = std::source_location::current());
  std::optional<element> try_allocate();
  /// Throws D19 unless it is allocated.
  void free(element e, std::source_location where = std::source_location::current());

  bool contains(element e) const noexcept;
  std::uint64_t size() const noexcept { return size_.load(std::memory_order_relaxed); }
  std::uint64_t capacity() const noexcept { return capacity_; }
  /// The box that instances of this space have.
  box elements() const noexcept { return {0, static_cast<coordinate>(capacity_)}; }
  /// The allocated elements as ascending boxes, for copy: a snapshot.
  std::vector<box> runs() const;

  template <class Archive>
  friend void fields(Archive& a, archived<index_space, Archive>& s) {
    std::uint64_t capacity = 0;
    std::vector<std::array<coordinate, 2>> runs;
    if constexpr (!Archive::is_reading) {
      capacity = s.capacity();
      for (const box& run : s.runs()) runs.push_back({run.min()[0], run.max()[0]});
    }
    a(capacity, runs);
    if constexpr (Archive::is_reading) s = index_space(capacity, runs);
  }

 private:
  index_space(std::uint64_t capacity, std::span<const std::array<coordinate, 2>> runs);  // throws B40

  std::uint64_t capacity_, words_;
  std::unique_ptr<std::atomic<std::uint64_t>[]> taken_;  // one bit per element
  std::atomic<std::uint64_t> hint_{0};                   // a word that had room lately
  std::atomic<std::uint64_t> size_{0};
};

template <class T, std::size_t D>
new_instance<T, D> instance<T, D>::create(at_place memory, const box& elements, const instance_options& options,
                                          const preconditions& after, std::source_location where) {
  const instance made(detail::create_instance({.memory = memory.where,
                                               .box = elements,
                                               .strides = options.strides,
                                               .order = options.order,
                                               .dimensions = D,
                                               .element_bytes = sizeof(T),
                                               .alignment = alignof(T),
                                               .name = options.name},
                                              after, where));
  return {made, detail::ready_event(made.handle_, where)};
}

template <class T, std::size_t D>
new_instance<T, D> instance<T, D>::create(at_node where_to, at_place memory, const box& elements,
                                          const instance_options& options, const preconditions& after,
                                          std::source_location where) {
  const detail::made_elsewhere it = detail::create_instance_at(where_to.index,
                                                               {.memory = memory.where,
                                                                .box = elements,
                                                                .strides = options.strides,
                                                                .order = options.order,
                                                                .dimensions = D,
                                                                .element_bytes = sizeof(T),
                                                                .alignment = alignof(T),
                                                                .name = options.name},
                                                               after, where);
  return {instance(it.made), it.ready};
}

template <class T, std::size_t D>
instance<T, D> instance<T, D>::external(T* first, const box& elements, const instance_options& options,
                                        std::source_location where) {
  return instance(detail::create_instance({.memory = {},
                                           .external = reinterpret_cast<std::byte*>(first),
                                           .box = elements,
                                           .strides = options.strides,
                                           .order = options.order,
                                           .dimensions = D,
                                           .element_bytes = sizeof(T),
                                           .alignment = alignof(T),
                                           .name = options.name},
                                          {}, where));
}

template <class T, std::size_t D>
instance<T, D> instance<T, D>::external(at_place memory, const native_memory& first, const box& elements,
                                        const instance_options& options, std::source_location where) {
  return instance(detail::create_instance({.memory = memory.where,
                                           .native = &first,
                                           .box = elements,
                                           .strides = options.strides,
                                           .order = options.order,
                                           .dimensions = D,
                                           .element_bytes = sizeof(T),
                                           .alignment = alignof(T),
                                           .name = options.name},
                                          {}, where));
}

}  // namespace stretto

STRETTO_API_END

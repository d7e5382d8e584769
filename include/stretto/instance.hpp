// instance.hpp - typed storage of a box of elements in one memory, made and destroyed when events say so.
//
//     auto [u, ready] = instance<float, 2>::create(at(memory), {{0, 0}, {512, 512}});
//     wait(fill(u, 0.0f));                      // the fill waits for `ready` by itself
//     u.view()(1, 2) = 1.0f;
//     event stepped = launch(jacobi, box({1, 1}, {511, 511}), u, v, 0.1f);
//     u.destroy(after(stepped));
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
// Source      instances and deferred allocation: Treichler, Bauer, Aiken, "Realm", PACT 2014.
#pragma once

#include <stretto/array_layout.hpp>
#include <stretto/box.hpp>
#include <stretto/detail/instance_handle.hpp>
#include <stretto/event.hpp>
#include <stretto/fields.hpp>
#include <stretto/index_space.hpp>
#include <stretto/native_memory.hpp>
#include <stretto/plain_value.hpp>
#include <stretto/task.hpp>
#include <stretto/view.hpp>

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
  ///            shorter
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

// instance.hpp - an array of a box of elements in one memory, created and destroyed asynchronously by events.
//
//     STRETTO_KERNEL(decay, (in<float, 2> u, out<float, 2> v, float c), {
//       v(global_id(0), global_id(1)) = c * u(global_id(0), global_id(1));
//     })
//     float decayed_corner(place memory) {
//       const box plate({0, 0}, {512, 512});
//       auto [u, u_exists] = instance<float, 2>::create(at(memory), plate);
//       auto [v, v_exists] = instance<float, 2>::create(at(memory), plate, {.name = "v"});
//       event filled = fill(u, 1.0f);  // waits until u exists
//       event stepped = launch(after(filled), decay, plate, u, v, 0.5f);
//       u.destroy(after(stepped));
//       wait(stepped);
//       return v.view()(0, 0);
//     }
//
// An instance belongs to one node, and its handle works on every node of the job: operations run where the instance is,
// and elements move between nodes (copy.hpp, reduce.hpp). Only its own node can access elements: view and data throw
// D24 elsewhere. elements(), memory(), element_bytes() and name() work on every node. The first such call for an
// instance of another node waits for a reply of that node, which is cached.
//
// Threads     handles are values; every member may be called from any thread of the runtime.
// Memory      the writes of an operation are visible once its event has triggered.
// Cost        a handle is 16 bytes. create and destroy together: 100 ns without pending preconditions.
//             view: a few loads; its operator() is one multiplication and one addition per axis.
// Invariants  (1) an instance is never moved. (2) operations on it wait by themselves until it exists. (3) after its
//             destruction, every use throws D01, and operations submitted before are poisoned with D08.
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

/// The layout and the name of an instance.
struct instance_options {
  axis_order order = axis_order::c;            // of dense elements
  std::span<const std::int64_t> strides = {};  // in elements, one per axis; overrides `order`; gaps are allowed
  std::string_view name = {};                  // shown in errors, traces and reports
};

template <class T, std::size_t D>
struct new_instance;

/// A handle of an array of T over a box of D dimensions. Copying the handle copies no elements. Members throw B20 on a
/// thread of no runtime, D01 for a destroyed instance, and D13 for an
/// empty handle or one of another, independent runtime.
template <class T, std::size_t D = 1>
class instance {
  static_assert(D >= 1 && D <= 3, "an instance has 1 to 3 dimensions");
  static_assert(std::is_trivially_copyable_v<T>,
                "elements move between memories as bytes: T must be trivially copyable");

 public:
  using element_type = T;
  static constexpr std::size_t dimensions = D;  // the number of axes

  constexpr instance() noexcept = default;

  /// Creates an instance once the preconditions have ended. Elements are uninitialised.
  ///
  ///   returns  the handle, and an event that triggers when the instance exists. The event is poisoned with D03, which
  ///            gives the bytes wanted, free and in the largest block, if the memory is too full and no pending
  ///            destruction could free enough
  ///   throws   D04 if the place is no memory of this runtime, D05 for strides that overlap, D14 for more than
  ///            2^62 bytes
  static new_instance<T, D> create(at_place memory, const box& elements, const preconditions& after = {},
                                   std::source_location where = std::source_location::current()) {
    return create(memory, elements, instance_options{}, after, where);
  }
  static new_instance<T, D> create(at_place memory, const box& elements, const instance_options& options,
                                   const preconditions& after = {},
                                   std::source_location where = std::source_location::current());

  /// Creates an instance on another node of the job, in the memory at that place of the node; without a place in its
  /// main memory. Returns at once. The event is poisoned with D03, D04, or N05 if the node has failed.
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

  /// An instance over host memory of the program. The memory must outlive every operation on the instance.
  ///
  ///   first    the element with the least coordinates (strides may be negative)
  ///   throws   D05 if `first` or a stride breaks the alignment of T, or strides overlap
  static instance external(T* first, const box& elements, const instance_options& options = {},
                           std::source_location where = std::source_location::current());

  /// An instance over device memory that the program allocated with the device's driver, or over host memory.
  /// Operations treat it as an instance in that device's memory. It does not count in the runtime's use of that memory.
  ///
  ///   memory   at(place) of the memory of a device, or of the host
  ///   throws   D04 if the place is neither, D05, N19 if the driver reports that the memory belongs to another device
  ///            or is too short
  static instance external(at_place memory, const native_memory& first, const box& elements,
                           const instance_options& options = {},
                           std::source_location where = std::source_location::current());

  /// Destroys the instance once it exists and the preconditions have ended, poisoned or not: `after` names all
  /// operations that use it. External memory stays with the program. Throws D01 if destroy was called before.
  event destroy(const preconditions& after = {}, std::source_location where = std::source_location::current()) const {
    return detail::destroy_instance(handle_, after, where);
  }

  /// The event of its creation, which create returned. Throws D01.
  event ready(std::source_location where = std::source_location::current()) const {
    return detail::ready_event(handle_, where);
  }
  /// A view of the elements for host code.
  ///
  ///   throws   D09 before the instance exists, D15 if the host cannot access its memory, D24 on another node, D01
  template <bounds Check = bounds::unchecked>
  stretto::view<T, D, Check> view(std::source_location where = std::source_location::current()) const {
    data::layout shape;
    auto* first = reinterpret_cast<T*>(detail::open_instance(handle_, shape, where));
    return {first, shape};
  }
  /// The address of the element with the least coordinates. Throws as view().
  T* data(std::source_location where = std::source_location::current()) const {
    stretto::data::layout shape;
    return reinterpret_cast<T*>(detail::open_instance(handle_, shape, where));
  }
  /// The box of its elements. This and the four members below work on every node, also before the instance exists. The
  /// first such call for an instance of another node suspends the task until that node has replied; the reply is
  /// cached, also beyond the end of the instance. Throws D01 if the instance was destroyed before, N05 if its node has
  /// failed, and the failure of its creation.
  box elements(std::source_location where = std::source_location::current()) const {
    return detail::shape_of(handle_, where).box;
  }
  /// The first 31 bytes of its name; empty if it has none. Throws as elements().
  std::string name(std::source_location where = std::source_location::current()) const {
    return detail::name_of(handle_, where);
  }
  /// The size of an element in bytes: sizeof(T), unless the handle was made from one of another type. Throws as
  /// elements().
  std::uint32_t element_bytes(std::source_location where = std::source_location::current()) const {
    return detail::shape_of(handle_, where).element_bytes;
  }
  /// The place of its memory, in the platform of its node; place{} for host memory of the program. Throws as
  /// elements().
  place memory(std::source_location where = std::source_location::current()) const {
    return detail::memory_of(handle_, where);
  }
  /// The number of its node in the job. Throws B20, D01.
  std::uint32_t node(std::source_location where = std::source_location::current()) const {
    return detail::node_of(handle_, where);
  }

  /// False for a handle that never named an instance.
  explicit operator bool() const noexcept { return handle_.record != nullptr; }
  friend bool operator==(const instance&, const instance&) = default;
  /// The untyped handle, for Stretto itself.
  const detail::instance_handle& handle() const noexcept { return handle_; }

 private:
  friend detail::instance_access;
  explicit instance(detail::instance_handle h) noexcept : handle_(h) {}
  detail::instance_handle handle_;
};

/// The result of instance::create: the handle, and the event of its creation.
template <class T, std::size_t D>
struct new_instance {
  instance<T, D> made;  // the handle, valid at once
  event ready;          // poisoned if the creation fails
};

namespace detail {
struct instance_access {
  /// The caller guarantees that T and D fit.
  template <class T, std::size_t D>
  static instance<T, D> of(const instance_handle& h) noexcept {
    return instance<T, D>(h);
  }
};
}  // namespace detail

/// The use of a memory, in bytes.
struct memory_usage {
  std::uint64_t capacity = 0;       // used and free
  std::uint64_t used = 0;           // by instances, objects, buffers and reductions
  std::uint64_t free = 0;           // in blocks of any size
  std::uint64_t largest_block = 0;  // the largest instance that fits
  std::uint64_t committed = 0;      // obtained from the system so far; 0 at start
  std::uint64_t peak = 0;           // largest value of `used`
};
/// The present use of a memory of the calling thread's runtime. Throws B20, and D04 if the place is no memory of it.
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

// object.hpp - coherent arrays of one node: the runtime copies them to the memories where launches use them.
//
//     STRETTO_KERNEL(jacobi, (in<float, 2> u, out<float, 2> v, float c), {
//       int i = global_id(0), j = global_id(1);
//       v(i, j) = u(i, j) + c * (u(i-1, j) + u(i+1, j) + u(i, j-1) + u(i, j+1) - 4 * u(i, j));
//     })
//     float diffused_corner(const std::vector<float>& first, coordinate n, int steps) {
//       object<float, 2> u({{0, 0}, {n, n}}, first.data()), v({{0, 0}, {n, n}}, first.data());
//       for (int s = 0; s < steps; ++s) {
//         launch(jacobi, box({1, 1}, {n - 1, n - 1}), u, v, 0.1f);  // on any device, after the launch before
//         std::swap(u, v);
//       }
//       return u.read().get().view()(1, 1);
//     }
//
// The parameter types of a kernel define which objects a launch reads and writes. From these and the order of
// submission the runtime derives what the launch waits for. A scheduler selects the device that computes it, or the
// host. Elements that are not valid there are copied first, while earlier kernels run.
//
// Threads     objects are handles, copied as values; any thread of the runtime. Submissions from several threads are
//             ordered by their arrival.
// Memory      later launches, read() and change() see the writes of a launch.
// Cost        see docs/performance.md. A submission takes a lock of the runtime.
// Invariants  (1) readers run together, and so do contributors by one operator; writers run alone. Uses of disjoint
//             tiles are independent. (2) an object outlives every operation that uses it. (3) a read of an element that
//             nothing wrote fails with A03.
// Source      hetero objects and tasks: the PREMA paper on heterogeneous tasking; data replicas: StarPU.
#pragma once

#include <stretto/array_copy.hpp>
#include <stretto/detail/object_handle.hpp>
#include <stretto/device_kind.hpp>
#include <stretto/fields.hpp>
#include <stretto/future.hpp>
#include <stretto/instance.hpp>
#include <stretto/kernel.hpp>
#include <stretto/launch.hpp>
#include <stretto/mapper.hpp>
#include <stretto/object_launch.hpp>

#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <source_location>
#include <span>
#include <string_view>
#include <utility>

STRETTO_API_BEGIN

namespace stretto {

template <class T, std::size_t D>
class object;

/// A box of an object's elements as an argument of a launch: u(box({0, 0}, {64, 64})).
template <class T, std::size_t D>
struct tile {
  object<T, D> of;
  box part;
};

/// An object with a mapper as an argument of a launch: u(neighborhood(1)).
template <class T, std::size_t D>
struct mapped {
  object<T, D> of;
  std::function<box(const box& part, const box& range)> part;  // the mapper
  detail::mapper_form form = {};
};

/// Host access to elements of an object, until it is destroyed or release() is called. Launches that would write these
/// elements wait until then; for change() and overwrite(), launches that would read them, too. Move-only.
template <class T, std::size_t D>
class object_accessor {
 public:
  /// A view of the elements, valid until release(). Not after release(). Throws K07 for elements without a value, if
  /// the program is checked (option check).
  stretto::view<T, D> view() const {
    data::layout shape;
    auto* const first = reinterpret_cast<T*>(detail::first_of(*is_, shape));
    return {first, shape};
  }
  /// Ends the access.
  void release() noexcept { is_.reset(); }
  /// Whether the access has not been released.
  explicit operator bool() const noexcept { return is_ != nullptr; }

 private:
  friend class object<std::remove_const_t<T>, D>;
  explicit object_accessor(detail::object_accessor_pointer is) noexcept : is_(std::move(is)) {}
  detail::object_accessor_pointer is_;
};

/// The name and the memory of an object.
struct object_options {
  std::string_view name = {};  // shown in errors, traces and reports
  /// A memory that the host and a device share, such as machine.at("sim_0_host_memory"): both use the one copy there in
  /// place, and other devices have copies of their own. The constructor throws K45 for other memory, K46 if the object
  /// is too large. place{}: the runtime decides.
  place memory = {};
};

/// A handle of a coherent array of T with D dimensions. Copies of the handle name the same array. Members throw B20 on
/// a thread of no runtime, A02 for an empty handle, and A05 for a box outside of the object.
template <class T, std::size_t D = 1>
class object {
  static_assert(D >= 1 && D <= 3, "an object has 1 to 3 dimensions");
  static_assert(std::is_trivially_copyable_v<T>,
                "elements move between memories as bytes: T must be trivially copyable");
  static_assert(detail::explain_bytes<T>());

 public:
  using element_type = T;
  static constexpr std::size_t dimensions = D;  // the number of axes

  /// An empty handle.
  object() noexcept = default;
  /// An object whose elements are unwritten. It takes memory when and where launches need it. Throws B20, D14 for an
  /// impossible size, K45 and K46 for options.memory.
  explicit object(const box& elements, const object_options& options = {},
                  std::source_location where = std::source_location::current())
      : handle_(make(elements, nullptr, options, where)) {}
  /// An object that begins with a copy of `from`, dense in C order; the call makes the copy. Throws B20, D14, K45, K46,
  /// and A04 if host memory is too full.
  object(const box& elements, const T* from, const object_options& options = {},
         std::source_location where = std::source_location::current())
      : handle_(make(elements, from, options, where)) {}

  /// A tile of the object, for launches. Checks nothing; the launch throws A05.
  tile<T, D> operator()(const box& part) const { return {*this, part}; }
  /// The object with a mapper, which gives the elements that a part of the launch's range uses. Such a launch may be
  /// split among devices (object_launch.hpp). Throws B20, A02.
  template <mapper M>
  mapped<T, D> operator()(const M& by, std::source_location where = std::source_location::current()) const {
    static_assert(detail::fits_axes<M, D>, "transposed exchanges two axes: an object of one axis has none to exchange");
    return {*this,
            [by, whole = elements(where)](const box& part, const box& range) -> box {
              return detail::call_mapper(by, part, whole, range);
            },
            detail::form_of(by)};
  }
  /// The box of its elements. Throws B20, A02.
  box elements(std::source_location where = std::source_location::current()) const {
    return detail::elements_of(handle_, where);
  }

  /// Read access for host code to all elements, or those of `part`, once the launches submitted so far that write them
  /// have ended. Later launches that write them wait until it is released.
  ///
  ///   returns  a future, poisoned with the failure of such a launch, or with A03 for elements that nothing wrote
  ///   throws   B20, A02, A05
  future<object_accessor<const T, D>> read(const box& part,
                                           std::source_location where = std::source_location::current()) const {
    return hold<const T>(part, access::in, where);
  }
  future<object_accessor<const T, D>> read(std::source_location where = std::source_location::current()) const {
    return hold<const T>(elements(where), access::in, where);
  }
  /// A host copy of the elements that read() would give. Later launches do not wait for its end. Throws B20, A02, A05.
  future<array_copy<T, D>> read_copy(const box& part,
                                     std::source_location where = std::source_location::current()) const {
    auto made = std::make_shared<array_copy<T, D>>(part);
    const event copied = copy_to(made->data(), part, where);
    return async(after(copied), name("copy for the program"), [made] { return std::move(*made); }, where);
  }
  future<array_copy<T, D>> read_copy(std::source_location where = std::source_location::current()) const {
    return read_copy(elements(where), where);
  }
  /// Read and write access for host code, once the launches submitted so far that use these elements have ended. Throws
  /// B20, A02, A05; the future fails as that of read().
  future<object_accessor<T, D>> change(const box& part,
                                       std::source_location where = std::source_location::current()) const {
    return hold<T>(part, access::inout, where);
  }
  future<object_accessor<T, D>> change(std::source_location where = std::source_location::current()) const {
    return hold<T>(elements(where), access::inout, where);
  }
  /// Write access for host code that writes all of these elements: nothing is copied from devices. Throws B20, A02,
  /// A05.
  future<object_accessor<T, D>> overwrite(const box& part,
                                          std::source_location where = std::source_location::current()) const {
    return hold<T>(part, access::out, where);
  }
  future<object_accessor<T, D>> overwrite(std::source_location where = std::source_location::current()) const {
    return hold<T>(elements(where), access::out, where);
  }

  /// Copies elements to host memory of the program, dense in C order, once the launches submitted so far that write
  /// them have ended. The copy counts as a launch for finish and for the order of later launches.
  ///
  ///   to       valid until the event has triggered
  ///   returns  an event, poisoned as the future of read()
  ///   throws   B20, A02, A05
  event copy_to(T* to, const box& part, std::source_location where = std::source_location::current()) const {
    return detail::copy_elements(handle_, part, access::in, reinterpret_cast<std::byte*>(to), where);
  }
  event copy_to(T* to, std::source_location where = std::source_location::current()) const {
    return copy_to(to, elements(where), where);
  }
  /// Overwrites elements from host memory of the program, dense in C order, once the launches submitted so far that use
  /// them have ended. `from` must be valid until the event has triggered. Throws B20, A02, A05.
  event copy_from(const T* from, const box& part, std::source_location where = std::source_location::current()) const {
    return detail::copy_elements(handle_, part, access::out, reinterpret_cast<std::byte*>(const_cast<T*>(from)), where);
  }
  event copy_from(const T* from, std::source_location where = std::source_location::current()) const {
    return copy_from(from, elements(where), where);
  }

  /// Frees the object's memory on all devices once the operations there have ended. Elements that are valid there only
  /// are copied to the host first. Memory that the host shares with a device counts as host memory. Throws B20, A02,
  /// and A04 if the host has no memory for them.
  void remove_from_devices(std::source_location where = std::source_location::current()) const {
    detail::remove_from_devices(handle_, where);
  }

  /// Whether the handle names an object.
  explicit operator bool() const noexcept { return handle_.get() != nullptr; }
  friend bool operator==(const object&, const object&) = default;

  /// Serialises the object in messages, with the elements that it has after all operations submitted before. The
  /// receiver gets an object at once; launches and reads of it wait until the elements have arrived. Throws A09 outside
  /// of messages, B40 when reading other bytes.
  template <class Archive>
  friend void fields(Archive& a, archived<object, Archive>& o) {
    if constexpr (std::same_as<Archive, field_reader>)
      o.handle_ = detail::read_object(a, {{}, D, sizeof(T), alignof(T), {}, nullptr});
    else if constexpr (std::same_as<Archive, field_writer>) detail::write_object(a, o.handle_);
    else if constexpr (std::same_as<Archive, detail::field_separator>)
      detail::separate_object(const_cast<detail::object_handle&>(o.handle_));
    else a.bytes(nullptr, detail::most_bytes_of_name);
  }
  /// The untyped handle, for Stretto itself.
  const detail::object_handle& handle() const noexcept { return handle_; }

 private:
  friend detail::object_access;
  explicit object(detail::object_handle&& h) noexcept : handle_(std::move(h)) {}
  static detail::object_handle make(const box& elements, const T* from, const object_options& o,
                                    const std::source_location& where) {
    return detail::make_object({elements, D, sizeof(T), alignof(T), o.name, from, o.memory}, where);
  }
  template <class U>
  future<object_accessor<U, D>> hold(const box& part, access how, const std::source_location& where) const {
    auto there = detail::hold_elements(handle_, part, how, where);
    return async(after(there), name("elements for the host"),
                 [there]() mutable { return object_accessor<U, D>(std::move(there).get()); });
  }
  detail::object_handle handle_;
};

namespace detail {

struct object_access {
  /// The caller guarantees that T and D fit.
  template <class T, std::size_t D>
  static object<T, D> of(object_handle&& h) noexcept {
    return object<T, D>(std::move(h));
  }
};

}  // namespace detail
}  // namespace stretto

STRETTO_API_END

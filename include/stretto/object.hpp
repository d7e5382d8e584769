// object.hpp - arrays that are where they are needed: one logical array, copies of it in any memory, kept coherent.
//
//     object<float, 2> u({{0, 0}, {n, n}}), v({{0, 0}, {n, n}});
//     launch(init, u.elements(), u);
//     for (int s = 0; s < steps; ++s) launch(jacobi, inside, u, v, 0.1f), swap(u, v);
//     auto seen = u.read().get();                       // seen.view()(i, j), held until `seen` goes
//
// A launch on objects says what its kernel reads and writes by the types of the kernel's parameters; from that follows,
// in the order of submission, what it waits for. Where it is computed, a scheduler decides: the host or any device;
// what is not valid there is copied there first, while earlier kernels run.
//
// Threads     objects are handles, copied as values: any thread of the runtime. Submissions from several threads are
//             ordered as they come.
// Memory      what a launch wrote is seen by launches that follow it and through read() and change().
// Cost        see docs/performance.md. Submission takes a lock of the runtime's.
// Invariants  (1) readers share, contributors by one operator share, writers exclude; tiles that are disjoint do not
//             order one another. (2) an object outlives every operation that uses it. (3) an element that nothing wrote
//             is not read: A03.
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

/// A box of an object's elements, as an argument: u(box({0, 0}, {64, 64})).
template <class T, std::size_t D>
struct tile {
  object<T, D> of;
  box part;
};

/// An object and what of it each part of a range uses, as an argument: u(neighborhood(1)).
template <class T, std::size_t D>
struct mapped {
  object<T, D> of;
  std::function<box(const box& part, const box& range)> part;
  detail::mapper_form form = {};
};

/// Elements of an object for host code, until it goes or release() is called. Move-only.
template <class T, std::size_t D>
class held {
 public:
  stretto::view<T, D> view() const {
    data::layout shape;
    auto* const first = reinterpret_cast<T*>(detail::first_of(*is_, shape));
    return {first, shape};
  }
  void release() noexcept { is_.reset(); }
  explicit operator bool() const noexcept { return is_ != nullptr; }

 private:
  friend class object<std::remove_const_t<T>, D>;
  explicit held(detail::held_pointer is) noexcept : is_(std::move(is)) {}
  detail::held_pointer is_;
};

struct object_options {
  std::string_view name = {};  // shown in errors, traces and reports
  /// Where it lives: memory that the host and a device share, as machine.at("sim_0_host_memory"). Both use the one copy
  /// there, in place; other devices have copies of their own. K45 for other memory, K46 where it is too large. None: it
  /// is where it is needed.
  place memory = {};
};

template <class T, std::size_t D = 1>
class object {
  static_assert(D >= 1 && D <= 3, "an object has 1 to 3 dimensions");
  static_assert(std::is_trivially_copyable_v<T>,
                "elements move between memories as bytes: T must be trivially copyable");
  static_assert(detail::explain_bytes<T>());

 public:
  using element_type = T;
  static constexpr std::size_t dimensions = D;

  /// Names nothing; using it is A02.
  object() noexcept = default;
  /// Elements are undefined until something writes them; memory is taken where and when it is needed.
  explicit object(const box& elements, const object_options& options = {},
                  std::source_location where = std::source_location::current())
      : handle_(make(elements, nullptr, options, where)) {}
  /// Begins with a copy of `from`, dense in C order, made in the call.
  object(const box& elements, const T* from, const object_options& options = {},
         std::source_location where = std::source_location::current())
      : handle_(make(elements, from, options, where)) {}

  tile<T, D> operator()(const box& part) const { return {*this, part}; }
  /// What each part of a launch's range uses; such a launch may be divided (see launch).
  template <mapper M>
  mapped<T, D> operator()(const M& by, std::source_location where = std::source_location::current()) const {
    static_assert(detail::fits_axes<M, D>, "transposed exchanges two axes: an object of one axis has none to exchange");
    return {*this,
            [by, whole = elements(where)](const box& part, const box& range) -> box {
              return detail::call_mapper(by, part, whole, range);
            },
            detail::form_of(by)};
  }
  box elements(std::source_location where = std::source_location::current()) const {
    return detail::elements_of(handle_, where);
  }

  /// The content for host code, once every launch submitted so far that writes there has ended. Launches that are
  /// submitted later and write there wait until it is released. Poisoned with what those launches failed with, with A03
  /// for elements that nothing wrote.
  future<held<const T, D>> read(const box& part, std::source_location where = std::source_location::current()) const {
    return hold<const T>(part, access::in, where);
  }
  future<held<const T, D>> read(std::source_location where = std::source_location::current()) const {
    return hold<const T>(elements(where), access::in, where);
  }
  /// A copy that the program owns, of the content that read() would give: nothing waits for it to go.
  ///
  ///     auto before = u.read_copy().get();  // before(i, j), whatever launches write later
  future<array_copy<T, D>> read_copy(const box& part,
                                     std::source_location where = std::source_location::current()) const {
    auto made = std::make_shared<array_copy<T, D>>(part);
    const event copied = copy_to(made->data(), part, where);
    return async(after(copied), name("copy for the program"), [made] { return std::move(*made); }, where);
  }
  future<array_copy<T, D>> read_copy(std::source_location where = std::source_location::current()) const {
    return read_copy(elements(where), where);
  }
  /// The same, to be changed.
  future<held<T, D>> change(const box& part, std::source_location where = std::source_location::current()) const {
    return hold<T>(part, access::inout, where);
  }
  future<held<T, D>> change(std::source_location where = std::source_location::current()) const {
    return hold<T>(elements(where), access::inout, where);
  }
  /// The same, for elements that are all written: nothing is copied from devices.
  future<held<T, D>> overwrite(const box& part, std::source_location where = std::source_location::current()) const {
    return hold<T>(part, access::out, where);
  }
  future<held<T, D>> overwrite(std::source_location where = std::source_location::current()) const {
    return hold<T>(elements(where), access::out, where);
  }

  /// Copies elements into memory of the program's, dense in C order, from wherever they are, once every launch
  /// submitted so far that writes there has ended. Counts as a launch: for finish, for what follows, for failures. `to`
  /// must last until then.
  event copy_to(T* to, const box& part, std::source_location where = std::source_location::current()) const {
    return detail::copy_elements(handle_, part, access::in, reinterpret_cast<std::byte*>(to), where);
  }
  event copy_to(T* to, std::source_location where = std::source_location::current()) const {
    return copy_to(to, elements(where), where);
  }
  /// Overwrites elements from memory of the program's, once every launch submitted so far that uses them has ended.
  event copy_from(const T* from, const box& part, std::source_location where = std::source_location::current()) const {
    return detail::copy_elements(handle_, part, access::out, reinterpret_cast<std::byte*>(const_cast<T*>(from)), where);
  }
  event copy_from(const T* from, std::source_location where = std::source_location::current()) const {
    return copy_from(from, elements(where), where);
  }

  /// Gives its room on all devices back, once what uses it there has ended; what is valid there alone comes to the host
  /// first. Memory that the host shares with a device is the host's: an object stays where it lives.
  void remove_from_devices(std::source_location where = std::source_location::current()) const {
    detail::remove_from_devices(handle_, where);
  }

  explicit operator bool() const noexcept { return handle_.get() != nullptr; }
  friend bool operator==(const object&, const object&) = default;

  /// A part of messages, with the content that it will have once all has ended that was submitted before; which follows
  /// by itself. Who reads the message has an object at once, whose content launches and views wait for. A09 outside of
  /// messages.
  template <class Archive>
  friend void fields(Archive& a, archived<object, Archive>& o) {
    if constexpr (std::same_as<Archive, field_reader>)
      o.handle_ = detail::read_object(a, {{}, D, sizeof(T), alignof(T), {}, nullptr});
    else if constexpr (std::same_as<Archive, field_writer>) detail::write_object(a, o.handle_);
    else if constexpr (std::same_as<Archive, detail::field_separator>)
      detail::separate_object(const_cast<detail::object_handle&>(o.handle_));
    else a.bytes(nullptr, detail::most_bytes_of_name);
  }
  const detail::object_handle& handle() const noexcept { return handle_; }

 private:
  friend detail::object_access;
  explicit object(detail::object_handle&& h) noexcept : handle_(std::move(h)) {}
  static detail::object_handle make(const box& elements, const T* from, const object_options& o,
                                    const std::source_location& where) {
    return detail::make_object({elements, D, sizeof(T), alignof(T), o.name, from, o.memory}, where);
  }
  template <class U>
  future<held<U, D>> hold(const box& part, access how, const std::source_location& where) const {
    auto there = detail::hold_elements(handle_, part, how, where);
    return async(after(there), name("elements for the host"),
                 [there]() mutable { return held<U, D>(std::move(there).get()); });
  }
  detail::object_handle handle_;
};

namespace detail {

struct object_access {
  /// The caller knows what its elements are.
  template <class T, std::size_t D>
  static object<T, D> of(object_handle&& h) noexcept {
    return object<T, D>(std::move(h));
  }
};

}  // namespace detail
}  // namespace stretto

STRETTO_API_END

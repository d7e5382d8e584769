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
#include <stretto/fields.hpp>
#include <stretto/future.hpp>
#include <stretto/instance.hpp>
#include <stretto/kernel.hpp>
#include <stretto/launch.hpp>
#include <stretto/mapper.hpp>

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

/// What computes: the workers of this node, or a device; any, or what its driver says that it is. A processor that a
/// driver shows as a device is a cpu, not the host. A simulated device is a gpu.
enum class device_kind : std::uint8_t { host, device, cpu, gpu, accelerator };

/// Several kinds, by bits.
struct on_kinds {
  std::uint8_t are = 0;
  constexpr bool has(device_kind k) const noexcept { return are >> static_cast<unsigned>(k) & 1; }
};
/// The tag `on(device_kind::gpu)`: of that kind, whichever; on(device_kind::gpu, device_kind::accelerator): of any of
/// these.
template <std::same_as<device_kind>... More>
constexpr on_kinds on(device_kind first, More... more) noexcept {
  return {
      static_cast<std::uint8_t>(1u << static_cast<unsigned>(first) | (0u | ... | (1u << static_cast<unsigned>(more))))};
}

/// Who drives a device: "cuda", "opencl", "sim", as option `devices` calls them; "host" for the workers.
struct driver {
  constexpr explicit driver(std::string_view called) noexcept : name(called) {}
  std::string_view name;
};
struct on_driver {
  std::string_view name;
};
/// The tag `on(driver("opencl"))`: a device of that driver, whichever.
constexpr on_driver on(driver d) noexcept { return {d.name}; }

namespace objects {
struct object_record;
}

namespace detail {

/// The counted reference that objects are made of.
class object_handle {
 public:
  object_handle() noexcept = default;
  explicit object_handle(objects::object_record* r) noexcept : record_(r) {}
  object_handle(const object_handle& other) noexcept;
  object_handle(object_handle&& other) noexcept : record_(std::exchange(other.record_, nullptr)) {}
  object_handle& operator=(object_handle other) noexcept {
    std::swap(record_, other.record_);
    return *this;
  }
  ~object_handle();

  objects::object_record* get() const noexcept { return record_; }
  friend bool operator==(const object_handle& a, const object_handle& b) noexcept { return a.record_ == b.record_; }

 private:
  objects::object_record* record_ = nullptr;
};

struct object_request {
  box elements;
  std::uint8_t dimensions = 1;
  std::uint32_t element_bytes = 1, alignment = 1;
  std::string_view name;
  const void* from = nullptr;  // its first content, dense; null: nothing is written
  place memory = {};           // where it lives, of the host and a device
};
object_handle make_object(const object_request& request, const std::source_location& where);
box elements_of(const object_handle& h, const std::source_location& where);
void remove_from_devices(const object_handle& h, const std::source_location& where);

/// With the content that it will have once all has ended that is submitted by now.
object_handle copy_of_object(const object_handle& h);
/// It is nobody else's from now on.
void separate_object(object_handle& h);
void write_object(field_writer& to, const object_handle& h);
/// Throws B40 for one of other elements or axes than `like`.
object_handle read_object(field_reader& from, const object_request& like);
inline constexpr std::size_t most_bytes_of_name = 256;  // of an object in a message, usually

/// Elements held for the host.
struct held_elements;
void release_elements(held_elements* held) noexcept;
struct release_held {
  void operator()(held_elements* held) const noexcept { release_elements(held); }
};
using held_pointer = std::unique_ptr<held_elements, release_held>;
std::byte* first_of(const held_elements& held, data::layout& shape);
future<held_pointer> hold_elements(const object_handle& h, const box& part, access how,
                                   const std::source_location& where);
event copy_elements(const object_handle& h, const box& part, access how, std::byte* outside,
                    const std::source_location& where);

struct object_access;

/// An argument of a launch, as the compiled core is told: an object with a part of it, or a value, or a size.
struct object_item {
  const object_handle* object = nullptr;
  box part = {};
  bool is_tile = false;
  const std::function<box(const box&, const box&)>* mapped = nullptr;  // by part of the range and the whole range
  mapper_form form = {};                                               // of that
  const void* value = nullptr;
  std::int64_t local_elements = 0;
};
struct object_launch : task_request {
  on_kinds kinds = {};  // none: any
  std::string_view driver = {};
  extent multiple = unit;  // its range is cut at multiples of this

  void apply(const split_constraint& c) noexcept { multiple = c.multiple; }
  void apply(on_kinds k) noexcept { kinds = k; }
  void apply(on_driver d) noexcept { driver = d.name; }
  template <class Tag>
    requires requires(task_request request, const Tag& tag) { request.apply(tag); }
  void apply(const Tag& tag) noexcept {
    static_assert(!std::same_as<Tag, on_worker>,
                  "a launch on objects or buffers is computed by devices or by all workers, not by one: "
                  "on(device_kind::host) says by the workers");
    static_assert(!std::same_as<Tag, profile_into>,
                  "a launch on objects or buffers may become several, and has no profile of its own: a "
                  "trace shows each part");
    task_request::apply(tag);
  }
};
template <class Tag>
concept object_launch_tag = requires(object_launch request, const Tag& tag) { request.apply(tag); };

event launch_on_objects(const kernel_code& code, const kernel_range& range, std::span<const object_item> items,
                        const object_launch& request);

}  // namespace detail

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

template <class T, std::size_t D>
inline constexpr bool is_object_argument<object<T, D>> = true;
template <class T, std::size_t D>
inline constexpr bool is_object_argument<tile<T, D>> = true;
template <class T, std::size_t D>
inline constexpr bool is_object_argument<mapped<T, D>> = true;
template <class A>
concept object_argument = is_object_argument<A>;

/// How argument `Number` of a launch on objects stands for its parameter; the numbers count from 0.
template <std::size_t Number, class Parameter, class Given>
struct argument_of_objects : argument<Number, Parameter, Given> {
  using argument<Number, Parameter, Given>::argument;
  object_item item() const noexcept {
    const launch_item i = argument<Number, Parameter, Given>::item();
    return {.value = i.value, .local_elements = i.local_elements};
  }
};
template <std::size_t Number, kernels::array_parameter Parameter, class Given>
  requires(Parameter::mode != access::local)
struct argument_of_objects<Number, Parameter, Given> {
  using element = std::remove_const_t<typename Parameter::element>;
  STRETTO_DETAIL_ARGUMENT(
      "must be an object, or a tile of one, with the element type and the number of axes of the kernel's array "
      "parameter",
      std::same_as<Given, object<element, Parameter::axes>> || std::same_as<Given, tile<element, Parameter::axes>> ||
          std::same_as<Given, mapped<element, Parameter::axes>>);
  explicit argument_of_objects(const object<element, Parameter::axes>& o) noexcept : is{.object = &o.handle()} {}
  explicit argument_of_objects(const tile<element, Parameter::axes>& t) noexcept
      : is{.object = &t.of.handle(), .part = t.part, .is_tile = true} {}
  explicit argument_of_objects(const mapped<element, Parameter::axes>& m) noexcept
      : is{.object = &m.of.handle(), .mapped = &m.part, .form = m.form} {}
  object_item item() const noexcept { return is; }
  object_item is;
};

/// Calls what with the arguments as the compiled core is told them.
template <class... P, class... A, std::size_t... N, class What>
auto with_object_items(const kernel<void(P...)>&, std::index_sequence<N...>, What&& what, const A&... given) {
  const std::tuple<argument_of_objects<N, P, A>...> all{argument_of_objects<N, P, A>(given)...};
  const std::array<object_item, sizeof...(P)> items{std::get<N>(all).item()...};
  return what(std::span<const object_item>(items));
}

template <class... P, class... A>
event launch_objects_checked(const object_launch& request, const kernel<void(P...)>& k, const kernel_range& range,
                             const A&... given) {
  static_assert(sizeof...(A) == sizeof...(P), "a launch gives as many arguments as the kernel has parameters");
  if constexpr (sizeof...(A) == sizeof...(P))
    return with_object_items(
        k, std::index_sequence_for<P...>(),
        [&](std::span<const object_item> items) { return launch_on_objects(k.code(), range, items, request); },
        given...);
  else return {};
}

}  // namespace detail

/// Computes `k` for every id of `range` on objects, wherever the scheduler decides; in the order of submission as far
/// as arguments ask for it.
///
///   tags     any of after(...), on(device_kind::...), on(driver("...")), on(place of a device or of the host),
///            constrain_split(n), priority(n),
///            name("text"), before the kernel
///   given    for in, out, inout and reduce an object or a tile of one, for a value something that converts to it, for
///            local a local_size. `out` declares that every element of the object or tile is overwritten: else the
///            parameter is inout Where arguments say what each part of the range uses (mapper.hpp), the launch may be
///            divided: every device that may run it computes a part, as large as it is fast, by what was measured. All
///            arguments that are written must say it
///   returns  an event, poisoned as that of a launch on instances, with A03 where it reads what nothing wrote, with A04
///            where its arguments alone do not fit into the memory of any device that it may run on
///   throws   A02 for an object that names nothing, A05 for a tile outside of its object, A06 where no device that it
///            may run on is there, with A07 where parts of a divided launch would write the same elements; with B31
///            where mappers say that an item reads what another one writes, however the launch is divided; B32 where
///            the axes of range, mapper and object do not fit, B33 where one_to_one is given a range larger than the
///            object; B35, K24, K25
template <class... P, class... A>
  requires(detail::object_argument<A> || ...)
event launch(const kernel<void(P...)>& k, const kernel_range& range, const A&... given) {
  return detail::launch_objects_checked({}, k, range, given...);
}
template <detail::object_launch_tag T1, class... P, class... A>
  requires(detail::object_argument<A> || ...)
event launch(const T1& t1, const kernel<void(P...)>& k, const kernel_range& range, const A&... given) {
  const auto request = detail::request_of<detail::object_launch>(t1);
  return detail::launch_objects_checked(request, k, range, given...);
}
template <detail::object_launch_tag T1, detail::object_launch_tag T2, class... P, class... A>
  requires(detail::object_argument<A> || ...)
event launch(const T1& t1, const T2& t2, const kernel<void(P...)>& k, const kernel_range& range, const A&... given) {
  const auto request = detail::request_of<detail::object_launch>(t1, t2);
  return detail::launch_objects_checked(request, k, range, given...);
}
template <detail::object_launch_tag T1, detail::object_launch_tag T2, detail::object_launch_tag T3, class... P,
          class... A>
  requires(detail::object_argument<A> || ...)
event launch(const T1& t1, const T2& t2, const T3& t3, const kernel<void(P...)>& k, const kernel_range& range,
             const A&... given) {
  const auto request = detail::request_of<detail::object_launch>(t1, t2, t3);
  return detail::launch_objects_checked(request, k, range, given...);
}

}  // namespace stretto

STRETTO_API_END

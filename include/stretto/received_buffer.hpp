// received_buffer.hpp - elements sent to a memory of another node, of a device or of the host, for a handler there;
// without objects.
//
//     send_buffer(after(computed), at_node(1), x, at(gpu_memory),  // x: an instance of this node, in any memory
//                 call([](const received_buffer<float>& b, int step) {
//                   b.keep_until(launch(smooth, box(0, b.size()), b.elements(), step));
//                 }, 7));
//
// For programs that have instances, or pointers of a driver's, rather than objects: the handler has the elements in the
// memory that the sender has named, as an instance and by their address there, and gives them to kernels of Stretto's
// or to code of its own.
//
// Threads     every function from any thread that belongs to a runtime.
// Memory      the handler, and what it starts, sees the elements as they were when what the sender named by after(...)
//             had ended.
// Cost        as put (global_object.hpp). Memory comes from the pool of the node that receives; where there is no room,
//             a message waits for the end of those before it.
// Invariants  (1) a handler runs once, or never if its future says why; messages of one node begin to be received in
//             the order in which it sent them. (2) the buffer lasts until the handler and all tasks and launches on
//             objects that it has spawned have ended, and the events that it returns or keeps it by.
// Source      buffers of devices in messages, with handlers on the receiving node: PREMA's heterogeneous tasking.
#pragma once

#include <stretto/instance.hpp>
#include <stretto/mobile.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <source_location>
#include <span>
#include <type_traits>
#include <utility>

STRETTO_API_BEGIN

namespace stretto {

namespace detail {

struct buffer_name {
  std::uint64_t number = 0, node = 0;
};
/// All throw G09 once it is over.
instance_handle received_elements(const buffer_name& is, const std::source_location& where);
void keep_received(const buffer_name& is, event until, const std::source_location& where);
/// Where the processor or driver of its memory has it; null if the driver has no addresses.
void* address_of_received(const buffer_name& is, const std::source_location& where);

struct buffer_access;

}  // namespace detail

/// What has come, for its handler.
template <class T>
class received_buffer {
 public:
  /// In the memory that the sender named, from 0 on.
  instance<T> elements(std::source_location where = std::source_location::current()) const {
    return detail::instance_access::of<T, 1>(detail::received_elements(is_, where));
  }
  /// Of the first element, for code that is not Stretto's: on the host, and on CUDA (a CUdeviceptr). Null elsewhere:
  /// there native kernels, launched on elements(), are handed what the driver knows it by (native_kernel.hpp).
  T* address(std::source_location where = std::source_location::current()) const {
    return static_cast<T*>(detail::address_of_received(is_, where));
  }
  coordinate size(std::source_location where = std::source_location::current()) const {
    return elements(where).elements(where).length(0);
  }
  /// Something that uses it, which no finish waits for: a launch on its instance, work of a driver's.
  void keep_until(event e, std::source_location where = std::source_location::current()) const {
    detail::keep_received(is_, e, where);
  }

 private:
  friend detail::buffer_access;
  detail::buffer_name is_;
};

/// Elements behind one another in memory that a driver, not Stretto, gave to the program: what send_buffer takes from
/// there.
template <class T>
struct native_elements {
  at_place memory;  ///< of the device that it is in, or of the host
  native_memory first;
  std::uint64_t count = 0;
};

namespace detail {

struct buffer_access {
  template <class T>
  static received_buffer<T> of(const buffer_name& is) noexcept {
    received_buffer<T> b;
    b.is_ = is;
    return b;
  }
};

/// Elements of this node: an instance's, those here, or those in memory that a driver gave to the program.
struct buffer_source {
  instance_handle in = {};
  const void* first = nullptr;
  std::optional<native_memory> native = {};  // in
  place memory = {};                         // this one
  std::uint64_t count = 0;
  std::uint32_t element_bytes = 1, alignment = 1;
};
template <class T>
struct buffer_source_of;
template <class T>
struct buffer_source_of<instance<T, 1>> {
  using element = T;
  static_assert(explain_bytes<T>());
  static buffer_source is(const instance<T, 1>& i, const std::source_location& where) {
    return {.in = i.handle(),
            .count = shape_of(handle_here(i.handle(), "send_buffer", where), where).box.volume(),
            .element_bytes = sizeof(T),
            .alignment = alignof(T)};
  }
};
template <class T>
struct buffer_source_of<std::span<T>> {
  using element = std::remove_const_t<T>;
  static_assert(std::is_trivially_copyable_v<T>,
                "elements move between memories as bytes: T must be trivially copyable");
  static_assert(explain_bytes<T>());
  static buffer_source is(const std::span<T>& s, const std::source_location&) {
    return {.first = s.data(), .count = s.size(), .element_bytes = sizeof(T), .alignment = alignof(T)};
  }
};
template <class T>
struct buffer_source_of<native_elements<T>> {
  using element = T;
  static_assert(std::is_trivially_copyable_v<T>,
                "elements move between memories as bytes: T must be trivially copyable");
  static_assert(explain_bytes<T>());
  static buffer_source is(const native_elements<T>& e, const std::source_location&) {
    return {.native = e.first,
            .memory = e.memory.where,
            .count = e.count,
            .element_bytes = sizeof(T),
            .alignment = alignof(T)};
  }
};
template <class S>
concept sent_elements = requires { typename buffer_source_of<S>::element; };

template <class T, class Get>
struct buffer_handler {
  using signature = handler_of<typename Get::type>;
  using returned = typename signature::result;
  static_assert(std::same_as<received_buffer<T>, typename signature::object>,
                "the handler of a buffer takes it first, as received_buffer of the element type that is sent");

  static void run(field_reader& in, field_writer& out) {
    buffer_name is;
    typename signature::arguments all;
    in(is.number, is.node, all);
    auto b = buffer_access::of<T>(is);
    const auto called = [&b](auto&... a) -> returned { return std::invoke(Get::get(), b, std::move(a)...); };
    if constexpr (std::is_void_v<returned>) {
      std::apply(called, all);
    } else {
      const returned value = std::apply(called, all);
      if constexpr (std::derived_from<returned, event>) b.keep_until(value);
      out(value);
    }
  }
  static constexpr remote_function_type type{remote_function_mark, Get::signature(), run};
};

struct buffer_request : send_request {
  std::uint32_t node = 0;
  place memory = {};  // there
};
/// A name for the next buffer, by which its handler finds it.
buffer_name next_buffer();
completion& send_elements(const buffer_request& request, const buffer_name& is, const buffer_source& from,
                          const remote_function_type& function, const parcel& arguments, std::size_t value_bytes,
                          const task_type& type, value_reader read, const std::source_location& where);

template <class From, class Get>
auto send_buffer_with(buffer_request request, at_node to, const From& from, place memory, const handler_call<Get>& c,
                      const std::source_location& where) {
  using source = buffer_source_of<From>;
  using handler = buffer_handler<typename source::element, Get>;
  using R = typename handler::returned;
  request.node = to.index;
  request.memory = memory;
  const buffer_name is = next_buffer();
  parcel arguments{.bytes = {}, .may_be_read_twice = true};
  write_parcel(arguments, is.number, is.node, c.arguments);
  value_reader read = nullptr;
  if constexpr (!std::is_void_v<R>)
    read = +[](field_reader& in, void* storage) {
      R value{};
      in(value);
      ::new (storage) R(std::move(value));
    };
  return future_access::make<R>(send_elements(request, is, source::is(from, where), handler::type, arguments,
                                              value_bytes<R>, value_type<R>, read, where));
}
template <sent_elements From, class Get>
auto send_tagged_buffer(const buffer_request& request, const std::source_location& found, at_node to, const From& from,
                        at_place memory, const handler_call<Get>& c, std::same_as<std::source_location> auto... said) {
  return send_buffer_with(request, to, from, memory.where, c, called_at(found, said...));
}
template <sent_elements From, class Get>
auto send_tagged_buffer(const buffer_request& request, const std::source_location& found, at_node to, const From& from,
                        const handler_call<Get>& c, std::same_as<std::source_location> auto... said) {
  return send_buffer_with(request, to, from, place{}, c, called_at(found, said...));
}

}  // namespace detail

/// Sends the elements to that node, into a buffer made there in `memory`, and runs the handler when they are there.
/// Returns the future of what it returns.
///
///   tags     after(...): they are read when that has ended; name("text"), priority(n): of the handler
///   from     an instance of one dimension, of this node, a std::span, or native_elements<T>, which a driver gave to
///   the program and
///            the program frees: they stay as they are until the future is ready
///   memory   at(place) of a memory of that node, whose devices are this one's or like them; without it, its main one
///   handler  call(f, arguments...), where f takes a received_buffer<T> by reference first
///   throws   B20; N02 if there is no such node, D24 for an instance of another node, D04, D05 and N19 for native
///   memory that is none. The
///            future fails with D03 if there is no room and no earlier destruction could still make some, D04 if the
///            place is no memory there, N05, N13, B40
template <detail::sent_elements From, class Get>
auto send_buffer(at_node to, const From& from, at_place memory, const detail::handler_call<Get>& handler,
                 std::source_location where = std::source_location::current()) {
  return detail::send_buffer_with({}, to, from, memory.where, handler, where);
}
template <detail::sent_elements From, class Get>
auto send_buffer(at_node to, const From& from, const detail::handler_call<Get>& handler,
                 std::source_location where = std::source_location::current()) {
  return detail::send_buffer_with({}, to, from, place{}, handler, where);
}
template <class... A>
  requires(std::same_as<std::remove_cvref_t<A>, at_node> || ...)
auto send_buffer(detail::first_tag<detail::buffer_request, A...> first, const A&... rest) {
  return detail::behind_tags(
      first.request,
      [&](const auto&... behind) -> decltype(detail::send_tagged_buffer(first.request, first.where, behind...)) {
        return detail::send_tagged_buffer(first.request, first.where, behind...);
      },
      rest...);
}

}  // namespace stretto

STRETTO_API_END

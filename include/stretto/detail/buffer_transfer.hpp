// buffer_transfer.hpp - the implementation of send_buffer: the source of the elements, and the call of the handler.
#pragma once

#include <stretto/detail/instance_handle.hpp>
#include <stretto/detail/mobile_access.hpp>
#include <stretto/fields.hpp>
#include <stretto/instance.hpp>
#include <stretto/native_memory.hpp>
#include <stretto/remote.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <source_location>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

STRETTO_API_BEGIN

namespace stretto {

template <class T>
class received_buffer;
template <class T>
struct native_elements;

namespace detail {

struct buffer_name {
  std::uint64_t number = 0, node = 0;
};
// These functions throw G09 after the end of the buffer.
instance_handle received_elements(const buffer_name& is, const std::source_location& where);
void keep_received(const buffer_name& is, event until, const std::source_location& where);
/// The address for the processor or driver of its memory; null if the driver has no addresses.
void* address_of_received(const buffer_name& is, const std::source_location& where);

struct buffer_access {
  template <class T>
  static received_buffer<T> of(const buffer_name& is) noexcept {
    received_buffer<T> b;
    b.is_ = is;
    return b;
  }
};

/// The elements to send: those of an instance, in host memory, or in native memory of a device.
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
/// A new name for a buffer, by which its handler finds it.
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
                        at_place memory, const handler_call<Get>& c,
                        std::same_as<std::source_location> auto... called) {
  return send_buffer_with(request, to, from, memory.where, c, called_at(found, called...));
}
template <sent_elements From, class Get>
auto send_tagged_buffer(const buffer_request& request, const std::source_location& found, at_node to, const From& from,
                        const handler_call<Get>& c, std::same_as<std::source_location> auto... called) {
  return send_buffer_with(request, to, from, place{}, c, called_at(found, called...));
}

}  // namespace detail
}  // namespace stretto

STRETTO_API_END

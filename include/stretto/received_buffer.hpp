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

#include <stretto/detail/buffer_transfer.hpp>
#include <stretto/instance.hpp>
#include <stretto/mobile.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <source_location>
#include <span>
#include <type_traits>

STRETTO_API_BEGIN

namespace stretto {

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

/// Sends the elements to that node, into a buffer made there in `memory`, and runs the handler when they are there.
/// Returns the future of what it returns.
///
///   tags     after(...): they are read when that has ended; name("text"), priority(n): of the handler
///   from     an instance of one dimension, of this node, a std::span, or native_elements<T>, which a driver gave to
///            the program and the program frees: they stay as they are until the future is ready
///   memory   at(place) of a memory of that node, whose devices are this one's or like them; without it, its main one
///   handler  call(f, arguments...), where f takes a received_buffer<T> by reference first
///   throws   B20; N02 if there is no such node, D24 for an instance of another node, D04, D05 and N19 for native
///            memory that is none. The future fails with D03 if there is no room and no earlier destruction could still
///            make some, D04 if the place is no memory there, N05, N13, B40
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

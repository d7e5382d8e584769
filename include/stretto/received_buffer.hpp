// received_buffer.hpp - active messages with a large payload: elements sent to host or device memory of another node,
// and a handler that gets them there.
//
//     STRETTO_KERNEL(scale, (inout<float> x, float by), { x(global_id(0)) *= by; })
//
//     future<event> scale_on_node_1(const instance<float>& x, place memory_there, event computed) {
//       return send_buffer(after(computed), at_node(1), x, at(memory_there),
//                          call([](const received_buffer<float>& b, float by) {
//                            const event scaled = launch(scale, box(0, b.size()), b.elements(), by);
//                            b.keep_until(scaled);
//                            return scaled;
//                          }, 2.0f));
//     }
//
// For programs that use instances or driver pointers instead of objects. The handler gets the elements in the memory
// that the sender has named, as an instance and as an address, for kernels of Stretto or for other code.
//
// Threads     every function from any thread that belongs to a runtime.
// Memory      the handler gets the elements as they were when the preconditions, after(...), had ended.
// Cost        as put (global_object.hpp). The receiving node allocates the memory; if it is too full, a message waits
//             for the end of earlier ones.
// Invariants  (1) a handler runs once, or never if its future fails. A node starts to receive the messages of one
//             sender in the order in which it sent them. (2) the buffer lives until the handler, all tasks and launches
//             on objects that it has spawned, and the events that it returns or gives to keep_until have ended.
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

/// The received elements, for the handler. Members throw B20 on a thread of no runtime, and G09 after the end of the
/// buffer.
template <class T>
class received_buffer {
 public:
  /// The elements as an instance over [0, size()), in the memory that the sender named. Throws B20, G09.
  instance<T> elements(std::source_location where = std::source_location::current()) const {
    return detail::instance_access::of<T, 1>(detail::received_elements(is_, where));
  }
  /// The address of the first element for other code: a host address or a CUdeviceptr. Null for other devices: use a
  /// native kernel launched on elements() there (native_kernel.hpp). Throws B20, G09.
  T* address(std::source_location where = std::source_location::current()) const {
    return static_cast<T*>(detail::address_of_received(is_, where));
  }
  /// The number of elements. Throws B20, G09.
  coordinate size(std::source_location where = std::source_location::current()) const {
    return elements(where).elements(where).length(0);
  }
  /// Keeps the buffer until the event has ended: for uses that no finish counts, such as a launch on the instance or
  /// work of a driver. Throws B20, G09.
  void keep_until(event e, std::source_location where = std::source_location::current()) const {
    detail::keep_received(is_, e, where);
  }

 private:
  friend detail::buffer_access;
  detail::buffer_name is_;
};

/// Contiguous elements in memory that the program allocated with a device's driver, as a source of send_buffer.
template <class T>
struct native_elements {
  at_place memory;          ///< at(place) of the device memory, or of host memory
  native_memory first;      // the first element
  std::uint64_t count = 0;  // the number of elements
};

/// Sends elements to a node, into a new buffer in `memory` there, and then runs the handler on that node. Returns the
/// future of the handler's result.
///
///   tags     after(...): the elements are read when these have ended; name("text"), priority(n): of the handler
///   from     an instance of one dimension on this node, a std::span, or native_elements<T>; they stay valid and
///            unchanged until the future is ready
///   memory   at(place) of a memory of the target node; without it, its main memory
///   handler  call(f, arguments...); f takes a received_buffer<T> by reference as its first parameter
///   throws   B20; N02 if there is no such node, D24 for an instance of another node, D04, D05 and N19 for invalid
///            native memory. The future fails with D03 if the memory is too full and no pending destruction could free
///            enough, D04 if the place is no memory there, N05, N13, B40
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

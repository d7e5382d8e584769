// buffer.hpp - arrays distributed over all nodes of a job: the runtime moves elements to the nodes and devices that use
// them.
//
//     STRETTO_KERNEL(jacobi, (in<float, 2> u, out<float, 2> v, float c), {
//       int i = global_id(0), j = global_id(1);
//       v(i, j) = u(i, j) + c * (u(i-1, j) + u(i+1, j) + u(i, j-1) + u(i, j+1) - 4 * u(i, j));
//     })
//     float diffused_corner(coordinate n, int steps) {  // every node calls it
//       const box plate({0, 0}, {n, n}), inside({1, 1}, {n - 1, n - 1});
//       const auto at_start = [](coordinate i, coordinate j) { return i == j ? 1.0f : 0.0f; };
//       buffer<float, 2> u(plate, at_start), v(plate, at_start);
//       for (int s = 0; s < steps; ++s) {
//         launch(jacobi, inside, u(neighborhood(1)), v(one_to_one), 0.1f);
//         std::swap(u, v);
//       }
//       return u.read().get().view()(1, 1);
//     }
//
// Every node runs the same program and makes the same calls on buffers in the same order. A launch is split into one
// chunk per node, and on each node into one per device; mappers give the elements that a chunk uses. From these each
// node derives, without communication, which elements it computes, sends and receives, while earlier launches run.
//
// This header includes launches (buffer_launch.hpp), host tasks (host_task.hpp), epochs and horizons (epoch.hpp), and
// weights of nodes and devices (weights.hpp).
//
// Threads     buffers are handles, copied as values. Calls on buffers come from one task at a time, on every node in
//             the same order.
// Memory      later launches on all nodes, and read(), see the writes of a launch.
// Cost        see docs/performance.md. A call takes a lock of the runtime.
// Invariants  (1) results do not depend on the number of nodes and devices, if kernels do not. (2) a buffer outlives
//             every operation that uses it. (3) the failure of a kernel poisons all operations, on any node, that need
//             the elements that it should have written.
// Source      Celerity's distributed buffers and range mappers; Thoman, Salzmann and others, "Command Horizons".
#pragma once

#include <stretto/array_copy.hpp>
#include <stretto/buffer_launch.hpp>
#include <stretto/buffer_mapper.hpp>
#include <stretto/buffer_tags.hpp>
#include <stretto/buffer_use.hpp>
#include <stretto/buffer_view.hpp>
#include <stretto/collective_part.hpp>
#include <stretto/detail/buffer_handle.hpp>
#include <stretto/detail/host_task.hpp>
#include <stretto/epoch.hpp>
#include <stretto/host_task.hpp>
#include <stretto/object.hpp>
#include <stretto/reduce.hpp>
#include <stretto/side_effect.hpp>
#include <stretto/weights.hpp>

#include <concepts>
#include <cstddef>
#include <memory>
#include <source_location>
#include <string_view>
#include <type_traits>
#include <utility>

STRETTO_API_BEGIN

namespace stretto {

/// The name of a buffer.
struct buffer_options {
  std::string_view name = {};  // shown in errors, traces and reports
};

namespace detail {

/// A function of an element's coordinates that returns its first value.
template <class F, class T, std::size_t D>
concept element_function = (D == 1 && requires(const F& f, coordinate i) {
                             { f(i) } -> std::convertible_to<T>;
                           }) || (D == 2 && requires(const F& f, coordinate i) {
                             { f(i, i) } -> std::convertible_to<T>;
                           }) || (D == 3 && requires(const F& f, coordinate i) {
                             { f(i, i, i) } -> std::convertible_to<T>;
                           });

}  // namespace detail

/// A handle of a distributed array of T with D dimensions. Copies of the handle name the same array. Members throw B20
/// on a thread of no runtime, and B07 for an empty handle or one of another runtime.
template <class T, std::size_t D = 1>
class buffer {
  static_assert(D >= 1 && D <= 3, "a buffer has 1 to 3 dimensions");
  static_assert(std::is_trivially_copyable_v<T>,
                "elements move between memories and nodes as bytes: T must be trivially copyable");
  static_assert(detail::explain_bytes<T>());

 public:
  using element_type = T;
  static constexpr std::size_t dimensions = D;  // the number of axes

  /// An empty handle.
  buffer() noexcept = default;
  /// A buffer whose elements are unwritten. It takes memory when and where launches need it. Throws B20, and D14 for an
  /// impossible size.
  explicit buffer(const box& elements, const buffer_options& options = {},
                  std::source_location where = std::source_location::current())
      : handle_(detail::make_buffer({elements, D, sizeof(T), alignof(T), options.name, nullptr}, where)) {}
  /// A buffer that begins with a copy of `from`: dense in C order, equal on every node. The call makes the copy. Throws
  /// B20, D14.
  buffer(const box& elements, const T* from, const buffer_options& options = {},
         std::source_location where = std::source_location::current())
      : handle_(detail::make_buffer({elements, D, sizeof(T), alignof(T), options.name, from}, where)) {}

  /// A buffer whose elements begin as f(i), f(i, j) or f(i, j, k) of their coordinates. A host task calls `f`: each
  /// node for the rows of its chunk, on several workers at once. `f` must be a pure function that is equal on all
  /// nodes.
  ///
  ///   throws   B20, D14; an exception of `f` poisons the operations that use the elements
  ///   cost     one call per element, on one node; a copy to a device when it first uses the elements
  ///
  ///     buffer<float, 2> u(plate, [](coordinate i, coordinate j) { return i == j ? 1.0f : 0.0f; });
  template <detail::element_function<T, D> F>
  buffer(const box& elements, F f, const buffer_options& options = {},
         std::source_location where = std::source_location::current());

  /// A new buffer over another box that begins with a copy of the written elements in both boxes. Its other elements
  /// are unwritten. This buffer does not change; after u = u.resized(box) the old one ends with the copy.
  ///
  ///   throws   B20, B07, D14
  ///   cost     a launch over the common elements. It moves those between nodes that belong to another node's chunk
  ///            now. The host copies elements that are not of 1, 2, 4 or 8 bytes
  buffer resized(const box& elements, std::source_location where = std::source_location::current()) const {
    return resized(elements, {}, where);
  }
  buffer resized(const box& elements, const buffer_options& options,
                 std::source_location where = std::source_location::current()) const {
    return buffer(detail::resize_buffer(handle_, elements, options.name, where));
  }

  /// From an untyped handle. For Stretto itself.
  explicit buffer(detail::buffer_handle made) noexcept : handle_(std::move(made)) {}

  /// The buffer with a mapper, as an argument of a launch. The mapper gives the elements that a chunk uses. It is a
  /// mapper of mapper.hpp or buffer_mapper.hpp, or a function of the chunk (and the buffer's box, and the range of the
  /// launch) that returns a box or a list of boxes inside the buffer, equal on every node. Throws std::bad_alloc only;
  /// the launch throws the errors.
  template <class M>
  buffer_use<T, D> operator()(const M& by) const {
    static_assert(detail::fits_axes<M, D>, "transposed exchanges two axes: a buffer of one axis has none to exchange");
    return {*this, detail::to_range_mapper(by)};
  }
  /// The buffer with a mapper, as an argument of a host task that reads these elements. Throws std::bad_alloc only.
  template <class M>
  host_use<T, D, access::in> in(const M& by) const {
    static_assert(detail::fits_axes<M, D>, "transposed exchanges two axes: a buffer of one axis has none to exchange");
    return {*this, detail::to_range_mapper(by)};
  }
  /// The same for a host task that writes all elements that the mapper names. Throws std::bad_alloc only.
  template <class M>
  host_use<T, D, access::out> out(const M& by) const {
    static_assert(detail::fits_axes<M, D>, "transposed exchanges two axes: a buffer of one axis has none to exchange");
    return {*this, detail::to_range_mapper(by)};
  }
  /// The same for a host task that reads and writes these elements. Throws std::bad_alloc only.
  template <class M>
  host_use<T, D, access::inout> inout(const M& by) const {
    static_assert(detail::fits_axes<M, D>, "transposed exchanges two axes: a buffer of one axis has none to exchange");
    return {*this, detail::to_range_mapper(by)};
  }
  /// The argument for a kernel's parameter reduce<Op, D> that ignores the present elements. The buffer itself as an
  /// argument combines them with the contributions. Never throws.
  buffer_reduction<T, D> from_identity() const { return {*this}; }
  /// The argument of a host task that reduces into this buffer. Each chunk folds into elements of its own, which begin
  /// with Op::identity(). Op::fold then combines the results of all chunks, on all nodes, in the order of the chunks.
  /// Never throws.
  ///
  ///   Op   an operator of reduction_operator.hpp or of the program, with rhs_type T. It need not commute
  template <reduction_operator Op>
  host_reduction<T, D, Op> reduce() const {
    static_assert(std::same_as<typename Op::rhs_type, T>,
                  "the operator of a reduction into a buffer folds the buffer's elements");
    static_assert(alignof(T) <= alignof(std::max_align_t), "elements that are reduced into have an ordinary alignment");
    return {*this};
  }
  /// The box of its elements. Throws B20, B07.
  box elements(std::source_location where = std::source_location::current()) const {
    return detail::elements_of(handle_, where);
  }

  /// Read access for host code of this node to all elements, or those of `part`, once the launches submitted so far
  /// that write them have ended. Every node calls it, as a launch, with its own `part`, which may be empty. Later
  /// launches that write the elements wait until the access ends; use read_copy() to keep them.
  ///
  ///   returns  a future, poisoned with the failure of such a launch, and with B09 in a dry run
  ///   throws   B20, B07, B08 for a part outside of the buffer
  future<buffer_accessor<T, D>> read(const box& part,
                                     std::source_location where = std::source_location::current()) const {
    auto later = std::make_shared<detail::later_buffer_accessor>(detail::see_elements(handle_, part, where));
    const event ready = later->ready;
    return async(
        after(ready), name("elements for the host"),
        [later] { return buffer_accessor<T, D>(detail::give_elements(*later)); }, where);
  }
  future<buffer_accessor<T, D>> read(std::source_location where = std::source_location::current()) const {
    return read(elements(where), where);
  }

  /// A host copy of the elements that read() would give. Later launches do not wait for its end. Throws as read().
  /// Cost: that of read(), and a copy of the part on this node.
  future<array_copy<T, D>> read_copy(const box& part,
                                     std::source_location where = std::source_location::current()) const {
    auto later = std::make_shared<detail::later_buffer_accessor>(detail::see_elements(handle_, part, where));
    const event ready = later->ready;
    return async(
        after(ready), name("copy for the program"),
        [later, part] {
          array_copy<T, D> made(part);
          detail::copy_accessed(*later->seen, reinterpret_cast<std::byte*>(made.data()));
          later->seen.reset();
          return made;
        },
        where);
  }
  future<array_copy<T, D>> read_copy(std::source_location where = std::source_location::current()) const {
    return read_copy(elements(where), where);
  }

  /// Whether the handle names a buffer.
  explicit operator bool() const noexcept { return handle_ != nullptr; }
  friend bool operator==(const buffer&, const buffer&) = default;
  /// The untyped handle, for Stretto itself.
  const detail::buffer_handle& handle() const noexcept { return handle_; }

 private:
  detail::buffer_handle handle_;
};

/// Whether the program is in a dry run (option dry_nodes): the runtime plans the work on buffers as a node of a job and
/// runs no kernels and host tasks. Their events have triggered, and the futures of read() are poisoned with B09. Throws
/// B20 on a thread of no runtime.
///
///     auto error = residual.read();  // in a dry run, too: reads are part of the plan
///     if (!is_dry_run() && error.get().view()(0) < 1e-6) break;
bool is_dry_run();

template <class T, std::size_t D>
template <detail::element_function<T, D> F>
buffer<T, D>::buffer(const box& elements, F f, const buffer_options& options, std::source_location where)
    : buffer(elements, options, where) {
  if (elements.is_empty()) return;
  detail::host_task_request request;
  request.name = "first elements";
  const auto fill = [f = std::move(f)](const box& chunk, stretto::view<T, D> to) {
    detail::for_parts_of(chunk, [&](const box& part) {
      for (coordinate i = part.min()[0]; i < part.max()[0]; ++i)
        if constexpr (D == 1) to(i) = f(i);
        else
          for (coordinate j = part.min()[1]; j < part.max()[1]; ++j)
            if constexpr (D == 2) to(i, j) = f(i, j);
            else
              for (coordinate k = part.min()[2]; k < part.max()[2]; ++k) to(i, j, k) = f(i, j, k);
    });
  };
  detail::host_task_with(detail::nodes_of_task::chunks, elements, request, where, fill, out(one_to_one));
}

}  // namespace stretto

STRETTO_API_END

// buffer.hpp - arrays that are distributed over all nodes of a job: one logical array, each part of it where it is
// needed.
//
//     buffer<float, 2> u({{0, 0}, {n, n}}), v({{0, 0}, {n, n}});
//     launch(init, u.elements(), u(one_to_one));
//     for (int s = 0; s < steps; ++s) launch(jacobi, inside, u(neighborhood(1)), v(one_to_one), 0.1f), swap(u, v);
//     auto seen = u.read().get();                       // on every node: seen.view()(i, j)
//
// Every node runs the same program and makes the same calls on buffers in the same order. A launch is cut into chunks,
// one for each node, and on a node one for each device; mappers say which elements a chunk uses. From that each node
// finds alone what it computes, what it sends and what it awaits, while earlier launches run.
//
// This header includes launches (buffer_launch.hpp), host tasks (host_task.hpp), epochs and horizons (epoch.hpp), and
// weights of nodes and devices (weights.hpp).
//
// Threads     buffers are handles, copied as values. Calls on buffers come from one task at a time, on every node in
//             the same order.
// Memory      what a launch wrote is seen by launches that follow it, on all nodes, and through read().
// Cost        see docs/performance.md. A call takes a lock of the runtime's.
// Invariants  (1) results do not depend on how many nodes and devices there are, as far as kernels do not. (2) a buffer
//             outlives every operation that uses it. (3) what a kernel failed with comes to whoever needs what it was
//             to write, on whatever node.
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

struct buffer_options {
  std::string_view name = {};  // shown in errors, traces and reports
};

namespace detail {

/// f(i, j): what the element there begins as.
template <class F, class T, std::size_t D>
concept element_function = (D == 1 && requires(const F& f, coordinate i) {
                             { f(i) } -> std::convertible_to<T>;
                           }) || (D == 2 && requires(const F& f, coordinate i) {
                             { f(i, i) } -> std::convertible_to<T>;
                           }) || (D == 3 && requires(const F& f, coordinate i) {
                             { f(i, i, i) } -> std::convertible_to<T>;
                           });

}  // namespace detail

template <class T, std::size_t D = 1>
class buffer {
  static_assert(D >= 1 && D <= 3, "a buffer has 1 to 3 dimensions");
  static_assert(std::is_trivially_copyable_v<T>,
                "elements move between memories and nodes as bytes: T must be trivially copyable");
  static_assert(detail::explain_bytes<T>());

 public:
  using element_type = T;
  static constexpr std::size_t dimensions = D;

  /// Names nothing; using it is B07.
  buffer() noexcept = default;
  /// Elements are undefined until a launch writes them; memory is taken where and when it is needed.
  explicit buffer(const box& elements, const buffer_options& options = {},
                  std::source_location where = std::source_location::current())
      : handle_(detail::make_buffer({elements, D, sizeof(T), alignof(T), options.name, nullptr}, where)) {}
  /// Begins with a copy of `from`, dense in C order and the same on every node, made in the call.
  buffer(const box& elements, const T* from, const buffer_options& options = {},
         std::source_location where = std::source_location::current())
      : handle_(detail::make_buffer({elements, D, sizeof(T), alignof(T), options.name, from}, where)) {}

  /// Begins with f(i), f(i, j) or f(i, j, k) of each element's coordinates: as a host task in which every node calls
  /// `f` for the rows of its chunk, with several workers at once; so `f` gives the same on every node, and depends on
  /// nothing else.
  ///
  ///   cost     a call for each element, on one node; devices get a copy when they first use it
  ///
  ///     buffer<float, 2> u(plate, [](coordinate i, coordinate j) { return i == j ? 1.0f : 0.0f; });
  template <detail::element_function<T, D> F>
  buffer(const box& elements, F f, const buffer_options& options = {},
         std::source_location where = std::source_location::current());

  /// A buffer of other elements that begins with those that both have: a copy on all nodes, from device to device where
  /// they lie there. The rest, and what nobody has written here, is unwritten. This one stays as it is; u =
  /// u.resized(box) lets it go when the copy has ended.
  ///
  ///   throws   B07
  ///   cost     a launch over the elements that both have (over each box of those that are written), which moves them
  ///            between nodes as far as their shares differ; elements that are not of 1, 2, 4 or 8 bytes are copied by
  ///            the host
  buffer resized(const box& elements, std::source_location where = std::source_location::current()) const {
    return resized(elements, {}, where);
  }
  buffer resized(const box& elements, const buffer_options& options,
                 std::source_location where = std::source_location::current()) const {
    return buffer(detail::resize_buffer(handle_, elements, options.name, where));
  }

  /// What other parts of Stretto have made.
  explicit buffer(detail::buffer_handle made) noexcept : handle_(std::move(made)) {}

  /// What each chunk of a launch uses: a mapper of mapper.hpp or buffer_mapper.hpp, or a function from a chunk (and the
  /// buffer's elements, and the range of the launch) to a box or a list of boxes, within the buffer's elements; the
  /// same on every node.
  template <class M>
  buffer_use<T, D> operator()(const M& by) const {
    static_assert(detail::fits_axes<M, D>, "transposed exchanges two axes: a buffer of one axis has none to exchange");
    return {*this, detail::to_range_mapper(by)};
  }
  /// What each chunk of a host task reads, writes (all that the mapper names), or changes.
  template <class M>
  host_use<T, D, access::in> in(const M& by) const {
    static_assert(detail::fits_axes<M, D>, "transposed exchanges two axes: a buffer of one axis has none to exchange");
    return {*this, detail::to_range_mapper(by)};
  }
  template <class M>
  host_use<T, D, access::out> out(const M& by) const {
    static_assert(detail::fits_axes<M, D>, "transposed exchanges two axes: a buffer of one axis has none to exchange");
    return {*this, detail::to_range_mapper(by)};
  }
  template <class M>
  host_use<T, D, access::inout> inout(const M& by) const {
    static_assert(detail::fits_axes<M, D>, "transposed exchanges two axes: a buffer of one axis has none to exchange");
    return {*this, detail::to_range_mapper(by)};
  }
  /// For a kernel's parameter reduce<Op, D>: what this buffer holds before does not count. The buffer itself, as an
  /// argument, is folded, too.
  buffer_reduction<T, D> from_identity() const { return {*this}; }
  /// Each chunk of a host task folds into elements of its own, which begin with Op::identity(); what all chunks made,
  /// on all nodes, is then folded by Op::fold, in the order of the chunks.
  ///
  ///   Op   reduction_operator.hpp, or the program's own, whose right-hand sides are elements. It need not commute
  template <reduction_operator Op>
  host_reduction<T, D, Op> reduce() const {
    static_assert(std::same_as<typename Op::rhs_type, T>,
                  "the operator of a reduction into a buffer folds the buffer's elements");
    static_assert(alignof(T) <= alignof(std::max_align_t), "elements that are reduced into have an ordinary alignment");
    return {*this};
  }
  box elements(std::source_location where = std::source_location::current()) const {
    return detail::elements_of(handle_, where);
  }

  /// The content for host code of this node, once every launch submitted so far that writes there has ended: as a
  /// launch in which every node reads all of `part`, which may be empty. Poisoned with what those launches failed with.
  /// Launches that would write there wait until it is let go of: read_copy() is for what is kept.
  future<seen<T, D>> read(const box& part, std::source_location where = std::source_location::current()) const {
    auto later = std::make_shared<detail::seen_later>(detail::see_elements(handle_, part, where));
    const event ready = later->ready;
    return async(
        after(ready), name("elements for the host"), [later] { return seen<T, D>(detail::give_elements(*later)); },
        where);
  }
  future<seen<T, D>> read(std::source_location where = std::source_location::current()) const {
    return read(elements(where), where);
  }

  /// A copy of the same content that the program owns: launches that write the buffer later do not wait for it to go.
  ///
  ///     auto before = u.read_copy().get();   // before(i, j), whatever launches write later
  ///
  ///   cost     that of read(), and a copy of the part on this node
  future<array_copy<T, D>> read_copy(const box& part,
                                     std::source_location where = std::source_location::current()) const {
    auto later = std::make_shared<detail::seen_later>(detail::see_elements(handle_, part, where));
    const event ready = later->ready;
    return async(
        after(ready), name("copy for the program"),
        [later, part] {
          array_copy<T, D> made(part);
          detail::copy_seen(*later->seen, reinterpret_cast<std::byte*>(made.data()));
          later->seen.reset();
          return made;
        },
        where);
  }
  future<array_copy<T, D>> read_copy(std::source_location where = std::source_location::current()) const {
    return read_copy(elements(where), where);
  }

  explicit operator bool() const noexcept { return handle_ != nullptr; }
  friend bool operator==(const buffer&, const buffer&) = default;
  const detail::buffer_handle& handle() const noexcept { return handle_; }

 private:
  detail::buffer_handle handle_;
};

/// Whether this runtime only finds what the program would do on buffers as a node of a job (option dry_run), and does
/// none of it: kernels and host tasks are not run, every event of theirs has happened, and what `read` promises is
/// poisoned (B09). Throws B20 on a thread of no runtime.
///
///     auto error = residual.read();                       // on every node, in a dry run, too: it makes nodes send
///     elements if (!is_dry_run() && error.get().view()(0) < 1e-6) break;
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

// host_task.hpp - host tasks on buffers: host code with views of the elements that it reads, writes or reduces into.
//
//     void save_rows(const box& rows, view<const float, 2> u);
//     void write_rows(std::uint32_t node, std::uint32_t nodes, view<const float, 2> u);
//
//     void host_tasks(const buffer<float, 2>& u, const buffer<double>& sums) {
//       host_task(u.elements(), save_rows, u.in(one_to_one));  // each node for the rows of its chunk
//       host_task(on_one_node, [](view<const double> s) { std::printf("%g\n", s(0)); }, sums.in(all));
//       host_task(collective{}, [](collective_part me, view<const float, 2> part) {
//         write_rows(me.node, me.nodes, part);  // may call collective functions of MPI
//       }, u.in(even_split));
//     }
//
// buffer.hpp includes this header.
//
// Threads     as of buffers: from one task at a time, on every node in the same order. The functions run as tasks.
// Cost        see docs/performance.md. A call takes a lock of the runtime.
#pragma once

#include <stretto/buffer_tags.hpp>
#include <stretto/buffer_use.hpp>
#include <stretto/collective_part.hpp>
#include <stretto/detail/buffer_accessor_state.hpp>
#include <stretto/detail/host_task.hpp>
#include <stretto/future.hpp>
#include <stretto/side_effect.hpp>
#include <stretto/task.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <source_location>
#include <type_traits>
#include <utility>

STRETTO_API_BEGIN

namespace stretto {

/// The type of on_one_node.
struct one_node_tag {};
/// The type of on_each_node.
struct each_node_tag {};
/// Instead of a range: the host task runs once, on node 0.
inline constexpr one_node_tag on_one_node{};
/// Instead of a range: the host task runs once on every node.
inline constexpr each_node_tag on_each_node{};
/// Instead of a range: the host task runs on every node as a collective operation, in which nodes communicate.
/// collective{} or collective{1} is the number of a group. On each node, tasks of one group run one at a time in
/// program order; tasks of several groups may run at the same time.
struct collective {
  std::uint32_t group = 0;
};

namespace detail {

/// A group, with the source line of the call.
struct collective_range {
  collective_range(collective c, std::source_location called = std::source_location::current())
      : group(c.group), where(called) {}
  std::uint32_t group;
  std::source_location where;
};

/// A range or a choice of nodes, with the source line of the call.
struct host_task_range {
  host_task_range(const box& all_chunks, std::source_location called = std::source_location::current())
      : range(all_chunks), where(called) {}
  host_task_range(one_node_tag, std::source_location called = std::source_location::current())
      : which(nodes_of_task::one), range(0, 1), where(called) {}
  host_task_range(each_node_tag, std::source_location called = std::source_location::current())
      : which(nodes_of_task::each), range(0, 1), where(called) {}
  nodes_of_task which = nodes_of_task::chunks;
  box range;
  std::source_location where;
};

}  // namespace detail

/// Runs `f` on the host as a task that may suspend: on each node for its chunk of a range, on_one_node, or
/// on_each_node.
///
///   tags     any of after(...), affects(...), uses(...), in_tiles, in_pieces{n}, constrain_split(n), priority(n),
///            name("text"), before the range
///   f        called with the chunk, if it takes one, and one view per argument; it may access only the elements that
///            the mapper names. Several pieces may run at the same time
///   uses     u.in(mapper), v.out(mapper), w.inout(mapper), total.reduce<Op>()
///   returns  an event of this node that triggers when its part has ended
///   throws   as launch (buffer_launch.hpp), and B26 for an empty side effect. B31 compares whole chunks along the axes
///            that may be split, because `f` orders the accesses within a chunk
template <class F, class... U>
  requires(detail::is_host_use<U> && ...)
event host_task(const detail::host_task_range& range, F&& f, const U&... uses) {
  return detail::host_task_with(range.which, range.range, {}, range.where, std::forward<F>(f), uses...);
}
template <class... A>
  requires(!(std::same_as<std::remove_cvref_t<A>, collective> || ...))
event host_task(detail::first_tag<detail::host_task_request, A...> first, A&&... rest) {
  return detail::behind_tags(
      first.request,
      [&]<class F, class... U>(const detail::range_for<detail::host_task_range> auto& range, F&& f, const U&... uses)
        requires(detail::is_host_use<U> && ...)
      {
        const auto over = detail::range_at<detail::host_task_range>(range, first.where);
        return detail::host_task_with(over.which, over.range, first.request, over.where, std::forward<F>(f), uses...);
      },
      std::forward<A>(rest)...);
}

/// Runs `f` once on every node at the same point of the program's order, for collective operations of all nodes, such
/// as collective calls of MPI or of a library that writes a file in parallel.
///
/// Tasks of one group run one at a time on each node, in the same order on all nodes. Tasks of several groups may
/// overlap in any order. Each group needs its own communication channel, such as me.communicator<MPI_Comm>()
/// (collective_part.hpp).
///
///   tags     any of after(...), affects(...), uses(...), priority(n), name("text"), before the group
///   f        called with a collective_part, if it takes one, and the views. Mappers see a range with one id per node:
///            u.in(even_split), v.out(one_to_one), w.in(all). In a job over MPI with MPI_THREAD_MULTIPLE, which the
///            runtime requests if the program is linked with MPI, `f` runs on a thread of its own and may block in
///            calls of MPI. Otherwise it should wait by futures, because a blocking call blocks a worker
///   returns  an event of this node that triggers when its part has ended. If `f` throws on a node, later tasks of the
///            group are skipped there. Parts on other nodes that wait for it inside `f` must detect the failure
///            themselves
///   throws   as launch
template <class F, class... U>
  requires(detail::is_host_use<U> && ...)
event host_task(const detail::collective_range& group, F&& f, const U&... uses) {
  return detail::collective_task_with(group.group, {}, group.where, std::forward<F>(f), uses...);
}
template <class... A>
  requires(std::same_as<std::remove_cvref_t<A>, collective> || ...)
event host_task(detail::first_tag<detail::collective_request, A...> first, A&&... rest) {
  return detail::behind_tags(
      first.request, [&]<class F, class... U>(const collective& group, F&& f, const U&... uses)
        requires(detail::is_host_use<U> && ...)
      { return detail::collective_task_with(group.group, first.request, first.where, std::forward<F>(f), uses...); },
      std::forward<A>(rest)...);
}

/// Calls f() on this node, as a host task that uses the side effect: after all earlier host tasks that affect it, and
/// before later ones. Every node calls it.
///
///     const double total = fence(log, [&] { return log_total; }).get();
///
///   returns  the future of the result of f(). It is poisoned if f() throws, if a task that affects the side effect
///            before has failed, and with B09 in a dry run
///   throws   B20; B26 for an empty side effect
template <class F>
future<std::invoke_result_t<F&>> fence(const side_effect& of, F f,
                                       std::source_location where = std::source_location::current()) {
  static_assert(!std::is_void_v<std::invoke_result_t<F&>>, "fence gives what the function returns: it returns a value");
  auto value = std::make_shared<std::optional<std::invoke_result_t<F&>>>();
  const event done = host_task(uses(of), name("fence"), detail::host_task_range(on_each_node, where),
                               [value, f = std::move(f)]() mutable { value->emplace(f()); });
  return async(
      after(done), name("value of a side effect"),
      [value, where] {
        if (!*value) detail::refuse_value(where);
        return std::move(**value);
      },
      where);
}

}  // namespace stretto

STRETTO_API_END

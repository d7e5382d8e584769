// host_task.hpp - host code on buffers: tasks that get views of the elements that they read, write or fold into.
//
//     host_task(u.elements(), [](const box& rows, view<const float, 2> u) { save(rows, u); }, u.in(one_to_one));
//     host_task(on_one_node, [](view<const double> sums) { std::printf("%g\n", sums(0)); }, sums.in(all));
//     host_task(collective{}, [=](collective_part me, view<const float, 2> u) {
//       write_rows(file, me.node, me.nodes, u);
//     }, u.in(even_split));
//
// buffer.hpp includes this header.
//
// Threads     as of buffers: from one task at a time, on every node in the same order. The functions run as tasks.
// Cost        see docs/performance.md. A call takes a lock of the runtime's.
#pragma once

#include <stretto/buffer_tags.hpp>
#include <stretto/buffer_use.hpp>
#include <stretto/collective_part.hpp>
#include <stretto/detail/host_task.hpp>
#include <stretto/detail/seen_elements.hpp>
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

/// Where a host task runs, instead of a range: once, on node 0; or on every node.
struct one_node_tag {};
struct each_node_tag {};
inline constexpr one_node_tag on_one_node{};
inline constexpr each_node_tag on_each_node{};
/// Or on every node, for its part, as a task in which nodes talk with each other: collective{}, or collective{1} and so
/// on. On each node tasks of one group run one at a time, in the order of the program; those of others beside them.
struct collective {
  std::uint32_t group = 0;
};

namespace detail {

/// A group, with where that was said.
struct collective_range {
  collective_range(collective c, std::source_location called = std::source_location::current())
      : group(c.group), where(called) {}
  std::uint32_t group;
  std::source_location where;
};

/// A range, or which nodes, with where that was said.
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

/// Runs `f` on the host, as a task that may suspend: on each node for its chunk of a range, or once, or on every node.
///
///     host_task(u.elements(), [](const box& rows, view<const float, 2> u) { save(rows, u); }, u.in(one_to_one));
///     host_task(on_one_node, [](view<const double> sums) { std::printf("%g\n", sums(0)); }, sums.in(all));
///
///     host_task(x.elements(), [](const box& part, view<const double> x, view<double> most) {
///       for (auto i = part.min()[0]; i < part.max()[0]; ++i) most(0) = std::max(most(0), x(i));
///     }, x.in(one_to_one), most.reduce<maximum<double>>());
///
///   tags     any of after(...), affects(...), uses(...), in_tiles, in_pieces{n}, constrain_split(n), priority(n),
///            name("text"), before the range
///   f        called with the chunk, if it takes one, and a view of each buffer, which may be used where the mapper
///            says. Of pieces, several may run at once
///   returns  an event of this node; throws as launch. Of B31, chunks stand for items along the axes that may be cut:
///            within a chunk the
///            function decides what comes first
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

/// Runs `f` once on every node, at the same point of the program's order: for what nodes do together, such as calls of
/// MPI that are collective, or of a library that writes a file in parallel.
///
///     host_task(collective{}, [=](collective_part me, view<const float, 2> u) { write_rows(file, me.node, me.nodes,
///     u); }, u.in(even_split));
///
/// Two of one group never run at once on a node, and come in one order on all; of unlike groups they may overlap, in
/// any order. Each group talks by ways of its own: me.communicator<MPI_Comm>() is one (collective_part.hpp).
///
///   tags     any of after(...), affects(...), uses(...), priority(n), name("text"), before the group
///   f        called with a collective_part, if it takes one, and the views. Its node is the one id of a range of as
///            many as there are nodes, by which mappers say what it uses: u.in(even_split), v.out(one_to_one),
///            w.in(all). In a job over MPI whose level is MPI_THREAD_MULTIPLE, which is asked for where the program is
///            linked with MPI, it runs on a thread of its own and may block in calls of MPI. Elsewhere it waits for
///            others as tasks wait, by futures: a call that blocks its thread holds up a worker
///   returns  an event of this node. If f throws on a node, later tasks of its group do not run there, as if they read
///            what it was to write; where others wait for it in f, they have to find out by what they wait for
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

/// The value of what a side effect stands for, on this node: f() is called, as a host task that uses it, behind all
/// host tasks asked for so far
/// that affect it, and before those asked for later.
///
///     const double total = fence(log, [&] { return log_total; }).get();
///
///   returns  what f() returned, poisoned if it threw or what affects it before has failed
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

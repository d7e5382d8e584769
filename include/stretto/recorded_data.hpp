// recorded_data.hpp - copy, fill, gather, scatter and reduce as operations of a recorded graph: the graph is the first
// argument.
//
//     void exchange(const instance<float>& left, const instance<float>& right, const box& border, int steps) {
//       recorded_graph<> g(name("exchange"));
//       auto there = copy(g, left, right, border);
//       copy(g, right, left, border.shifted(border.size()[0]), after(there));
//       event done;
//       for (int i = 0; i < steps; ++i) done = g.replay(after(done));
//       wait(done);
//     }
//
// Threads     as the recording of tasks (recorded_graph.hpp).
// Cost        checks run once, when recorded. In a replay, an operation of up to 16 KiB runs on the thread that ends
//             its last predecessor, without a task, an event or an allocation; a larger one as in copy.hpp.
// Invariants  as in copy.hpp. If an instance was destroyed between replays, the operation fails with D08.
#pragma once

#include <stretto/copy.hpp>
#include <stretto/recorded_graph.hpp>
#include <stretto/reduce.hpp>

STRETTO_API_BEGIN

namespace stretto {

/// The tags of a recorded data operation: after(...), name("..."), or {after(...), name("...")}. The tags must outlive
/// the call.
class recorded_tags {
 public:
  constexpr recorded_tags() noexcept = default;
  /// From after(a, b, ...), and a name.
  template <std::size_t N>
  recorded_tags(const recorded_list<N>& list, task_name n = {}) noexcept : after(list.items), name(n.text) {}
  /// From after(range), and a name.
  recorded_tags(recorded_range range, task_name n = {}) noexcept : after(range.items), name(n.text) {}
  /// From a name.
  recorded_tags(task_name n) noexcept : name(n.text) {}

  std::span<const recorded_operation> after;  // the predecessors
  std::string_view name;                      // in errors and traces
};

namespace detail {
recorded_operation record_copy(graph_base& g, const instance_handle& to, const instance_handle& from,
                               const recorded_tags& tags, const std::source_location& where);
recorded_operation record_copy(graph_base& g, const instance_handle& to, const instance_handle& from,
                               std::span<const box> boxes, const point& shift, const recorded_tags& tags,
                               const std::source_location& where);
recorded_operation record_fill(graph_base& g, const instance_handle& to, const box* part, const void* value,
                               std::size_t bytes, const recorded_tags& tags, const std::source_location& where);
recorded_operation record_indexed(graph_base& g, indexed way, const instance_handle& dense,
                                  const instance_handle& table, const instance_handle& indices, index_kind kind,
                                  const recorded_tags& tags, const std::source_location& where);
recorded_operation record_reduce(graph_base& g, const instance_handle& from, const instance_handle& to,
                                 const reduction_kind& kind, const recorded_tags& tags,
                                 const std::source_location& where);
recorded_operation record_reduce(graph_base& g, const instance_handle& from, const instance_handle& to, const box* part,
                                 const reduction_kind& kind, const recorded_tags& tags,
                                 const std::source_location& where);
recorded_operation record_fold(graph_base& g, const instance_handle& from, const instance_handle& to,
                               std::uint32_t contributor, const reduction_kind& kind, const recorded_tags& tags,
                               const std::source_location& where);
recorded_operation record_clear(graph_base& g, const instance_handle& h, const recorded_tags& tags,
                                const std::source_location& where);
}  // namespace detail

/// Records a copy: each replay copies the elements. Arguments as of the copy without a graph (copy.hpp).
///
///   returns  the operation, for after()
///   throws   what copy throws, D06, D01, D13; S21 while a replay is under way; S22 for an operation of another graph
template <class T, std::size_t D>
recorded_operation copy(detail::graph_base& g, const instance<T, D>& from, const instance<T, D>& to,
                        const recorded_tags& tags = {}, std::source_location where = std::source_location::current()) {
  return detail::record_copy(g, to.handle(), from.handle(), tags, where);
}
template <class T, std::size_t D>
recorded_operation copy(detail::graph_base& g, const instance<T, D>& from, const instance<T, D>& to, const box& part,
                        const recorded_tags& tags = {}, std::source_location where = std::source_location::current()) {
  return detail::record_copy(g, to.handle(), from.handle(), {&part, 1}, {}, tags, where);
}
template <class T, std::size_t D>
recorded_operation copy(detail::graph_base& g, const instance<T, D>& from, const instance<T, D>& to,
                        const std::vector<box>& parts, const recorded_tags& tags = {},
                        std::source_location where = std::source_location::current()) {
  return detail::record_copy(g, to.handle(), from.handle(), parts, {}, tags, where);
}
template <class T, std::size_t D>
recorded_operation copy(detail::graph_base& g, const instance<T, D>& from, const box& part, const instance<T, D>& to,
                        const point& at, const recorded_tags& tags = {},
                        std::source_location where = std::source_location::current()) {
  const box target = part.is_empty() ? part : part.shifted(at - part.min());
  return detail::record_copy(g, to.handle(), from.handle(), {&target, 1}, part.min() - at, tags, where);
}

/// Records a fill: each replay sets all elements, or those of `part`, to this value. Throws as the recorded copy.
template <class T, std::size_t D>
recorded_operation fill(detail::graph_base& g, const instance<T, D>& to, const std::type_identity_t<T>& value,
                        const recorded_tags& tags = {}, std::source_location where = std::source_location::current()) {
  return detail::record_fill(g, to.handle(), nullptr, &value, sizeof(T), tags, where);
}
template <class T, std::size_t D>
recorded_operation fill(detail::graph_base& g, const instance<T, D>& to, const box& part,
                        const std::type_identity_t<T>& value, const recorded_tags& tags = {},
                        std::source_location where = std::source_location::current()) {
  return detail::record_fill(g, to.handle(), &part, &value, sizeof(T), tags, where);
}

/// Records a gather: to[p] = from[indices[p]] for every p of `to`. Each replay reads the indices. Throws what gather
/// throws, S21, S22.
template <class T, std::size_t D, std::size_t E, class Index>
  requires detail::index_into<Index, D>
recorded_operation gather(detail::graph_base& g, const instance<T, D>& from, const instance<Index, E>& indices,
                          const instance<T, E>& to, const recorded_tags& tags = {},
                          std::source_location where = std::source_location::current()) {
  return detail::record_indexed(g, detail::indexed::gather, to.handle(), from.handle(), indices.handle(),
                                detail::index_traits<Index>::kind, tags, where);
}
/// Records a scatter: to[indices[p]] = from[p] for every p of `from`. Throws what scatter throws, S21, S22.
template <class T, std::size_t D, std::size_t E, class Index>
  requires detail::index_into<Index, D>
recorded_operation scatter(detail::graph_base& g, const instance<T, E>& from, const instance<Index, E>& indices,
                           const instance<T, D>& to, const recorded_tags& tags = {},
                           std::source_location where = std::source_location::current()) {
  return detail::record_indexed(g, detail::indexed::scatter, from.handle(), to.handle(), indices.handle(),
                                detail::index_traits<Index>::kind, tags, where);
}

/// Records a reduce: each replay applies the contributions that `from` has at that time, or combines two arrays. Throws
/// what reduce throws, S21, S22.
template <class Op, std::size_t D>
recorded_operation reduce(detail::graph_base& g, const reduction_instance<Op, D>& from,
                          const instance<typename Op::lhs_type, D>& to, const recorded_tags& tags = {},
                          std::source_location where = std::source_location::current()) {
  return detail::record_reduce(g, from.handle(), to.handle(), detail::kind_of<Op>, tags, where);
}
template <reduction_operator Op, std::size_t D>
recorded_operation reduce(detail::graph_base& g, const instance<typename Op::rhs_type, D>& from,
                          const instance<typename Op::lhs_type, D>& to, const recorded_tags& tags = {},
                          std::source_location where = std::source_location::current()) {
  return detail::record_reduce(g, from.handle(), to.handle(), nullptr, detail::kind_of<Op>, tags, where);
}
template <reduction_operator Op, std::size_t D>
recorded_operation reduce(detail::graph_base& g, const instance<typename Op::rhs_type, D>& from,
                          const instance<typename Op::lhs_type, D>& to, const box& part, const recorded_tags& tags = {},
                          std::source_location where = std::source_location::current()) {
  return detail::record_reduce(g, from.handle(), to.handle(), &part, detail::kind_of<Op>, tags, where);
}
/// Records a fold_into of one reduction instance into another. Throws what fold_into throws, S21, S22.
template <class Op, std::size_t D>
recorded_operation fold_into(detail::graph_base& g, const reduction_instance<Op, D>& from,
                             const reduction_instance<Op, D>& to, std::uint32_t number = detail::any_contributor,
                             const recorded_tags& tags = {},
                             std::source_location where = std::source_location::current()) {
  return detail::record_fold(g, from.handle(), to.handle(), number, detail::kind_of<Op>, tags, where);
}
/// Records a clear: each replay drops the contributions of a reduction instance. Throws what clear throws, S21, S22.
template <class Op, std::size_t D>
recorded_operation clear(detail::graph_base& g, const reduction_instance<Op, D>& r, const recorded_tags& tags = {},
                         std::source_location where = std::source_location::current()) {
  return detail::record_clear(g, r.handle(), tags, where);
}

}  // namespace stretto

STRETTO_API_END

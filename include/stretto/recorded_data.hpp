// recorded_data.hpp - copies, fills and reductions as operations of a recorded graph: the usual verbs, the graph first.
//
// Threads     as the recording of tasks (recorded_graph.hpp).
// Cost        checked once, when recorded. In a replay an operation of up to 16 KiB runs where its last predecessor
//             ended, with no task, no event and no allocation; a larger one as in copy.hpp.
// Invariants  as in copy.hpp. Instances may be destroyed between replays: then the operation fails with D08.
#pragma once

#include <stretto/copy.hpp>
#include <stretto/recorded_graph.hpp>
#include <stretto/reduce.hpp>

STRETTO_API_BEGIN

namespace stretto {

/// What a recorded data operation comes after, and its name: after(...), name("..."), or {after(...), name("...")}.
/// What it was made of must outlive the call.
class recorded_tags {
 public:
  constexpr recorded_tags() noexcept = default;
  template <std::size_t N>
  recorded_tags(const recorded_list<N>& list, task_name n = {}) noexcept : after(list.items), name(n.text) {}
  recorded_tags(recorded_range range, task_name n = {}) noexcept : after(range.items), name(n.text) {}
  recorded_tags(task_name n) noexcept : name(n.text) {}

  std::span<const recorded_operation> after;
  std::string_view name;
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

/// Each replay copies; otherwise as the copy without a graph.
///
///     auto halo = copy(g, left, right, border, after(computed));
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

/// Each replay sets all elements, or those of `part`, to the value that was given when recorded.
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

/// The indices are read anew in each replay.
template <class T, std::size_t D, std::size_t E, class Index>
  requires detail::index_into<Index, D>
recorded_operation gather(detail::graph_base& g, const instance<T, D>& from, const instance<Index, E>& indices,
                          const instance<T, E>& to, const recorded_tags& tags = {},
                          std::source_location where = std::source_location::current()) {
  return detail::record_indexed(g, detail::indexed::gather, to.handle(), from.handle(), indices.handle(),
                                detail::index_traits<Index>::kind, tags, where);
}
/// Records a scatter: to[indices[p]] = from[p] for every p of `from`.
template <class T, std::size_t D, std::size_t E, class Index>
  requires detail::index_into<Index, D>
recorded_operation scatter(detail::graph_base& g, const instance<T, E>& from, const instance<Index, E>& indices,
                           const instance<T, D>& to, const recorded_tags& tags = {},
                           std::source_location where = std::source_location::current()) {
  return detail::record_indexed(g, detail::indexed::scatter, from.handle(), to.handle(), indices.handle(),
                                detail::index_traits<Index>::kind, tags, where);
}

/// Each replay applies what is held then.
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
/// Records a fold of one reduction instance into another.
template <class Op, std::size_t D>
recorded_operation fold_into(detail::graph_base& g, const reduction_instance<Op, D>& from,
                             const reduction_instance<Op, D>& to, std::uint32_t number = detail::any_contributor,
                             const recorded_tags& tags = {},
                             std::source_location where = std::source_location::current()) {
  return detail::record_fold(g, from.handle(), to.handle(), number, detail::kind_of<Op>, tags, where);
}
/// Records that a reduction instance is set to the identity of its operator.
template <class Op, std::size_t D>
recorded_operation clear(detail::graph_base& g, const reduction_instance<Op, D>& r, const recorded_tags& tags = {},
                         std::source_location where = std::source_location::current()) {
  return detail::record_clear(g, r.handle(), tags, where);
}

}  // namespace stretto

STRETTO_API_END

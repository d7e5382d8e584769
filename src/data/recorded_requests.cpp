// The calls behind recorded_data.hpp: a request that was checked once is kept, and run once per replay.
#include <stretto/recorded_data.hpp>

#include "data/requests.hpp"

namespace stretto::detail {
namespace {

event run_recorded(void* request, const void*) {
  return data::submit_again(*static_cast<const data::operation_request*>(request), base::require_current("replay"));
}

recorded_operation record(graph_base& g, data::operation_request&& request, const recorded_tags& tags) {
  recorded_request r;
  r.after = tags.after;
  r.name = tags.name;
  const char* verb = request.kind->verb;
  const std::source_location where = request.where;
  return g.record(runs::at_once, verb,
                  {std::make_shared<data::operation_request>(std::move(request)), run_recorded}, r, where);
}

/// The handles by which a graph's instances go here: what is replayed uses those of its own node.
auto here_for(const char* verb, const std::source_location& where) {
  return [verb, where](const instance_handle& h) { return handle_here(h, verb, where); };
}

}  // namespace

recorded_operation record_copy(graph_base& g, const instance_handle& to, const instance_handle& from,
                               const recorded_tags& tags, const std::source_location& where) {
  const auto here = here_for("copy", where);
  return record(g, data::copy_request(here(to), here(from), base::require_current("copy"), where), tags);
}

recorded_operation record_copy(graph_base& g, const instance_handle& to, const instance_handle& from,
                               std::span<const box> boxes, const point& shift, const recorded_tags& tags,
                               const std::source_location& where) {
  const auto here = here_for("copy", where);
  return record(g, data::copy_request(here(to), here(from), boxes, shift, base::require_current("copy"), where), tags);
}

recorded_operation record_fill(graph_base& g, const instance_handle& to, const box* part, const void* value,
                               std::size_t bytes, const recorded_tags& tags, const std::source_location& where) {
  return record(g, data::fill_request(here_for("fill", where)(to), part, value, bytes, base::require_current("fill"), where), tags);
}

recorded_operation record_indexed(graph_base& g, indexed way, const instance_handle& dense,
                                  const instance_handle& table, const instance_handle& indices, index_kind kind,
                                  const recorded_tags& tags, const std::source_location& where) {
  const char* const verb = way == indexed::gather ? "gather" : "scatter";
  const auto here = here_for(verb, where);
  return record(g, data::indexed_request(way, here(dense), here(table), here(indices), kind, base::require_current(verb), where), tags);
}

recorded_operation record_reduce(graph_base& g, const instance_handle& from, const instance_handle& to,
                                 const reduction_kind& kind, const recorded_tags& tags,
                                 const std::source_location& where) {
  const auto here = here_for("reduce", where);
  return record(g, data::reduce_held_request(here(from), here(to), kind, base::require_current("reduce"), where), tags);
}

recorded_operation record_reduce(graph_base& g, const instance_handle& from, const instance_handle& to,
                                 const box* part, const reduction_kind& kind, const recorded_tags& tags,
                                 const std::source_location& where) {
  const auto here = here_for("reduce", where);
  return record(g, data::reduce_values_request(here(from), here(to), part, kind, base::require_current("reduce"), where), tags);
}

recorded_operation record_fold(graph_base& g, const instance_handle& from, const instance_handle& to,
                               std::uint32_t contributor, const reduction_kind& kind, const recorded_tags& tags,
                               const std::source_location& where) {
  const auto here = here_for("fold_into", where);
  return record(g, data::fold_request(here(from), here(to), contributor, kind, base::require_current("fold_into"), where), tags);
}

recorded_operation record_clear(graph_base& g, const instance_handle& h, const recorded_tags& tags,
                                const std::source_location& where) {
  return record(g, data::clear_request(here_for("clear", where)(h), base::require_current("clear"), where), tags);
}

}  // namespace stretto::detail

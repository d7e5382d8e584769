// recorded_requests.cpp - the calls behind recorded_data.hpp: keeps requests that were checked once, and runs them in
// each replay.
#include <stretto/recorded_data.hpp>

#include <algorithm>
#include <memory>
#include <span>

#include "data/device_reductions.hpp"
#include "data/other_nodes.hpp"
#include "data/request_builders.hpp"

namespace stretto::detail {
namespace {

event run_recorded(void* request, const void*) {
  return data::submit_again(*static_cast<const data::operation_request*>(request), base::require_current("replay"));
}

/// Kept as a call: several operations, as always when data passes through host memory.
struct reduction_call {
  reduction_call(const data::operation_request& r, data::remote_operation_request::action what, bool is_whole)
      : part(r.first_box),
        where(r.where),
        is{.what = what,
           .used = r.used,
           .used_count = r.used_count,
           .is_whole = is_whole,
           .boxes = {&part, 1},
           .kind = r.reduction,
           .contributor = r.contributor} {}
  reduction_call(const reduction_call&) = delete;

  const box part;
  const std::source_location where;
  const data::remote_operation_request is;
};

event run_call(void* call, const void*) {
  const auto& c = *static_cast<const reduction_call*>(call);
  return data::run_here(c.is, {}, c.where);
}

bool is_one_operation(const data::operation_request& r) noexcept {
  const auto used = std::span(r.used).first(r.used_count);
  return std::ranges::none_of(
      used, [](const instance_handle& h) { return data::is_on_device(h) || !data::is_on_host(h.record->space); });
}

recorded_request request_of(const recorded_tags& tags) noexcept {
  recorded_request r;
  r.after = tags.after;
  r.name = tags.name;
  return r;
}

recorded_operation record(graph_base& g, data::operation_request&& request, const recorded_tags& tags) {
  const char* verb = request.kind->verb;
  const std::source_location where = request.where;
  return g.record(runs::at_once, verb, {std::make_shared<data::operation_request>(std::move(request)), run_recorded},
                  request_of(tags), where);
}

/// Keeps a checked reduction as one operation, or as a call.
recorded_operation record_reduction(graph_base& g, data::operation_request&& request,
                                    data::remote_operation_request::action what, bool is_whole,
                                    const recorded_tags& tags) {
  if (is_one_operation(request)) return record(g, std::move(request), tags);
  auto call = std::make_shared<reduction_call>(request, what, is_whole);
  return g.record(runs::at_once, request.kind->verb, {std::move(call), run_call}, request_of(tags), request.where);
}

/// The handles by which a graph's instances go here: a replay uses instances of its own node.
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
  return record(
      g, data::fill_request(here_for("fill", where)(to), part, value, bytes, base::require_current("fill"), where),
      tags);
}

recorded_operation record_indexed(graph_base& g, indexed way, const instance_handle& dense,
                                  const instance_handle& table, const instance_handle& indices, index_kind kind,
                                  const recorded_tags& tags, const std::source_location& where) {
  const char* const verb = way == indexed::gather ? "gather" : "scatter";
  const auto here = here_for(verb, where);
  return record(
      g, data::indexed_request(way, here(dense), here(table), here(indices), kind, base::require_current(verb), where),
      tags);
}

recorded_operation record_reduce(graph_base& g, const instance_handle& from, const instance_handle& to,
                                 const reduction_kind& kind, const recorded_tags& tags,
                                 const std::source_location& where) {
  const auto here = here_for("reduce", where);
  return record_reduction(g,
                          data::reduce_held_request(here(from), here(to), kind, base::require_current("reduce"), where),
                          data::remote_operation_request::action::reduce_held, true, tags);
}

recorded_operation record_reduce(graph_base& g, const instance_handle& from, const instance_handle& to, const box* part,
                                 const reduction_kind& kind, const recorded_tags& tags,
                                 const std::source_location& where) {
  const auto here = here_for("reduce", where);
  return record_reduction(
      g, data::reduce_values_request(here(from), here(to), part, kind, base::require_current("reduce"), where),
      data::remote_operation_request::action::reduce_values, !part, tags);
}

recorded_operation record_fold(graph_base& g, const instance_handle& from, const instance_handle& to,
                               std::uint32_t contributor, const reduction_kind& kind, const recorded_tags& tags,
                               const std::source_location& where) {
  const auto here = here_for("fold_into", where);
  return record_reduction(
      g, data::fold_request(here(from), here(to), contributor, kind, base::require_current("fold_into"), where),
      data::remote_operation_request::action::fold, true, tags);
}

recorded_operation record_clear(graph_base& g, const instance_handle& h, const recorded_tags& tags,
                                const std::source_location& where) {
  return record_reduction(g, data::clear_request(here_for("clear", where)(h), base::require_current("clear"), where),
                          data::remote_operation_request::action::clear, true, tags);
}

}  // namespace stretto::detail

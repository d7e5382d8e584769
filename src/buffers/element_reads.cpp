// element_reads.cpp - reads of buffer elements by the program, fences, and the barrier of all nodes.
#include <stretto/error.hpp>

#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "base/index_text.hpp"
#include "buffers/buffers_floor.hpp"
#include "buffers/call_frame.hpp"
#include "buffers/call_signatures.hpp"
#include "buffers/graph_generation.hpp"
#include "buffers/launch_pipeline.hpp"
#include "data/layout.hpp"
#include "data/unwritten_check.hpp"
#include "event/event_floor.hpp"
#include "event/holder_record.hpp"

namespace stretto::buffers {

struct buffer_accessor_state {
  detail::instance_handle in;
  box part;
  std::uint8_t dimensions = 1;
  std::uint32_t element_bytes = 1;
  user_event ends;
  std::source_location where;
  std::string of;
  data::unwritten_check find_unwritten = {};
  detail::holder_record given = {};
  detail::view_limits limits = {};  // for checked programs
};

namespace {

/// The result of a read in a dry run: a poisoned event.
event never_read(const buffer_record& b, const dry_run& dry, base::thread_context& context,
                 const std::source_location& where) {
  error e("B09", "a dry run does not compute the elements of " + describe(b));
  e.fact("submitted", where)
      .because("a dry run as N" + std::to_string(dry.self()) + " of " + std::to_string(dry.nodes()) +
               " nodes plans the work on buffers and runs no kernels (option dry_nodes)")
      .remedy("guard the code that accesses elements by if (!is_dry_run()), but not the call of read");
  const user_event never = user_event::create(where);
  never.poison(std::make_exception_ptr(std::move(e)), where);
  detail::cause_of(never, context)->mark_observed();  // without an access to the elements this is no failure
  return never;
}

[[noreturn]] void refuse(const buffer_accessor_state& seen, const point& at, int dimensions) {
  throw error("B27", "an element of " + seen.of + " is accessed that was not read")
      .fact("submitted", seen.where)
      .fact("element", base::index_text(&at.at[0], dimensions))
      .fact("read", seen.part.text())
      .because("other elements may not be on this node, or may be written concurrently")
      .remedy("read a part that contains it, or all: u.read()");
}

}  // namespace
}  // namespace stretto::buffers

namespace stretto::detail {

using namespace buffers;

later_buffer_accessor see_elements(const buffer_handle& h, const box& part, const std::source_location& where) {
  base::thread_context& context = base::require_current("read");
  buffer_record& b = require_buffer(h, "read", context, where);
  if (part.is_empty()) {  // nothing to transfer or wait for, but every node must record the call
    const drained_submission_lock held(*b.state, where);
    if (b.state->guard) record_call(*b.state, signature_of_read(b, part), where);
    return {event(), buffer_accessor_pointer(new buffer_accessor_state{.in = {},
                                                                       .part = part,
                                                                       .dimensions = b.type.dimensions,
                                                                       .element_bytes = b.type.bytes,
                                                                       .ends = user_event::create(where),
                                                                       .where = where,
                                                                       .of = describe(b)})};
  }
  if (!b.elements.contains(part))
    throw error("B08", "read uses elements outside of " + describe(b))
        .fact("submitted", where)
        .fact("part", part.text())
        .fact("buffer", b.elements.text())
        .remedy("read a part inside of it: intersection(part, u.elements())");
  graph::task t;
  t.kind = graph::task_kind::fence;
  t.by = graph::processors::host;
  t.range = box(0, 1);
  t.name = "read";
  t.accesses.push_back({b.id, graph::mode::read, graph::mapping::fixed(b.elements, part)});
  task_work work;
  work.range.where = where;
  const user_event ends = user_event::create(where);
  work.ends = ends;
  task_outcome out;
  event ahead;
  {
    const drained_submission_lock held(*b.state, where);
    if (b.state->guard) record_call(*b.state, signature_of_read(b, part), where);
    out = submit_task(*b.state, t, work, context);
    ahead = b.state->back_pressure;
  }
  if (b.state->dry) {
    ends.trigger(where);
    return {never_read(b, *b.state->dry, context, where), nullptr};
  }
  finish_call(*b.state, ahead, where);
  auto seen = std::make_unique<buffer_accessor_state>(out.first, part, b.type.dimensions, b.type.bytes, ends, where,
                                                      describe(b), b.state->check);
  if (b.state->check)
    seen->limits = {{part},
                    [&s = *seen, dimensions = b.type.dimensions](const point& at) { refuse(s, at, dimensions); }};
  return {out.ready, buffer_accessor_pointer(seen.release())};
}

buffer_accessor_pointer give_elements(later_buffer_accessor& later) {
  buffer_accessor_state& seen = *later.seen;
  seen.given = holder_record(*base::require_current("read").runtime, seen.ends, "elements of " + seen.of,
                             "the view that read() gave", seen.where);
  return std::move(later.seen);
}

std::byte* first_of(const buffer_accessor_state& seen, data::layout& shape) {
  if (seen.in.record) {
    std::byte* const first = open_instance(seen.in, shape, seen.where);
    seen.find_unwritten(first, shape, seen.part, seen.dimensions, [&] { return seen.of; }, seen.where);
    return first;
  }
  // a layout without elements
  shape = data::dense_layout(seen.part, seen.dimensions, seen.element_bytes, axis_order::c);
  return nullptr;
}

void copy_accessed(const buffer_accessor_state& seen, std::byte* to) {
  data::layout shape;
  const std::byte* const first = first_of(seen, shape);
  const box& part = seen.part;
  const std::size_t bytes = shape.element_bytes;
  const bool has_dense_rows = shape.stride[2] == shape.element_bytes || part.length(2) == 1;
  // With fewer than three axes, the last one with several elements is the row.
  const int along = part.length(2) > 1 ? 2 : part.length(1) > 1 ? 1 : 0;
  const bool is_run = has_dense_rows && shape.stride[along] == static_cast<std::int64_t>(bytes);
  point at = part.min(), step(1, 1, 1);
  if (is_run) step[along] = part.length(along);
  for (at[0] = part.min()[0]; at[0] < part.max()[0]; at[0] += step[0])
    for (at[1] = part.min()[1]; at[1] < part.max()[1]; at[1] += step[1])
      for (at[2] = part.min()[2]; at[2] < part.max()[2]; at[2] += step[2]) {
        const std::size_t count = is_run ? static_cast<std::size_t>(part.length(along)) : 1;
        std::memcpy(to, first + shape.offset_of(at), count * bytes);
        to += count * bytes;
      }
}

void refuse_value(const std::source_location& where) {
  throw error("B09", "fence returns no value in a dry run")
      .fact("submitted", where)
      .because("a dry run plans the work on buffers and runs neither kernels nor host tasks (option dry_nodes)")
      .remedy("guard the code that accesses the value by if (!is_dry_run()), but not the call of fence");
}

const view_limits* limits_of(const buffer_accessor_state& seen) noexcept {
  return seen.limits.refuse ? &seen.limits : nullptr;
}

void look_at(const view_limits& limits, const std::int64_t* at, std::size_t axes) {
  point p;
  for (std::size_t a = 0; a < axes; ++a) p[static_cast<int>(a)] = at[a];
  for (const box& b : limits.allowed)
    if (b.contains(p)) return;
  limits.refuse(p);
}

void release_buffer_accessor::operator()(buffer_accessor_state* seen) const noexcept {
  seen->ends.trigger(seen->where);
  delete seen;
}

}  // namespace stretto::detail

namespace stretto {

event epoch(all_nodes_tag, std::source_location where) {
  const event here = epoch(where);
  if (is_dry_run()) return here;
  // A reduction to which each node contributes when it has reached this line. Its result exists when all nodes have.
  const buffer<std::uint32_t> nodes(box(0, 1), {.name = "arrived nodes"}, where);
  host_task(
      after(here), name("barrier of all nodes"), detail::host_task_range(on_each_node, where),
      [](view<std::uint32_t> n) { n(0) = 1; }, nodes.reduce<sum<std::uint32_t>>().from_identity());
  auto later =
      std::make_shared<detail::later_buffer_accessor>(detail::see_elements(nodes.handle(), nodes.elements(), where));
  const event ready = later->ready;
  return async(after(ready), name("barrier of all nodes"), detail::goes_on{[later] { later->seen.reset(); }}, where);
}

}  // namespace stretto

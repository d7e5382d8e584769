// reading.cpp - elements of buffers for the program itself.
#include <stretto/error.hpp>

#include <memory>
#include <string>
#include <utility>

#include "buffers/buffers_floor.hpp"
#include "buffers/generating.hpp"
#include "buffers/handing_over.hpp"
#include "buffers/said_calls.hpp"
#include "buffers/usable.hpp"
#include "event/event_floor.hpp"
#include "event/held.hpp"

namespace stretto::buffers {

struct seen_elements {
  detail::instance_handle in;
  box part;
  user_event ends;
  std::source_location where;
  std::string of;
  detail::held_mark given = {};
  detail::view_limits limits = {};  // where programs are checked
};

namespace {

/// What comes of a read where nothing is computed.
event never_read(const buffer_record& b, const dry_run& dry, base::thread_context& context, const std::source_location& where) {
  error e("B09", "the elements of " + describe(b) + " are not there: this is a dry run");
  e.fact("submitted", where)
      .because("the program runs as N" + std::to_string(dry.self()) + " of " + std::to_string(dry.nodes()) +
               " nodes without its kernels, to find what it would do on buffers (option dry_nodes)")
      .remedy("if (!is_dry_run()) around what looks at elements; the call of read stays outside of it");
  const user_event never = user_event::create(where);
  never.poison(std::make_exception_ptr(std::move(e)), where);
  detail::cause_of(never, context)->mark_observed();  // who does not look at the elements misses nothing
  return never;
}

[[noreturn]] void refuse(const seen_elements& seen, const point& at, int dimensions) {
  std::string element = "(" + std::to_string(at[0]);
  for (int a = 1; a < dimensions; ++a) element += ", " + std::to_string(at[a]);
  throw error("B27", "an element of " + seen.of + " is looked at that was not read")
      .fact("submitted", seen.where)
      .fact("element", element + ")")
      .fact("read", seen.part.text())
      .because("others may not be on this node, or be written meanwhile")
      .remedy("read a part that holds it, or all: u.read()");
}

}  // namespace
}  // namespace stretto::buffers

namespace stretto::detail {

using namespace buffers;

seen_later see_elements(const buffer_handle& h, const box& part, const std::source_location& where) {
  base::thread_context& context = base::require_current("read");
  buffer_record& b = usable(h, "read", context, where);
  if (!b.elements.contains(part) || part.is_empty())
    throw error("B08", "read names elements that " + describe(b) + " does not have")
        .fact("submitted", where)
        .fact("part", part.text())
        .fact("buffer", b.elements.text())
        .remedy("name a part inside of it: intersection(part, u.elements())");
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
    const asked held(*b.state, where);
    if (b.state->programs) note(*b.state, said_read(b, part), where);
    out = do_task(*b.state, t, work, context);
    ahead = b.state->ahead;
  }
  if (b.state->dry) {
    ends.trigger(where);
    return {never_read(b, *b.state->dry, context, where), nullptr};
  }
  go_on(*b.state, ahead, where);
  auto seen = std::make_unique<seen_elements>(out.first, part, ends, where, describe(b));
  if (b.state->check) seen->limits = {{part}, [&s = *seen, dimensions = b.type.dimensions](const point& at) { refuse(s, at, dimensions); }};
  return {out.ready, seen_pointer(seen.release())};
}

seen_pointer give_elements(seen_later& later) {
  seen_elements& seen = *later.seen;
  seen.given = held_mark(*base::require_current("read").runtime, seen.ends, "elements of " + seen.of, "the view that read() gave", seen.where);
  return std::move(later.seen);
}

std::byte* first_of(const seen_elements& seen, data::layout& shape) { return open_instance(seen.in, shape, seen.where); }

const view_limits* limits_of(const seen_elements& seen) noexcept { return seen.limits.refuse ? &seen.limits : nullptr; }

void look_at(const view_limits& limits, const std::int64_t* at, std::size_t axes) {
  point p;
  for (std::size_t a = 0; a < axes; ++a) p[static_cast<int>(a)] = at[a];
  for (const box& b : limits.allowed)
    if (b.contains(p)) return;
  limits.refuse(p);
}

void release_seen::operator()(seen_elements* seen) const noexcept {
  seen->ends.trigger(seen->where);
  delete seen;
}

}  // namespace stretto::detail

#include "data/operation.hpp"

#include <stretto/error.hpp>

#include <algorithm>
#include <new>

#include "base/count_down.hpp"
#include "base/snapshot_read.hpp"
#include "data/device_moves.hpp"
#include "data/operation_trace.hpp"
#include "data/operation_waits.hpp"
#include "data/order_check.hpp"
#include "data/other_nodes.hpp"
#include "data/through_host.hpp"

namespace stretto::data {

using detail::instance_handle;
using detail::instance_record;

namespace {

/// The ready events of the instances; those that existed at once have none.
struct ready_events {
  explicit ready_events(std::span<const instance_handle> used) noexcept {
    for (const instance_handle& h : used)
      if (const event e = h.record->ready; e.raw() != 0) events[count++] = e;
  }
  std::array<event, 3> events;
  std::size_t count = 0;
  operator std::span<const event>() const noexcept { return {events.data(), count}; }
};

std::span<const instance_handle> instances_of(const operation_request& r) noexcept {
  return {r.used.data(), r.used_count};
}

memory_space* space_of(const instance_handle& h) noexcept { return h.record->space; }
place_kind kind_of(const instance_handle& h) noexcept {
  return space_of(h) ? space_of(h)->kind() : place_kind::system_memory;
}

/// Whether loads and stores of the processor can do it.
bool is_direct(std::span<const instance_handle> used, const data_state& state) noexcept {
  const place_kind to = kind_of(used[0]);
  if (used.size() < 2) return is_host_memory(to);
  for (const instance_handle& h : used.subspan(1)) {
    const place_kind from = kind_of(h);
    if (from == to && is_host_memory(from)) continue;
    if (!is_host_memory(from) || !is_host_memory(to) || !state.settings.channels->find(from, to)) return false;
  }
  return true;
}

/// Of the instance that is written.
std::uint64_t bytes_written(const operation_request& r) noexcept {
  std::uint64_t elements = 0;
  for (std::size_t i = 0; i < r.box_count; ++i) elements += r.box_at(i).volume();
  return elements * r.used[0].record->shape.element_bytes;
}

/// The number of memories between which it moves elements, if it does so directly.
unsigned direct_hops(const operation_request& r) noexcept { return r.used_count > 1 ? 1 : 0; }

void run_part(operation& op, unsigned part, base::thread_context& context) noexcept {
  if (op.profile) op.profile->mark_started(context);
  try {
    show_task_as(op.request, op.request.bytes / op.parts, context);
    op.request.kind->run(op.request, part, op.parts);
  } catch (...) {
    failure_ref cause = current_failure(op.request);
    const failure* none = nullptr;
    if (op.failed.compare_exchange_strong(none, cause.get(), std::memory_order_acq_rel)) cause.detach();
  }
  if (!base::count_down(op.parts_left)) return;
  finish(op, failure_ref::adopt(op.failed.load(std::memory_order_acquire)), context);
}

void run_item(places::work_item& self) noexcept {
  auto& item = static_cast<operation::part_item&>(self);
  run_part(*item.owner, item.part, base::require_current("data"));
}

update_queue& updates_of(const operation_request& r) noexcept { return r.used[0].record->updates; }

/// Whether it needs no turn, or has it. Else it runs once the turn is granted.
bool has_turn(operation& op) noexcept {
  if (!op.request.kind->updates || op.turn) return true;
  return updates_of(op.request).begin(op.turn.emplace(op));
}

/// Runs the operation; its preconditions have ended without failure.
void run(operation& op, base::thread_context& context) {
  data_state& state = state_of(context);
  const operation_request& r = op.request;
  require_alive(r);
  if (!has_turn(op)) return;
  if (op.order) state.checks->begins(op.order, r);
  if (!is_direct(instances_of(r), state)) return state.copy_engine->start(op, context);
  op.hops = direct_hops(r);
  // An operation that is granted its turn runs as a task. Run directly, it would be nested on the stack of the
  // operation that ended its turn, and so on.
  if (r.bytes <= state.settings.inline_bytes && !(op.turn && op.turn->had_to_wait)) {
    if (op.profile) op.profile->mark_started(context);
    operation_span span(r, operation_span::cause::what_ran, context);
    r.kind->run(r, 0, 1);
    span.stop();
    return finish(op, {}, context);
  }
  if (r.kind->parts == operation_kind::cut::allowed)
    op.parts =
        static_cast<unsigned>(std::clamp<std::uint64_t>(r.bytes / state.settings.part_bytes, 1, state.settings.width));
  op.parts_left.store(op.parts, std::memory_order_relaxed);
  const unsigned parts = op.parts;
  operation::part_item* items = &op.whole;
  if (parts > 1) items = (op.items = std::make_unique<operation::part_item[]>(parts)).get();
  for (unsigned part = 0; part < parts; ++part) {
    items[part].owner = &op;
    items[part].part = part;
  }
  const place near = r.used[0].record->space ? r.used[0].record->space->where() : place{};
  for (unsigned part = 0; part < parts; ++part) state.settings.tasks->execute(items[part], near);
}

void start_operation(deferred& self, failure_ref cause, base::thread_context& context) noexcept {
  auto& op = static_cast<operation&>(self);
  if (op.profile) op.profile->mark_ready();
  if (cause) {
    auto link = failure_ref::adopt(new failure(*cause.get(), describe(op.request), op.request.where));
    return finish(op, std::move(link), context);
  }
  try {
    run(op, context);
  } catch (...) {
    finish(op, current_failure(op.request), context);
  }
}

}  // namespace

operation::update_turn::update_turn(operation& o) noexcept
    : update_queue::turn(o.request.first_box,
                         [](update_queue::turn& self, base::thread_context& context) noexcept {
                           auto& mine = static_cast<update_turn&>(self);
                           mine.had_to_wait = true;
                           operation& op = mine.owner;
                           try {
                             run(op, context);
                           } catch (...) {
                             finish(op, current_failure(op.request), context);
                           }
                         }),
      owner(o) {}

operation::part_item::part_item() noexcept : work_item(run_item) {}

operation::operation(operation_request&& r) : deferred(start_operation), request(std::move(r)) {}

std::optional<deferred_report> report_operation(const deferred& d, const deferred* at) {
  if (!d.starts_with(start_operation)) return std::nullopt;
  const auto* const there = static_cast<const operation*>(at);
  const base::snapshot_copy<operation> op(there);
  if (!op) return std::nullopt;
  const operation_request& r = op->request;
  const base::snapshot_copy<operation_kind> kind(r.kind);
  std::string name = kind ? base::snapshot_text(kind->verb) : std::string();
  if (r.used_count > 1) name += " of " + peek_name(r.used[1].record);
  return deferred_report{op->done, name + " to " + peek_name(r.used[0].record),
                         base::snapshot_location(&there->request.where)};
}

bool runs_at_once(std::span<const instance_handle> used, std::uint64_t bytes, const preconditions& after,
                  base::thread_context& context) {
  const data_state& state = state_of(context);
  if (state.checks) return false;  // checked operations each need an event of their own
  if (bytes > state.settings.inline_bytes || !is_direct(used, state)) return false;
  const ready_events ready(used);
  if (after.dependencies.empty() && after.events.empty() && ready.count == 0) return true;
  const precondition_state o = state_of_preconditions(after, ready, context);
  return !o.pending && !o.cause;
}

event submit(operation_request&& request, const preconditions& after, base::thread_context& context, followed how) {
  const ready_events ready(instances_of(request));
  data_state& state = state_of(context);
  if (device::attached_device* const on = device_of(request, state)) [[unlikely]]
    return submit_to_device(std::move(request), *on, after, ready, context);
  auto profile = after.profile ? std::make_unique<sched::profile_state>(request.where) : nullptr;
  std::optional<update_queue::turn> turn;
  const auto begins_at_once = [&] {
    return !request.kind->updates || updates_of(request).try_begin(turn.emplace(request.first_box));
  };
  if (runs_at_once(instances_of(request), request.bytes, after, context) && begins_at_once()) {
    failure_ref cause;
    if (profile) {
      profile->promise_to(*after.profile);
      profile->moved(bytes_written(request), direct_hops(request), 1);
      profile->mark_ready();
      profile->mark_started(context);
    }
    try {
      const operation_span span(request, operation_span::cause::none, context);
      request.kind->run(request, 0, 1);
    } catch (...) {
      cause = current_failure(request);
    }
    if (turn) updates_of(request).end(*turn, context);
    if (request.owns_ends) free_ends(request, context);
    if (profile) profile->deliver(cause.get(), describe(request), context);
    if (!cause) return {};
    if (!share_of(context).is_reported_by_owner) detail::report(cause, context);
    const event failed = detail::make_event(context, request.where);
    detail::end_event(failed, std::move(cause), context, request.where);
    return failed;
  }
  if (!is_direct(instances_of(request), state)) state.copy_engine->require_route(request);
  auto* op = ::new (share_of(context).operations.allocate()) operation(std::move(request));
  if (profile) profile->promise_to(*after.profile);
  op->profile = std::move(profile);
  if (state.others && std::ranges::any_of(instances_of(op->request), is_global) &&
      !state_of_preconditions(after, ready, context).pending)
    op->counted = state.others->counted_copy();
  op->is_reported_by_owner = share_of(context).is_reported_by_owner;
  const event done = op->done = detail::make_event(context, op->request.where);
  if (state.checks && how == followed::yes && !op->request.owns_ends) {
    op->order = state.checks->submitted(after, instances_of(op->request), done, context);
  }
  try {
    op->arm(after, ready, context);
  } catch (...) {
    finish(*op, current_failure(op->request), context);
  }
  return done;
}

event submit_again(const operation_request& request, base::thread_context& context) {
  require_alive(request);
  if (order_check* const checks = state_of(context).checks) {
    // The order of replays is up to the graph and is not checked.
    checks->untracked(request);
    return submit(operation_request(request), {}, context, followed::no);
  }
  // Operations that take turns need submit, which can wait.
  if (request.kind->updates || !runs_at_once(instances_of(request), request.bytes, {}, context))
    return submit(operation_request(request), {}, context);
  const operation_span span(request, operation_span::cause::what_ran, context);
  request.kind->run(request, 0, 1);
  return {};
}

void finish(operation& op, failure_ref cause, base::thread_context& context) noexcept {
  if (op.profile) {
    op.profile->moved(bytes_written(op.request), op.hops, op.parts);
    op.profile->deliver(cause.get(), describe(op.request), context);
  }
  const event done = op.done;
  const std::source_location where = op.request.where;
  const bool is_reported = cause && !op.is_reported_by_owner;
  if (op.turn) updates_of(op.request).end(*op.turn, context);
  if (op.request.owns_ends) free_ends(op.request, context);
  op.~operation();
  share_of(context).operations.free(&op);
  if (is_reported) detail::report(cause, context);
  detail::end_event(done, std::move(cause), context, where);
}

void free_ends(const operation_request& r, base::thread_context& context) noexcept {
  for (unsigned i = 0; i < r.used_count; ++i) {
    instance_record& end = *r.used[i].record;
    end.live.store(0, std::memory_order_relaxed);
    end.key.store(0, std::memory_order_relaxed);
    share_of(context).records.free(&end);
  }
}

failure_ref current_failure(const operation_request& r) {
  return detail::make_failure(std::current_exception(), describe(r), r.where);
}

}  // namespace stretto::data

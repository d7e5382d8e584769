#include "data/device_operation.hpp"

#include <boost/container/small_vector.hpp>

#include <utility>

#include "base/snapshot_read.hpp"
#include "data/data_state.hpp"
#include "data/operation_waits.hpp"
#include "event/event_floor.hpp"
#include "sched/task_spans.hpp"

namespace stretto::data {

namespace {

/// The state of an operation's preconditions, for one device.
struct chain_state {
  bool is_over = true;    // all preconditions have ended, with or without failure
  bool can_chain = true;  // pending ones are under way on the device, and none has failed
  boost::container::small_vector<device::attached_device::key, 4> behind;
};

chain_state chain_state_of(const preconditions& after, std::span<const event> also, std::span<const event> order,
                           const device::attached_device& on, base::thread_context& context) {
  chain_state o;
  const auto has_always_happened = [](const dependency& d) { return !d.task() && d.as_event().raw() == 0; };
  const auto follow = [&](const dependency& d) {
    o.is_over = false;
    if (!o.can_chain) return;
    if (!d.task() && on.is_under_way(d.as_event().raw())) o.behind.push_back(d.as_event().raw());
    else o.can_chain = false;
  };
  const auto one = [&](const dependency& d) {
    if (has_always_happened(d)) return;
    if (!detail::has_ended(d, context)) follow(d);
    else if (detail::cause_of(d, context)) o.can_chain = false;
  };
  for (const dependency& d : after.dependencies) one(d);
  for (const event& e : after.events) one(dependency(e));
  for (const event& e : also) one(dependency(e));
  for (const event& e : order)
    if (!has_always_happened(e) && !detail::has_ended(e, context)) follow(e);
  return o;
}

}  // namespace

device_operation::device_operation(device::attached_device& on, device::work what, trace::kind shown,
                                   const std::source_location& where) noexcept
    : deferred(preconditions_ended), completion(device_ended), on_(on), where_(where), what_(what), shown_(shown) {}

std::optional<deferred_report> report_device_operation(const deferred& d, const deferred* at) {
  return device_operation::report(d, at);
}

std::optional<deferred_report> device_operation::report(const deferred& d, const deferred* action) {
  if (!d.starts_with(preconditions_ended)) return std::nullopt;  // another kind of action
  const auto* const at = static_cast<const device_operation*>(action);
  const base::snapshot_copy<event> done(&at->done_);
  if (!done) return std::nullopt;
  return deferred_report{*done, "operation of a device", base::snapshot_location(&at->where_)};
}

void* device_operation::operator new(std::size_t bytes) {
  if (bytes > data_state::device_operation_bytes) return ::operator new(bytes);
  return share_of(base::require_current("device")).device_operations.allocate();
}

void device_operation::operator delete(void* memory, std::size_t bytes) noexcept {
  if (bytes > data_state::device_operation_bytes) return ::operator delete(memory);
  share_of(base::require_current("device")).device_operations.free(memory);
}

event device_operation::submit(std::unique_ptr<device_operation> op, const preconditions& after,
                               std::span<const event> also, base::thread_context& context,
                               std::span<const event> order) {
  const chain_state o = chain_state_of(after, also, order, op->on_, context);
  auto profile = after.profile ? std::make_unique<sched::profile_state>(op->where_) : nullptr;
  device_operation& it = *op;
  const event done = it.done_ = detail::make_event(context, it.where_);
  it.is_reported_by_owner_ = share_of(context).is_reported_by_owner;
  if (profile) profile->promise_to(*after.profile);
  it.profile_ = std::move(profile);
  auto& thread = static_cast<sched::thread_state&>(context);
  if (thread.every_span) it.id() = sched::new_id(thread);
  const bool is_chained = it.is_chained_ = !o.is_over && o.can_chain;
  if (is_chained) it.waits_for_one_more();
  op.release();
  try {
    it.arm(after, also, context, order);  // if not chained it may run now, and be gone
  } catch (...) {
    it.finish(it.failed_with(std::current_exception()), context);
    return done;
  }
  if (is_chained) it.start({o.behind.data(), o.behind.size()}, context);
  return done;
}

void device_operation::preconditions_ended(deferred& self, failure_ref cause, base::thread_context& context) noexcept {
  auto& op = static_cast<device_operation&>(self);
  if (cause) {
    auto link = failure_ref::adopt(new stretto::failure(*cause.get(), op.describe(), op.where_));
    return op.finish(std::move(link), context);
  }
  if (!op.is_chained_) return op.start({}, context);
  op.finish(op.failed_with(op.completion::failure), context);
}

/// Null if there was no error.
failure_ref device_operation::failed_with(std::exception_ptr why) const {
  return why ? detail::make_failure(std::move(why), describe(), where_) : failure_ref();
}

void device_operation::start(std::span<const device::attached_device::key> behind,
                             base::thread_context& context) noexcept {
  if (profile_) profile_->mark_ready(), profile_->mark_started(context);
  cause_ = context.current_id;
  try {
    on_.enqueue(what_, behind, done_.raw(), ticket_, [&](device::stream& s) { enqueue(s, *this); });
  } catch (...) {
    if (!is_chained_) return finish(failed_with(std::current_exception()), context);
    completion::failure = std::current_exception();
    one_more_ended(context);
  }
}

void device_operation::device_ended(places::work_item& self) noexcept {
  auto& op = static_cast<device_operation&>(static_cast<places::completion&>(self));
  base::thread_context& context = base::require_current("device");
  const trace::ticks since = op.on_.ended(op.done_.raw(), op.ticket_);
  op.record(since, context);
  if (op.is_chained_) return op.one_more_ended(context);
  op.finish(op.failed_with(op.completion::failure), context);
}

void device_operation::record(trace::ticks since, base::thread_context& context) noexcept {
  auto& t = static_cast<sched::thread_state&>(context);
  if (!id()) return;
  try {
    trace::record made{.start = since,
                       .end = trace::clock::now(),
                       .id = id(),
                       .cause = ticket_.cause ? ticket_.cause : cause_,
                       .amount = amount(),
                       .name = t.owner->recorder->names().intern(shown_name(), where_),
                       .place = static_cast<std::uint16_t>(shown_at().index),
                       .kind = shown_};
    on_.record(ticket_, made);
  } catch (const std::bad_alloc&) {  // the trace lacks this span
  }
}

void device_operation::finish(failure_ref cause, base::thread_context& context) noexcept {
  const std::unique_ptr<device_operation> self(this);
  release_resources();
  if (profile_) {
    profile_->moved(trace::moves_data(shown_) ? trace::bytes_moved(amount()) : 0, 1, 1);
    profile_->deliver(cause.get(), describe(), context);
  }
  if (cause && !is_reported_by_owner_) detail::report(cause, context);
  const std::uint64_t outer = context.current_id;
  if (id()) context.current_id = id();
  detail::end_event(done_, std::move(cause), context, where_);
  context.current_id = outer;
}

}  // namespace stretto::data

#include "data/device_operation.hpp"

#include <utility>
#include <vector>

#include "event/event_floor.hpp"
#include "sched/recording.hpp"

namespace stretto::data {

namespace {

/// What an operation waits for, as one device sees it.
struct device_outlook {
  bool is_over = true;       // everything has ended, well or not
  bool can_chain = true;     // what has not ended is under way on the device, and nothing has failed
  std::vector<device::attached_device::key> behind;
};

device_outlook look(const preconditions& after, std::span<const event> also, const device::attached_device& on,
                    base::thread_context& context) {
  device_outlook o;
  const auto one = [&](const dependency& d) {
    if (!d.task() && d.as_event().raw() == 0) return;
    if (detail::has_ended(d, context)) {
      if (detail::cause_of(d, context)) o.can_chain = false;
      return;
    }
    o.is_over = false;
    if (!o.can_chain) return;
    if (!d.task() && on.is_under_way(d.as_event().raw())) o.behind.push_back(d.as_event().raw());
    else o.can_chain = false;
  };
  for (const dependency& d : after.dependencies) one(d);
  for (const event& e : after.events) one(dependency(e));
  for (const event& e : also) one(dependency(e));
  return o;
}

}  // namespace

device_operation::device_operation(device::attached_device& on, device::work what, trace::kind shown,
                                   const std::source_location& where) noexcept
    : deferred(preconditions_ended), completion(device_ended), on_(on), where_(where), what_(what), shown_(shown) {}

event device_operation::submit(std::unique_ptr<device_operation> op, const preconditions& after, std::span<const event> also,
                               base::thread_context& context) {
  const device_outlook o = look(after, also, op->on_, context);
  auto profile = after.profile ? std::make_unique<sched::profile_state>(op->where_) : nullptr;
  device_operation& it = *op;
  const event done = it.done_ = detail::make_event(context, it.where_);
  if (profile) profile->promise_to(*after.profile);
  it.profile_ = std::move(profile);
  it.cause_ = context.current_id;
  it.is_chained_ = !o.is_over && o.can_chain;
  if (it.is_chained_) it.waits_for_one_more();
  op.release();
  try {
    it.arm(after, also, context);  // not chained it may run, and be gone
  } catch (...) {
    const auto cause = [&] { return detail::make_failure(std::current_exception(), it.describe(), it.where_); };
    it.finish(cause(), context);
    return done;
  }
  if (o.can_chain && !o.is_over) it.start(o.behind, context);
  return done;
}

void device_operation::preconditions_ended(deferred& self, failure_ref cause, base::thread_context& context) noexcept {
  auto& op = static_cast<device_operation&>(self);
  if (cause) {
    auto link = failure_ref::adopt(new stretto::failure(*cause.get(), op.describe(), op.where_));
    return op.finish(std::move(link), context);
  }
  if (!op.is_chained_) return op.start({}, context);
  failure_ref own;
  if (op.completion::failure) own = detail::make_failure(op.completion::failure, op.describe(), op.where_);
  op.finish(std::move(own), context);
}

void device_operation::start(std::span<const device::attached_device::key> behind, base::thread_context& context) noexcept {
  if (profile_) profile_->mark_ready(), profile_->mark_started(context);
  try {
    on_.enqueue(what_, behind, done_.raw(), ticket_, [&](device::stream& s) { enqueue(s, *this); });
  } catch (...) {
    if (!is_chained_) return finish(detail::make_failure(std::current_exception(), describe(), where_), context);
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
  failure_ref cause;
  if (op.completion::failure) cause = detail::make_failure(op.completion::failure, op.describe(), op.where_);
  op.finish(std::move(cause), context);
}

void device_operation::record(trace::ticks since, base::thread_context& context) noexcept {
  auto& t = static_cast<sched::thread_state&>(context);
  if (!t.every_span) return;
  try {
    trace::record made{.start = since,
                       .end = trace::clock::now(),
                       .id = id_ = sched::new_id(t),
                       .cause = cause_,
                       .amount = amount(),
                       .name = t.owner->recorder->names().intern(describe(), where_),
                       .place = static_cast<std::uint16_t>(shown_at().index),
                       .kind = shown_};
    t.ring->push(made);
  } catch (const std::bad_alloc&) {  // a span is missing
  }
}

void device_operation::finish(failure_ref cause, base::thread_context& context) noexcept {
  const std::unique_ptr<device_operation> self(this);
  if (profile_) {
    profile_->moved(trace::moves_data(shown_) ? trace::bytes_moved(amount()) : 0, 1, 1);
    profile_->deliver(cause.get(), describe(), context);
  }
  if (cause) detail::report(cause, context);
  const std::uint64_t outer = context.current_id;
  if (id_) context.current_id = id_;
  detail::end_event(done_, std::move(cause), context, where_);
  context.current_id = outer;
}

}  // namespace stretto::data

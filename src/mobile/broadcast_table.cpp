#include "mobile/broadcast_table.hpp"

#include <mutex>
#include <utility>

#include "base/count_down.hpp"
#include "base/snapshot_read.hpp"
#include "dist/program_constants.hpp"
#include "event/event_floor.hpp"
#include "event/event_wait_graph.hpp"
#include "sched/ready_queues.hpp"
#include "sched/task_execution.hpp"

namespace stretto::mobiles {

using sched::task_record;
using sched::thread_state;

pending_broadcast::pending_broadcast(task_record& r, detail::broadcast_body& b, rank self)
    : header{.first = object_id{b.first},
             .function = b.type ? dist::encode_constant(b.type, sizeof *b.type) : 0,
             .where = r.where,
             .from = self,
             .action = b.type ? message_action::handle : message_action::destroy,
             .priority = r.priority},
      name(r.name ? r.name : ""),
      record(r),
      body(b),
      scope(r.scope),
      type(b.type) {}

std::shared_ptr<const remote_message> pending_broadcast::message_to(const element& e) const {
  const std::shared_ptr<remote_message> msg = make_remote_message();
  header.fill(*msg, e.index, position(e));
  msg->name = name;
  msg->type = type;
  msg->number = e.number;
  msg->received = {shared_from_this(), arguments.bytes.data()};
  msg->received_bytes = arguments.bytes.size();
  return msg;
}

pending_broadcast::reply_effect pending_broadcast::record_reply(element& e, reply_stage what, rank by,
                                                                failure_ref& cause) {
  const bool is_end = what == reply_stage::end;
  if (is_end && e.state == element::open) {  // the end may overtake the value
    e.state = element::ended_without_value;
    if (cause) end_causes[e.index] = std::move(cause);
    return {};
  }
  reply_effect effect{.is_first = e.is_open() && !is_end};
  if (!effect.is_first && !(is_end && e.state == element::has_value)) return {};  // after a resend
  const bool has_ended = what != reply_stage::value || e.state == element::ended_without_value;
  if (const auto kept = end_causes.find(e.index); kept != end_causes.end()) {
    effect.end_cause = std::move(kept->second);
    end_causes.erase(kept);
  }
  if (is_end) effect.end_cause = std::move(cause);
  e.state = has_ended ? element::ended : element::has_value;
  e.by = by;
  effect.is_last = has_ended && --ends_missing == 0;
  return effect;
}

void pending_broadcast::expect(std::uint64_t ends) {
  missing_ = ends;
  until_ended_ = shared_from_this();
}

void pending_broadcast::element_ended(std::uint64_t index, failure_ref cause) {
  if (cause) {
    cause->mark_observed();  // the broadcast reports the failure of the lowest index
    const std::scoped_lock lock(lock_);
    if (index < cause_index_) {
      cause_index_ = index;
      std::swap(cause_, cause);
    }
  }
  if (base::count_down(missing_)) end();
}

void pending_broadcast::end() noexcept {
  const auto self = std::move(until_ended_);
  thread_state& t = static_cast<thread_state&>(base::require_current("broadcast"));
  memory.end();
  local_waiters_ = nullptr;
  if (cause_) {
    const failure_ref why = std::exchange(cause_, {});
    return sched::skip_task(
        t, record, detail::make_failure(why->as_exception(&header.where), detail::describe_task(record), header.where));
  }
  if (body.is_run) {
    record.made_ready_by(t.current_id);
    return sched::make_ready(t, record);
  }
  record.drop_body();
  record.flags &= static_cast<std::uint8_t>(~task_record::has_value);
  record.complete(t);
  sched::count_ended(t, scope);
}

void pending_broadcast::local_waiter::run(waiter& self, const failure* cause, base::thread_context&) noexcept {
  auto& w = static_cast<local_waiter&>(self);
  w.all->element_ended(w.index, failure_ref::share(cause));
}

void pending_broadcast::send_local(const std::vector<std::uint64_t>& local) {
  local_waiters_ = std::make_unique<local_waiter[]>(local.size());
  detail::task_request bare;
  bare.name = name;
  bare.priority = header.priority;
  local_waiter* w = local_waiters_.get();
  for (const std::uint64_t index : local) {
    w->fire = local_waiter::run;
    w->all = this;
    w->record = &record;
    w->index = index;
    failure_ref cause;
    try {
      const detail::future_base message = body.send_local(body, index, bare, header.where);
      completion& c = *static_cast<dependency>(message).task();
      if (c.subscribe(*w++)) continue;
      cause = failure_ref::share(c.cause());
    } catch (...) {
      cause = detail::make_failure(std::current_exception(), detail::describe_task(record), header.where);
    }
    element_ended(index, std::move(cause));
  }
}

void pending_broadcast::scope_ended(failure_ref cause, base::thread_context& context) {
  if (cause) scope->failures.add(std::move(cause));
  sched::count_ended(static_cast<thread_state&>(context), scope);
}

bool pending_broadcast::add_wait_edge(const base::wait_walk::found_waiter& found, base::wait_walk& walk) {
  const base::snapshot_copy<waiter> w(found.waiter);
  if (!w || w->fire != local_waiter::run) return false;
  const base::snapshot_copy<local_waiter> local(
      static_cast<const local_waiter*>(static_cast<const waiter*>(found.waiter)));
  if (local) walk.link(walk.at(base::wait_kind::task, detail::bits_of_record(local->record)), found.target);
  return true;
}

std::uint64_t allocate_broadcast_requests(std::uint64_t& next, std::uint64_t count) noexcept {
  constexpr std::uint64_t below = (std::uint64_t{1} << 31) - 1;
  // Bit 31 must not be carried away: skip to the next numbers that have it.
  if (count > below - (next & below)) next = (next & ~below) + (std::uint64_t{1} << 32);
  const std::uint64_t first = next;
  next += count;
  return first;
}

void broadcast_table::add(const std::shared_ptr<pending_broadcast>& m) {
  const std::scoped_lock lock(lock_);
  m->header.first_request = allocate_broadcast_requests(next_, m->elements.size());
  for (const auto& e : m->elements) m->ends_missing += e.is_open();
  if (m->ends_missing) all_.emplace(m->header.first_request, m);
}

broadcast_table::map::iterator broadcast_table::find(std::uint64_t request) {
  const auto after = all_.upper_bound(request);
  if (after == all_.begin()) return all_.end();
  const auto found = std::prev(after);
  return request - found->first < found->second->elements.size() ? found : all_.end();
}

std::optional<broadcast_table::replied_message> broadcast_table::complete(reply_stage what, std::uint64_t request,
                                                                          rank by, failure_ref cause,
                                                                          std::span<const std::byte> value,
                                                                          base::thread_context& context) {
  std::shared_ptr<pending_broadcast> m;
  pending_broadcast::reply_effect effect;
  std::uint64_t index = 0;
  replied_message message = {};
  {
    const std::scoped_lock lock(lock_);
    const auto found = find(request);
    if (found == all_.end()) return {};
    m = found->second;
    pending_broadcast::element& e = m->elements[request - m->header.first_request];
    effect = m->record_reply(e, what, by, cause);
    index = e.index;
    message = {m->object(e), e.number};
    if (effect.is_last) all_.erase(found);
  }
  if (effect.end_cause) m->scope->failures.add(std::move(effect.end_cause));
  if (effect.is_first) {
    if (!cause && m->body.read) try {
        field_reader from(value);
        m->body.read(m->body, index, from);
      } catch (...) {
        cause = detail::make_failure(std::current_exception(), detail::describe_task(m->record), m->header.where);
      }
    m->element_ended(index, std::move(cause));
  }
  if (effect.is_last) m->scope_ended({}, context);
  return effect.is_first ? std::optional(message) : std::nullopt;
}

void broadcast_table::add_unanswered(object_id to, std::vector<std::shared_ptr<const remote_message>>& found) {
  const std::scoped_lock lock(lock_);
  for (const auto& [request, m] : all_)
    for (const auto& e : m->elements)
      if (e.is_open() && (to == object_id{} || m->object(e) == to)) found.push_back(m->message_to(e));
}

void broadcast_table::on_node_failed(rank by, const failure_ref& loss, base::thread_context& context) {
  std::vector<std::shared_ptr<pending_broadcast>> reported, last;
  {
    const std::scoped_lock lock(lock_);
    std::erase_if(all_, [&](const auto& entry) {
      pending_broadcast& m = *entry.second;
      const std::uint64_t before = m.ends_missing;
      for (auto& e : m.elements) {
        if (e.state != pending_broadcast::element::has_value || e.by != by) continue;
        e.state = pending_broadcast::element::ended;
        --m.ends_missing;
      }
      if (m.ends_missing == before) return false;
      (m.ends_missing ? reported : last).push_back(entry.second);
      return m.ends_missing == 0;
    });
  }
  for (const auto& m : reported) m->scope->failures.add(loss);
  for (const auto& m : last) m->scope_ended(loss, context);
}

}  // namespace stretto::mobiles

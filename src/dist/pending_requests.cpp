#include "dist/pending_requests.hpp"

#include <stretto/error.hpp>
#include <stretto/task.hpp>

#include <algorithm>
#include <utility>
#include <vector>

#include "event/event_floor.hpp"

namespace stretto::dist {

pending_requests::pending_requests(job& j) : job_(j) { j.on<&pending_requests::on_reply>(this); }

pending_requests::opened pending_requests::open(std::string what, std::span<const rank> parts,
                                                const preconditions& after, const std::source_location& where,
                                                begins when, reported by) {
  base::thread_context& context = base::require_current("ask");
  entry o{.done = detail::make_event(context, where), .what = std::move(what), .where = where, .by = by};
  for (const rank r : parts.first(std::min(parts.size(), o.parts.size()))) o.parts[o.count++] = r;
  if (after.profile) {
    o.profile = std::make_unique<sched::profile_state>(where);
    o.profile->promise_to(*after.profile);
    o.profile->mark_ready();  // the reply does not say when the operation began: count from the request
    o.profile->mark_started(context);
  }
  if (when == begins::at_once) o.memory = {job_.pressure(), back_pressure::kind::unanswered, bytes_of_request};
  const opened made{{job_.self(), o.done.raw()}, o.done};
  const std::scoped_lock lock(lock_);
  entries_.emplace(made.id.number, std::move(o));
  return made;
}

void pending_requests::end_if_lost(const request_id& q, std::span<const rank> parts,
                                   base::thread_context& context) noexcept {
  for (const rank r : parts)
    if (r != job_.self() && job_.is_lost(r)) return complete(q.number, job_.loss_of(r), context);
}

void pending_requests::reply(const request_id& q, const failure* cause, base::thread_context& context,
                             failure_origin origin) noexcept {
  if (!q.number) return;
  if (q.requester == job_.self()) return complete(q.number, failure_ref::share(cause), context);
  if (cause && (origin == failure_origin::operation || cause->root().node() != failure::here)) cause->mark_observed();
  job_.send(q.requester, instance_reply{q.number, failure_ref::share(cause)});
}

void pending_requests::on_reply(rank, const instance_reply& m, base::thread_context& context) {
  complete(m.request, m.why, context);
}

void pending_requests::complete(std::uint64_t number, failure_ref cause, base::thread_context& context) {
  entry o;
  {
    const std::scoped_lock lock(lock_);
    const auto found = entries_.find(number);
    if (found == entries_.end()) return;  // ended before, when a participating node was lost
    o = std::move(found->second);
    entries_.erase(found);
  }
  finish(std::move(o), std::move(cause), context);
}

void pending_requests::finish(entry&& o, failure_ref cause, base::thread_context& context) noexcept {
  if (cause) cause = failure_ref::adopt(new failure(*cause.get(), o.what, o.where));
  if (o.profile) o.profile->deliver(cause.get(), o.what, context);
  if (cause && o.by == reported::here) detail::report(cause, context);
  detail::end_event(o.done, std::move(cause), context, o.where);
}

std::vector<pending_requests::entry> pending_requests::extract_those_on(rank node,
                                                                        const std::function<bool(std::uint64_t)>& but) {
  std::vector<entry> found;
  const std::scoped_lock lock(lock_);
  for (auto at = entries_.begin(); at != entries_.end();) {
    entry& o = at->second;
    const auto parts = std::span(o.parts).first(o.count);
    if (std::ranges::find(parts, node) == parts.end() || but(at->first)) {
      ++at;
      continue;
    }
    found.push_back(std::move(o));
    at = entries_.erase(at);
  }
  return found;
}

void pending_requests::add_wait_edges(base::wait_walk& walk) const {
  const std::scoped_lock lock(lock_);
  for (const auto& [number, o] : entries_) {
    if (!walk.has(base::wait_kind::event, number)) continue;
    base::wait_node& node = walk[walk.at(base::wait_kind::event, number)];
    node.kind = base::wait_kind::request;
    node.name = o.what;
    node.created_at = short_location(o.where);
  }
}

}  // namespace stretto::dist

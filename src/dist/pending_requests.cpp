#include "dist/pending_requests.hpp"

#include <stretto/error.hpp>
#include <stretto/task.hpp>

#include <algorithm>
#include <utility>
#include <vector>

#include "event/event_floor.hpp"

namespace stretto::dist {

questions::questions(job& j, failures& causes)
    : job_(j), causes_(causes), answer_(j.on<&questions::on_answer>("instances.answer", this)) {}

questions::asked questions::ask(std::string what, std::span<const rank> parts, const preconditions& after,
                                const std::source_location& where, begins when) {
  base::thread_context& context = base::require_current("ask");
  open o{.done = detail::make_event(context, where), .what = std::move(what), .where = where};
  for (const rank r : parts.first(std::min(parts.size(), o.parts.size()))) o.parts[o.count++] = r;
  if (after.profile) {
    o.profile = std::make_unique<sched::profile_state>(where);
    o.profile->promise_to(*after.profile);
    o.profile->mark_ready();  // when it is over there is not told: it counts as begun when it was asked for
    o.profile->mark_started(context);
  }
  if (when == begins::at_once) o.memory = {job_.pressure(), back_pressure::what::kept, bytes_of_question};
  const asked made{{job_.self(), o.done.raw()}, o.done};
  const std::scoped_lock lock(lock_);
  open_.emplace(made.is.number, std::move(o));
  return made;
}

void questions::end_if_lost(const question& q, std::span<const rank> parts, base::thread_context& context) noexcept {
  for (const rank r : parts)
    if (r != job_.self() && job_.is_lost(r)) return take(q.number, job_.loss_of(r), context);
}

void questions::answer(const question& q, const failure* cause, base::thread_context& context, began when) noexcept {
  if (!q.number) return;
  if (q.asker == job_.self()) return take(q.number, failure_ref::share(cause), context);
  if (cause && (when == began::with_it || cause->root().node() != failure::here)) cause->mark_observed();
  writer w(q.number, static_cast<std::uint8_t>(cause ? 1 : 0));
  if (cause) causes_.write(w, *cause);
  job_.send(q.asker, answer_, w);
}

void questions::on_answer(rank from, reader& content, base::thread_context& context) {
  const auto number = content.get<std::uint64_t>();
  const bool failed = content.get<std::uint8_t>() != 0;
  take(number, failed ? causes_.read(content, from) : failure_ref(), context);
}

void questions::take(std::uint64_t number, failure_ref cause, base::thread_context& context) {
  open o;
  {
    const std::scoped_lock lock(lock_);
    const auto found = open_.find(number);
    if (found == open_.end()) return;  // a node that had a part in it was lost before
    o = std::move(found->second);
    open_.erase(found);
  }
  end(std::move(o), std::move(cause), context);
}

void questions::end(open&& o, failure_ref cause, base::thread_context& context) noexcept {
  if (cause) cause = failure_ref::adopt(new failure(*cause.get(), o.what, o.where));
  if (o.profile) o.profile->deliver(cause.get(), o.what, context);
  if (cause) detail::report(cause, context);
  detail::end_event(o.done, std::move(cause), context, o.where);
}

std::vector<questions::open> questions::take_those_of(rank node, const std::function<bool(std::uint64_t)>& but) {
  std::vector<open> found;
  const std::scoped_lock lock(lock_);
  for (auto at = open_.begin(); at != open_.end();) {
    open& o = at->second;
    const auto parts = std::span(o.parts).first(o.count);
    if (std::ranges::find(parts, node) == parts.end() || but(at->first)) {
      ++at;
      continue;
    }
    found.push_back(std::move(o));
    at = open_.erase(at);
  }
  return found;
}

void questions::tell_waits(base::wait_walk& walk) const {
  const std::scoped_lock lock(lock_);
  for (const auto& [number, o] : open_) {
    if (!walk.has(base::wait_kind::event, number)) continue;
    base::wait_node& node = walk[walk.at(base::wait_kind::event, number)];
    node.kind = base::wait_kind::request;
    node.name = o.what;
    node.made = short_location(o.where);
  }
}

}  // namespace stretto::dist

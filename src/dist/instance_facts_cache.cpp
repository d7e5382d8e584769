#include "dist/instance_facts_cache.hpp"

#include <functional>
#include <string>
#include <utility>

#include "data/handle.hpp"
#include "event/event_floor.hpp"

namespace stretto::dist {

instance_facts_cache::instance_facts_cache(job& j, pending_requests& pending, instance_names& names)
    : job_(j), pending_requests_(pending), names_(names) {
  j.on<&instance_facts_cache::on_query, &instance_facts_cache::on_description>(this);
}

std::shared_ptr<const data::instance_facts> instance_facts_cache::lookup(const detail::instance_handle& h) const {
  const std::scoped_lock lock(lock_);
  const auto found = facts_.find(h);
  return found == facts_.end() ? nullptr : found->second;
}

void instance_facts_cache::forget(const detail::instance_handle& h) {
  const std::scoped_lock lock(lock_);
  facts_.erase(h);
}

std::shared_ptr<const data::instance_facts> instance_facts_cache::of(const detail::instance_handle& h, const char* verb,
                                                                     const std::source_location& where) {
  const rank owner = *job_.rank_of(static_cast<std::uint16_t>(h.key >> 48));
  for (;;) {  // another thread may evict the entry before this one reads it
    if (auto f = lookup(h)) return f;
    base::thread_context& before = base::require_current(verb);
    const pending_requests::opened q =
        pending_requests_.open(std::string(verb) + " of an instance of node " + job_.name_of(owner), {&owner, 1}, {},
                               where, pending_requests::begins::at_once, pending_requests::reported::by_users);
    job_.send(owner, instance_query{q.id.number, h, where, verb});
    pending_requests_.end_if_lost(q.id, {&owner, 1}, before);
    wait(ignore_failure(q.done, where), where);
    const failure_ref why =
        detail::cause_of(dependency(q.done), base::require_current(verb));  // the task may continue on another thread
    if (!why) continue;
    why->mark_observed();
    why->root().raise();  // rethrown as on the owner
  }
}

void instance_facts_cache::on_query(rank from, const instance_query& m, base::thread_context& context) {
  names_.resolve(m.instance, "a question", m.where, context,
                 [this, from, m](const detail::instance_handle& near, failure_ref cause, base::thread_context& on) {
                   instance_description is{.request = m.request, .instance = m.instance};
                   if (!cause) try {
                       data::instance_facts f = data::facts_of(data::usable(near, m.verb.c_str(), on, m.where));
                       is.shape = f.shape;
                       is.memory = f.memory;
                       is.name = std::move(f.name);
                     } catch (...) {
                       cause = detail::make_failure(std::current_exception(), m.verb + " of an instance", m.where);
                     }
                   if (cause) pending_requests_.reply({from, m.request}, cause.get(), on);
                   else job_.send(from, is);
                 });
}

void instance_facts_cache::on_description(rank, const instance_description& m, base::thread_context& context) {
  auto facts = std::make_shared<const data::instance_facts>(data::instance_facts{m.shape, m.memory, m.name});
  {
    const std::scoped_lock lock(lock_);
    if (facts_.size() >= max_entries) facts_.clear();
    facts_.insert_or_assign(m.instance, std::move(facts));
  }
  pending_requests_.reply({job_.self(), m.request}, nullptr, context);
}

}  // namespace stretto::dist

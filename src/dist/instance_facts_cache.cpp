#include "dist/instance_facts_cache.hpp"

#include <functional>
#include <string>
#include <utility>

#include "data/handle.hpp"
#include "dist/program_constants.hpp"
#include "dist/remote_requests.hpp"
#include "event/event_floor.hpp"

namespace stretto::dist {

namespace {

constexpr std::size_t longest_text = 31;

void put(writer& to, const data::instance_facts& f) {
  dist::put(to, f.shape.box);
  dist::put(to, f.shape.stride);
  to.put(f.shape.element_bytes);
  to.put(f.memory.index);
  to.put_text(f.name, longest_text);
}

data::instance_facts get_facts(reader& from) {
  data::instance_facts f;
  f.shape.box = get_box(from);
  f.shape.stride = get_point(from);
  f.shape.element_bytes = from.get<std::uint32_t>();
  f.memory.index = from.get<std::uint32_t>();
  f.name = from.get_text();
  return f;
}

}  // namespace

instance_facts_cache::instance_facts_cache(job& j, pending_requests& pending, instance_names& names)
    : job_(j),
      pending_requests_(pending),
      names_(names),
      describe_(j.on<&instance_facts_cache::on_describe>("instances.describe", this)),
      described_(j.on<&instance_facts_cache::on_described>("instances.described", this)) {}

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
                               where, pending_requests::begins::at_once);
    writer w(q.id.number);
    dist::put(w, h);
    w.put(encode(where, job_.node()));
    w.put_text(verb, longest_text);
    job_.send(owner, describe_, w);
    pending_requests_.end_if_lost(q.id, {&owner, 1}, before);
    wait(ignore_failure(q.done, where), where);
    const failure_ref why =
        detail::cause_of(dependency(q.done), base::require_current(verb));  // the task may continue on another thread
    if (!why) continue;
    why->mark_observed();
    why->root().raise();  // rethrown as on the owner
  }
}

void instance_facts_cache::on_describe(rank from, reader& content, base::thread_context& context) {
  const request_id q{from, content.get<std::uint64_t>()};
  const detail::instance_handle h = get_handle(content);
  const std::source_location where = decode(content.get<std::uint64_t>(), job_.node_of(from));
  const std::string verb = content.get_text();
  names_.resolve(
      h, "a question", where, context,
      [this, q, h, where, verb](const detail::instance_handle& near, failure_ref cause, base::thread_context& on) {
        writer w(q.number);
        dist::put(w, h);
        if (!cause) try {
            put(w, data::facts_of(data::usable(near, verb.c_str(), on, where)));
          } catch (...) {
            cause = detail::make_failure(std::current_exception(), verb + " of an instance", where);
          }
        if (cause) pending_requests_.reply(q, cause.get(), on);
        else job_.send(q.requester, described_, w);
      });
}

void instance_facts_cache::on_described(rank, reader& content, base::thread_context& context) {
  const request_id q{job_.self(), content.get<std::uint64_t>()};
  const detail::instance_handle h = get_handle(content);
  auto facts = std::make_shared<const data::instance_facts>(get_facts(content));
  if (!content.is_whole()) return;
  {
    const std::scoped_lock lock(lock_);
    if (facts_.size() >= max_entries) facts_.clear();
    facts_.insert_or_assign(h, std::move(facts));
  }
  pending_requests_.reply(q, nullptr, context);
}

}  // namespace stretto::dist

#include "dist/instance_facts_cache.hpp"

#include <functional>
#include <string>
#include <utility>

#include "data/handle.hpp"
#include "dist/remote_requests.hpp"
#include "dist/program_constants.hpp"
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

far_facts::far_facts(job& j, questions& q, instance_names& names)
    : job_(j),
      questions_(q),
      names_(names),
      describe_(j.on<&far_facts::on_describe>("instances.describe", this)),
      described_(j.on<&far_facts::on_described>("instances.described", this)) {}

std::shared_ptr<const data::instance_facts> far_facts::known(const detail::instance_handle& h) const {
  const std::scoped_lock lock(lock_);
  const auto found = kept_.find(h);
  return found == kept_.end() ? nullptr : found->second;
}

void far_facts::forget(const detail::instance_handle& h) {
  const std::scoped_lock lock(lock_);
  kept_.erase(h);
}

std::shared_ptr<const data::instance_facts> far_facts::of(const detail::instance_handle& h, const char* verb,
                                                          const std::source_location& where) {
  const rank owner = *job_.rank_of(static_cast<std::uint16_t>(h.key >> 48));
  for (;;) {  // what has come may have made way for others by now
    if (auto f = known(h)) return f;
    base::thread_context& before = base::require_current(verb);
    const questions::asked q = questions_.ask(std::string(verb) + " of an instance of node " + job_.name_of(owner),
                                              {&owner, 1}, {}, where, questions::begins::at_once);
    writer w(q.is.number);
    dist::put(w, h);
    w.put(encode(where, job_.node()));
    w.put_text(verb, longest_text);
    job_.send(owner, describe_, w);
    questions_.end_if_lost(q.is, {&owner, 1}, before);
    wait(ignore_failure(q.done, where), where);
    const failure_ref why =
        detail::cause_of(dependency(q.done), base::require_current(verb));  // maybe another thread's by now
    if (!why) continue;
    why->mark_observed();
    why->root().raise();  // as the node says it, and as it would be thrown there
  }
}

void far_facts::on_describe(rank from, reader& content, base::thread_context& context) {
  const question q{from, content.get<std::uint64_t>()};
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
        if (cause)
          questions_.answer(q, cause.get(), on);
        else
          job_.send(q.asker, described_, w);
      });
}

void far_facts::on_described(rank, reader& content, base::thread_context& context) {
  const question q{job_.self(), content.get<std::uint64_t>()};
  const detail::instance_handle h = get_handle(content);
  auto facts = std::make_shared<const data::instance_facts>(get_facts(content));
  if (!content.is_whole()) return;
  {
    const std::scoped_lock lock(lock_);
    if (kept_.size() >= most_kept) kept_.clear();
    kept_.insert_or_assign(h, std::move(facts));
  }
  questions_.answer(q, nullptr, context);
}

}  // namespace stretto::dist

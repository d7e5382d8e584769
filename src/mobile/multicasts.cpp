#include "mobile/multicasts.hpp"

#include <mutex>
#include <utility>

#include "base/count_down.hpp"
#include "base/peek.hpp"
#include "dist/where.hpp"
#include "event/event_floor.hpp"
#include "event/event_wait_graph.hpp"
#include "sched/ready_queues.hpp"
#include "sched/task_execution.hpp"

namespace stretto::mobiles {

using sched::task_record;
using sched::thread_state;

multicast_under_way::multicast_under_way(task_record& r, detail::multicast& b, rank self)
    : said_once{.first = b.first,
                .from = self,
                .kind = b.type ? letter_kind::handle : letter_kind::destroy,
                .priority = r.priority,
                .function = b.type ? dist::encode_constant(b.type, sizeof *b.type) : 0,
                .where = r.where,
                .name = r.name ? r.name : ""},
      record(r), body(b), scope(r.scope), type(b.type) {}

std::shared_ptr<const far_letter> multicast_under_way::letter(const element& e) const {
  const std::shared_ptr<far_letter> l = new_letter();
  say(*l, e.index, position(e));
  l->type = type;
  l->number = e.number;
  l->came = {shared_from_this(), arguments.bytes.data()};
  l->came_bytes = arguments.bytes.size();
  return l;
}

void multicast_under_way::expect(std::uint64_t ends) {
  missing_ = ends;
  until_ended_ = shared_from_this();
}

void multicast_under_way::ended(std::uint64_t index, failure_ref cause) {
  if (cause) {
    cause->mark_observed();  // the lowest stands for all
    const std::scoped_lock lock(lock_);
    if (index < cause_index_) {
      cause_index_ = index;
      std::swap(cause_, cause);
    }
  }
  if (base::count_down(missing_)) end();
}

void multicast_under_way::end() noexcept {
  const auto me = std::move(until_ended_);
  thread_state& t = static_cast<thread_state&>(base::require_current("broadcast"));
  memory.end();
  near_ = nullptr;
  if (cause_) {
    const failure_ref why = std::exchange(cause_, {});
    return sched::skip_task(t, record, detail::make_failure(why->as_exception(&where), detail::describe_task(record), where));
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

void multicast_under_way::near_waiter::run(waiter& self, const failure* cause, base::thread_context&) noexcept {
  auto& w = static_cast<near_waiter&>(self);
  w.all->ended(w.index, failure_ref::share(cause));
}

void multicast_under_way::send_near(const std::vector<std::uint64_t>& near) {
  near_ = std::make_unique<near_waiter[]>(near.size());
  detail::task_request bare;
  bare.name = name;
  bare.priority = priority;
  near_waiter* w = near_.get();
  for (const std::uint64_t index : near) {
    w->fire = near_waiter::run;
    w->all = this;
    w->record = &record;
    w->index = index;
    failure_ref cause;
    try {
      const detail::future_base letter = body.send_near(body, index, bare, where);
      completion& c = *static_cast<dependency>(letter).task();
      if (c.subscribe(*w++)) continue;
      cause = failure_ref::share(c.cause());
    } catch (...) {
      cause = detail::make_failure(std::current_exception(), detail::describe_task(record), where);
    }
    ended(index, std::move(cause));
  }
}

void multicast_under_way::ended_all(failure_ref cause, base::thread_context& context) {
  if (cause) scope->failures.add(std::move(cause));
  sched::count_ended(static_cast<thread_state&>(context), scope);
}

bool multicast_under_way::tell(const base::wait_walk::found_waiter& found, base::wait_walk& walk) {
  const base::peeked<waiter> w(found.waiter);
  if (!w || w->fire != near_waiter::run) return false;
  const base::peeked<near_waiter> is(static_cast<const near_waiter*>(static_cast<const waiter*>(found.waiter)));
  if (is) walk.link(walk.at(base::wait_kind::task, detail::bits_of_record(is->record)), found.target);
  return true;
}

std::uint64_t take_requests_of_many(std::uint64_t& next, std::uint64_t count) noexcept {
  constexpr std::uint64_t below = (std::uint64_t{1} << 31) - 1;
  if (count > below - (next & below)) next = (next & ~below) + (std::uint64_t{1} << 32);
  const std::uint64_t first = next;
  next += count;
  return first;
}

void multicasts::add(const std::shared_ptr<multicast_under_way>& m) {
  const std::scoped_lock lock(lock_);
  m->first_request = take_requests_of_many(next_, m->elements.size());
  for (const auto& e : m->elements) m->ends_missing += e.is_open();
  if (m->ends_missing) all_.emplace(m->first_request, m);
}

multicasts::map::iterator multicasts::find(std::uint64_t request) {
  const auto after = all_.upper_bound(request);
  if (after == all_.begin()) return all_.end();
  const auto found = std::prev(after);
  return request - found->first < found->second->elements.size() ? found : all_.end();
}

std::optional<multicasts::answered> multicasts::take(outcome what, std::uint64_t request, rank by, failure_ref cause,
                                                     std::span<const std::byte> value, base::thread_context& context) {
  using element = multicast_under_way::element;
  std::shared_ptr<multicast_under_way> m;
  element* e = nullptr;
  bool is_first = false, is_over = false, is_last = false;
  failure_ref end_cause;
  {
    const std::scoped_lock lock(lock_);
    const auto found = find(request);
    if (found == all_.end()) return {};  // it was given up before
    m = found->second;
    e = &m->elements[request - m->first_request];
    is_first = e->is_open() && what != outcome::end;
    if (what == outcome::end && e->is == element::open) {  // its value may have been overtaken
      e->is = element::open_but_over;
      if (cause) m->end_causes[e->index] = std::move(cause);
      return {};
    }
    if (!is_first && (what != outcome::end || e->is != element::has_value)) return {};
    is_over = what != outcome::value || e->is == element::open_but_over;
    if (const auto kept = m->end_causes.find(e->index); kept != m->end_causes.end()) {
      end_cause = std::move(kept->second);
      m->end_causes.erase(kept);
    }
    e->is = is_over ? element::over : element::has_value;
    e->by = by;
    if (is_over) is_last = --m->ends_missing == 0;
    if (is_last) all_.erase(found);
  }
  if (!is_first) end_cause = std::move(cause);
  if (end_cause) m->scope->failures.add(std::move(end_cause));
  const std::uint64_t index = e->index;
  const answered is{m->object(*e), e->number};
  if (is_first) {
    if (!cause && m->body.read) try {
      field_reader from(value);
      m->body.read(m->body, index, from);
    } catch (...) {
      cause = detail::make_failure(std::current_exception(), detail::describe_task(m->record), m->where);
    }
    m->ended(index, std::move(cause));
  }
  if (is_last) m->ended_all({}, context);
  return is_first ? std::optional(is) : std::nullopt;
}

void multicasts::add_unanswered(object_id to, std::vector<std::shared_ptr<const far_letter>>& found) {
  const std::scoped_lock lock(lock_);
  for (const auto& [request, m] : all_)
    for (const auto& e : m->elements)
      if (e.is_open() && (!to || m->object(e) == to)) found.push_back(m->letter(e));
}

void multicasts::lost(rank by, const failure_ref& loss, base::thread_context& context) {
  std::vector<std::shared_ptr<multicast_under_way>> told, last;
  {
    const std::scoped_lock lock(lock_);
    std::erase_if(all_, [&](const auto& entry) {
      multicast_under_way& m = *entry.second;
      const std::uint64_t before = m.ends_missing;
      for (auto& e : m.elements) {
        if (e.is != multicast_under_way::element::has_value || e.by != by) continue;
        e.is = multicast_under_way::element::over;
        --m.ends_missing;
      }
      if (m.ends_missing == before) return false;
      (m.ends_missing ? told : last).push_back(entry.second);
      return m.ends_missing == 0;
    });
  }
  for (const auto& m : told) m->scope->failures.add(loss);
  for (const auto& m : last) m->ended_all(loss, context);
}

}  // namespace stretto::mobiles

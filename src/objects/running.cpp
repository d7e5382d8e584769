// running.cpp - who may be issued next, and what happens when events fire.
#include "objects/running.hpp"

#include <stretto/error.hpp>
#include <stretto/task.hpp>

#include <algorithm>
#include <thread>
#include <utility>

#include "event/event_floor.hpp"
#include "sched/scope_counting.hpp"

namespace stretto::objects {

namespace {

/// Where most of what a copy is about lies; where all of what is lent does, or the host.
site& nearest(const task& t) {
  const object_use& u = t.uses.front();
  site& host = t.state.sites.front();
  if (t.goes && t.goes->is == errand::kind::fetch) {
    site& wanted = t.state.sites[t.goes->site];
    return wanted.is_lost ? host : wanted;
  }
  const auto there = [&](const site& at) { return u.object.get()->valid_for(at, u.where); };
  site* best = &host;
  for (site& at : t.state.sites)
    if (there(at) > there(*best)) best = &at;
  return t.goes && there(*best) < u.where.volume() ? host : *best;
}

/// What it brings is not there yet, and takes no room before. Where the host alone computes it is issued in its turn.
bool asks_first(task& t, base::thread_context& context) {
  if (!t.goes || t.goes->is != errand::kind::fetch || t.state.issues_at_once() || t.uses.front().where.is_empty()) return false;
  try {
    ask_first(t, context);
  } catch (...) {
    t.goes->as->is = nullptr, t.goes->as = nullptr;
    give_up_on(t, t.current_failure(), context);
  }
  return true;
}

void now_issuable(task& t, base::thread_context& context) {
  if (t.failed) return give_up_on(t, t.skipped_because_of(*t.failed.get()), context);
  if (asks_first(t, context)) return;
  if (t.goes_to) return t.goes_to->queue.push_back(&t);
  if (t.code && t.state.scheduler) {
    t.state.scheduler->push(t);
    ++t.state.waiting;
    return;
  }
  auto& queue = (t.outside || t.goes ? nearest(t) : t.state.sites.front()).queue;
  // In the order of submission what comes first can always be issued: it would wait for ever behind one for which there is no room.
  if (t.state.scheduler) queue.push_back(&t);
  else queue.insert(std::ranges::upper_bound(queue, t.submitted, {}, &task::submitted), &t);
}

void take_arrived(objects_state& s, base::thread_context& context) {
  // Newest first in the list; oldest first is what happened.
  signal* reversed = nullptr;
  for (signal* n = s.arrived.exchange(nullptr, std::memory_order_acquire); n;) {
    signal* const next = n->next_arrived;
    n->next_arrived = reversed;
    reversed = n;
    n = next;
  }
  while (reversed) {
    signal& n = *reversed;
    reversed = n.next_arrived;
    base::announce_acquire(&n);
    n.handle(n, std::move(n.cause), context);
  }
}

/// What computes nothing is done on the host as well.
bool goes_to_host_instead(task& t, const site& at) {
  if (!(t.goes || t.outside) || !at.device) return false;
  if (t.goes) t.goes->site = 0;
  t.state.sites.front().queue.push_front(&t);
  return true;
}

/// Content that comes does not wait for room on a device: what has lent it could be what takes the room.
bool waits_nowhere(task& t, const site& at) { return t.goes && t.goes->is == errand::kind::fetch && goes_to_host_instead(t, at); }

/// What keeps a launch from a site that it is allowed on.
std::string limits_of(const task& t, const site& at) {
  if (at.is_lost) return "lost";
  if (!at.device || t.state.unusable.contains({t.code, at.view.index})) return "has no code of this kernel";
  const device::properties& is = at.device->is().about();
  return std::to_string(is.most_items_per_group) + " items and " + std::to_string(is.local_memory_bytes) + " bytes of local memory per group";
}

/// Groups that are too large for a device are so for all that could be asked.
failure_ref refused_everywhere(const task& t, error e) {
  std::string all;
  for (const site& at : t.state.sites)
    if (t.is_allowed_on(at)) all += (all.empty() ? "\"" : "; \"") + std::string(at.view.name) + "\" " + limits_of(t, at);
  e.fact("submitted", t.where).fact("looked at", all);
  const bool host_would = t.code->run && !t.is_allowed_on(t.state.sites.front());
  if (host_would) e.remedy(e.what_to_try() + ", or let the host compute it, which takes groups of any size");
  return detail::make_failure(std::make_exception_ptr(std::move(e)), t.describe(), t.where);
}

void warn_of_elsewhere(const task& t, const site& at, const error& why) {
  t.state.warn("kernel \"" + std::string(t.code->name) + "\" runs elsewhere than on \"" + std::string(at.view.name) + "\": " + why.what());
}

bool is_of_groups(const error& e) { return e.code() == "K22" || e.code() == "K23" || e.code() == "K44"; }

/// The site cannot do it, for what this says, and another does; then or not, that is remembered.
bool is_done_elsewhere(task& t, const site& at, const error& e) {
  if (!t.code || !at.device) return false;
  if (e.code() == "K44") {  // for this launch alone
    t.not_at.push_back(at.view.index);
    return send_elsewhere(t);
  }
  const bool is_code = e.code() == "K12" || e.code() == "K13" || e.code() == "K14", is_size = e.code() == "K22" || e.code() == "K23";
  if (is_code && !t.state.unusable.emplace(t.code, at.view.index).second) return false;
  if (is_size && (!t.has_groups_for(at) || !t.state.too_large.emplace(t.code, at.view.index, t.group_items, t.local_bytes).second)) return false;
  if (!(is_code || is_size) || !send_elsewhere(t)) return false;
  if (e.code() != "K14") warn_of_elsewhere(t, at, e);  // else it is the definition's wish
  return true;
}

/// There is no room for a launch, and never will be while this is as it is; another site has some. What the host asks to see is nowhere else.
bool has_room_elsewhere(task& t, const site& at, const error& why) {
  if (!t.code) return false;
  t.not_at.push_back(at.view.index);
  if (!send_elsewhere(t)) return t.not_at.pop_back(), false;
  if (t.state.told_of_room.emplace(t.code, at.view.index).second) warn_of_elsewhere(t, at, why);
  return true;
}

/// The program may give the view back, and hang reports know it if not.
void waits_for(const task& view, task& t, const base::thread_context& context) {
  const object_record& o = *view.uses.front().object.get();
  if (t.done == event()) return;
  t.behind = detail::holder_record(*context.runtime, t.done, "the memory of " + describe(o), "the view that " + view.given_name + "() gave", view.where);
}

/// Where objects live there is too little room: what it uses comes to the memory of its site instead.
bool uses_them_elsewhere(task& t) {
  const bool has_home = std::ranges::any_of(t.uses, [](const object_use& u) { return u.object.get()->home != nullptr; });
  return has_home && !std::exchange(t.is_away, true);
}

/// A device that it was to use is lost; whatever has its content elsewhere goes on there.
bool goes_on_without_device(task& t, const site& at, const failure_ref& loss) {
  return (note_losses(t.state, loss) || at.is_lost) && send_elsewhere(t);
}

/// False: it has no room yet.
bool issue_or_give_up(task& t, site& at, base::thread_context& context) {
  try {
    if (t.code && !t.can_run_on(at)) {
      if (send_elsewhere(t)) return true;
      if (at.lost_because) throw skipped{at.lost_because};
    }
    return issue(t, at, context) || waits_nowhere(t, at);
  } catch (const skipped& s) {
    give_up_on(t, t.skipped_because_of(*s.because.get()), context);
  } catch (const no_room& n) {
    if (uses_them_elsewhere(t)) return issue_or_give_up(t, at, context);
    if (goes_to_host_instead(t, at) || has_room_elsewhere(t, at, n.why)) return true;
    if (ask_others_to_leave(t, at, context)) return false;
    if (n.view) return waits_for(*n.view, t, context), false;
    give_up_on(t, detail::make_failure(std::make_exception_ptr(n.why), t.describe(), t.where), context);
  } catch (const error& e) {
    if (e.code() == "A04" && uses_them_elsewhere(t)) return issue_or_give_up(t, at, context);
    if (e.code() == "K31" && goes_on_without_device(t, at, t.current_failure())) return true;
    if (is_done_elsewhere(t, at, e) || goes_to_host_instead(t, at)) return true;
    give_up_on(t, t.code && is_of_groups(e) ? refused_everywhere(t, e) : t.current_failure(), context);
  } catch (...) {
    give_up_on(t, t.current_failure(), context);
  }
  return true;
}

// A device is kept busy for so long beyond the tasks that it takes at a time, where they are short: else it waits for the host.
constexpr double seconds_ahead = 500e-6;
constexpr float unknown_seconds = 1;
constexpr std::uint32_t most_ahead = 1024;

/// How many more it takes now.
std::uint32_t room_of(const site& at) {
  if (at.view.issued < at.depth) return at.depth - at.view.issued;
  return at.device && at.view.issued < most_ahead && at.issued_seconds < seconds_ahead;
}

void count_at(task& t, site& at) {
  t.counted_at = &at;
  ++at.view.issued;
  if (!at.device) return;
  t.expected_seconds = static_cast<float>(t.predicted_seconds(at.view).value_or(unknown_seconds));
  at.issued_seconds += t.expected_seconds;
}

/// One of the queue. False: it has no room yet.
bool issue_from(site& at, std::size_t place, base::thread_context& context) {
  task& t = *at.queue[place];
  const bool has_come_by_itself = t.goes_to && !t.counted_at;
  if (has_come_by_itself && room_of(at) == 0) return false;
  at.queue.erase(at.queue.begin() + static_cast<std::ptrdiff_t>(place));
  if (has_come_by_itself) count_at(t, at);
  if (issue_or_give_up(t, at, context)) return true;
  at.queue.insert(at.queue.begin() + static_cast<std::ptrdiff_t>(place), &t);
  return false;
}

/// The next that the scheduler has for it.
bool pop_for(site& at, objects_state& s) {
  if (at.view.room == 0 || s.waiting == 0) return false;
  auto* const t = const_cast<task*>(static_cast<const task*>(s.scheduler->pop(at.view)));
  if (!t) return false;
  --s.waiting;
  t->is_popped = true;
  count_at(*t, at);
  at.queue.push_back(t);
  return true;
}

void issue_in_turn(objects_state& s, base::thread_context& context) {
  for (bool again = true; again;) {
    again = false;
    for (site& at : s.sites) {
      at.view.room = room_of(at);
      // Not behind one that waits for memory: what has come by itself would wait for the room that those behind it take.
      again = (at.queue.empty() && pop_for(at, s)) || again;
      while (!at.queue.empty() && issue_from(at, 0, context)) again = true;
    }
  }
}

/// Whether all that has not been issued waits for room, or behind what does, and nothing is under way whose end could give some up. A view
/// ends when the program likes.
bool waits_for_itself(const objects_state& s) {
  std::size_t counted = 0, queued = 0;
  for (const site& at : s.sites) {
    counted += at.view.issued;
    queued += at.queue.size();
    for (const task* const t : at.queue) counted -= t->counted_at != nullptr;
  }
  if (queued == 0 || counted > 0) return false;
  const auto leaves = [](const site& at) { return at.leaving > 0 || at.is_being_cleared; };
  if (std::ranges::any_of(s.sites, leaves) || std::ranges::any_of(s.shared_memories, leaves) || (s.spill && leaves(*s.spill))) return false;
  std::vector<std::uint32_t> follows(s.tasks.size());
  for (const task* const t : s.tasks) {
    if (t->on && !is_lasting_view(*t)) return false;
    for (const task* const next : t->successors) ++follows[next->number];
    for (const task* const next : t->followers) ++follows[next->number];
  }
  // What waits for an event, or for another node, may yet be issued.
  return std::ranges::none_of(s.tasks, [&](const task* t) { return !t->on && (t->unissued > follows[t->number] || is_asked_for(*t)); });
}

/// Whoever has room goes before one that waits for some, whose end may give it that.
bool overtake(objects_state& s, base::thread_context& context) {
  for (site& at : s.sites) {
    for (std::size_t k = 1; k < at.queue.size(); ++k)
      if (issue_from(at, k, context)) return true;
    at.view.room = room_of(at);
    if (!at.queue.empty() && pop_for(at, s)) return true;
  }
  return false;
}

/// Of those that wait for one another the first is refused what it asks for.
bool refuse_one(objects_state& s, base::thread_context& context) {
  s.nothing_ends = true;
  const bool is_refused = std::ranges::any_of(s.sites, [&](site& at) { return !at.queue.empty() && issue_from(at, 0, context); });
  s.nothing_ends = false;
  return is_refused;
}

void issue_what_can_be(objects_state& s, base::thread_context& context) {
  do issue_in_turn(s, context);
  while (waits_for_itself(s) && (overtake(s, context) || refuse_one(s, context)));
}

void note_whether_ends_matter(objects_state& s) {
  const bool now = !s.issues_at_once() || s.let_go || !s.sites.front().queue.empty();
  if (now != s.ends_matter.load(std::memory_order_relaxed)) s.ends_matter.store(now, std::memory_order_relaxed);
}

// So often a caller deals with what arrives while it is inside. Where tasks end faster than that, it would never come out.
constexpr unsigned most_rounds = 64;

/// Somebody else deals with the rest; false if there is no memory for that.
bool go_on_in_a_task(objects_state& s, base::thread_context& context) noexcept {
  try {
    const sched::outside_of_finishes here(static_cast<sched::thread_state&>(context));
    async(name("objects"), [&s] { const inside go_on(s, base::require_current("launch")); });
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

}  // namespace

signal::signal(objects_state& s, handler h) noexcept : state(s), handle(h) {
  fire = [](waiter& self, const failure* why, base::thread_context& context) noexcept {
    arrive(static_cast<signal&>(self), failure_ref::share(why), context);
  };
}

inside::inside(objects_state& s, base::thread_context& context) noexcept
    : state_(s), context_(context), is_nested_(s.holder.load(std::memory_order_relaxed) == &context) {
  if (is_nested_) return;
  s.mutex.lock();
  s.holder.store(&context, std::memory_order_seq_cst);
}

inside::~inside() {
  if (is_nested_) return;
  for (unsigned rounds = 0;;) {
    take_arrived(state_, context_);
    if (!state_.issues_at_once() || !state_.sites.front().queue.empty()) issue_what_can_be(state_, context_);
    if (state_.arrived.load(std::memory_order_acquire) && ++rounds < most_rounds) continue;
    note_whether_ends_matter(state_);
    state_.holder.store(nullptr, std::memory_order_relaxed);
    state_.mutex.unlock();
    // Whoever found the mutex taken in between counts on us.
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (!state_.arrived.load(std::memory_order_relaxed)) return;
    if (rounds >= most_rounds && go_on_in_a_task(state_, context_)) return;
    if (!state_.mutex.try_lock()) return;
    state_.holder.store(&context_, std::memory_order_relaxed);
  }
}

void leave_for_others(signal& s) noexcept {
  std::atomic<signal*>& list = s.state.arrived;
  base::announce_release(&s);
  s.next_arrived = list.load(std::memory_order_relaxed);
  while (!list.compare_exchange_weak(s.next_arrived, &s, std::memory_order_seq_cst)) {}
}

void leave_if_nobody_waits(signal& s, base::thread_context& context) noexcept {
  objects_state& state = s.state;
  leave_for_others(s);
  // Either this sees that somebody waits, or who has begun to sees the signal.
  if (state.ends_matter.load(std::memory_order_seq_cst)) deal_with_arrived(state, context);
}

void arrive(signal& s, failure_ref cause, base::thread_context& context) noexcept {
  objects_state& state = s.state;
  s.cause = std::move(cause);
  leave_for_others(s);
  deal_with_arrived(state, context);
}

void deal_with_arrived(objects_state& state, base::thread_context& context) noexcept {
  if (state.holder.load(std::memory_order_relaxed) == &context) return;
  std::atomic_thread_fence(std::memory_order_seq_cst);
  // Whoever is inside looks at the list before it lets go. A thread of no runtime does not, and holds the mutex for a moment only.
  while (!state.mutex.try_lock()) {
    if (state.holder.load(std::memory_order_seq_cst) || !state.arrived.load(std::memory_order_acquire)) return;
    std::this_thread::yield();
  }
  state.mutex.unlock();
  const inside deal_with_it(state, context);
}

void when_ended(const dependency& d, signal& s, base::thread_context& context) {
  if (!detail::subscribe(d, s, context)) arrive(s, detail::cause_of(d, context), context);
}

namespace {

/// Nothing that it follows is in the way: whatever uses its objects has been issued, and orders itself by tokens.
bool can_be_issued(const task& t, std::span<const event> after, std::span<const predecessor> behind) {
  const objects_state& s = t.state;
  return s.issues_at_once() && after.empty() && !t.is_for_host() && s.sites.front().queue.empty() &&
         std::ranges::none_of(t.uses, [](const object_use& u) { return u.object.get()->unissued > 0; }) &&
         std::ranges::none_of(behind, [&](const predecessor& p) { return s.slots.is_live(p.id); });
}

}  // namespace

task_id submit(task* submitted, std::span<const event> after, std::span<const predecessor> behind, base::thread_context& context) {
  task& t = *submitted;
  objects_state& s = t.state;
  t.submitted = ++s.positions;
  t.number = s.tasks.size();
  s.tasks.push_back(&t);
  if (!t.is_for_host() && !t.goes) {
    auto& thread = static_cast<sched::thread_state&>(context);
    t.scope = thread.scope;
    sched::count_spawned(thread);
  }
  if (can_be_issued(t, after, behind)) {
    for (const predecessor& p : behind) t.also_behind.push_back(p.done);
    if (issue_or_give_up(t, s.sites.front(), context)) return {};
    t.also_behind.clear();
  }
  t.id = s.slots.add();
  if (s.by_slot.size() <= t.id.slot) s.by_slot.resize(t.id.slot + 1);
  s.by_slot[t.id.slot] = &t;
  std::vector<task_id>& predecessors = s.predecessors;
  predecessors.clear();
  for (const object_use& u : t.uses) {
    object_record& o = *u.object.get();
    ++o.unissued;
    o.order.access(u.where, u.how, t.id, predecessors);
    if (s.looks_ahead()) o.queued.push_back({t.submitted, u.where});
  }
  t.unissued = 1;
  for (const task_id p : predecessors) {
    task& before = *s.by_slot[p.slot];
    before.successors.push_back(&t);
    ++t.unissued;
    if (!t.is_for_host() && before.is_for_host())
      t.behind = detail::holder_record(*context.runtime, t.done, "elements of " + describe(*before.uses.front().object.get()),
                                   "the view that " + before.given_name + "() gave", before.where);
  }
  for (const predecessor& p : behind) {
    if (s.slots.is_live(p.id)) {
      s.by_slot[p.id.slot]->followers.push_back(&t);
      ++t.unissued;
    } else {
      t.also_behind.push_back(p.done);
    }
  }
  if (!after.empty()) {
    ++t.unissued;
    const event all = after.size() == 1 ? after.front() : merge(after, t.where);
    if (!detail::subscribe(all, t.news, context)) {
      t.failed = detail::cause_of(all, context);
      --t.unissued;
    }
  }
  const task_id id = t.id;
  if (--t.unissued == 0) now_issuable(t, context);  // which may be the end of it
  return id;
}

void let_follow(task& t, base::thread_context& context) {
  if (t.id == task_id()) return;  // it was issued before it could be followed
  for (const object_use& u : t.uses) --u.object.get()->unissued;
  if (t.state.looks_ahead())
    for (const object_use& u : t.uses) {
      auto& queued = u.object.get()->queued;
      if (queued.front().position == t.submitted) queued.pop_front();
      else queued.erase(std::ranges::lower_bound(queued, t.submitted, {}, &queued_use::position));
    }
  t.behind = {};
  t.state.slots.retire(t.id);
  t.state.by_slot[t.id.slot] = nullptr;
  for (task* const next : std::exchange(t.followers, {})) {
    next->also_behind.push_back(t.computed.raw() ? t.computed : t.done);
    if (--next->unissued == 0) now_issuable(*next, context);
  }
  for (task* const next : std::exchange(t.successors, {}))
    if (--next->unissued == 0) now_issuable(*next, context);
}

void is_about_to_come(task& t) { nearest(t).queue.push_front(&t); }

void never_issued(task& t) {
  for (site& at : t.state.sites) std::erase(at.queue, &t);
}

bool send_elsewhere(task& t) {
  site* best = nullptr;
  for (site& at : t.state.sites) {
    if (!t.can_run_on(at)) continue;
    if (!best || t.missing_bytes(at.view) < t.missing_bytes(best->view)) best = &at;
  }
  if (best) best->queue.push_back(&t);
  return best;
}

namespace {

bool is_loss(const failure& cause) {
  try {
    std::rethrow_exception(cause.root().exception());
  } catch (const error& e) {
    return e.code() == "K31";
  } catch (...) {
    return false;
  }
}

void lose(objects_state& s, site& at, const failure_ref& cause) {
  at.is_lost = true;
  at.lost_because = cause;
  for (object_record* const o : s.objects)
    if (!o->replicas.lose(at.view.index).is_empty()) o->lost_because = cause;
}

}  // namespace

bool note_losses(objects_state& s, const failure_ref& cause) {
  if (!is_loss(*cause.get())) return false;
  bool any = false;
  for (site& at : s.sites) {
    if (!at.device || at.is_lost || !at.device->is().is_lost()) continue;
    lose(s, at, cause);
    any = true;
  }
  return any;
}

void give_up_on(task& t, failure_ref cause, base::thread_context& context) {
  if (comes_to_nothing(t, cause, context)) return;
  for (const object_use& u : t.uses)
    if (!t.is_for_host() && u.how.changes_content()) {
      u.object.get()->replicas.spoil(u.where);
      u.object.get()->lost_because = cause;
    }
  let_follow(t, context);
  if (t.promised) {
    t.promised->poison(cause->as_exception());
    t.promised.reset();
  }
  if (t.goes) errand_failed(t, cause, context);
  finish(t, std::move(cause), context);
}

void gate_opened(signal& self, failure_ref cause, base::thread_context& context) {
  task& t = static_cast<task_signal&>(self).of;
  if (cause) t.failed = std::move(cause);
  if (--t.unissued == 0) now_issuable(t, context);
}

}  // namespace stretto::objects

#include "mobile/mobile_objects.hpp"

#include <stretto/error.hpp>
#include <stretto/platform.hpp>

#include <algorithm>

#include "base/node_numbers.hpp"
#include "base/order_observer.hpp"
#include "dist/answered.hpp"
#include "dist/where.hpp"
#include "event/event_floor.hpp"
#include "sched/counted_task.hpp"
#include "sched/readying.hpp"
#include "sched/running.hpp"
#include "sched/span.hpp"
#include "trace/clock.hpp"

namespace stretto::mobiles {

using sched::task_record;
using sched::thread_state;

mobile_objects::mobile_objects(dist::job* j, dist::failures* causes)
    : job_(j), causes_(causes), parts_(j ? std::make_unique<dist::parts_ahead>(*j) : nullptr),
      short_answers_(j ? std::make_unique<short_answers>(*j) : nullptr), quiet_(j, [this] { return letters(); }), balancing_(j) {
  if (!j) return;
  listen(std::make_index_sequence<says>());
  j->add_advancing(*this);
}

template <std::size_t... n>
void mobile_objects::listen(std::index_sequence<n...>) {
  constexpr const char* names[] = {"letter", "value", "value_and_end", "end", "ran", "at", "received", "leave", "go", "stay", "back", "object",
                                   "arrived", "expected", "is_it_there", "never", "gone", "lost", "dead", "again", "is_it_sent", "not_sent",
                                   "recall", "has_left", "taken", "no_room", "all_ended", "letters", "answers"};
  static_assert(std::size(names) == says);
  ((kinds_[n] = job_->on<&mobile_objects::on_said<static_cast<say>(n)>>(std::string("mobile.") + names[n], this)), ...);
  const auto kind = [&](say what) { return kinds_[static_cast<std::size_t>(what)]; };
  job_->on_refused<&mobile_objects::on_refused_letter>(kind(say::letter), this);
  job_->on_refused<&mobile_objects::on_refused_object>(kind(say::object), this);
  job_->on_refused<&mobile_objects::on_refused_answer<outcome::value>>(kind(say::value), this);
  job_->on_refused<&mobile_objects::on_refused_answer<outcome::value_and_end>>(kind(say::value_and_end), this);
}

mobile_objects::~mobile_objects() { clear(); }

void mobile_objects::clear() noexcept {
  for (shard& s : shards_)
    for (auto& [id, e] : s.all) {
      std::unique_ptr<resident> gone;
      std::shared_ptr<sent_object> sent;
      {
        const std::scoped_lock lock(s.lock);  // reports look on
        gone = std::move(e.here);
        sent = std::move(e.sent_away);
      }
      if (!gone) continue;
      if (gone->object) gone->type->destroy(gone->object);
      for (auto& [sender, c] : gone->others()) c.drop_held();  // of who was lost
    }
}

void mobile_objects::serve(std::uint16_t node, const object_settings& s) noexcept {
  node_ = node;
  self_ = job_ ? job_->self() : rank{0};
  settings_ = s;
  if (short_answers_) short_answers_->serve(s.is_stepped);
  if (!job_ || s.balances_by == policy::none || !s.balances_each_ms || !s.balances) return;
  measure();
  balancing_.start(s.balances, s.balances_by, s.balances_each_ms, s.seed);
}

void mobile_objects::advance(base::thread_context& context) {
  if (!coming_back_.empty()) take_back_waiting();
  quiet_.advance();
  balancing_.advance(context);
}

void mobile_objects::check(object_id to, const std::source_location& where, const char* called) const {
  if (to && home_of(to) != nobody) return;
  throw error("G01", std::string(called) + (to ? " was given an object of another job" : " was given a mobile that names no object"))
      .fact("called", where)
      .because(to ? "its name was made by a runtime that is no node of this job" : "it was default-made, or its object failed to be made")
      .remedy("keep the name that make_mobile returned");
}

void mobile_objects::join_others(resident& o) {
  if (measures_.load()) o.measure();
  o.is_held = is_held_.load();
}

object_id mobile_objects::adopt(const detail::make_request& request, const detail::mobile_type& type, void* object) {
  base::require_current("make_mobile");
  const object_id id = reserve(1);
  auto o = std::make_unique<resident>(id, &type, std::string(request.name), 1, self_);
  o->load.bytes = type.bytes;
  if (type.hint) o->load.hint = type.hint(object);
  shard& s = shard_of(id);
  const std::scoped_lock lock(s.lock);
  entry& e = s.all[id];
  e.name = o->name;
  e.home = std::make_unique<home_record>();
  e.at = self_;
  e.epoch = 1;
  e.here = std::move(o);
  e.here->object = object;
  join_others(*e.here);
  ++s.counted.objects;
  return id;
}

object_id mobile_objects::reserve(std::size_t count) noexcept {
  return std::uint64_t{node_} << 48 | (made_.fetch_add(count, std::memory_order_relaxed) + 1);
}

void mobile_objects::refuse_node(std::uint32_t node, const std::source_location& where) const {
  throw error("N02", "there is no node " + std::to_string(node))
      .fact("called", where)
      .fact("nodes", std::to_string(nodes()) + ", from 0 on")
      .remedy("count from 0 to job_nodes() - 1");
}

object_id mobile_objects::make(const detail::make_request& request, const detail::letter_type& maker,
                               detail::parcel&& arguments) {
  base::require_current("make_mobile");
  if (request.node >= nodes()) refuse_node(request.node, request.where);
  const object_id id = reserve(1);
  make_reserved(id, request, maker, std::move(arguments));
  return id;
}

void mobile_objects::make_reserved(object_id id, const detail::make_request& request, const detail::letter_type& maker,
                                   detail::parcel&& arguments) {
  thread_state& t = here();
  auto& record = static_cast<task_record&>(*detail::make_task(0, detail::value_type<void>, request.where, {}).record);
  const std::shared_ptr<far_letter> l = new_letter();
  l->type = &maker;
  l->kind = static_cast<std::uint64_t>(letter_kind::make);
  l->function = dist::encode_constant(&maker, sizeof maker);
  l->object = id;
  l->from = self_;
  l->target = static_cast<rank>(request.node);
  l->where = request.where;
  l->name = request.name;
  l->set_arguments(std::move(arguments));
  if (job_) l->memory = {job_->pressure(), dist::back_pressure::what::kept, l->bytes().size()};
  {
    shard& s = shard_of(id);
    const std::scoped_lock lock(s.lock);
    entry& e = s.all[id];
    e.name = request.name;
    e.home = std::make_unique<home_record>();
    e.at = l->target;
    e.epoch = 1;
    e.sent = e.unanswered = 1;
    e.home->visited.insert(e.at);
  }
  count_begun();
  sched::count_spawned(t);
  requests_.add(record, nullptr, l);
  send_first(l);
  record.release();  // nobody has its future
}

void mobile_objects::post(task_record& r, void* thread, object_id id) {
  letter& l = letter_in(r);
  shard& s = shard_of(id);
  std::unique_lock hold(s.lock);
  entry* e = s.find(id);
  if (e && e->here) [[likely]]
    return post_near(hold, s, *e, r, thread);
  hold.unlock();
  const std::shared_ptr<far_letter> far = far_copy(l, id, self_, arguments_of(l));  // before it has a number, as it may throw
  if (job_) {
    job_->hold_back(r.where);
    far->memory = {job_->pressure(), dist::back_pressure::what::kept, far->bytes().size()};
  }
  const detail::value_reader read = become_far(r);
  sched::count_spawned(here());  // perhaps on another thread than before
  decision d{};
  failure_ref lost;
  hold.lock();
  e = &s.all[id];
  if (e->lost && !e->here) {
    lost = e->lost;
  } else {
    far->number = e->sent++;
    far->answered = e->answered;
    ++e->unanswered;
    ++s.counted.far;
    requests_.add(r, read, far);  // before it is decided: a loss that comes later finds it
    d = decide(e, *far);
  }
  hold.unlock();
  if (lost) {
    const dist::call_under_way call{&r, r.scope, read};
    r.flags &= static_cast<std::uint8_t>(~task_record::has_value);
    call.end_value(lost, {}, here());
    return call.end_all({}, here());
  }
  send_by(d, far);
}

void mobile_objects::post_near(std::unique_lock<base::spin_lock>& hold, shard& s, entry& e, task_record& r, void* thread) {
  letter& l = letter_in(r);
  resident& o = *e.here;
  correspondent& by = o.own();
  l.number = e.sent++;
  ++s.counted.near;
  if (thread && by.next == l.number && kind_of(l) != letter_kind::migrate && o.begin_at_once(l)) [[likely]] {
    ++by.next;
    l.at = &o;
    hold.unlock();
    return detail::submit(r, thread);
  }
  thread_state& t = here();
  r.place = sched::no_place;
  if (t.observer) [[unlikely]]
    t.observer->spawned(&r, t);
  sched::count_spawned(t);
  errands out;
  o.accept(by, l);
  advance(o, out);
  hold.unlock();
  run(out);
}

void mobile_objects::begin(letter& l, thread_state& t) {
  if (!l.is_far) {
    task_record& r = record_of(l);
    r.made_ready_by(t.current_id);
    return sched::make_ready(t, r);
  }
  const sched::outside_of_finishes outside(t);
  begin_far(static_cast<far_letter&>(l), t);
}

void mobile_objects::begin_far(far_letter& far, thread_state& t) {
  handling_.fetch_add(1, std::memory_order_relaxed);
  sched::count_spawned(t);
  sched::spawn_counted(t, {.scope = t.owner->root, .where = far.where, .priority = far.priority, .name = far.name}, far_body{this, &far});
}

void mobile_objects::leave(resident& o, bool has_read, detail::handler_span& span, sender of) noexcept {
  const std::uint64_t ticks = span.began ? sched::end_span(span, here()) : 0;
  const bool tells = !has_read && o.type && o.type->hint;
  const double hint = tells ? o.type->hint(o.object) : 1;
  errands out;
  {
    shard& s = shard_of(o.id);
    const std::scoped_lock lock(s.lock);
    if (of == sender::this_node) ++s.ended;
    if (ticks) o.load.workers.add(static_cast<double>(ticks) * seconds_per_tick_.load(std::memory_order_relaxed));
    if (tells) o.load.hint = hint;
    o.left(has_read);
    if (settings_.wander && !has_read) wander(o);
    advance(o, out);
  }
  run(out);
  quiet_.look_if_alone();
}

void mobile_objects::note_load(resident& o, detail::handler_span& span) noexcept {
  if (!span.began) return;
  const std::uint64_t ticks = sched::end_span(span, here());
  span.began = 0;
  const std::scoped_lock lock(shard_of(o.id).lock);
  o.load.workers.add(static_cast<double>(ticks) * seconds_per_tick_.load(std::memory_order_relaxed));
}

void mobile_objects::end(resident& gone, sender of) noexcept {
  if (gone.object) gone.type->destroy(gone.object);
  errands out;
  const object_id id = gone.id;
  std::unique_ptr<resident> o;
  {
    shard& s = shard_of(id);
    const std::scoped_lock lock(s.lock);
    entry& e = *s.find(id);
    if (of == sender::this_node) ++s.ended;
    o = std::move(e.here);
    --s.counted.objects;
    empty(*o, e, destroyed(id, o->name), out);
    out.drop.push_back(std::move(e.sent_away));
    tell_visited(id, e, out);
    s.all.erase(id);
  }
  for (const auto& [sender, c] : o->others())
    if (sender != home_of(id)) out.tell.push_back({sender, say::dead, dist::writer(id)});
  if (home_of(id) != self_) out.tell.push_back({home_of(id), say::dead, dist::writer(id)});
  run(out);
  quiet_.look_if_alone();
}

void mobile_objects::empty(resident& o, entry& e, const failure_ref& cause, errands& out) {
  while (letter* const l = o.waiting().pop()) out.settle.push_back({l, cause});
  for (letter* l : o.moves()) out.settle.push_back({l, cause});
  o.moves().clear();
  const auto let_go = [&](correspondent& c) {
    for (const auto& [number, l] : c.held)
      if (l) out.settle.push_back({l, cause});
    c.held.clear();
  };
  let_go(o.own());
  for (auto& [sender, c] : o.others()) let_go(c);
  for (auto& l : e.parked) out.settle.push_back({l.release(), cause});
  e.parked.clear();
}

mobile_objects::decision mobile_objects::decide(const entry* e, const far_letter& l) const {
  if (l.what() == letter_kind::make && l.target == self_) return {decision::make};
  if (e && e->here) return {decision::accept};
  const rank home = home_of(l.object);
  if (home == self_ && !(e && e->home)) return {.what = decision::refuse, .cause = destroyed(l.object, {})};
  if (is_lost(home))
    return l.from == self_ ? decision{.what = decision::refuse, .cause = e && e->lost ? e->lost : lost_with(l.object, e, home, "was made on")}
                           : decision{decision::send_back};  // who has sent it may reach the home
  if (l.way.epoch > (e ? e->epoch : 0)) return {decision::park};
  if (e && e->lost && home != self_ && l.from != self_) return {decision::send_back};  // lost to this node, but perhaps not to that
  if (e && e->lost) return {.what = decision::refuse, .cause = e->lost};
  if (e && e->epoch && e->at == self_) return {decision::park};  // it is coming
  if (home == self_) {
    if (is_lost(e->at)) return {decision::wait};  // it may not have left for there
    if (e->at == l.way.avoid) return {.what = decision::refuse, .cause = lost_with(l.object, e, e->at, "is on")};
    const bool is_pinned = l.way.hops >= most_by_hearsay;
    if (is_pinned && e->home->wants_to != nobody) return {decision::wait};
    return {.what = decision::pass_on, .to = e->at, .way = {e->epoch, nobody, l.way.hops, is_pinned}, .is_known = true};
  }
  if (e && e->epoch && !is_lost(e->at) && e->at != l.way.avoid && l.way.avoid == nobody && l.way.hops < most_by_hearsay)
    return {.what = decision::pass_on, .to = e->at, .way = {e->epoch, nobody, l.way.hops, false}, .is_known = true};
  return {.what = decision::pass_on, .to = home, .way = {0, l.way.avoid, l.way.hops, false}};
}

void mobile_objects::send_first(const std::shared_ptr<const far_letter>& l) {
  decision d;
  {
    shard& s = shard_of(l->object);
    const std::scoped_lock lock(s.lock);
    d = decide(s.find(l->object), *l);
  }
  send_by(d, l);
}

void mobile_objects::send_by(const decision& d, const std::shared_ptr<const far_letter>& l) {
  if (d.what == decision::pass_on && !d.way.is_pinned) return pass_on(d.to, l, d.way, dist::job::counting::itself);
  deliver(std::make_unique<far_letter>(*l));
}

void mobile_objects::send_again(const far_letter& l, rank avoid) {
  if (l.what() == letter_kind::make) return;  // it goes straight to its node, or is lost with that
  auto again = std::make_unique<far_letter>(l);
  again->way.avoid = avoid;
  const rank home = home_of(l.object);
  bool is_far = false;
  if (home != self_) {
    shard& s = shard_of(l.object);
    const std::scoped_lock lock(s.lock);
    const entry* const e = s.find(l.object);
    is_far = !(e && (e->here || e->lost)) && !is_lost(home);
  }
  if (is_far) pass_on(home, std::move(again), {0, avoid, 0, false});
  else deliver(std::move(again));
}

void mobile_objects::pass_on(rank to, const std::shared_ptr<const far_letter>& l, const passage& way, dist::job::counting is) {
  dist::writer w;
  write_words(w, *l, way, node_);
  w.put(static_cast<std::uint8_t>(l->refused ? 1 : 0));
  if (l->refused) causes_->write(w, *l->refused.get());
  ++said_;
  const std::span<const std::byte> arguments = l->bytes();
  const dist::message_kind kind = kinds_[static_cast<std::size_t>(say::letter)];
  if (!dist::job::is_lent(arguments.size())) {
    w.put_bytes(arguments);
    return job_->send(to, kind, std::move(w));
  }
  job_->send(to, kind, w, arguments, l, is);
}

void mobile_objects::deliver(std::unique_ptr<far_letter> l) {
  errands out;
  {
    const object_id id = l->object;
    const rank from = l->from, home = home_of(id);
    shard& s = shard_of(id);
    const std::scoped_lock lock(s.lock);
    entry* e = s.find(id);
    if (l->way.is_pinned && l->way.hops) {
      out.tell.push_back({home, say::received, dist::writer(id)});
      l->way.is_pinned = false;
    }
    const decision d = decide(e, *l);
    s.counted.most_hops = std::max<std::uint64_t>(s.counted.most_hops, l->way.hops);
    switch (d.what) {
      case decision::accept: take_in(*e, std::move(l), out); break;
      case decision::make: begin_making(s.all[id], std::move(l), out); ++s.counted.objects; break;
      case decision::park:
        e = &s.all[id];
        // It may be over, and what this node has heard of it forgotten.
        if (e->parked.empty() && home != self_) out.tell.push_back({home, say::expected, dist::writer(id)});
        e->parked.push_back(std::move(l));
        break;
      case decision::wait: e->home->behind.push_back(std::move(l)); break;
      case decision::send_back:
        out.tell.push_back({from, say::again, dist::writer(id, from)});
        out.leave.push_back(std::move(l));
        break;
      case decision::refuse: out.settle.push_back({l.release(), d.cause}); break;
      case decision::pass_on:
        if (d.way.is_pinned) ++e->home->pinned[d.to];
        if (from != self_) {
          ++s.counted.passed_on;
          note_passed_on(d.to, from);
          if (d.is_known) out.tell.push_back({from, say::at, dist::writer(id, d.to, e->epoch)});
        }
        out.pass_on.push_back({d.to, std::move(l), d.way});
        break;
    }
  }
  run(out);
}

void mobile_objects::take_in(entry& e, std::unique_ptr<far_letter> l, errands& out) {
  resident& o = *e.here;
  correspondent& by = o.of(l->from);
  if (l->from != self_ && is_lost(l->from)) return;  // nobody waits for it, and what it sent before may be missing
  by.forget_below(l->answered);
  if (!l->type) l->type = letter_type_at(l->function);
  if (l->refused && o.skip(by, l->number)) {
    failure_ref cause = by.refused[l->number] = l->refused;
    out.settle.push_back({l.release(), std::move(cause), false});
    return advance(o, out);
  }
  if (o.accept(by, *l) != acceptance::again) {
    l.release();
    return advance(o, out);
  }
  // It has come before. Who handled it here has answered or will; it may have been elsewhere, and the answer lost with that node.
  if (const auto refused = by.refused.find(l->number); refused != by.refused.end()) {
    out.settle.push_back({l.release(), refused->second, false});
  } else if (l->what() == letter_kind::migrate) {
    if (!o.has_move(l->from, l->request)) out.settle.push_back({l.release(), {}});
  } else if (const rank on = by.handled_on(l->number); on != nobody) {
    out.tell.push_back({l->from, say::ran, dist::writer(l->request, on)});
  }
  if (l && l->together) out.leave.push_back(std::move(l));
}

void mobile_objects::begin_making(entry& e, std::unique_ptr<far_letter> l, errands& out) {
  if (!l->type) l->type = letter_type_at(l->function);
  e.here = std::make_unique<resident>(l->object, l->type ? l->type->of : nullptr, l->name, 1, self_);
  join_others(*e.here);
  if (e.here->type) e.here->load.bytes = e.here->type->bytes;
  e.at = self_;
  e.epoch = 1;
  e.name = l->name;
  e.here->of(l->from).next = 1;
  e.here->take_alone();
  release_parked(e, out);
  l->at = e.here.get();
  out.begin.push(*l.release());
}

void mobile_objects::advance(resident& o, errands& out) {
  while (!o.is_leaving && !o.moves().empty() && (!o.is_held || o.may_move_held)) {
    letter& l = *o.moves().front();
    const rank to = l.is_far ? static_cast<far_letter&>(l).target : static_cast<near_move&>(l).target;
    if (to == self_) {
      end_move(o, {}, out);
    } else if (is_lost(to)) {
      end_move(o, failure_ref(job_->loss_of(to)), out);
    } else if (is_lost(home_of(o.id))) {
      end_move(o, lost_with(o.id, nullptr, home_of(o.id), "was made on"), out);
    } else {
      o.is_leaving = true;
      o.goes_to = to;
      out.tell.push_back({home_of(o.id), say::leave, dist::writer(o.id, to)});
    }
  }
  if (!o.is_leaving) return o.begin(out.begin);
  if (o.may_leave && o.is_free() && !o.is_packed) {
    o.is_packed = true;
    out.pack = &o;
  }
}

void mobile_objects::run(errands& out) {
  if (!out.begin.is_empty()) {
    thread_state& t = here();
    while (letter* const l = out.begin.pop()) begin(*l, t);
  }
  for (auto& p : out.pass_on) {
    p.what->memory.end();  // of what has come and not begun
    p.what->together.end();
    pass_on(p.to, std::move(p.what), p.way);
  }
  for (auto& t : out.tell) tell(t.to, t.what, std::move(t.words));
  for (auto& l : out.settle) settle(*l.what, std::move(l.cause), l.is_for_good);
  for (auto& l : out.leave) l->together.end();
  for (auto& l : out.deliver) deliver(std::move(l));
  if (out.pack) pack(*out.pack);
}

void mobile_objects::settle(letter& l, failure_ref cause, bool is_for_good) {
  if (l.is_far) {
    const std::unique_ptr<far_letter> far(&static_cast<far_letter&>(l));
    if (cause) cause = failure_ref::adopt(new failure(*cause.get(), far->name.empty() ? "message" : "message \"" + far->name + '"', far->where));
    return answer(*far, outcome::value_and_end, cause, {}, is_for_good && cause);
  }
  count_ended();
  thread_state& t = here();
  task_record& r = record_of(l);
  if (cause) return sched::skip_task(t, r, failure_ref::adopt(new failure(*cause.get(), detail::describe_task(r), r.where)));
  sched::finish_scope* const scope = r.scope;
  r.flags &= static_cast<std::uint8_t>(~task_record::has_value);
  r.complete(t);
  sched::count_ended(t, scope);
}

bool mobile_objects::is_here(object_id id) {
  shard& s = shard_of(id);
  const std::scoped_lock lock(s.lock);
  const entry* const e = s.find(id);
  return e && e->here;
}

std::string mobile_objects::words_for(object_id id, const std::string& name) const {
  const auto count = std::to_string(id & ((std::uint64_t{1} << 48) - 1));
  const rank made_on = home_of(id);
  const std::string home = job_ && made_on && made_on != nobody ? job_->name_of(made_on) + ":" : std::string();
  return home + "M" + count + (name.empty() ? std::string() : " \"" + name + '"');
}

std::string mobile_objects::name_of(object_id id) {
  std::string name;
  {
    shard& s = shard_of(id);
    const std::scoped_lock lock(s.lock);
    if (const entry* const e = s.find(id)) name = e->name;
  }
  return words_for(id, name);
}

void mobile_objects::measure() {
  if (measures_) return;
  seconds_per_tick_ = trace::clock::to_nanoseconds(1) * 1e-9;
  window_ = window_before_ = trace::clock::now();
  measures_ = true;
  for (shard& s : shards_) {
    const std::scoped_lock lock(s.lock);
    for (auto& [id, e] : s.all)
      if (e.here) e.here->measure();
  }
}

namespace {

/// Of the caller's node, without objects.
node_row row_of(const base::thread_context& context) {
  const auto* const machine = context.runtime->get<platform>(base::floor_slot::platform);
  return {.speed = static_cast<double>(static_cast<const thread_state&>(context).owner->workers.size()),
          .devices = static_cast<double>(machine->places(place_kind::gpu).size()),
          .objects = {}};
}

}  // namespace

node_row mobile_objects::loads(object_id first, std::uint64_t count) {
  node_row row = row_of(here());
  for (shard& s : shards_) {
    const std::scoped_lock lock(s.lock);
    for (auto& [id, e] : s.all) {
      if (!e.here) continue;
      e.here->count_devices();
      object_load& load = e.here->load;
      if (!count || (id >= first && id - first < count)) {
        row.objects.push_back({id, load.workers.since_balanced(), load.hint, load.bytes, load.devices.since_balanced()});
      } else {
        row.background += load.workers.since_background();
        row.device_background += load.devices.since_background();
      }
    }
  }
  return row;
}

node_row mobile_objects::loads_in_windows(then what) {
  node_row row = row_of(here());
  const trace::ticks now = trace::clock::now();
  row.window = static_cast<double>(now - window_before_.load()) * seconds_per_tick_;
  if (what == then::begin_next) window_before_ = window_.exchange(now);
  for (shard& s : shards_) {
    const std::scoped_lock lock(s.lock);
    for (auto& [id, e] : s.all) {
      if (!e.here) continue;
      e.here->count_devices();
      object_load& load = e.here->load;
      row.objects.push_back({id, load.workers.in_windows(), load.hint, load.bytes, load.devices.in_windows()});
      if (what == then::go_on) continue;
      load.workers.next_window();
      load.devices.next_window();
    }
  }
  return row;
}

letter_counts mobile_objects::letters() noexcept {
  letter_counts all{.begun = 0, .ended = ended_apart_.load()};
  for (shard& s : shards_) {
    const std::scoped_lock lock(s.lock);
    all.ended += s.ended;
  }
  all.begun = begun_apart_.load();
  for (shard& s : shards_) {
    const std::scoped_lock lock(s.lock);
    all.begun += s.counted.near + s.counted.far;
  }
  all.handling = handling_.load();
  return all;
}

mobile_statistics mobile_objects::statistics() {
  mobile_statistics all;
  all.to_many = sent_to_many_;
  for (shard& s : shards_) {
    const std::scoped_lock lock(s.lock);
    all.objects += s.counted.objects;
    all.near += s.counted.near;
    all.far += s.counted.far;
    all.passed_on += s.counted.passed_on;
    all.most_hops = std::max(all.most_hops, s.counted.most_hops);
    all.moved_in += s.counted.moved_in;
    all.moved_out += s.counted.moved_out;
  }
  return all;
}

failure_ref mobile_objects::destroyed(object_id id, const std::string& name) const {
  const std::string who = words_for(id, name);
  return detail::make_failure(std::make_exception_ptr(error("G02", who + " has been destroyed")
                                                          .because("this came after destroy() of the object, or before it from another node")
                                                          .remedy("destroy an object when all that is sent to it has been answered")),
                              who, {});
}

failure_ref mobile_objects::lost_with(object_id id, const entry* e, rank node, const char* role) const {
  const std::string who = words_for(id, e ? e->name : std::string());
  error what("G03", who + " is lost");
  what.because("it " + std::string(role) + " node " + job_->name_of(node) + ", which is lost").fact("told", "node " + job_->name_of(self_));
  if (is_lost(node)) what.caused_by(job_->loss_of(node)->unobserved_exception());
  return detail::make_failure(std::make_exception_ptr(std::move(what)), who, {});
}

failure_ref mobile_objects::lost_by(object_id id, const std::string& name, const failure& cause) const {
  return failure_ref::adopt(new failure(cause, words_for(id, name), cause.where()));
}

}  // namespace stretto::mobiles

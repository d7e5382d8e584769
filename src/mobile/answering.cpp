// Letters from elsewhere are handled, and answered; what others say is heard.
#include <stretto/error.hpp>

#include <new>

#include "data/other_nodes.hpp"
#include "event/event_floor.hpp"
#include "mobile/mobile_objects.hpp"
#include "sched/running.hpp"

namespace stretto::mobiles {

using sched::finish_scope;
using sched::thread_state;

namespace {

std::string who_of(const far_letter& l) {
  const std::string what = l.what() == letter_kind::make ? "make_mobile" : "message";
  return l.name.empty() ? what + " at " + short_location(l.where) : what + " \"" + l.name + '"';
}

/// What the tasks that a handler left behind have failed with; null: nothing, or somebody has looked at it.
failure_ref failures_in(finish_scope& scope, const std::string& who, const std::source_location& where) {
  const sched::failure_list::content all = scope.failures.take();
  if (all.empty()) return {};
  const failure_ref first = all.kept.empty() ? failure_ref() : all.kept.front();
  if (all.size() == 1 && first) return first;
  error e("S06", std::to_string(all.size()) + " tasks failed that " + who + " had spawned");
  if (first) e.fact("first", first->who()).because(words_of(first->as_exception())).caused_by(first->as_exception());
  return detail::make_failure(std::make_exception_ptr(std::move(e)), who, where);
}

}  // namespace

void mobile_objects::handle(std::unique_ptr<far_letter> l) {
  struct handled {
    std::atomic<std::uint64_t>& count;
    ~handled() { --count; }
  } const then{handling_};
  l->memory.end();
  resident& o = *static_cast<resident*>(l->at);
  if (l->what() == letter_kind::destroy) {
    end(o, sender::another);
    return answer(*l, outcome::value_and_end, {});
  }
  finish_scope* scope;
  {
    thread_state& t = here();
    scope = sched::open_scope(t, l->where);
    sched::enter_scope(t, scope);
  }
  detail::parcel value;
  failure_ref cause = l->refused;
  detail::handler_span span;
  if (o.is_measured.load(std::memory_order_acquire) && l->what() == letter_kind::handle) detail::begin_span(span, o);
  if (!cause) try {
    if (!l->type)
      throw error("N13", "node " + (job_ ? job_->name_of(self_) : std::string("N0")) + " does not know a handler that it is to run")
          .fact("called", l->where)
          .because("the library that holds the handler is not loaded there, or is another one")
          .remedy("load the same libraries on every node before handlers of theirs are sent");
    field_reader in(l->bytes());
    field_writer out(value);
    l->type->run(o.object, in, out);
  } catch (...) {
    cause = detail::make_failure(std::current_exception(), who_of(*l), l->where);
    value = {};
  }
  thread_state& t = here();
  sched::enter_scope(t, scope->outer);
  const bool is_over = scope->is_quiet(static_cast<std::uint32_t>(t.owner->workers.size())) && scope->failures.is_empty();
  note_load(o, span);
  // Before the object may leave: an answer that is not on its way yet would be this node's to lose.
  const bool is_short = is_over && !cause && !l->together && value.bytes.empty() && value.along.empty();
  if (is_short) answer_shortly(*l);
  else answer(*l, is_over ? outcome::value_and_end : outcome::value, cause, std::move(value));
  if (l->what() == letter_kind::make && cause) stillborn(o, cause);
  else leave(o, reads(*l), span, sender::another);
  // What waits until others have been handled goes now if there are none.
  if (short_answers_ && handling_ == 1) send_short_answers();
  if (is_over) return sched::close_scope(here(), scope);
  struct owed {
    mobile_objects* all;
    std::unique_ptr<far_letter> of;
  };
  thread_state& now = here();
  sched::count_spawned(now);  // in the scope of the whole runtime, where the letter's task is counted
  sched::when_quiet(now, *scope, [](finish_scope& quiet, thread_state& on) noexcept {
    const std::unique_ptr<owed> o(static_cast<owed*>(quiet.about));
    const failure_ref why = failures_in(quiet, who_of(*o->of), o->of->where);
    sched::close_scope(on, &quiet);
    o->all->answer(o->of->from, outcome::end, o->of->request, why);
    sched::count_ended(on, on.owner->root);
  }, new owed{this, std::move(l)});
}

void mobile_objects::stillborn(resident& gone, const failure_ref& cause) {
  errands out;
  const object_id id = gone.id;
  std::unique_ptr<resident> o;
  {
    shard& s = shard_of(id);
    const std::scoped_lock lock(s.lock);
    entry& e = *s.find(id);
    o = std::move(e.here);
    --s.counted.objects;
    e.lost = lost_by(id, o->name, *cause.get());
    empty(*o, e, e.lost, out);
  }
  if (home_of(id) != self_) {
    dist::writer w(id);
    causes_->write(w, *cause.get());
    out.tell.push_back({home_of(id), say::gone, std::move(w)});
  }
  run(out);
}

void mobile_objects::answer(rank to, outcome what, std::uint64_t request, const failure_ref& cause, detail::parcel&& value,
                            bool is_for_good) {
  if (!request) return;
  if (to == self_) return take(what, request, self_, cause, value.bytes, is_for_good);
  const std::uint64_t along = data::keep_for(to, std::move(value.along), here());
  using dist::reply;
  dist::writer w(request, cause ? is_for_good ? reply::failure_for_good : reply::failure : along ? reply::value_with_more : reply::value);
  if (cause) causes_->write(w, *cause.get());
  else if (along) w.put(along);
  ++said_;
  const say is = what == outcome::value ? say::value : what == outcome::end ? say::end : say::value_and_end;
  job_->send(to, kinds_[static_cast<std::size_t>(is)], std::move(w), std::move(value.bytes));
}

void mobile_objects::answer_shortly(const far_letter& l) {
  if (!l.request) return;
  if (l.from == self_ || here().current_id) return answer(l.from, outcome::value_and_end, l.request, {});  // of each it is told what it came of
  short_answers::batch all;
  switch (short_answers_->add(l.from, l.request, all)) {
    case short_answers::added::not_at_all: return answer(l.from, outcome::value_and_end, l.request, {});
    case short_answers::added::first: ++said_; return;  // of all of them
    case short_answers::added::another: return;
    case short_answers::added::last:
      send_short_answers(l.from, all);
      return short_answers_->end();
  }
}

void mobile_objects::send_short_answers() {
  short_answers_->take_all([this](rank to, const short_answers::batch& all) { send_short_answers(to, all); });
}

void mobile_objects::send_short_answers(rank to, const short_answers::batch& all) {
  dist::writer w;
  w.put_bytes(std::as_bytes(all.all()));
  job_->send(to, kinds_[static_cast<std::size_t>(say::all_ended)], std::move(w));
}

void mobile_objects::take(outcome what, std::uint64_t request, rank by, failure_ref cause, std::span<const std::byte> value,
                          bool is_for_good) {
  if (is_of_many(request)) {
    if (const auto a = multicasts_.take(what, request, by, cause, value, here())) note_answered(a->object, a->number, std::move(cause), is_for_good);
  } else if (const auto a = requests_.take(what, request, by, cause, value, here())) {
    note_answered(a->object, a->number, std::move(cause), is_for_good);
  }
}

void mobile_objects::note_answered(object_id id, std::uint64_t number, failure_ref cause, bool is_for_good) {
  shard& s = shard_of(id);
  const auto count = [&](entry* e) {
    ++s.ended;
    // While it is here, near ones may wait whose numbers are lower.
    if (e && e->unanswered && --e->unanswered == 0 && !e->here) e->answered = e->sent;
  };
  if (!is_for_good) {
    {
      const std::scoped_lock lock(s.lock);
      count(s.find(id));
    }
    return quiet_.look_if_alone();
  }
  errands out;
  failure_ref now_lost;
  {
    const std::scoped_lock lock(s.lock);
    entry* const e = s.find(id);
    // Later letters would wait for this one's number.
    if (e && e->here) {
      e->here->skip(e->here->own(), number);
      advance(*e->here, out);
    } else if (e && !e->lost) {
      e->lost = now_lost = std::move(cause);
    }
    count(e);
  }
  quiet_.look_if_alone();
  run(out);
  if (now_lost) fail_unanswered(id, now_lost, number);
}

void mobile_objects::fail_unanswered(object_id id, const failure_ref& cause, std::uint64_t from_number) {
  for (const auto& l : unanswered(id))
    if (l->number >= from_number) take(outcome::value_and_end, l->request, self_, cause, {});
}

void mobile_objects::tell(rank to, say what, dist::writer&& words) {
  if (to != self_) {
    ++said_;
    return job_->send(to, kinds_[static_cast<std::size_t>(what)], std::move(words));
  }
  dist::reader content(words.all());
  hear(what, self_, content);
}

void mobile_objects::hear(say what, rank from, dist::reader& c) {
  switch (what) {
    case say::letter: return hear_letter(from, c);
    case say::letters: return hear_letters(from, c);
    case say::answers: return hear_answers(from, c);
    case say::value: return hear_answer(outcome::value, from, c);
    case say::value_and_end: return hear_answer(outcome::value_and_end, from, c);
    case say::end: return hear_answer(outcome::end, from, c);
    case say::object: return hear_object(from, c);
    case say::all_ended:
      while (c.left() >= sizeof(std::uint64_t)) take(outcome::value_and_end, c.get<std::uint64_t>(), from, {}, {});
      return;
    case say::ran: {
      const auto request = c.get<std::uint64_t>();
      return hear_ran(request, c.get<rank>());
    }
    default: break;
  }
  const auto id = c.get<object_id>();
  switch (what) {
    case say::at: {
      const auto where = c.get<rank>();
      return hear_at(id, where, c.get<std::uint32_t>());
    }
    case say::received: return hear_received(from, id);
    case say::leave: return hear_leave(from, id, c.get<rank>());
    case say::go: return hear_go(id, c.get<std::uint32_t>());
    case say::stay: return hear_stay(id, c.get<std::uint32_t>());
    case say::back: return hear_back(from, id);
    case say::arrived: {
      shard& s = shard_of(id);
      const std::scoped_lock lock(s.lock);
      if (entry* const e = s.find(id); e && e->home && e->epoch == c.get<std::uint32_t>()) e->home->is_moving = false;
      return;
    }
    case say::is_it_there: {
      const auto epoch = c.get<std::uint32_t>();
      return hear_is_it_there(id, epoch, c.get<rank>());
    }
    case say::dead: return hear_dead(id);
    case say::expected: return hear_expected(from, id);
    case say::is_it_sent: return hear_is_it_sent(from, id);
    case say::not_sent: return hear_not_sent(from, id);
    case say::recall: return hear_recall(from, id, c.get<std::uint32_t>());
    case say::has_left: return hear_has_left(id, c.get<std::uint32_t>());
    case say::taken: return hear_taken(id, c.get<std::uint32_t>());
    case say::no_room: {
      const auto epoch = c.get<std::uint32_t>();
      return hear_no_room(id, epoch, causes_->read(c, from));
    }
    case say::again: return hear_again(id, c.get<rank>());
    case say::never:
    case say::gone:
    case say::lost: {
      failure_ref cause = causes_->read(c, from);
      errands out;
      {
        shard& s = shard_of(id);
        const std::scoped_lock lock(s.lock);
        entry* const e = s.find(id);
        if (!e || e->here || (what != say::lost && (e->lost || e->at != from))) return;
        if (what == say::gone) cause = lost_by(id, e->name, *cause.get());
        if (!e->lost) give_up(id, *e, cause, out);
      }
      run(out);
      return fail_unanswered(id, cause);
    }
    default: return;
  }
}

void mobile_objects::hear_letter(rank from, dist::reader& c) {
  std::uint64_t written = 0;
  auto l = read_words(c, job_->node_of(from), written);
  if (c.get<std::uint8_t>()) l->refused = causes_->read(c, from);
  const auto arguments = c.get_bytes(written);
  if (arguments.size() <= far_letter::most_few) l->keep_few(arguments);
  else try {
    l->came = job_->keep(arguments);
    l->came_bytes = arguments.size();
  } catch (const std::bad_alloc&) {
    return refuse_letter(std::move(l), job_->no_room_for(kinds_[static_cast<std::size_t>(say::letter)], from, written));
  }
  l->memory = {job_->pressure(), dist::back_pressure::what::came, arguments.size()};
  ++l->way.hops;
  deliver(std::move(l));
}

void mobile_objects::hear_answer(outcome what, rank from, dist::reader& c) {
  const auto request = c.get<std::uint64_t>();
  const auto is = c.get<dist::reply>();
  const failure_ref cause = dist::is_failure(is) ? causes_->read(c, from) : failure_ref();
  const std::uint64_t along = is == dist::reply::value_with_more ? c.get<std::uint64_t>() : 0;
  take(what, request, from, cause, cause ? std::span<const std::byte>() : c.get_bytes(c.left()), is == dist::reply::failure_for_good);
  data::have_read(from, along, here());
}

void mobile_objects::hear_at(object_id id, rank where, std::uint32_t epoch) {
  errands out;
  {
    shard& s = shard_of(id);
    const std::scoped_lock lock(s.lock);
    entry* const e = s.find(id);
    if (!e || e->here || e->home || epoch < e->epoch) return;
    if (epoch > e->epoch) {
      e->at = where;
      e->epoch = epoch;
      e->was_sent = false;
      if (where != self_) release_parked(*e, out, epoch);  // what goes by later news waits on
    }
  }
  run(out);
  // What has gone there vanishes.
  if (where != self_ && is_lost(where))
    for (const auto& l : unanswered(id)) send_again(*l, where);
}

void mobile_objects::hear_dead(object_id id) {
  errands out;
  {
    shard& s = shard_of(id);
    const std::scoped_lock lock(s.lock);
    entry* const e = s.find(id);
    if (!e || e->here) return;
    if (e->asked_about != nobody) out.tell.push_back({home_of(id), say::dead, dist::writer(id)});  // it has lost who would say so
    release_parked(*e, out);
    tell_visited(id, *e, out);
    out.drop.push_back(std::move(e->sent_away));
    s.all.erase(id);
  }
  run(out);
}

void mobile_objects::release_parked(entry& e, errands& out) {
  release_parked(e, out, std::numeric_limits<std::uint32_t>::max());
}

void mobile_objects::release_parked(entry& e, errands& out, std::uint32_t until) {
  std::erase_if(e.parked, [&](std::unique_ptr<far_letter>& l) {
    if (l->way.epoch > until) return false;
    l->way.epoch = 0;
    out.deliver.push_back(std::move(l));
    return true;
  });
}

void mobile_objects::tell_visited(object_id id, const entry& e, errands& out) {
  if (!e.home) return;
  for (const rank r : e.home->visited)
    if (r != self_ && !is_lost(r)) out.tell.push_back({r, say::dead, dist::writer(id)});
}

void mobile_objects::hear_again(object_id id, rank whom) {
  if (whom != self_) {  // from a node that has lost it
    if (!is_lost(whom)) tell(whom, say::again, dist::writer(id, whom));
    return;
  }
  for (const auto& l : unanswered(id)) send_again(*l, nobody);
}

void mobile_objects::hear_expected(rank by, object_id id) {
  errands out;
  {
    shard& s = shard_of(id);
    const std::scoped_lock lock(s.lock);
    const entry* const e = s.find(id);
    if (!e || !e->home) {
      out.tell.push_back({by, say::dead, dist::writer(id)});
    } else if (e->lost) {
      dist::writer w(id);
      causes_->write(w, *e->lost.get());
      out.tell.push_back({by, say::lost, std::move(w)});
    } else if (e->at != by) {
      out.tell.push_back({by, say::at, dist::writer(id, e->at, e->epoch)});
    }
  }
  run(out);
}

void mobile_objects::hear_ran(std::uint64_t request, rank on) {
  if (is_lost(on)) take(outcome::value_and_end, request, on, job_->loss_of(on), {});
}

void mobile_objects::hear_received(rank by, object_id id) {
  errands out;
  {
    shard& s = shard_of(id);
    const std::scoped_lock lock(s.lock);
    if (entry* const e = s.find(id); e && e->home) unpin(id, *e, by, 1, out);
  }
  run(out);
}

void mobile_objects::unpin(object_id id, entry& e, rank there, std::uint32_t letters, errands& out) {
  home_record& h = *e.home;
  const auto found = h.pinned.find(there);
  if (found == h.pinned.end()) return;
  if (found->second > letters) found->second -= letters;
  else h.pinned.erase(found);
  if (!h.pinned.empty() || h.wants_to == nobody) return;
  const rank to = std::exchange(h.wants_to, nobody);
  if (!e.lost && !is_lost(to)) let_go(id, e, to, out);
  else keep_there(id, e, out);
}

}  // namespace stretto::mobiles

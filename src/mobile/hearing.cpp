// What others say is heard, and told them: where objects are, which are over, and who has to send once more.
#include <limits>
#include <mutex>
#include <new>
#include <utility>

#include "mobile/mobile_objects.hpp"

namespace stretto::mobiles {

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
  l->memory = {job_->pressure(), dist::back_pressure::kind::received, arguments.size()};
  ++l->way.hops;
  deliver(std::move(l));
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

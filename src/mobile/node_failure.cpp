// A node is lost: which objects are lost with it, and what is sent once more.
#include <limits>

#include "event/event_floor.hpp"
#include "mobile/mobile_objects.hpp"

namespace stretto::mobiles {

void mobile_objects::give_up(object_id id, entry& e, failure_ref cause, errands& out) {
  e.lost = std::move(cause);
  for (auto& l : e.parked) out.settle.push_back({l.release(), e.lost});
  e.parked.clear();
  if (!e.home) return;
  for (auto& l : e.home->behind) out.settle.push_back({l.release(), e.lost});
  e.home->behind.clear();
  // Whoever waits for an answer may have sent to where nobody is: all are told.
  dist::writer w(id);
  causes_->write(w, *e.lost.get());
  for (rank r = 0; r < nodes(); ++r)
    if (r != self_ && !is_lost(r)) out.tell.push_back({r, say::lost, w});
}

void mobile_objects::lost_home(entry& e, object_id id, rank node, errands& out) {
  if (!e.here) {
    if (!e.lost) give_up(id, e, lost_with(id, &e, node, "was made on"), out);
    return;
  }
  // It stays, for those who need not ask.
  if (!e.here->is_leaving || e.here->may_leave) return;
  e.here->is_leaving = e.here->is_packed = false;
  end_move(*e.here, lost_with(id, &e, node, "was made on"), out);
  advance(*e.here, out);
}

void mobile_objects::lost_place(entry& e, object_id id, rank node, errands& out) {
  if (e.home && !e.lost) {
    // One that was to go there may not have left: its node says so.
    const bool may_stay = e.home->is_moving && e.home->from != node && !is_lost(e.home->from);
    if (e.at == node && !may_stay) return give_up(id, e, lost_with(id, &e, node, "was on"), out);
    if (e.at == node) out.tell.push_back({e.home->from, say::recall, dist::writer(id, e.epoch)});
    if (e.home->is_moving && e.home->from == node && is_lost(e.at)) return give_up(id, e, lost_with(id, &e, node, "was on"), out);
    if (e.home->is_moving && e.home->from == node) out.tell.push_back({e.at, say::is_it_there, dist::writer(id, e.epoch, node)});
  }
  if (e.home) unpin(id, e, node, std::numeric_limits<std::uint32_t>::max(), out);  // they have vanished
  // What this node has handled or is to handle for it is not answered: it has to hear so from another.
  if (e.sent_away && e.sent_away->what->goes_to == node) out.drop.push_back(std::move(e.sent_away));
  if (e.here || e.was_here) out.tell.push_back({home_of(id), say::again, dist::writer(id, node)});
  if (e.here) {
    resident& o = *e.here;
    if (o.is_leaving && o.may_leave && !o.is_packed && o.goes_to == node) call_back(o, out);
    o.of(node).drop_held();  // what comes before them will not
  } else if (e.was_sent && e.at == node) {
    out.tell.push_back({home_of(id), say::is_it_there, dist::writer(id, e.epoch, self_)});
  } else if (e.asked_about == node) {
    hear_never(id, e, node, out);
  }
}

void mobile_objects::hear_never(object_id id, entry& e, rank from, errands& out) {
  e.asked_about = nobody;
  const failure_ref cause = lost_with(id, &e, from, "was on its way from");
  dist::writer w(id);
  causes_->write(w, *cause.get());
  out.tell.push_back({home_of(id), say::never, std::move(w)});
}

/// It comes, or its sender is lost, or has kept it.
void mobile_objects::await(object_id id, entry& e, rank from, errands& out) {
  e.asked_about = from;
  out.tell.push_back({from, say::is_it_sent, dist::writer(id)});
}

void mobile_objects::hear_is_it_sent(rank by, object_id id) {
  errands out;
  {
    shard& s = shard_of(id);
    const std::scoped_lock lock(s.lock);
    const entry* const e = s.find(id);
    const bool is_sent = e && e->was_sent && e->at == by;
    const bool goes = e && e->here && e->here->may_leave;
    // Without its home, which has agreed and cannot say so, it does not go; or it has ended.
    if (!is_sent && !goes) out.tell.push_back({by, say::not_sent, dist::writer(id)});
  }
  run(out);
}

void mobile_objects::hear_not_sent(rank from, object_id id) {
  errands out;
  failure_ref cause;
  {
    shard& s = shard_of(id);
    const std::scoped_lock lock(s.lock);
    entry* const e = s.find(id);
    if (!e || e->here || e->asked_about != from) return;
    if (e->home) e->asked_about = nobody, give_up(id, *e, lost_with(id, e, from, "stays on"), out);
    else hear_never(id, *e, from, out);
    if (e && e->home) cause = e->lost;
  }
  run(out);
  if (cause) fail_unanswered(id, cause);
}

/// The home cannot reach where it was to go: it stays, or is lost to the home.
void mobile_objects::hear_recall(rank by, object_id id, std::uint32_t epoch) {
  errands out;
  {
    shard& s = shard_of(id);
    const std::scoped_lock lock(s.lock);
    entry* const e = s.find(id);
    resident* const o = e ? e->here.get() : nullptr;
    if (!o || o->epoch < epoch) {
      out.tell.push_back({by, say::has_left, dist::writer(id, epoch)});
    } else if (o->is_leaving && o->may_leave && o->epoch == epoch) {
      if (o->is_packed) o->is_recalled = true;
      else call_back(*o, out);
    }
  }
  run(out);
}

void mobile_objects::hear_has_left(object_id id, std::uint32_t epoch) {
  errands out;
  failure_ref cause;
  {
    shard& s = shard_of(id);
    const std::scoped_lock lock(s.lock);
    entry* const e = s.find(id);
    if (!e || !e->home || e->lost || e->epoch != epoch || !is_lost(e->at)) return;
    give_up(id, *e, lost_with(id, e, e->at, "is on"), out);
    cause = e->lost;
  }
  run(out);
  fail_unanswered(id, cause);
}

void mobile_objects::hear_is_it_there(object_id id, std::uint32_t epoch, rank from) {
  errands out;
  failure_ref cause;
  {
    shard& s = shard_of(id);
    const std::scoped_lock lock(s.lock);
    entry& e = s.all[id];
    if (e.home) {  // whoever has sent it has lost where it went: that node knows
      if (!e.lost && e.epoch == epoch && is_lost(e.at)) give_up(id, e, lost_with(id, &e, e.at, "was on"), out);
      else if (!e.lost && e.home->is_moving && e.epoch == epoch && e.at != self_)
        out.tell.push_back({e.at, say::is_it_there, dist::writer(id, epoch, from)});
      else if (!e.lost && e.home->is_moving && e.epoch == epoch && !e.here)
        is_lost(from) ? give_up(id, e, lost_with(id, &e, from, "was on its way from"), out) : await(id, e, from, out);
    } else if (!e.here && (e.epoch < epoch || (e.epoch == epoch && e.at == self_))) {
      if (is_lost(from)) hear_never(id, e, from, out);
      else await(id, e, from, out);
    }
    if (e.home) cause = e.lost;
  }
  run(out);
  if (cause) fail_unanswered(id, cause);
}

void mobile_objects::lost(rank node, base::thread_context& context) noexcept {
  errands out;
  for (shard& s : shards_) {
    const std::scoped_lock lock(s.lock);
    for (auto& [id, e] : s.all) {
      if (home_of(id) == node) lost_home(e, id, node, out);
      lost_place(e, id, node, out);
    }
  }
  {
    // Letters that have vanished on the way there may be of nodes that have lost nobody.
    const std::scoped_lock lock(passed_on_lock_);
    for (auto it = passed_on_.lower_bound({node, 0}); it != passed_on_.end() && it->first == node; ++it)
      if (!is_lost(it->second)) out.tell.push_back({it->second, say::again, dist::writer(object_id{0}, it->second)});
  }
  run(out);
  release_checkpoints(node);
  let_go(node);
  quiet_.lost(node);
  short_answers_->lost(node);
  requests_.lost(node, job_->loss_of(node), context);
  multicasts_.lost(node, job_->loss_of(node), context);
  // It had letters, to handle or to pass on, and answers: nobody knows which.
  for (const auto& l : unanswered()) {
    const rank home = home_of(l->object);
    const bool is_stillborn = l->what() == letter_kind::make && l->target == node;
    if (is_stillborn || (home == node && !is_here(l->object)))
      take(outcome::value_and_end, l->request, self_, lost_with(l->object, nullptr, node, home == node ? "was made on" : "was on"), {});
    else
      send_again(*l, nobody);
  }
}

}  // namespace stretto::mobiles

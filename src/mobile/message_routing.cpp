// Where a letter goes that has come, or that this node sends; and what an object does next that is here: it begins letters, or leaves.
#include <algorithm>
#include <mutex>
#include <utility>

#include "mobile/mobile_objects.hpp"

namespace stretto::mobiles {

using sched::thread_state;

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

}  // namespace stretto::mobiles

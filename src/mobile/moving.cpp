// Objects leave, with their home's consent.
#include <stretto/error.hpp>

#include "base/node_numbers.hpp"
#include "data/other_nodes.hpp"
#include "dist/program_constants.hpp"
#include "event/event_floor.hpp"
#include "mobile/mobile_objects.hpp"

namespace stretto::mobiles {

namespace {

/// Parts of an object of so many bytes and more go from where they lie: one more message costs no more than to copy them.
constexpr std::size_t bytes_apart = std::size_t{32} << 10;

/// Draws are as repeatable as the order in which they are made.
std::uint64_t mixed(std::uint64_t x) noexcept {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

void put_correspondent(dist::writer& w, rank of, const correspondent& c, dist::failure_codec& causes) {
  w.put(of);
  w.put(c.next);
  w.put(static_cast<std::uint32_t>(c.stays.size()));
  for (const correspondent::stay& s : c.stays) w.put(s.end), w.put(s.on);
  w.put(static_cast<std::uint32_t>(c.refused.size()));
  for (const auto& [number, cause] : c.refused) w.put(number), causes.write(w, *cause.get());
}

}  // namespace

void mobile_objects::wander(resident& o) {
  const std::uint64_t draw = mixed(settings_.seed + drawn_.fetch_add(1, std::memory_order_relaxed) * 0x9e3779b97f4a7c15u + self_);
  if (draw % 100 >= settings_.wander || !o.moves().empty() || o.is_leaving || nodes() == 1) return;
  auto l = std::make_unique<far_letter>();
  l->kind = static_cast<std::uint64_t>(letter_kind::migrate);
  l->object = o.id;
  l->from = self_;
  l->target = static_cast<rank>((draw >> 8) % nodes());
  if (l->target == self_ || is_lost(l->target) || is_lost(home_of(o.id))) return;
  o.moves().push_back(l.release());
}

void mobile_objects::end_move(resident& o, failure_ref cause, errands& out) {
  out.settle.push_back({o.moves().front(), std::move(cause), false});
  o.moves().pop_front();
}

void mobile_objects::hear_leave(rank from, object_id id, rank to) {
  errands out;
  {
    shard& s = shard_of(id);
    const std::scoped_lock lock(s.lock);
    entry* const e = s.find(id);
    if (!e || !e->home || e->lost || is_lost(to)) out.tell.push_back({from, say::go, dist::writer(id, std::uint32_t{0})});
    else if (!e->home->pinned.empty()) e->home->wants_to = to;
    else let_go(id, *e, to, out);
  }
  run(out);
}

void mobile_objects::let_go(object_id id, entry& e, rank to, errands& out) {
  home_record& h = *e.home;
  h.from = e.at;
  h.is_moving = true;
  h.visited.insert(to);
  e.at = to;
  e.was_sent = false;
  ++e.epoch;
  out.tell.push_back({h.from, say::go, dist::writer(id, e.epoch)});
  release_behind(h, out);
}

/// Where it was to go is lost to the home.
void mobile_objects::keep_there(object_id id, entry& e, errands& out) {
  out.tell.push_back({e.at, say::go, dist::writer(id, std::uint32_t{0})});
  release_behind(*e.home, out);
}

void mobile_objects::release_behind(home_record& h, errands& out) {
  for (auto& l : h.behind) out.deliver.push_back(std::move(l));
  h.behind.clear();
}

void mobile_objects::hear_go(object_id id, std::uint32_t epoch) {
  errands out;
  {
    shard& s = shard_of(id);
    const std::scoped_lock lock(s.lock);
    entry* const e = s.find(id);
    if (!e || !e->here || !e->here->is_leaving) return;
    resident& o = *e->here;
    if (!epoch) {
      o.is_leaving = false;
      end_move(o, is_lost(o.goes_to) ? job_->loss_of(o.goes_to) : lost_with(id, e, o.goes_to, "was to go to"), out);
    } else {
      o.epoch = epoch;
      o.may_leave = true;
      if (is_lost(o.goes_to)) call_back(o, out);
    }
    advance(o, out);
  }
  run(out);
}

void mobile_objects::call_back(resident& o, errands& out) {
  o.may_leave = o.is_recalled = false;
  // Its home may have lost this node, and asked there whether it comes: whoever asked here was told nothing, as it was to come.
  if (!is_lost(o.goes_to)) out.tell.push_back({o.goes_to, say::not_sent, dist::writer(o.id)});
  if (!is_lost(home_of(o.id))) return out.tell.push_back({home_of(o.id), say::back, dist::writer(o.id)});
  o.is_leaving = o.is_packed = false;
  end_move(o, job_->loss_of(home_of(o.id)), out);
}

void mobile_objects::hear_back(rank from, object_id id) {
  errands out;
  {
    shard& s = shard_of(id);
    const std::scoped_lock lock(s.lock);
    entry* const e = s.find(id);
    if (!e || !e->home) return;
    if (e->lost) {  // to others, it stays so
      out.tell.push_back({from, say::stay, dist::writer(id, e->epoch)});
    } else {
      const rank instead_of = std::exchange(e->at, from);
      e->was_sent = false;
      ++e->epoch;
      e->home->is_moving = false;
      out.tell.push_back({from, say::stay, dist::writer(id, e->epoch)});
      if (instead_of != self_) out.tell.push_back({instead_of, say::at, dist::writer(id, from, e->epoch)});
      release_parked(*e, out);
      release_behind(*e->home, out);
    }
  }
  run(out);
}

void mobile_objects::hear_stay(object_id id, std::uint32_t epoch) {
  errands out;
  {
    shard& s = shard_of(id);
    const std::scoped_lock lock(s.lock);
    entry* const e = s.find(id);
    if (!e || !e->here) return;
    resident& o = *e->here;
    o.epoch = e->epoch = epoch;
    o.is_leaving = o.is_packed = false;
    failure_ref cause = std::move(o.why_stays);
    if (!cause) cause = is_lost(o.goes_to) ? job_->loss_of(o.goes_to) : lost_with(id, e, o.goes_to, "was to go to");
    end_move(o, std::move(cause), out);
    advance(o, out);
  }
  run(out);
}

void mobile_objects::pack(resident& o) {
  detail::parcel content{.bytes = {}, .apart_from = bytes_apart};
  failure_ref cause;
  try {
    if (o.object) o.type->write(o.object, content);
  } catch (...) {
    cause = detail::make_failure(std::current_exception(), words_for(o.id, o.name), {});
  }
  errands out;
  std::unique_ptr<resident> leaves;
  std::uint32_t epoch = 0;
  {
    shard& s = shard_of(o.id);
    const std::scoped_lock lock(s.lock);
    entry& e = *s.find(o.id);
    if (cause || is_lost(o.goes_to) || o.is_recalled) {
      o.why_stays = std::move(cause);
      call_back(o, out);
      advance(o, out);
    } else {
      leaves = std::move(e.here);
      e.at = leaves->goes_to;
      epoch = e.epoch = leaves->epoch;
      e.was_sent = e.was_here = true;
      ++e.unanswered;  // for those that go along, until send_object() has counted them: an answer to another one may come before
      --s.counted.objects;
      ++s.counted.moved_out;
    }
  }
  if (leaves) send_object(std::move(leaves), std::move(content), epoch);
  run(out);
}

void mobile_objects::send_object(std::unique_ptr<resident> leaves, detail::parcel&& content, std::uint32_t epoch) {
  const auto sent = std::make_shared<sent_object>(std::move(leaves));
  resident& o = *sent->what;
  const rank to = o.goes_to;
  o.note_stay();
  object_head head;
  head.id = o.id;
  head.epoch = epoch;
  head.type = dist::encode_constant(o.type, sizeof *o.type);
  head.is_made = o.object != nullptr;
  head.along = data::keep_for(to, std::move(content.along), base::require_current("migrate"));
  head.name = o.name;
  std::uint64_t apart = 0;
  for (const detail::part_apart& p : content.apart) apart += p.bytes.size();
  if (apart) head.parts = parts_->send(to, content.apart, sent);
  dist::writer w;
  head.write(w);
  w.put(static_cast<std::uint32_t>(content.apart.size()));
  for (const detail::part_apart& p : content.apart) w.put(static_cast<std::uint64_t>(p.behind));
  o.count_devices();
  w.put(o.load.workers.left());
  w.put(o.load.devices.left());
  w.put(o.load.hint);
  w.put(static_cast<std::uint64_t>(content.bytes.size()));
  w.put_bytes(content.bytes);
  w.put(static_cast<std::uint32_t>(o.others().size() + 1));
  put_correspondent(w, self_, o.own(), *causes_);
  for (const auto& [sender, c] : o.others()) put_correspondent(w, sender, c, *causes_);

  // Letters of this node go as far ones from now on; one that cannot be written fails, and the others go without it.
  std::vector<sent_object::carried>& gone = sent->letters;
  std::uint64_t asked = 0;
  const auto put = [&](char mark, letter& l) {
    if (l.is_far) {
      auto& far = static_cast<far_letter&>(l);
      far.memory.end();
      far.together.end();
      gone.push_back({mark, std::shared_ptr<const far_letter>(&far)});
      write(w, far, {}, node_);
      return true;
    }
    detail::parcel arguments;
    try {
      arguments = arguments_of(l);
    } catch (...) {
      settle(l, detail::make_failure(std::current_exception(), words_for(o.id, o.name), record_of(l).where), false);
      return false;
    }
    const std::shared_ptr<far_letter> far = far_copy(l, o.id, self_, std::move(arguments));
    sched::task_record& r = record_of(l);
    requests_.add(r, become_far(r), far);
    write(w, *far, {}, node_);
    gone.push_back({mark, far});
    ++asked;
    return true;
  };
  const auto put_marked = [&](char mark, letter& l) {
    w.put(mark);
    if (!put(mark, l)) write(w, far_letter(), {}, node_);  // none after all
  };
  const auto put_held = [&](rank sender, const correspondent& c) {
    for (const auto& [number, l] : c.held)
      if (l) put_marked('h', *l);
      else w.put('s'), w.put(sender), w.put(number);
  };
  for (letter* l : o.moves()) put_marked('m', *l);
  while (letter* const l = o.waiting().pop()) put_marked('w', *l);
  put_held(self_, o.own());
  for (const auto& [sender, c] : o.others()) put_held(sender, c);
  w.put('.');
  const bool is_kept = apart || job_->may_be_refused(w.size());
  if (is_kept) w.replace_first(object_head::kept);
  std::shared_ptr<sent_object> old;  // it has been here again before it was told that it had arrived
  {
    shard& s = shard_of(o.id);
    const std::scoped_lock lock(s.lock);
    if (entry* const e = s.find(o.id)) {
      e->unanswered += asked;
      if (e->unanswered && --e->unanswered == 0 && !e->here) e->answered = e->sent;
      if (is_kept) old = std::exchange(e->sent_away, sent);
    }
  }
  tell(to, say::object, std::move(w));
}

}  // namespace stretto::mobiles

// A node is held for a checkpoint: handlers that run end, what is on its way arrives, and what is there then is copied.
//
// A handler may wait for what another one returns. So once nothing changes any more, letters are let through that somebody waits for, with
// those that wait before them; then the node is held again. What these send waits in turn: nothing goes on for ever that nobody waits for.
#include "dist/program_constants.hpp"
#include "mobile/mobile_objects.hpp"

namespace stretto::mobiles {

bool mobile_objects::is_handler(sched::task_record& r) {
  const handled_at is = peek_at_handler(r.storage());
  if (!is.near && !is.far) return false;
  for (shard& s : shards_) {
    const std::scoped_lock lock(s.lock);
    for (const auto& [id, e] : s.all)
      if (e.here && (e.here.get() == is.near || e.here.get() == is.far)) return true;
  }
  return false;
}

bool mobile_objects::reserve_checkpoints(rank by) noexcept {
  rank none = nobody;
  const bool is_its = checkpoints_of_.compare_exchange_strong(none, by);
  if (is_lost(by)) release_checkpoints(by);
  return is_its;
}

void mobile_objects::release_checkpoints(rank by) noexcept { checkpoints_of_.compare_exchange_strong(by, nobody); }

void mobile_objects::hold(rank by) {
  held_by_ = by;
  is_held_ = true;
  for (shard& s : shards_) {
    const std::scoped_lock lock(s.lock);
    for (auto& [id, e] : s.all)
      if (e.here) e.here->is_held = true;
  }
  if (is_lost(by)) let_go(by);  // its loss may have been heard of before this
}

void mobile_objects::let_go(rank by) {
  if (!held_by_.compare_exchange_strong(by, nobody)) return;
  is_held_ = false;
  let_through_where([](resident& o) {
    o.is_held = false;
    o.let_through = 0;
    return true;
  });
}

/// Chosen ones go on as far as they may.
template <class Choose>
void mobile_objects::let_through_where(Choose&& choose) {
  for (shard& s : shards_) {
    std::vector<object_id> all;
    {
      const std::scoped_lock lock(s.lock);
      for (auto& [id, e] : s.all)
        if (e.here) all.push_back(id);
    }
    for (const object_id id : all) {
      errands out;
      {
        const std::scoped_lock lock(s.lock);
        entry* const e = s.find(id);
        if (e && e->here && choose(*e->here)) {
          e->here->may_move_held = true;
          advance(*e->here, out);
          e->here->may_move_held = false;
        }
      }
      run(out);
    }
  }
}

hold_state mobile_objects::held() {
  hold_state all{.deferred = deferred_.load(), .heard = heard_.load()};
  for (shard& s : shards_) {
    const std::scoped_lock lock(s.lock);
    for (auto& [id, e] : s.all) {
      all.unsettled += e.parked.size();
      if (e.home) all.unsettled += e.home->behind.size() + e.home->pinned.size() + e.home->is_moving + (e.home->wants_to != nobody);
      if (!e.here) continue;
      resident& o = *e.here;
      all.open += !o.is_free();
      all.unsettled += o.is_leaving + o.own().held.size();
      for (const auto& [sender, c] : o.others()) all.unsettled += c.held.size();
    }
  }
  const letter_counts counts = letters();
  all.letters = counts.begun + counts.ended;
  all.said = said_;
  return all;
}

std::vector<waited_letter> mobile_objects::waited_letters() {
  std::vector<waited_letter> found;
  auto sent = requests_.waited();
  multicasts_.add_unanswered(0, sent);
  for (const auto& l : sent) found.push_back({l->object, l->number, self_});
  for (shard& s : shards_) {
    const std::scoped_lock lock(s.lock);
    for (auto& [id, e] : s.all) {
      if (!e.here) continue;
      for (letter* l = e.here->waiting().first; l; l = l->next)
        if (!l->is_far && record_of(*l).waiters()) found.push_back({id, l->number, self_});
    }
  }
  return found;
}

void mobile_objects::let_through(const std::vector<waited_letter>& all) {
  std::map<object_id, std::set<std::pair<rank, std::uint64_t>>> by_object;
  for (const waited_letter& w : all) by_object[w.object].emplace(w.from, w.number);
  let_through_where([&](resident& o) {
    const auto found = by_object.find(o.id);
    std::uint32_t position = 0;
    if (found != by_object.end())
      for (letter* l = o.waiting().first; l; l = l->next) {
        ++position;
        if (found->second.contains({sender_of(*l, self_), std::uint64_t{l->number}})) o.let_through = position;
      }
    return true;
  });
}

void mobile_objects::let_all_through() {
  let_through_where([](resident& o) {
    o.let_through = 0;
    for (letter* l = o.waiting().first; l; l = l->next) ++o.let_through;
    return true;
  });
}

std::vector<kept_object> mobile_objects::copy() {
  struct found {
    resident* what;
    std::vector<letter*> letters;
  };
  std::vector<found> all;
  for (shard& s : shards_) {
    const std::scoped_lock lock(s.lock);
    for (auto& [id, e] : s.all) {
      if (!e.here || !e.here->object || !e.here->is_free()) continue;  // a task is making it
      found f{e.here.get(), {}};
      for (letter* l = e.here->waiting().first; l; l = l->next) f.letters.push_back(l);
      all.push_back(std::move(f));
    }
  }
  // Nothing of it begins, ends or moves while the node is held.
  std::vector<kept_object> kept;
  for (const found& f : all) {
    resident& o = *f.what;
    kept_object k{.id = o.id, .type = dist::encode_constant(o.type, sizeof *o.type), .type_name = o.type->name, .name = o.name};
    const auto write = [](auto&& into) {
      detail::parcel p{.bytes = {}, .are_values_kept = true, .holds_content = true};
      into(p);
      return std::move(p.bytes);
    };
    k.content = write([&](detail::parcel& p) { o.type->write(o.object, p); });
    for (letter* const l : f.letters) {
      kept_letter m{.kind = kind_of(*l), .handler = l->type ? l->type->signature : ""};
      if (!l->is_far) {
        const sched::task_record& r = record_of(*l);
        m.priority = r.priority;
        m.function = l->type ? dist::encode_constant(l->type, sizeof *l->type) : 0;
        m.where = dist::encode(r.where, node_);
        if (r.name) m.name = r.name;
        if (l->type) m.arguments = write([&](detail::parcel& p) { l->type->write_arguments(l, p); });
      } else {
        auto& far = static_cast<far_letter&>(*l);
        m.priority = far.priority;
        m.function = far.function;
        m.where = dist::encode(far.where, node_);
        m.name = far.name;
        // Names of objects in it are read now, with their content; so the letter itself is to hold that, too.
        if (l->type && l->type->keep_arguments) {
          field_reader in(far.bytes());
          far.set_arguments({.bytes = write([&](detail::parcel& p) { l->type->keep_arguments(in, p); })});
        }
        m.arguments.assign(far.bytes().begin(), far.bytes().end());
      }
      k.letters.push_back(std::move(m));
    }
    kept.push_back(std::move(k));
  }
  return kept;
}

std::map<std::uint16_t, rank> mobile_objects::homes() const {
  std::map<std::uint16_t, rank> all;
  if (const auto* const restored = restored_homes_.load(std::memory_order_acquire)) all = *restored;
  if (!job_) all[node_] = 0;
  for (rank r = 0; job_ && r < job_->nodes(); ++r) all[job_->node_of(r)] = r;
  return all;
}

}  // namespace stretto::mobiles

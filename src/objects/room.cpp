#include "objects/room.hpp"

#include <stretto/copy.hpp>
#include <stretto/error.hpp>
#include <stretto/task.hpp>

#include <algorithm>
#include <numeric>

#include "data/data_state.hpp"
#include "data/eviction.hpp"
#include "data/handle.hpp"
#include "event/event_floor.hpp"
#include "data/fold_kernels.hpp"
#include "objects/folding.hpp"
#include "objects/running.hpp"
#include "objects/storage.hpp"
#include "sched/scope_counting.hpp"

namespace stretto::objects {

using data::replica_id;

namespace {

// Of an object's queued uses, how many are looked at for the next one of a replica.
constexpr std::size_t uses_looked_at = 256;

/// A copy on its way.
struct movement final : signal {
  explicit movement(object_record& o) : signal(*o.state, copied), object(o) {}
  static void copied(signal& self, failure_ref cause, base::thread_context&) {
    const std::unique_ptr<movement> m(static_cast<movement*>(&self));
    if (!cause) return;
    note_losses(m->state, cause);
    content_failed(*m->object.get(), m->token, cause);
  }
  used_object object;
  data::token token = 0;
};

std::uint64_t next_use(const object_record& o, const box& where) {
  const std::size_t n = std::min(o.queued.size(), uses_looked_at);
  for (std::size_t i = 0; i < n; ++i)
    if (o.queued[i].where.meets(where)) return o.queued[i].position;
  return data::no_next_use;
}

/// The driver has no more, though less than all is in use here: others use the device too. One that is lost says that instead.
[[noreturn]] void refuse(const site& at, std::uint64_t needed, const task& by, const std::exception_ptr& driver) {
  std::string words;
  try {
    std::rethrow_exception(driver);
  } catch (const error& e) {
    if (e.code() == "K31") throw;
    words = e.sentence() + (e.why().empty() ? "" : ": " + e.why());
  } catch (const std::exception& e) {
    words = e.what();
  }
  const memory_usage now = at.space->usage();
  throw no_room{error("A04", "the device has no memory for the arguments of " + by.describe())
                    .fact("submitted", by.where)
                    .fact("memory", at.space->name())
                    .fact("wanted", std::to_string(needed) + " bytes more")
                    .fact("in use here", std::to_string(now.used) + " bytes")
                    .because(words)
                    .remedy("see who else uses the device; launch on smaller tiles, or where there is more memory: on(device_kind::host)")};
}

[[noreturn]] void refuse(const site& at, std::uint64_t needed, std::uint64_t free, const task& by, const task* view = nullptr) {
  if (const std::exception_ptr driver = at.space->refusal()) refuse(at, needed, by, driver);
  throw no_room{error("A04", "the arguments of " + by.describe() + " do not fit into memory \"" + at.space->name() + "\"")
      .fact("submitted", by.where)
      .fact("wanted", std::to_string(needed) + " bytes more")
      .fact("free", std::to_string(free) + " of " + std::to_string(at.space->capacity()) + " bytes")
      .because("what one launch uses lies in one memory, and nothing that is there now can leave")
      .remedy("launch on smaller tiles, or where there is more memory: on(device_kind::host)"), view};
}

}  // namespace

void content_failed(object_record& o, data::token written, const failure_ref& cause) {
  o.replicas.failed(written);
  o.lost_because = cause;
}

void carry_out(object_record& o, const data::replica_set::plan& plan, base::thread_context& context) {
  const data::told_by_owner to_readers(context);  // what could not be brought anywhere is missed by who reads it, and nobody else
  data::replica_set::wait_list waits;
  std::vector<event> events, order;
  const auto behind = [&](const auto& what) {
    waits.clear();
    o.replicas.waits_of(what, waits);
    events_of(waits.content, events);
    events_of(waits.order, order);
    also_wait_for(events, order, o.created);
    return after_range{events};
  };
  const auto tell_if_it_fails = [&](const event& done) {
    if (done.raw() == 0) return;
    auto* const m = new movement(o);
    m->token = done.raw();
    when_ended(done, *m, context);
  };
  for (const auto& f : plan.fills) {
    const std::span<const std::byte> identity = data::identity_of(f.reduction);
    const event done = detail::fill_box(o.storage[f.to].instance, &f.where, identity.data(), identity.size(), behind(f), o.created);
    o.replicas.filled(f, done.raw());
    tell_if_it_fails(done);
  }
  for (const auto& c : plan.copies) {
    const event done = detail::copy_boxes(o.storage[c.to].instance, o.storage[c.from].instance, {&c.where, 1}, {}, behind(c), o.created);
    o.replicas.copied(c, done.raw());
    o.state->at(o.replicas.about(c.to).memory).brought_bytes += c.where.volume() * o.element_bytes;
    tell_if_it_fails(done);
  }
  for (const auto& f : plan.folds) {
    const event done = fold(o, f, behind(f), context);
    o.replicas.folded(f, done.raw());
    tell_if_it_fails(done);
  }
}

void drop(object_record& o, replica_id r, base::thread_context& context) {
  const data::replica_set::storage about = o.replicas.about(r);
  std::vector<data::token> waits;
  if (!o.replicas.drop(r, waits)) return;
  std::vector<event> events;
  events_of(waits, events);
  const stored s = std::exchange(o.storage[r], {});
  release(o, s.instance, about.where, o.state->at(about.memory), after_range{events}, context);
}

namespace {

/// Other floors have left a memory, or had nothing there.
struct memory_cleared final : signal {
  memory_cleared(objects_state& s, site& at, bool is_in_vain) : signal(s, dealt_with), at(at), is_in_vain(is_in_vain) {}
  static void dealt_with(signal& self, failure_ref, base::thread_context&) {
    const std::unique_ptr<memory_cleared> cleared(static_cast<memory_cleared*>(&self));
    cleared->at.is_being_cleared = false;
    cleared->at.asked_in_vain += cleared->is_in_vain;
  }
  site& at;
  const bool is_in_vain;
};

/// Not behind the mutex: other floors have one of their own.
void clear_of_others(objects_state& s, site& at) {
  base::thread_context& context = base::require_current("objects");
  const std::optional<event> left = s.others(at.memory);
  auto* const cleared = new memory_cleared(s, at, !left);
  if (left) when_ended(*left, *cleared, context);
  else arrive(*cleared, {}, context);
}

}  // namespace

bool ask_others_to_leave(task& by, site& at, base::thread_context& context) {
  objects_state& s = by.state;
  if (!s.others || !at.device) return false;
  if (at.is_being_cleared) return true;
  if (by.asked_before && *by.asked_before != at.asked_in_vain) return by.asked_before.reset(), false;
  const sched::outside_of_finishes here(static_cast<sched::thread_state&>(context));
  async(name("objects"), [&s, &at] { clear_of_others(s, at); });
  by.asked_before = at.asked_in_vain;
  return at.is_being_cleared = true;
}

void let_go(object_record& o) {
  if (o.users == 0) return dissolve(o);
  o.is_let_go = true;
  ++o.state->let_go;
  o.state->ends_matter.store(true, std::memory_order_seq_cst);
}

void dissolve(object_record& o) {
  objects_state& s = *o.state;
  if (std::exchange(o.is_let_go, false)) --s.let_go;
  base::thread_context* const here = base::current();
  if (!s.runtime) {
    delete &o;
  } else if (!here || s.runtime != here->runtime) {
    s.orphans.push_back(&o);
  } else {
    o.replicas.discard(o.elements);
    for (data::memory_number m = 0; m < s.memories(); ++m)
      for (const auto& r : o.replicas.replicas(m)) drop(o, r.id, *here);
    s.objects[o.place] = s.objects.back();
    s.objects[o.place]->place = o.place;
    s.objects.pop_back();
    delete &o;
  }
}

namespace {

/// What may leave a memory.
struct occupants {
  std::vector<std::pair<object_record*, replica_id>> who;
  std::vector<data::resident> residents;

  void add(object_record& o, const data::replica_set::storage& r, std::uint64_t next_use) {
    const stored& held = o.storage[r.id];
    const double seconds = static_cast<double>(held.bytes) / o.state->bytes_per_second;
    residents.push_back({held.bytes, held.in_use > 0, next_use, held.last_use, seconds});
    who.emplace_back(&o, r.id);
  }
  std::uint64_t bytes() const {
    std::uint64_t all = 0;
    for (const data::resident& r : residents) all += r.bytes;
    return all;
  }
  data::eviction choose(std::uint64_t needed, std::uint64_t free) const {
    return data::choose_victims(residents, needed, free, [&](std::size_t i) {
      return who[i].first->replicas.only_in(who[i].second).volume() * who[i].first->element_bytes;
    });
  }
};

bool is_needless(const object_record& o, replica_id r) { return o.replicas.only_in(r).is_empty(); }

std::uint64_t bytes_of(const object_record& o, const data::replica_set::plan& p) {
  std::uint64_t bytes = 0;
  for (const auto& a : p.allocate) bytes += bytes_of(o, a.where);
  return bytes;
}

/// What brings to `to` what is valid in this replica alone.
void plan_to_leave(const object_record& o, replica_id r, const site& to, data::replica_set::plan& out) {
  o.replicas.write_back(r, to.view.index, out, &to == o.home ? o.elements : box());
}

/// Storage for what is valid in this replica alone.
bool make_place(object_record& o, replica_id r, site& to, data::replica_set::plan& out, base::thread_context& context) {
  objects_state& s = *o.state;
  s.made.clear();
  for (;;) {
    plan_to_leave(o, r, to, out);
    if (try_allocate(o, out, to, s.made)) return true;
    // Where there is enough in all, and not in one piece, more has to leave.
    const std::uint64_t wanted = bytes_of(o, out), soon = to.space->usage().free + to.leaving;
    if (to.leaving > 0 && soon >= wanted) return false;
    if (!give_up_needless(s, to, soon >= wanted ? soon + wanted : wanted, &o, context)) return false;
  }
}

bool is_view_of(const task& t, const object_record& o, replica_id r) {
  return t.is_for_host() && std::ranges::any_of(t.uses, [&](const object_use& u) {
           return u.object.get() == &o && u.instance.record && u.replica == r;
         });
}

/// Whether the program has a view of it, for as long as it likes.
bool is_held(const object_record& o, replica_id r) {
  return std::ranges::any_of(o.state->tasks, [&](const task* t) { return is_view_of(*t, o, r); });
}

/// Where nothing can leave objects go with the last that uses them, which may be of another task; not of a view, after which they stay.
bool may_give_up_something(const task& by) {
  return !by.state.nothing_ends && std::ranges::any_of(by.state.tasks, [&](const task* t) { return t != &by && !is_lasting_view(*t); });
}

/// Of all that is in the way one that the program holds, if nothing else is in use: none ends by itself.
const task* view_in_the_way(const site& at, const occupants& there, const task& by) {
  const objects_state& s = by.state;
  const task* view = nullptr;
  if (at.leaving > 0) return nullptr;
  for (const auto& [o, r] : there.who) {
    if (o->storage[r].in_use == 0) continue;
    std::uint32_t views = 0;
    for (const task* const t : s.tasks)
      if (is_view_of(*t, *o, r)) ++views, view = t;
    if (views < o->storage[r].in_use) return nullptr;
  }
  return view;
}

/// Whether what lies there for nothing only waits for launches that use it.
bool has_needless_in_use(const objects_state& s, const site& at) {
  return std::ranges::any_of(s.objects, [&](const object_record* o) {
    return std::ranges::any_of(o->replicas.replicas(at.view.index), [&](const auto& r) {
      return o->storage[r.id].in_use > 0 && is_needless(*o, r.id) && !is_held(*o, r.id);
    });
  });
}

}  // namespace

bool is_lasting_view(const task& t) noexcept { return t.is_for_host() && t.on && !t.uses.front().object.get()->is_let_go; }

void refuse_to_leave(object_record& o, replica_id r, const std::source_location& where) {
  objects_state& s = *o.state;
  const site& from = s.at(o.replicas.about(r).memory);
  std::uint64_t wanted = 0;
  data::replica_set::plan out;
  const std::vector<data::memory_number> beneath = o.beneath(from.view.index);
  for (const data::memory_number to : beneath) {
    plan_to_leave(o, r, s.at(to), out);
    wanted = bytes_of(o, out);
  }
  error e("A04", describe(o) + " cannot leave memory \"" + from.space->name() + "\", because what is beneath it is full");
  e.fact("submitted", where).fact("wanted", std::to_string(wanted) + " bytes");
  for (const data::memory_number to : beneath)
    e.fact("free", std::to_string(s.at(to).space->usage().free) + " of " + std::to_string(s.at(to).space->capacity()) + " bytes in \"" +
                       s.at(to).space->name() + "\"");
  throw std::move(e).remedy(s.spill ? "give it a larger disk with STRETTO_SPILL, or use fewer objects at a time"
                                    : "name a folder for the rest with STRETTO_SPILL, or use fewer objects at a time");
}

bool give_up_needless(objects_state& s, site& at, std::uint64_t wanted, const object_record* but, base::thread_context& context) {
  occupants there;
  for (object_record* const o : s.objects)
    for (const auto& r : o->replicas.replicas(at.view.index)) {
      const bool is_stale = o->replicas.valid_elements(at.view.index, r.where) == 0;
      if (o->storage[r.id].in_use > 0 || !is_needless(*o, r.id) || (o == but && !is_stale)) continue;
      there.add(*o, r, is_stale ? data::no_next_use : next_use(*o, r.where));
    }
  const std::uint64_t free = at.space->usage().free + at.leaving;
  data::eviction e = there.choose(wanted, free);
  if (!e.possible) e.victims.resize(there.who.size()), std::iota(e.victims.begin(), e.victims.end(), std::size_t{0});
  for (const std::size_t v : e.victims)
    if (const auto [o, r] = there.who[v]; is_needless(*o, r)) drop(*o, r, context);  // of two that are equal the second stays
  return !e.victims.empty();
}

bool evict(object_record& o, replica_id r, const std::source_location& where, base::thread_context& context) {
  objects_state& s = *o.state;
  if (is_needless(o, r)) return drop(o, r, context), true;
  const site& from = s.at(o.replicas.about(r).memory);
  data::replica_set::plan out;
  bool is_busy = false;
  for (const data::memory_number beneath : o.beneath(from.view.index)) {
    site& to = s.at(beneath);
    if (!make_place(o, r, to, out, context)) {
      is_busy = is_busy || to.leaving > 0 || has_needless_in_use(s, to);
      continue;
    }
    auto next = s.made.begin();
    for (const auto& a : out.allocate) add(o, a, *next++);
    carry_out(o, out, context);
    for (const replica_id old : out.retire) drop(o, old, context);
    drop(o, r, context);
    return true;
  }
  if (!is_busy) refuse_to_leave(o, r, where);
  return false;
}

bool make_room(site& at, std::span<const planned> all, const task& by, base::thread_context& context) {
  objects_state& s = by.state;
  std::uint64_t needed = 0, largest = 0;
  for (const planned& p : all)
    if (p.in == &at)
      for (const auto& a : p.plan.allocate) {
        const std::uint64_t bytes = bytes_of(*p.object, a.where);
        needed += bytes;
        largest = std::max(largest, bytes);
      }
  const std::uint64_t free = at.space->usage().free, soon = free + at.leaving;
  const bool can_leave = !s.beneath(at.view.index).empty();
  if (!can_leave && needed > at.space->capacity()) refuse(at, needed, free, by);  // whatever ends
  if (at.leaving > 0 && soon >= needed) return false;
  // Enough in all, and not in one piece: more has to leave.
  const std::uint64_t wanted = soon >= needed ? soon + largest : needed;

  occupants there;
  std::vector<std::pair<object_record*, replica_id>> own;  // what it uses and is there already
  std::uint64_t own_bytes = 0;
  bool is_busy = at.leaving > 0, is_own_busy = false;
  is_busy = is_busy || (!can_leave && may_give_up_something(by));
  for (object_record* const o : s.objects) {
    const auto plan = std::ranges::find(all, o, &planned::object);
    for (const auto& r : o->replicas.replicas(at.view.index)) {
      const auto is_this = [&](replica_id used) { return used == r.id; };
      if (plan != all.end() && std::ranges::any_of(plan->plan.use, is_this)) {
        own.emplace_back(o, r.id);
        own_bytes += o->storage[r.id].bytes;
        is_own_busy = is_own_busy || o->storage[r.id].in_use > 0;
        continue;
      }
      if (!can_leave && !is_needless(*o, r.id)) continue;
      is_busy = is_busy || o->storage[r.id].in_use > 0;
      there.add(*o, r, next_use(*o, r.where));
    }
  }
  const data::eviction e = there.choose(wanted, soon);
  if (!e.possible) {
    // Whoever cannot live there now has another place: it does not wait for what the program may hold.
    if (s.is_shared(at)) refuse(at, needed, free, by);
    if (s.nothing_ends && soon + there.bytes() < needed) refuse(at, needed, free, by);  // nor would it help to give views back
    if (const task* const view = is_busy ? view_in_the_way(at, there, by) : nullptr) refuse(at, needed, free, by, view);
    if (is_busy) return false;
    // Storage that overlaps what is asked for would go into a larger one; apart, it takes less.
    bool any = false;
    if (can_leave)
      for (const planned& p : all)
        if (p.in == &at)
          for (const replica_id r : p.plan.retire) {
            any = true;
            if (!evict(*p.object, r, by.where, context)) return false;
          }
    if (any) return at.leaving == 0;
    // Little that lies in the middle may be in the way, what it uses itself as well: all of that fits where nothing is.
    own.insert(own.begin(), there.who.begin(), there.who.end());
    if (!can_leave || own.empty() || needed + own_bytes > at.space->capacity()) refuse(at, needed, free, by);
    if (is_own_busy) return false;
    for (const auto& [o, r] : own)
      if (!evict(*o, r, by.where, context)) return false;
    return at.leaving == 0;
  }
  for (const std::size_t v : e.victims) {
    const auto [o, r] = there.who[v];
    if (!can_leave && !is_needless(*o, r)) continue;  // since its like has left
    if (!evict(*o, r, by.where, context)) return false;
  }
  return at.leaving == 0;
}

}  // namespace stretto::objects

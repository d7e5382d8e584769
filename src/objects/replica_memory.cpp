#include "objects/replica_memory.hpp"

#include <stretto/copy.hpp>
#include <stretto/error.hpp>
#include <stretto/task.hpp>

#include <algorithm>
#include <numeric>

#include "data/data_state.hpp"
#include "data/eviction.hpp"
#include "data/fold_kernels.hpp"
#include "data/handle.hpp"
#include "event/event_floor.hpp"
#include "objects/accumulator_fold.hpp"
#include "objects/storage.hpp"
#include "objects/task_lifecycle.hpp"
#include "sched/scope_counting.hpp"

namespace stretto::objects {

using data::replica_id;

namespace {

// How many queued uses of an object are searched for the next use of a replica.
constexpr std::size_t most_examined_uses = 256;

/// The signal at the end of a copy, fill or fold.
struct movement final : signal {
  explicit movement(object_record& o) : signal(*o.state, copied), object(o) {}
  static void copied(signal& self, failure_ref cause, base::thread_context&) {
    const std::unique_ptr<movement> m(static_cast<movement*>(&self));
    if (!cause) return;
    mark_lost_devices(m->state, cause);
    mark_data_failed(*m->object.get(), m->token, cause);
  }
  used_object object;
  data::token token = 0;
};

std::uint64_t next_use(const object_record& o, const box& where) {
  const std::size_t n = std::min(o.queued.size(), most_examined_uses);
  for (std::size_t i = 0; i < n; ++i)
    if (o.queued[i].where.meets(where)) return o.queued[i].position;
  return data::no_next_use;
}

/// Throws insufficient_memory because the driver refused memory that this runtime has not used up: other processes use
/// the device too. A lost device throws K31 instead.
[[noreturn]] void refuse(const execution_place& at, std::uint64_t needed, const task& by,
                         const std::exception_ptr& driver) {
  std::string text;
  try {
    std::rethrow_exception(driver);
  } catch (const error& e) {
    if (e.code() == "K31") throw;
    text = e.sentence() + (e.why().empty() ? "" : ": " + e.why());
  } catch (const std::exception& e) {
    text = e.what();
  }
  const memory_usage now = at.space->usage();
  throw insufficient_memory{
      error("A04", "the device has no memory for the arguments of " + by.describe())
          .fact("submitted", by.where)
          .fact("memory", at.space->name())
          .fact("needed", std::to_string(needed) + " bytes more")
          .fact("in use", std::to_string(now.used) + " bytes")
          .because(text)
          .remedy("check which other programs use the device; launch on smaller tiles, or where there is more "
                  "memory: on(device_kind::host)")};
}

[[noreturn]] void refuse(const execution_place& at, std::uint64_t needed, std::uint64_t free, const task& by,
                         const task* view = nullptr) {
  if (const std::exception_ptr driver = at.space->refusal()) refuse(at, needed, by, driver);
  throw insufficient_memory{
      error("A04", "the arguments of " + by.describe() + " do not fit into memory \"" + at.space->name() + "\"")
          .fact("submitted", by.where)
          .fact("needed", std::to_string(needed) + " bytes more")
          .fact("free", std::to_string(free) + " of " + std::to_string(at.space->capacity()) + " bytes")
          .because("all arguments of a launch must fit in one memory, and nothing more can be evicted from it now")
          .remedy("launch on smaller tiles, or where there is more memory: on(device_kind::host)"),
      view};
}

}  // namespace

void mark_data_failed(object_record& o, data::token written, const failure_ref& cause) {
  o.replicas.failed(written);
  o.lost_because = cause;
}

void carry_out(object_record& o, const data::replica_set::plan& plan, base::thread_context& context) {
  const data::reported_by_owner to_readers(context);  // failures of copies are reported by the tasks that read the data
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
  const auto note_if_it_fails = [&](const event& done) {
    if (done.raw() == 0) return;
    auto* const m = new movement(o);
    m->token = done.raw();
    post_when_ended(done, *m, context);
  };
  for (const auto& f : plan.fills) {
    const std::span<const std::byte> identity = data::identity_of(f.reduction);
    const event done =
        detail::fill_box(o.storage[f.to].instance, &f.where, identity.data(), identity.size(), behind(f), o.created);
    o.replicas.filled(f, done.raw());
    note_if_it_fails(done);
  }
  for (const auto& c : plan.copies) {
    const event done = detail::copy_boxes(o.storage[c.to].instance, o.storage[c.from].instance, {&c.where, 1}, {},
                                          behind(c), o.created);
    o.replicas.copied(c, done.raw());
    o.state->at(o.replicas.about(c.to).memory).brought_bytes += c.where.volume() * o.element_bytes;
    note_if_it_fails(done);
  }
  for (const auto& f : plan.folds) {
    const event done = fold(o, f, behind(f), context);
    o.replicas.folded(f, done.raw());
    note_if_it_fails(done);
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

/// Signals that other floors have freed their data in a memory, or had none there.
struct memory_cleared final : signal {
  memory_cleared(objects_state& s, execution_place& at, bool is_fruitless)
      : signal(s, on_cleared), at(at), is_fruitless(is_fruitless) {}
  static void on_cleared(signal& self, failure_ref, base::thread_context&) {
    const std::unique_ptr<memory_cleared> cleared(static_cast<memory_cleared*>(&self));
    cleared->at.is_being_cleared = false;
    cleared->at.fruitless_requests += cleared->is_fruitless;
  }
  execution_place& at;
  const bool is_fruitless;
};

/// Without the mutex, since other floors lock their own.
void run_clearing(objects_state& s, execution_place& at) {
  base::thread_context& context = base::require_current("objects");
  const std::optional<event> left = s.others(at.memory);
  auto* const cleared = new memory_cleared(s, at, !left);
  if (left) post_when_ended(*left, *cleared, context);
  else post_signal(*cleared, {}, context);
}

}  // namespace

bool request_clearing(task& by, execution_place& at, base::thread_context& context) {
  objects_state& s = by.state;
  if (!s.others || !at.device) return false;
  if (at.is_being_cleared) return true;
  if (by.fruitless_before && *by.fruitless_before != at.fruitless_requests) return by.fruitless_before.reset(), false;
  const sched::outside_of_finishes here(static_cast<sched::thread_state&>(context));
  async(name("objects"), [&s, &at] { run_clearing(s, at); });
  by.fruitless_before = at.fruitless_requests;
  return at.is_being_cleared = true;
}

void release_by_program(object_record& o) {
  if (o.users == 0) return dissolve(o);
  o.is_released = true;
  ++o.state->released_objects;
  o.state->must_handle_ends.store(true, std::memory_order_seq_cst);
}

void dissolve(object_record& o) {
  objects_state& s = *o.state;
  if (std::exchange(o.is_released, false)) --s.released_objects;
  base::thread_context* const here = base::current();
  if (!s.runtime) {
    delete &o;
  } else if (!here || s.runtime != here->runtime) {
    s.unowned_objects.push_back(&o);
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

/// The replicas that may leave a memory.
struct occupants {
  std::vector<std::pair<object_record*, replica_id>> replicas;
  std::vector<data::eviction_candidate> candidates;

  void add(object_record& o, const data::replica_set::storage& r, std::uint64_t next_use) {
    const stored& held = o.storage[r.id];
    const double seconds = static_cast<double>(held.bytes) / o.state->bytes_per_second;
    candidates.push_back({held.bytes, held.in_use > 0, next_use, held.last_use, seconds});
    replicas.emplace_back(&o, r.id);
  }
  std::uint64_t bytes() const {
    std::uint64_t all = 0;
    for (const data::eviction_candidate& r : candidates) all += r.bytes;
    return all;
  }
  data::eviction choose(std::uint64_t needed, std::uint64_t free) const {
    return data::choose_victims(candidates, needed, free, [&](std::size_t i) {
      return replicas[i].first->replicas.only_in(replicas[i].second).volume() * replicas[i].first->element_bytes;
    });
  }
};

bool is_redundant(const object_record& o, replica_id r) { return o.replicas.only_in(r).is_empty(); }

std::uint64_t bytes_of(const object_record& o, const data::replica_set::plan& p) {
  std::uint64_t bytes = 0;
  for (const auto& a : p.allocate) bytes += bytes_of(o, a.where);
  return bytes;
}

/// Plans the copies to `to` of all elements that are valid in this replica alone.
void plan_write_back(const object_record& o, replica_id r, const execution_place& to, data::replica_set::plan& out) {
  o.replicas.write_back(r, to.view.index, out, &to == o.shared_memory ? o.elements : box());
}

/// Allocates storage in `to` for the elements that are valid in this replica alone.
bool allocate_target(object_record& o, replica_id r, execution_place& to, data::replica_set::plan& out,
                     base::thread_context& context) {
  objects_state& s = *o.state;
  s.made.clear();
  for (;;) {
    plan_write_back(o, r, to, out);
    if (try_allocate(o, out, to, s.made)) return true;
    // If the free memory suffices but is fragmented, more must be freed.
    const std::uint64_t wanted = bytes_of(o, out), soon = to.space->usage().free + to.leaving;
    if (to.leaving > 0 && soon >= wanted) return false;
    if (!free_redundant(s, to, soon >= wanted ? soon + wanted : wanted, &o, context)) return false;
  }
}

bool is_view_of(const task& t, const object_record& o, replica_id r) {
  return t.is_for_host() && std::ranges::any_of(t.uses, [&](const object_use& u) {
           return u.object.get() == &o && u.instance.record && u.replica == r;
         });
}

/// Whether the program holds a view of the replica, which it may keep as long as it likes.
bool is_held(const object_record& o, replica_id r) {
  return std::ranges::any_of(o.state->tasks, [&](const task* t) { return is_view_of(*t, o, r); });
}

/// If nothing can be evicted, objects are freed by their last use, which may be by another task. A view frees nothing:
/// its object stays.
bool may_free_something(const task& by) {
  return !by.state.is_deadlocked &&
         std::ranges::any_of(by.state.tasks, [&](const task* t) { return t != &by && !is_lasting_view(*t); });
}

/// A view of the program that blocks eviction, if nothing else is in use: no such use ends by itself.
const task* view_in_the_way(const execution_place& at, const occupants& there, const task& by) {
  const objects_state& s = by.state;
  const task* view = nullptr;
  if (at.leaving > 0) return nullptr;
  for (const auto& [o, r] : there.replicas) {
    if (o->storage[r].in_use == 0) continue;
    std::uint32_t views = 0;
    for (const task* const t : s.tasks)
      if (is_view_of(*t, *o, r)) ++views, view = t;
    if (views < o->storage[r].in_use) return nullptr;
  }
  return view;
}

/// Whether redundant replicas only wait for the end of launches that use them.
bool has_redundant_in_use(const objects_state& s, const execution_place& at) {
  return std::ranges::any_of(s.objects, [&](const object_record* o) {
    return std::ranges::any_of(o->replicas.replicas(at.view.index), [&](const auto& r) {
      return o->storage[r.id].in_use > 0 && is_redundant(*o, r.id) && !is_held(*o, r.id);
    });
  });
}

}  // namespace

bool is_lasting_view(const task& t) noexcept {
  return t.is_for_host() && t.on && !t.uses.front().object.get()->is_released;
}

void refuse_eviction(object_record& o, replica_id r, const std::source_location& where) {
  objects_state& s = *o.state;
  const execution_place& from = s.at(o.replicas.about(r).memory);
  std::uint64_t wanted = 0;
  data::replica_set::plan out;
  const std::vector<data::memory_number> eviction_targets = o.eviction_targets(from.view.index);
  for (const data::memory_number to : eviction_targets) {
    plan_write_back(o, r, s.at(to), out);
    wanted = bytes_of(o, out);
  }
  error e("A04", describe(o) + " cannot be evicted from memory \"" + from.space->name() +
                     "\", because no memory below it has enough free space");
  e.fact("submitted", where).fact("needed", std::to_string(wanted) + " bytes");
  for (const data::memory_number to : eviction_targets)
    e.fact("free", std::to_string(s.at(to).space->usage().free) + " of " + std::to_string(s.at(to).space->capacity()) +
                       " bytes in \"" + s.at(to).space->name() + "\"");
  throw std::move(e).remedy(s.spill ? "give it a larger disk with STRETTO_SPILL, or use fewer objects at a time"
                                    : "name a spill folder with STRETTO_SPILL, or use fewer objects at a time");
}

bool free_redundant(objects_state& s, execution_place& at, std::uint64_t wanted, const object_record* but,
                    base::thread_context& context) {
  occupants there;
  for (object_record* const o : s.objects)
    for (const auto& r : o->replicas.replicas(at.view.index)) {
      const bool is_stale = o->replicas.valid_elements(at.view.index, r.where) == 0;
      if (o->storage[r.id].in_use > 0 || !is_redundant(*o, r.id) || (o == but && !is_stale)) continue;
      there.add(*o, r, is_stale ? data::no_next_use : next_use(*o, r.where));
    }
  const std::uint64_t free = at.space->usage().free + at.leaving;
  data::eviction e = there.choose(wanted, free);
  if (!e.possible)
    e.victims.resize(there.replicas.size()), std::iota(e.victims.begin(), e.victims.end(), std::size_t{0});
  for (const std::size_t v : e.victims)
    // of two equal replicas the second stays
    if (const auto [o, r] = there.replicas[v]; is_redundant(*o, r)) drop(*o, r, context);
  return !e.victims.empty();
}

bool evict(object_record& o, replica_id r, const std::source_location& where, base::thread_context& context) {
  objects_state& s = *o.state;
  if (is_redundant(o, r)) return drop(o, r, context), true;
  const execution_place& from = s.at(o.replicas.about(r).memory);
  data::replica_set::plan out;
  bool is_busy = false;
  for (const data::memory_number target : o.eviction_targets(from.view.index)) {
    execution_place& to = s.at(target);
    if (!allocate_target(o, r, to, out, context)) {
      is_busy = is_busy || to.leaving > 0 || has_redundant_in_use(s, to);
      continue;
    }
    auto next = s.made.begin();
    for (const auto& a : out.allocate) add(o, a, *next++);
    carry_out(o, out, context);
    for (const replica_id old : out.retire) drop(o, old, context);
    drop(o, r, context);
    return true;
  }
  if (!is_busy) refuse_eviction(o, r, where);
  return false;
}

bool free_memory_for(execution_place& at, std::span<const planned> all, const task& by, base::thread_context& context) {
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
  const bool can_leave = !s.eviction_targets(at.view.index).empty();
  if (!can_leave && needed > at.space->capacity()) refuse(at, needed, free, by);  // no end of a task would help
  if (at.leaving > 0 && soon >= needed) return false;
  // If the free memory suffices but is fragmented, more must be freed.
  const std::uint64_t wanted = soon >= needed ? soon + largest : needed;

  occupants there;
  std::vector<std::pair<object_record*, replica_id>> own;  // arguments of the task that are present already
  std::uint64_t own_bytes = 0;
  bool is_busy = at.leaving > 0, is_own_busy = false;
  is_busy = is_busy || (!can_leave && may_free_something(by));
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
      if (!can_leave && !is_redundant(*o, r.id)) continue;
      is_busy = is_busy || o->storage[r.id].in_use > 0;
      there.add(*o, r, next_use(*o, r.where));
    }
  }
  const data::eviction e = there.choose(wanted, soon);
  if (!e.possible) {
    // A task that cannot use this memory now has another place: it does not wait for views of the program.
    if (s.is_shared(at)) refuse(at, needed, free, by);
    // releasing views would not help either
    if (s.is_deadlocked && soon + there.bytes() < needed) refuse(at, needed, free, by);
    if (const task* const view = is_busy ? view_in_the_way(at, there, by) : nullptr) refuse(at, needed, free, by, view);
    if (is_busy) return false;
    // Storage that overlaps an argument would be joined into a larger one. If it is evicted first, the argument takes
    // less.
    bool any = false;
    if (can_leave)
      for (const planned& p : all)
        if (p.in == &at)
          for (const replica_id r : p.plan.retire) {
            any = true;
            if (!evict(*p.object, r, by.where, context)) return false;
          }
    if (any) return at.leaving == 0;
    // Fragmentation: evicts everything, also the arguments already present. All of them fit into the empty memory.
    own.insert(own.begin(), there.replicas.begin(), there.replicas.end());
    if (!can_leave || own.empty() || needed + own_bytes > at.space->capacity()) refuse(at, needed, free, by);
    if (is_own_busy) return false;
    for (const auto& [o, r] : own)
      if (!evict(*o, r, by.where, context)) return false;
    return at.leaving == 0;
  }
  for (const std::size_t v : e.victims) {
    const auto [o, r] = there.replicas[v];
    if (!can_leave && !is_redundant(*o, r)) continue;  // no longer redundant: an equal replica has left
    if (!evict(*o, r, by.where, context)) return false;
  }
  return at.leaving == 0;
}

}  // namespace stretto::objects

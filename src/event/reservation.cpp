#include <stretto/reservation.hpp>

#include <stretto/error.hpp>

#include "base/order_observer.hpp"
#include "event/calling_thread.hpp"
#include "event/derived_event.hpp"
#include "event/event_wait_graph.hpp"
#include "event/object_table.hpp"
#include "event/remote_reservation.hpp"
#include "event/reservation_state.hpp"

namespace stretto {

using namespace detail;

namespace {

using reservation_table = object_table<reservation_state, reservation_id>;

reservation_table& reservations_of(event_table& table) {
  std::call_once(table.reservations_once, [&] { table.reservations = std::make_shared<reservation_table>(); });
  return *static_cast<reservation_table*>(table.reservations.get());
}

std::string name_of(reservation_id id) { return "reservation R" + std::to_string(reservation_table::index_of(id)); }

[[gnu::cold, gnu::noinline]] void refuse_gone(reservation_id id, event_cache& cache,
                                              const std::source_location& where) {
  const bool has_id = id != reservation_id();
  if (has_id && reservation_table::node_of(id) != cache.node)
    throw error("E03", name_of(id) + " belongs to another runtime")
        .fact("its node", std::to_string(reservation_table::node_of(id)))
        .fact("this node", std::to_string(cache.node))
        .because("independent runtimes of one process share no reservations")
        .remedy("use the reservation on the runtime that made it");
  throw error("E32", has_id ? name_of(id) + " no longer exists" : "a default reservation was used")
      .fact("used", where)
      .because(has_id ? "it was destroyed before" : "a reservation made without create() is empty")
      .remedy(has_id ? "destroy a reservation after its last release" : "make it with reservation::create()");
}

remote_reservations& elsewhere(event_cache& cache) noexcept {
  return *cache.table->reservations_elsewhere.load(std::memory_order_acquire);
}

inline reservation_state* try_find(reservation_id id, event_cache& cache) noexcept {
  if (reservation_table::node_of(id) == cache.node) [[likely]] {
    auto* table = static_cast<reservation_table*>(cache.table->reservations.get());
    return id != reservation_id() && table ? table->find(id) : nullptr;
  }
  auto* others = cache.table->reservations_elsewhere.load(std::memory_order_acquire);
  return id != reservation_id() && others ? others->find(id) : nullptr;
}

inline reservation_state& find(reservation_id id, event_cache& cache, const std::source_location& where) {
  if (reservation_state* h = try_find(id, cache)) [[likely]]
    return *h;
  refuse_gone(id, cache, where);
  __builtin_unreachable();
}

error not_held(reservation_id id, const std::source_location& created, const std::source_location& where) {
  return error("E31", name_of(id) + " was released while it was not held")
      .fact("created", created)
      .fact("released", where)
      .because("each release ends one hold, and there was none when this one took effect")
      .remedy("release once per acquire, after the grant (release after the work that runs after acquire)");
}

failure_ref gone_while_waiting(reservation_id id, const std::source_location& created,
                               const std::source_location& where) {
  return make_failure(std::make_exception_ptr(error("E33", name_of(id) + " was destroyed while acquires waited for it")
                                                  .fact("created", created)
                                                  .fact("destroyed", where)
                                                  .remedy("destroy a reservation after its last release")),
                      name_of(id), where);
}

/// Applies a release, here or on the node that has the reservation, and ends the event of `s` when it has taken effect.
void apply_release(reservation_id id, const failure* cause, slot& s, event_cache& cache, base::thread_context& context,
                   const std::source_location& where) {
  failure_ref misuse;
  if (reservation_state* h = try_find(id, cache)) {  // else it was destroyed meanwhile
    reservation_state::grant next;
    switch (h->release(cause, next)) {
      case reservation_state::release_result::elsewhere: return elsewhere(cache).release(id, cause, s, context, where);
      case reservation_state::release_result::not_held: misuse = released_unheld(id, h->where(), where); break;
      default: reservation_state::hand_out(next, cache, context);
    }
  }
  if (misuse) cache.table->report(misuse);
  finish(s, misuse.get(), cache, context);
}

reservation_id id_in(const slot& s) noexcept { return reservation_id{s.link[1].load(std::memory_order_relaxed)}; }

/// Fires a release that waits for its precondition; it waits in the slot of the event that it returned.
void fire_release(waiter& self, const failure* cause, base::thread_context& context) noexcept {
  slot& s = slot::of(self);
  apply_release(id_in(s), cause, s, event_cache::of(context), context, s.where.load(std::memory_order_relaxed));
}

/// Fires an acquire whose precondition has ended.
template <hold how>
void fire_acquire(waiter& self, const failure* cause, base::thread_context& context) noexcept {
  auto& cache = event_cache::of(context);
  slot& s = slot::of(self);
  const reservation_id id = id_in(s);
  reservation_state* h = try_find(id, cache);
  failure_ref gone;
  if (cause) {
    if (h && !h->skip_acquire(*cause)) return elsewhere(cache).skip_acquire(id, *cause, s, context);
  } else if (!h) {
    gone = gone_before(id, s.where.load(std::memory_order_relaxed));
    cache.table->report(gone);
  } else {
    switch (h->acquire(s, how)) {
      case reservation_state::acquire_result::now: break;
      case reservation_state::acquire_result::by_request: return elsewhere(cache).acquire_shared(id, s, context);
      case reservation_state::acquire_result::later: return;
      case reservation_state::acquire_result::after_transfer: return elsewhere(cache).want(id, context);
      case reservation_state::acquire_result::never: gone = h->gone();
    }
  }
  finish(s, cause ? cause : gone.get(), cache, context);
}

slot& claim_for(reservation_id id, role r, dependency when, event_cache& cache, const std::source_location& where) {
  slot& s = cache.create(where);
  s.link[0].store(bits_of(when), std::memory_order_release);
  s.link[1].store(base::value_of(id), std::memory_order_release);
  s.claim.store(slot::claim_of(slot::generation_in(s.word.load(std::memory_order_relaxed)), r),
                std::memory_order_release);
  return s;
}

event acquire_after(reservation_id id, hold how, dependency when, base::thread_context& context,
                    const std::source_location& where) {
  auto& cache = event_cache::of(context);
  reservation_state& h = find(id, cache, where);
  if (bits_of(when) == 0 && h.try_acquire(how, where)) return {};
  slot& s = claim_for(id, role::acquire, when, cache, where);
  const event e = cache.handle(s);
  wait_for(s, when, how == hold::shared ? fire_acquire<hold::shared> : fire_acquire<hold::exclusive>, cache, context);
  return e;
}

event release_after(reservation_id id, dependency when, base::thread_context& context,
                    const std::source_location& where) {
  auto& cache = event_cache::of(context);
  reservation_state& h = find(id, cache, where);
  if (has_ended(when, cache)) {
    reservation_state::grant next;
    const failure_ref cause = cause_of(when, cache);
    const auto done = h.release(cause.get(), next);
    if (done == reservation_state::release_result::not_held) throw not_held(id, h.where(), where);
    reservation_state::hand_out(next, cache, context);
    if (done != reservation_state::release_result::elsewhere) return {};
    slot& s = claim_for(id, role::release, event(), cache, where);
    const event e = cache.handle(s);
    elsewhere(cache).release(id, cause.get(), s, context, where);
    return e;
  }
  slot& s = claim_for(id, role::release, when, cache, where);
  const event e = cache.handle(s);
  wait_for(s, when, fire_release, cache, context);
  return e;
}

/// An immediate grant has no event: for the order observer, everything that has ended by then comes before it. Called
/// after the grant, since another thread's release may have enabled it during the call.
event as_synchronised(event granted, base::thread_context& context) {
  if (context.observer) context.observer->synchronised(context);
  return granted;
}

/// Waits until `when` and the grant have ended, one after the other; then applies or skips the release, depending on
/// whether the acquire was granted.
struct grant_release : waiter {
  reservation_id id;
  event grant, when;
  event done;  // the event that release_grant returned; ended here
  std::source_location where;

  static void proceed(waiter& self, const failure*, base::thread_context& context) noexcept {
    auto& r = static_cast<grant_release&>(self);
    auto& cache = event_cache::of(context);
    if (subscribe(r.when, r, cache, context) || subscribe(r.grant, r, cache, context)) return;
    slot& s = cache.table->at(r.done);
    const auto id = r.id;
    const auto where = r.where;
    const failure_ref skipped = cause_of(r.grant, cache);
    cache.records.free(&r);
    if (!skipped) return apply_release(id, nullptr, s, cache, context, where);
    reservation_state* h = try_find(id, cache);
    if (h && !h->release_skipped(*skipped.get())) elsewhere(cache).release_skipped(id, *skipped.get(), s, context);
    else finish(s, nullptr, cache, context);
  }
};
static_assert(sizeof(grant_release) <= event_table::record_bytes);

event acquire_as(hold how, reservation_id id, event when, const std::source_location& where) {
  auto& context = caller("reservation::acquire");
  // A triggered precondition needs no slot; a poisoned one does, to pass its cause on.
  auto& cache = event_cache::of(context);
  if (when != event() && has_ended(when, cache) && !cause_of(when, cache)) when = {};
  return as_synchronised(acquire_after(id, how, when, context, where), context);
}

bool try_acquire_as(hold how, reservation_id id, const std::source_location& where) {
  auto& context = caller("reservation::try_acquire");
  auto& cache = event_cache::of(context);
  reservation_state& h = find(id, cache, where);
  if (h.try_acquire(how, where)) {
    as_synchronised({}, context);
    return true;
  }
  if (h.is_elsewhere()) elsewhere(cache).want(id, context);  // so that a caller that tries again gets it in the end
  return false;
}

}  // namespace

reservation reservation::create(std::source_location where) { return create(options{}, where); }

reservation reservation::create(const options& o, std::source_location where) {
  auto& cache = event_cache::of(caller("reservation::create"));
  if (o.payload_bytes > most_payload_bytes)
    throw error("E30", "a reservation cannot carry " + std::to_string(o.payload_bytes) + " bytes")
        .fact("created", where)
        .fact("at most", "4096 bytes")
        .because("the payload travels with every transfer of the reservation")
        .remedy("keep large data in an instance and reserve the right to use it");
  return reservation(base::value_of(reservations_of(*cache.table).create(cache.node, [&](reservation_state& h) {
    h.start(o.payload_bytes, o.fairness, where);
  })));
}

event reservation::acquire(std::source_location where) const {
  return acquire_as(hold::exclusive, reservation_id{id_}, {}, where);
}

event reservation::acquire(event when, std::source_location where) const {
  return acquire_as(hold::exclusive, reservation_id{id_}, when, where);
}

event reservation::acquire(std::span<const dependency> when, std::source_location where) const {
  return acquire(make_merge(when, caller("reservation::acquire"), where), where);
}

event reservation::acquire(shared_hold, std::source_location where) const {
  return acquire_as(hold::shared, reservation_id{id_}, {}, where);
}

event reservation::acquire(shared_hold, event when, std::source_location where) const {
  return acquire_as(hold::shared, reservation_id{id_}, when, where);
}

event reservation::acquire(shared_hold, std::span<const dependency> when, std::source_location where) const {
  return acquire(shared, make_merge(when, caller("reservation::acquire"), where), where);
}

bool reservation::try_acquire(std::source_location where) const {
  return try_acquire_as(hold::exclusive, reservation_id{id_}, where);
}

bool reservation::try_acquire(shared_hold, std::source_location where) const {
  return try_acquire_as(hold::shared, reservation_id{id_}, where);
}

event reservation::release(std::source_location where) const {
  return release_after(reservation_id{id_}, event(), caller("reservation::release"), where);
}

event reservation::release(event when, std::source_location where) const {
  return release_after(reservation_id{id_}, when, caller("reservation::release"), where);
}

event reservation::release(std::span<const dependency> when, std::source_location where) const {
  auto& context = caller("reservation::release");
  return release_after(reservation_id{id_}, when.size() == 1 ? when[0] : make_merge(when, context, where), context,
                       where);
}

event reservation::release_grant(event grant, event when, std::source_location where) const {
  const reservation_id id{id_};
  auto& context = caller("reservation::release_grant");
  auto& cache = event_cache::of(context);
  find(id, cache, where);
  has_ended(when, cache);  // refuses foreign events before anything has changed
  has_ended(grant, cache);
  slot& s = claim_for(id, role::release, when, cache, where);
  auto* r = new (cache.records.allocate()) grant_release;
  r->fire = grant_release::proceed;
  r->id = id;
  r->grant = grant;
  r->when = when;
  const event done = r->done = cache.handle(s);
  r->where = where;
  grant_release::proceed(*r, nullptr, context);
  return done;
}

void* reservation::payload(std::source_location where) const {
  const reservation_id id{id_};
  reservation_state& h = find(id, event_cache::of(caller("reservation::payload")), where);
  void* const payload = h.payload();
  if (!payload)
    throw error("E34", name_of(id) + " has no payload")
        .fact("created", h.where())
        .fact("used", where)
        .remedy("create it with {.payload_bytes = ...}");
  return payload;
}

void reservation::destroy(std::source_location where) const {
  const reservation_id id{id_};
  auto& context = caller("reservation::destroy");
  auto& cache = event_cache::of(context);
  find(id, cache, where);
  if (reservation_table::node_of(id) != cache.node) return elsewhere(cache).destroy(id, context, where);
  destroy_reservation(id, context, where);
}

void detail::set_remote_reservations(base::runtime_context& runtime, remote_reservations* others) noexcept {
  runtime.get<event_table>(base::floor_slot::event)->reservations_elsewhere.store(others, std::memory_order_release);
}

reservation_state* detail::find_reservation(reservation_id id, event_table& table) noexcept {
  auto* all = static_cast<reservation_table*>(table.reservations.get());
  return all ? all->find(id) : nullptr;
}

bool detail::destroy_reservation(reservation_id id, base::thread_context& context, const std::source_location& where) {
  auto& cache = event_cache::of(context);
  reservation_state* h = find_reservation(id, *cache.table);
  if (!h) return false;
  const failure_ref why = gone_while_waiting(id, h->where(), where);
  const auto left = h->stop();
  reservations_of(*cache.table).destroy(id);
  if (auto* others = cache.table->reservations_elsewhere.load(std::memory_order_acquire)) others->destroyed(id, why);
  fail_waiters(left, why, context);
  return true;
}

void detail::fail_waiters(const reservation_state::waiting& left, const failure_ref& why,
                          base::thread_context& context) noexcept {
  auto& cache = event_cache::of(context);
  for (waiter* w = left.local; w;) {
    waiter* next = w->next;
    finish(slot::of(*w), why.get(), cache, context);
    w = next;
  }
  if (left.remote) fire(left.remote, why.get(), cache, context);
}

failure_ref detail::released_unheld(reservation_id id, const std::source_location& created,
                                    const std::source_location& where) {
  return make_failure(std::make_exception_ptr(not_held(id, created, where)), "release of " + name_of(id), where);
}

failure_ref detail::gone_before(reservation_id id, const std::source_location& where) {
  return make_failure(std::make_exception_ptr(error("E32", name_of(id) + " no longer exists")
                                                  .fact("acquired", where)
                                                  .because("it was destroyed before the acquire could take effect")
                                                  .remedy("destroy a reservation after its last release")),
                      name_of(id), where);
}

std::uint16_t detail::home_of_reservation(reservation_id id) noexcept { return reservation_table::node_of(id); }

void detail::add_reservations(event_table& table, base::wait_walk& walk) {
  reservations_of(table).for_each(table.node,
                                  [&](reservation_id id, reservation_state& h) { add_reservation(id, h, walk); });
}

void detail::add_reservation(reservation_id id, reservation_state& h, base::wait_walk& walk) {
  const auto holder = h.holder();
  if (!holder) return;
  const std::uint32_t node = walk.at(base::wait_kind::reservation, base::value_of(id));
  walk[node].kind = base::wait_kind::reservation;
  walk[node].name = name_of(id);
  if (h.where().line()) walk[node].created_at = short_location(h.where());
  walk[node].held_by = holder->line() ? "the acquire at " + short_location(*holder) : base::held_elsewhere;
}

std::string to_string(const reservation& r) { return name_of(reservation_id{r.id_}); }

}  // namespace stretto

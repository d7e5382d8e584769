#include <stretto/barrier.hpp>

#include <stretto/error.hpp>

#include <cstring>
#include <new>

#include "base/order_observer.hpp"
#include "base/snapshot_read.hpp"
#include "event/calling_thread.hpp"
#include "event/derived_event.hpp"
#include "event/event_wait_graph.hpp"
#include "event/object_table.hpp"
#include "event/phases.hpp"
#include "event/remote_barrier.hpp"
#include "event/wait_cycle.hpp"

namespace stretto {

using namespace detail;

namespace {

using barrier_table = object_table<phases, barrier_id>;

barrier_table& barriers_of(event_table& table) {
  std::call_once(table.barriers_once, [&] { table.barriers = std::make_shared<barrier_table>(); });
  return *static_cast<barrier_table*>(table.barriers.get());
}

std::string name_of(barrier_id id, std::uint64_t phase) {
  return "barrier B" + std::to_string(barrier_table::index_of(id)) + " phase " + std::to_string(phase);
}

[[gnu::cold, gnu::noinline]] void refuse_gone(barrier_id id, std::uint64_t phase, event_cache& cache,
                                              const std::source_location& where) {
  const bool has_id = id != barrier_id();
  if (has_id && barrier_table::node_of(id) != cache.node)
    throw error("E03", name_of(id, phase) + " belongs to another runtime")
        .fact("its node", std::to_string(barrier_table::node_of(id)))
        .fact("this node", std::to_string(cache.node))
        .because("independent runtimes of one process share no barriers")
        .remedy("use the barrier on the runtime that made it");
  throw error("E22", has_id ? name_of(id, phase) + " no longer exists" : "a default barrier was used")
      .fact("used", where)
      .because(has_id ? "it was destroyed before" : "a barrier made without create() is empty")
      .remedy(has_id ? "destroy a barrier after its last use" : "make it with barrier::create(arrivals)");
}

inline phases& find(barrier_id id, std::uint64_t phase, event_cache& cache, const std::source_location& where) {
  auto* table = static_cast<barrier_table*>(cache.table->barriers.get());
  if (id != barrier_id() && barrier_table::node_of(id) == cache.node && table) [[likely]]
    if (phases* p = table->find(id)) [[likely]]
      return *p;
  refuse_gone(id, phase, cache, where);
  __builtin_unreachable();
}

/// The interface to barriers of other nodes if `id` is one of them; null for barriers of this node and invalid ids.
inline remote_barriers* remote_interface_of(barrier_id id, event_cache& cache) noexcept {
  if (barrier_table::node_of(id) == cache.node || id == barrier_id()) [[likely]]
    return nullptr;
  auto* others = cache.table->barriers_elsewhere.load(std::memory_order_acquire);
  return others && others->reaches(id) ? others : nullptr;
}

phase_fold as_phase_fold(const value_fold* f) noexcept {
  return f ? phase_fold{f->bytes, f->begin, f->apply} : phase_fold{};
}

[[gnu::cold, gnu::noinline]] void refuse_arrival(phases& p, barrier_id id, std::uint64_t phase, std::uint32_t count,
                                                 phases::outcome why, const std::source_location& where) {
  error refusal("E21", name_of(id, phase) + (why == phases::outcome::past ? " has already completed"
                                                                          : " has more arrivals than it expects"));
  refusal.fact("created", p.where()).fact("arrived", where);
  if (why == phases::outcome::too_many) {
    const auto [expected, announced] = p.expected_and_announced(phase);
    refusal.fact("expected", std::to_string(expected))
        .fact("announced", std::to_string(announced))
        .fact("this call", std::to_string(count) + " more");
  }
  throw std::move(refusal)
      .because("a phase counts only as many arrivals as it expects")
      .remedy("arrive at the next phase (advance), or raise the count before with alter_arrival_count");
}

/// Arrivals that are announced to the phase and take effect when their precondition ends.
struct late_arrival : waiter {
  barrier_id id;
  std::uint64_t phase;
  std::uint32_t count;
  std::size_t bytes;  // of the value; 0 if none
  alignas(std::max_align_t) std::byte inline_value[event_table::record_bytes - 80];
  std::byte* heap_value = nullptr;
  const value_fold* fold;
  std::source_location where;

  const void* value() const noexcept { return !bytes ? nullptr : heap_value ? heap_value : inline_value; }

  static late_arrival* make(event_cache& cache, barrier_id id, std::uint64_t phase, std::uint32_t count,
                            const void* value, std::size_t bytes, const value_fold* fold,
                            const std::source_location& where) {
    auto* late = new (cache.records.allocate()) late_arrival;
    late->fire = take_effect;
    late->id = id;
    late->phase = phase;
    late->count = count;
    late->where = where;
    late->fold = fold;
    late->bytes = value ? bytes : 0;
    if (late->bytes > sizeof late->inline_value) late->heap_value = static_cast<std::byte*>(::operator new(bytes));
    if (late->bytes) std::memcpy(late->heap_value ? late->heap_value : late->inline_value, value, bytes);
    return late;
  }

  static void take_effect(waiter& self, const failure* cause, base::thread_context& context) noexcept {
    auto& late = static_cast<late_arrival&>(self);
    auto& cache = event_cache::of(context);
    if (auto* others = remote_interface_of(late.id, cache)) [[unlikely]]
      others->arrive(late.id, late.phase, late.count, cause, late.value(), as_phase_fold(late.fold), context,
                     late.where);
    else if (phases* p = find_barrier(late.id, *cache.table))
      p->complete_arrivals(late.phase, late.count, cause, late.value(), context, late.where);
    if (late.heap_value) ::operator delete(late.heap_value);
    cache.records.free(&late);
  }
};
static_assert(sizeof(late_arrival) <= event_table::record_bytes);

void refuse_own_phase(phases& p, dependency when, barrier_id id, std::uint64_t phase, event_cache& cache,
                      const std::source_location& where) {
  for (const event e : p.asked_from(phase))
    if (leads_to(when, e, cache))
      throw error("E23", "an arrival at " + name_of(id, phase) + " would wait for that phase or a later one")
          .fact("created", p.where())
          .fact("arrived", where)
          .because("the phase waits for the arrival, and the arrival waits for the phase")
          .remedy("arrive after something else, or wait for an earlier phase");
}

/// Arrives at a barrier of another node, which receives the arrivals once their precondition has ended.
void arrive_elsewhere(barrier_id id, std::uint64_t phase, const void* value, const value_fold* fold, dependency when,
                      std::uint32_t count, base::thread_context& context, const std::source_location& where) {
  auto& cache = event_cache::of(context);
  const bool now = has_ended(when, cache);
  const std::size_t bytes = fold ? fold->bytes : 0;
  if (now)
    return remote_interface_of(id, cache)->arrive(id, phase, count, cause_of(when, cache).get(), value,
                                                  as_phase_fold(fold), context, where);
  auto* late = late_arrival::make(cache, id, phase, count, value, bytes, fold, where);
  if (!subscribe(when, *late, cache, context)) late_arrival::take_effect(*late, cause_of(when, cache).get(), context);
}

void arrive_after(barrier_id id, std::uint64_t phase, const void* value, const value_fold* fold, dependency when,
                  std::uint32_t count, base::thread_context& context, const std::source_location& where) {
  auto& cache = event_cache::of(context);
  if (remote_interface_of(id, cache)) return arrive_elsewhere(id, phase, value, fold, when, count, context, where);
  phases& p = find(id, phase, cache, where);
  const std::size_t bytes = value ? p.value_bytes() : 0;
  const bool now = has_ended(when, cache);
  if (!now) refuse_own_phase(p, when, id, phase, cache, where);
  late_arrival* late = now ? nullptr : late_arrival::make(cache, id, phase, count, value, bytes, fold, where);
  if (const auto result = p.announce(phase, count); result != phases::outcome::done) {
    if (late) {
      ::operator delete(late->heap_value);
      cache.records.free(late);
    }
    refuse_arrival(p, id, phase, count, result, where);
  }
  if (now) p.complete_arrivals(phase, count, cause_of(when, cache).get(), value, context, where);
  else if (!subscribe(when, *late, cache, context))
    late_arrival::take_effect(*late, cause_of(when, cache).get(), context);
}

}  // namespace

barrier barrier::create(std::uint32_t arrivals, std::source_location where) {
  return create(arrivals, value_fold{}, where);
}

barrier barrier::create(std::uint32_t arrivals, const value_fold& fold, std::source_location where) {
  auto& cache = event_cache::of(caller("barrier::create"));
  if (arrivals > most_arrivals)
    throw error("E20", "a barrier cannot expect " + std::to_string(arrivals) + " arrivals")
        .fact("created", where)
        .fact("at most", std::to_string(most_arrivals))
        .remedy("use one barrier per group of tasks, and merge their events or let them arrive at another barrier");
  const auto id = barriers_of(*cache.table).create(cache.node, [&](phases& p) {
    p.start(arrivals, {fold.bytes, fold.begin, fold.apply}, where);
  });
  return barrier(base::value_of(id), 0);
}

void barrier::arrive(std::uint32_t count, std::source_location where) const {
  const barrier_id id{id_};
  auto& context = caller("barrier::arrive");
  auto& cache = event_cache::of(context);
  if (auto* others = remote_interface_of(id, cache)) [[unlikely]]
    return others->arrive(id, phase_, count, nullptr, nullptr, {}, context, where);
  phases& p = find(id, phase_, cache, where);
  if (const auto result = p.arrive(phase_, count, context, where); result != phases::outcome::done) [[unlikely]]
    refuse_arrival(p, id, phase_, count, result, where);
}

void barrier::arrive(stretto::event when, std::uint32_t count, std::source_location where) const {
  arrive_after(barrier_id{id_}, phase_, nullptr, nullptr, when, count, caller("barrier::arrive"), where);
}

void barrier::arrive(std::span<const dependency> when, std::uint32_t count, std::source_location where) const {
  arrive_with(nullptr, nullptr, when, count, where);
}

void barrier::arrive_with(const void* value, const value_fold* fold, std::span<const dependency> when,
                          std::uint32_t count, std::source_location where) const {
  auto& context = caller("barrier::arrive");
  arrive_after(barrier_id{id_}, phase_, value, fold, when.size() == 1 ? when[0] : make_merge(when, context, where),
               count, context, where);
}

void detail::alter_for_node(barrier_id id, std::uint64_t phase, std::int32_t delta, base::thread_context& context,
                            const std::source_location& where) {
  phases& p = find(id, phase, event_cache::of(context), where);
  const auto result = p.alter(phase, delta, context);
  if (result == phases::outcome::done) return;
  const bool is_past = result == phases::outcome::past, is_below = result == phases::outcome::too_few;
  error refusal("E24", "the arrival count of " + name_of(id, phase) + " cannot change by " + std::to_string(delta));
  refusal.fact("created", p.where()).fact("altered", where);
  if (!is_past) refusal.fact("expected", std::to_string(p.expected_and_announced(phase).first));
  throw std::move(refusal)
      .because(is_past ? "the phase has already completed"
               : is_below
                   ? "this phase or a later one would expect fewer arrivals than have been made, or a negative number"
                   : "a phase expects at most " + std::to_string(barrier::most_arrivals) + " arrivals")
      .remedy(is_past    ? "alter a later phase, or alter while one of your arrivals is still expected"
              : is_below ? "lower the count before these tasks arrive"
                         : "arrive once per group");
}

stretto::event barrier::alter_arrival_count(std::int32_t delta, std::source_location where) const {
  const barrier_id id{id_};
  auto& context = caller("barrier::alter_arrival_count");
  if (auto* others = remote_interface_of(id, event_cache::of(context)))
    return others->alter(id, phase_, delta, context, where);
  alter_for_node(id, phase_, delta, context, where);
  return {};
}

bool barrier::has_triggered() const {
  const barrier_id id{id_};
  auto& cache = event_cache::of(caller("barrier::has_triggered"));
  if (auto* others = remote_interface_of(id, cache)) [[unlikely]]
    return others->has_ended(id, phase_);
  return find(id, phase_, cache, std::source_location::current()).has_ended(phase_);
}

stretto::event barrier::event(std::source_location where) const {
  const barrier_id id{id_};
  auto& context = caller("barrier::event");
  if (context.observer) context.observer->synchronised(context);  // a phase that has ended has no event
  if (auto* others = remote_interface_of(id, event_cache::of(context)))
    return others->event_at(id, phase_, context, where);
  return find(id, phase_, event_cache::of(context), where).event_at(phase_, context, where);
}

void barrier::destroy(std::source_location where) const {
  const barrier_id id{id_};
  auto& context = caller("barrier::destroy");
  if (auto* others = remote_interface_of(id, event_cache::of(context)))
    return others->destroy(id, phase_, context, where);
  destroy_barrier(id, phase_, context, where);
}

bool barrier::result_into(void* value, std::size_t bytes) const {
  const barrier_id id{id_};
  const auto where = std::source_location::current();
  auto& cache = event_cache::of(caller("barrier::result"));
  auto* others = remote_interface_of(id, cache);
  phases* p = others ? nullptr : &find(id, phase_, cache, where);
  failure_ref cause;
  switch (others ? others->value(id, phase_, value, bytes, cause) : p->value(phase_, value, cause)) {
    case phases::value_state::pending: return false;
    case phases::value_state::ready: return true;
    case phases::value_state::poisoned: cause->raise();
    case phases::value_state::forgotten: break;
  }
  throw error("E26", "the value of " + name_of(id, phase_) + " is no longer stored")
      .fact("created", p ? short_location(p->where()) : std::string())
      .because("a barrier keeps the values of its last 8 phases")
      .remedy("get the result of a phase before 8 more have completed");
}

void detail::set_remote_barriers(base::runtime_context& runtime, remote_barriers* others) noexcept {
  runtime.get<event_table>(base::floor_slot::event)->barriers_elsewhere.store(others, std::memory_order_release);
}

phases* detail::find_barrier(barrier_id id, event_table& table) noexcept {
  auto* all = static_cast<barrier_table*>(table.barriers.get());
  return all ? all->find(id) : nullptr;
}

std::uint16_t detail::home_of_barrier(barrier_id id) noexcept { return barrier_table::node_of(id); }

void detail::arrive_for_node(barrier_id id, std::uint64_t phase, std::uint32_t count, const failure* cause,
                             const void* value, base::thread_context& context, const std::source_location& where) {
  phases& p = find(id, phase, event_cache::of(context), where);
  if (const auto result = p.announce(phase, count); result != phases::outcome::done)
    refuse_arrival(p, id, phase, count, result, where);
  p.complete_arrivals(phase, count, cause, p.value_bytes() ? value : nullptr, context, where);
}

void detail::destroy_barrier(barrier_id id, std::uint64_t phase, base::thread_context& context,
                             const std::source_location& where) {
  auto& cache = event_cache::of(context);
  phases& p = find(id, phase, cache, where);
  const failure_ref why =
      make_failure(std::make_exception_ptr(error("E25", name_of(id, phase) + " was destroyed while work waited for it")
                                               .fact("created", p.where())
                                               .fact("destroyed", where)
                                               .remedy("destroy a barrier after its last phase has completed")),
                   name_of(id, phase), where);
  barriers_of(*cache.table).destroy(id);
  if (auto* others = cache.table->barriers_elsewhere.load(std::memory_order_acquire)) others->destroyed(id, why);
  p.stop(why, context);
}

failure_ref detail::barrier_gone(barrier_id id, std::uint64_t phase, const std::source_location& where) {
  return make_failure(std::make_exception_ptr(error("E22", name_of(id, phase) + " no longer exists")
                                                  .because("it was destroyed before")
                                                  .remedy("destroy a barrier after its last use")),
                      name_of(id, phase), where);
}

std::size_t detail::poison_lacking_phases(const failure_ref& cause, base::thread_context& context,
                                          std::vector<event>& asked) {
  event_table& table = *event_cache::of(context).table;
  std::vector<std::pair<phases*, std::uint64_t>> incomplete;  // with the last phase whose event was requested
  barriers_of(table).for_each(table.node, [&](barrier_id, phases& p) {
    const auto awaited = p.awaited_phases();
    for (const auto& one : awaited) asked.push_back(one.asked);
    if (!awaited.empty()) incomplete.emplace_back(&p, awaited.back().phase);
  });
  std::size_t ended = 0;
  for (const auto& [p, last] : incomplete) ended += p->poison_missing_arrivals(last, cause, context);
  return ended;
}

void detail::add_barriers(event_table& table, base::wait_walk& walk) {
  using base::wait_kind;
  barriers_of(table).for_each(table.node, [&](barrier_id id, phases& p) {
    for (const auto& one : p.awaited_phases()) {
      const std::uint32_t node = walk.at(wait_kind::barrier, key_of_phase(id, one.phase));
      walk[node].kind = wait_kind::barrier;
      walk[node].name = name_of(id, one.phase);
      walk[node].created_at = short_location(p.where());
      walk[node].expected = one.expected;
      walk[node].arrived = one.arrived;
      walk[node].announced = one.announced;
      for (const auto& where : one.arrived_at) walk[node].arrived_at.push_back(short_location(where));
      const std::uint32_t asked = walk.at(wait_kind::event, one.asked.raw());
      walk[asked].is_promised = true;
      walk.link(asked, node);
    }
  });
  for (const auto& [w, target] : walk.linked) {
    const base::snapshot_copy<waiter> head(w);
    if (!head || head->fire != late_arrival::take_effect) continue;
    if (const base::snapshot_copy<late_arrival> late(w); late)
      walk.link(walk.at(wait_kind::barrier, key_of_phase(late->id, late->phase)), target);
  }
}

std::string to_string(const barrier& b) { return name_of(barrier_id{b.id_}, b.phase_); }

}  // namespace stretto

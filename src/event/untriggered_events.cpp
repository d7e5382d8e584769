#include <stretto/error.hpp>

#include <algorithm>
#include <vector>

#include "event/event_floor.hpp"
#include "event/event_trigger.hpp"
#include "event/event_wait_graph.hpp"
#include "event/phases.hpp"

namespace stretto::detail {
namespace {

failure_ref never_triggered(const std::source_location& made) {
  auto why = std::make_exception_ptr(
      error("E14", "the runtime ended before the program triggered an event that work waited for")
          .fact("created", made)
          .because("only the program can trigger a user event")
          .remedy("trigger or poison it on every path"));
  return make_failure(std::move(why), "event at " + short_location(made), made);
}

/// Poisons events that have a waiter and that no operation of the runtime will end, except those in `but`.
template <class WhyOf>
std::size_t poison_awaited(base::thread_context& context, std::span<const event> but, WhyOf&& why_of) noexcept {
  auto& cache = event_cache::of(context);
  std::size_t poisoned = 0;
  for (std::uint32_t i = 0; i < cache.table->carved(); ++i) {
    slot& s = cache.table->at(i);
    const auto word = s.word.load(std::memory_order_acquire);
    const auto generation = slot::generation_in(word);
    if (!slot::list_in(word) || s.is_claimed(generation) || s.is_of_operation(generation)) continue;
    if (!but.empty() && std::ranges::find(but, handle_of(cache.node, i, generation)) != but.end()) continue;
    poisoned +=
        poison_slot(s, generation, why_of(s.where.load(std::memory_order_relaxed)), ended_by::program, cache, context);
  }
  return poisoned;
}

}  // namespace

std::size_t poison_untriggered(base::thread_context& context) noexcept {
  return poison_awaited(context, {}, never_triggered);
}

std::size_t poison_stuck(base::thread_context& context, const failure_ref& why) noexcept {
  // Events of phases end with their phases, so that other nodes that wait for a phase are notified in the usual way.
  std::vector<event> of_phases;
  const std::size_t phases = poison_lacking_phases(why, context, of_phases);
  return phases +
         poison_awaited(context, of_phases, [&](const std::source_location&) { return failure_ref::share(why.get()); });
}

}  // namespace stretto::detail

#include <stretto/error.hpp>

#include "event/ending.hpp"
#include "event/event_floor.hpp"

namespace stretto::detail {

std::size_t poison_forsaken(base::thread_context& context) noexcept {
  auto& cache = event_cache::of(context);
  std::size_t poisoned = 0;
  for (std::uint32_t i = 0; i < cache.table->carved(); ++i) {
    slot& s = cache.table->at(i);
    const auto word = s.word.load(std::memory_order_acquire);
    const auto generation = slot::generation_in(word);
    if (!slot::list_in(word) || s.is_claimed(generation) || s.is_of_operation(generation)) continue;
    const auto where = s.where.load(std::memory_order_relaxed);
    auto why = std::make_exception_ptr(error("E14", "the runtime ended, and nobody had triggered an event that work waited for")
                                           .fact("made", where)
                                           .because("only the program can trigger a user event")
                                           .remedy("trigger or poison it on every path"));
    const bool ended = poison_slot(s, generation, make_failure(std::move(why), "event at " + short_location(where), where),
                                   ended_by::program, cache, context);
    poisoned += ended;
  }
  return poisoned;
}

}  // namespace stretto::detail

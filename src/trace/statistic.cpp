#include <stretto/statistics.hpp>

#include "base/context.hpp"
#include "trace/counters.hpp"

namespace stretto {

// Modules measure with the steady clock, so these counters hold nanoseconds where those of tasks hold ticks.
void statistic::add(std::uint64_t count, std::chrono::nanoseconds time, std::uint64_t bytes) const {
  if (!in_) return;
  const auto ns = static_cast<std::uint64_t>(time.count());
  base::thread_context* const thread = base::current();
  if (auto* mine = thread ? thread->get<trace::counters::slab>(base::floor_slot::trace) : nullptr)
    mine->add(id_, count, ns, bytes);
  else in_->add_from_anywhere(id_, count, ns, bytes);
}

}  // namespace stretto

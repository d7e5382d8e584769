#include "sched/start.hpp"

#include "sched/polling.hpp"
#include "sched/running.hpp"
#include "sched/scopes.hpp"
#include "sched/waiting.hpp"

namespace stretto::sched {

std::unique_ptr<scheduler> start(base::runtime_context& runtime, scheduler_paths paths,
                                 const scheduler_settings& settings) {
  auto s = std::make_unique<scheduler>(runtime, std::move(paths), settings);
  s->root = open_scope(*s->workers[0], std::source_location::current());
  for (auto& w : s->workers) reserve_stack(*w);
  if (!settings.stepped)
    for (std::uint32_t i = 1; i < s->workers.size(); ++i)
      s->workers[i]->thread = std::thread([w = s->workers[i].get()] { run_thread(*w); });
  if (settings.polls) settings.polls->begin(*s);
  return s;
}

void stop(scheduler& s, const std::function<void()>& last) noexcept {
  worker& first = *s.workers[0];
  enter_worker(first);
  s.draining.store(true, std::memory_order_seq_cst);
  s.wake_all();  // whoever falls asleep last from now on looks for what is forsaken
  wait_for_scope(*s.root);
  if (last) {
    last();
    wait_for_scope(*s.root);
  }
  if (s.polls) s.polls->end();
  leave_worker(first);
  s.stop.store(true, std::memory_order_release);
  s.wake_all();
  for (auto& w : s.workers)
    if (w->thread.joinable()) w->thread.join();
  // Freeing records and scopes needs a thread's caches.
  base::thread_context* const before = base::set_current(&first);
  close_scope(first, s.root);
  base::set_current(before);
}

}  // namespace stretto::sched

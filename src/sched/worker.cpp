#include "sched/worker.hpp"

namespace stretto::sched {

worker::worker(scheduler& s, base::runtime_context& r, std::uint32_t number, std::size_t places, worker_paths p,
               const adaptive_spin& before_sleep, std::uint64_t seed)
    : paths(p), queues(places), random(seed * 0x9e3779b97f4a7c15u + number + 1), spin(before_sleep) {
  owner = &s;
  as_worker = this;
  runtime = &r;
  index = number;
  default_queue = &queue_at(paths.pop->front());
}

worker::~worker() {
  for (auto& q : queues) delete q.load(std::memory_order_relaxed);
}

deque& worker::queue_at(std::uint16_t place) {
  if (deque* q = queues[place].load(std::memory_order_relaxed)) return *q;
  auto* q = new deque;
  queues[place].store(q, std::memory_order_release);
  pop_order.clear();
  for (const auto p : *paths.pop)
    if (deque* mine = queues[p].load(std::memory_order_relaxed)) pop_order.push_back(mine);
  return *q;
}

}  // namespace stretto::sched

#include "data/staged_copy_queue.hpp"

#include <stretto/error.hpp>

#include <algorithm>

#include "data/operation.hpp"

namespace stretto::data {

std::vector<memory_space*> staged_copy_queue::route(const operation_request& r) const {
  memory_space* const from = r.used[1].record->space;
  memory_space* const to = r.used[0].record->space;
  std::vector<stop> stops;
  std::size_t first = 0, last = 0;
  for (const auto& m : state_.memories) {
    if (m.get() == from) first = stops.size();
    if (m.get() == to) last = stops.size();
    stops.push_back({m->where(), m->kind()});
  }
  // Memory of the program is not a place; it is reached like system memory. A distant place holds no buffers.
  const auto add_end = [&](const memory_space* end, std::size_t& at) {
    if (end && state_.find(end->where()) == end) return;
    at = stops.size();
    stops.push_back(end ? stop{end->where(), end->kind()} : stop{place{}, place_kind::system_memory});
  };
  add_end(from, first);
  add_end(to, last);
  std::vector<memory_space*> memories;
  for (const std::size_t i : cheapest_route(stops, *state_.settings.channels, first, last, r.bytes))
    memories.push_back(i < state_.memories.size() ? state_.memories[i].get() : nullptr);
  // A route must not stage in the memories of its ends.
  for (std::size_t i = 1; i + 1 < memories.size(); ++i)
    if (!memories[i]) return {};
  if (!memories.empty()) memories.front() = from, memories.back() = to;
  return memories;
}

void staged_copy_queue::require_route(const operation_request& r) const {
  const auto name = [](const memory_space* m) { return m ? "\"" + m->name() + "\"" : std::string("program memory"); };
  if (r.kind->only_moves && r.used_count == 2 && !route(r).empty()) return;
  error e("D12", std::string("no route for this ") + r.kind->verb + " between the memories of its instances");
  e.fact("submitted", r.where);
  if (r.used_count > 1) e.fact("from", name(r.used[1].record->space));
  throw std::move(e)
      .fact("to", name(r.used[0].record->space))
      .because(r.kind->only_moves
                   ? "no sequence of registered channels joins them"
                   : "only copies, fills and reductions reach memory that the processor does not address")
      .remedy("copy to a memory that the processor addresses first, or register a channel");
}

void staged_copy_queue::start(operation& op, base::thread_context& context) {
  {
    std::scoped_lock lock(mutex_);
    queued_.push_back(&op);
  }
  start_waiting(context);
}

void staged_copy_queue::start_waiting(base::thread_context& context) noexcept {
  for (;;) {
    operation* failed = nullptr;
    staged_copy* ready = nullptr;
    failure_ref cause;
    {
      std::scoped_lock lock(mutex_);
      if (queued_.empty() || active_.size() >= most_active) return;
      operation* const op = queued_.front();
      try {
        auto copy = std::make_unique<staged_copy>(state_, *this, *op, route(op->request));
        if (copy->reserve() || (active_.empty() && copy->reserve_on_heap())) {
          op->hops = copy->hops();
          if (op->profile) op->profile->mark_started(context);
          ready = copy.get();
          active_.push_back(std::move(copy));
        } else if (!active_.empty()) {
          return;  // the end of an active copy frees its buffers
        } else {
          throw error("D12", std::string("no space for one element in a memory between those of this ") +
                                 op->request.kind->verb)
              .fact("submitted", op->request.where)
              .because("its route passes through a memory that instances fill completely")
              .remedy("leave some of that memory free");
        }
      } catch (...) {
        cause = current_failure(op->request);
        failed = op;
      }
      queued_.pop_front();
    }
    if (failed) finish(*failed, std::move(cause), context);
    else ready->start(context);
  }
}

void staged_copy_queue::ended(staged_copy& copy, failure_ref cause, base::thread_context& context) noexcept {
  operation& op = copy.op();
  std::unique_ptr<staged_copy> gone;
  {
    std::scoped_lock lock(mutex_);
    const auto at = std::ranges::find_if(active_, [&](const auto& c) { return c.get() == &copy; });
    gone = std::move(*at);
    active_.erase(at);
  }
  gone.reset();
  finish(op, std::move(cause), context);
  start_waiting(context);
}

}  // namespace stretto::data

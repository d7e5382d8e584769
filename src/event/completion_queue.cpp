#include <stretto/completion_queue.hpp>

#include <new>

#include "base/spin_lock.hpp"
#include "event/calling.hpp"
#include "base/order_observer.hpp"
#include "event/waiting.hpp"

namespace stretto {

using namespace detail;

namespace {
struct record;
}

struct completion_queue::state {
  base::spin_lock lock;
  waiter* first = nullptr;  // records of what has ended
  waiter* last = nullptr;
  std::size_t ended = 0, pending = 0;
  event awaited;  // of nonempty(), while there is nothing; the default event if nobody has asked
  event_table* table = nullptr;

  ~state();
};

namespace {

/// One add: waits, then queues itself.
struct record : waiter {
  record(std::shared_ptr<void> q, void (*f)(record&, base::thread_context&) noexcept, event e)
      : queue(std::move(q)), arrive(f), which(e) {}
  std::shared_ptr<void> queue;  // while pending
  void (*arrive)(record&, base::thread_context&) noexcept;
  event which;
  failure_ref cause;

  static void take_effect(waiter& self, const failure* cause, base::thread_context& context) noexcept {
    auto& r = static_cast<record&>(self);
    r.cause = failure_ref::share(cause);
    r.arrive(r, context);
  }
};
static_assert(sizeof(record) <= event_table::record_bytes);

}  // namespace

completion_queue::state::~state() {
  // Whoever lets go last has a cache, unless the runtime's threads have left: then the table frees the memory.
  auto* context = base::current();
  auto* cache = context ? context->get<event_cache>(base::floor_slot::event) : nullptr;
  for (waiter* w = first; w;) {
    auto* r = static_cast<record*>(w);
    w = w->next;
    r->~record();
    if (cache && cache->table == table) cache->records.free(r);
  }
}

completion_queue completion_queue::create() {
  auto made = std::make_shared<state>();
  made->table = event_cache::of(caller("completion_queue::create")).table;
  return completion_queue(std::move(made));
}

void completion_queue::add(event e, std::source_location) const {
  auto& context = caller("completion_queue::add");
  auto& cache = event_cache::of(context);
  has_ended(e, cache);  // refuses foreign events before anything has changed
  const auto arrive = [](record& r, base::thread_context& context) noexcept {
    const auto queue = std::static_pointer_cast<state>(std::move(r.queue));
    event happened;
    r.next = nullptr;
    {
      std::scoped_lock lock(queue->lock);
      if (queue->last)
        queue->last->next = &r;
      else
        queue->first = &r;
      queue->last = &r;
      ++queue->ended;
      --queue->pending;
      happened = std::exchange(queue->awaited, event());
    }
    auto& cache = event_cache::of(context);
    if (happened != event())
      trigger_slot(cache.table->at(happened), generation_of(happened), ended_by::program, cache, context);
  };
  auto* r = new (cache.records.allocate()) record(state_, arrive, e);
  r->fire = record::take_effect;
  {
    std::scoped_lock lock(state_->lock);
    ++state_->pending;
  }
  if (!subscribe(e, *r, cache, context)) record::take_effect(*r, cause_of(e, cache).get(), context);
}

std::size_t completion_queue::pop(std::span<entry> out) const {
  base::thread_context& context = caller("completion_queue::pop");
  if (context.observer) context.observer->synchronised(context);
  auto& cache = event_cache::of(context);
  waiter* taken;
  std::size_t count = 0;
  {
    std::scoped_lock lock(state_->lock);
    taken = state_->first;
    while (state_->first && count < out.size()) {
      state_->first = state_->first->next;
      ++count;
    }
    if (!state_->first) state_->last = nullptr;
    state_->ended -= count;
  }
  for (std::size_t i = 0; i < count; ++i) {
    auto* r = static_cast<record*>(taken);
    taken = taken->next;
    out[i] = {r->which, r->cause ? wait_result(r->cause->as_exception()) : wait_result()};
    r->~record();
    cache.records.free(r);
  }
  return count;
}

std::vector<completion_queue::entry> completion_queue::pop(std::size_t at_most) const {
  std::vector<entry> entries(std::min(at_most, size().ended));
  entries.resize(pop(std::span(entries)));
  return entries;
}

event completion_queue::nonempty(std::source_location where) const {
  auto& context = caller("completion_queue::nonempty");
  std::scoped_lock lock(state_->lock);
  if (state_->first) return {};
  if (state_->awaited == event()) state_->awaited = make_program_event(context, where);
  return state_->awaited;
}

completion_queue::sizes completion_queue::size() const {
  std::scoped_lock lock(state_->lock);
  return {state_->ended, state_->pending};
}

}  // namespace stretto

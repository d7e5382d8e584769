#include <stretto/completion_queue.hpp>

#include <stretto/error.hpp>

#include <mutex>
#include <new>
#include <unordered_map>

#include "base/order_observer.hpp"
#include "base/spin_lock.hpp"
#include "event/calling_thread.hpp"
#include "event/derived_event.hpp"
#include "event/remote_queue.hpp"

namespace stretto {

using namespace detail;

namespace {
struct record;
}

struct completion_queue::state {
  base::spin_lock lock;
  waiter* first = nullptr;  // records of events that have ended
  waiter* last = nullptr;
  std::size_t ended = 0, pending = 0;
  event awaited;  // the event of nonempty() while the queue is empty; the default event if none was requested
  event_table* table = nullptr;
  std::uint64_t name = 0;  // on other nodes; 0: not sent to any. Guarded by the lock of queues_by_name

  ~state();
};

/// The queues of a runtime that have been sent to other nodes.
struct detail::queues_by_name {
  static constexpr unsigned number_bits = 48;  // of a name; the node is above
  static std::uint16_t node_of(std::uint64_t name) noexcept { return static_cast<std::uint16_t>(name >> number_bits); }

  std::mutex lock;
  std::uint64_t last = 0;
  std::unordered_map<std::uint64_t, std::shared_ptr<completion_queue::state>> all;
};

namespace {

queues_by_name& queues_of(event_table& table) {
  std::call_once(table.queues_once, [&] { table.queues = std::make_shared<queues_by_name>(); });
  return *static_cast<queues_by_name*>(table.queues.get());
}

/// One added event: waits for it, then queues itself.
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
  // The thread that drops the last reference has a cache, unless the runtime's threads have left: then the table frees
  // the memory.
  auto* context = base::current();
  auto* cache = context ? context->get<event_cache>(base::floor_slot::event) : nullptr;
  for (waiter* w = first; w;) {
    auto* r = static_cast<record*>(w);
    w = w->next;
    r->~record();
    if (cache && cache->table == table) cache->records.free(r);
  }
}

namespace {

/// The interface to the queue of that name on another node. Throws E03 or E27 if there is none.
remote_queues& elsewhere(std::uint64_t name, event_cache& cache, const std::source_location& where) {
  const std::uint16_t node = queues_by_name::node_of(name);
  if (name && node != cache.node) {
    remote_queues* const others = cache.table->queues_elsewhere.load(std::memory_order_acquire);
    if (others && others->reaches(node)) return *others;
    throw error("E03", "a completion queue belongs to another runtime")
        .fact("used", where)
        .fact("its node", std::to_string(node))
        .fact("this node", std::to_string(cache.node))
        .because("independent runtimes of one process share no queues")
        .remedy("use the queue on the runtime that made it");
  }
  throw error("E27", name ? "a completion queue no longer exists" : "a default completion queue was used")
      .fact("used", where)
      .because(name ? "it was destroyed before" : "a queue made without create() is empty")
      .remedy(name ? "destroy a queue after its last use on other nodes" : "make it with completion_queue::create()");
}

}  // namespace

std::uint64_t completion_queue::name_elsewhere() const {
  if (!state_) return name_;
  queues_by_name& known = queues_of(*state_->table);
  const std::scoped_lock lock(known.lock);
  if (!state_->name) state_->name = std::uint64_t{state_->table->node} << queues_by_name::number_bits | ++known.last;
  known.all.try_emplace(state_->name, state_);
  return state_->name;
}

completion_queue completion_queue::named(std::uint64_t name) {
  completion_queue q;
  q.name_ = name;
  auto* const context = base::current();
  if (!name || !context || context->runtime->node != queues_by_name::node_of(name)) return q;
  queues_by_name& known = queues_of(*event_cache::of(*context).table);
  const std::scoped_lock lock(known.lock);
  if (const auto found = known.all.find(name); found != known.all.end()) q.state_ = found->second;
  return q;
}

void completion_queue::destroy(std::source_location where) const {
  auto& cache = event_cache::of(caller("completion_queue::destroy"));
  if (!state_) return elsewhere(name_, cache, where).destroy(queues_by_name::node_of(name_), *this, where);
  queues_by_name& known = queues_of(*cache.table);
  std::shared_ptr<state> last;  // released after the lock
  const std::scoped_lock lock(known.lock);
  if (const auto found = known.all.find(state_->name); found != known.all.end()) {
    last = std::move(found->second);
    known.all.erase(found);
  }
}

void detail::set_remote_queues(base::runtime_context& runtime, remote_queues* others) noexcept {
  runtime.get<event_table>(base::floor_slot::event)->queues_elsewhere.store(others, std::memory_order_release);
}

completion_queue completion_queue::create() {
  auto made = std::make_shared<state>();
  made->table = event_cache::of(caller("completion_queue::create")).table;
  return completion_queue(std::move(made));
}

void completion_queue::add(event e, std::source_location where) const {
  auto& context = caller("completion_queue::add");
  auto& cache = event_cache::of(context);
  if (!state_) return elsewhere(name_, cache, where).add(queues_by_name::node_of(name_), *this, e, where);
  has_ended(e, cache);  // refuses foreign events before anything has changed
  const auto arrive = [](record& r, base::thread_context& context) noexcept {
    const auto queue = std::static_pointer_cast<state>(std::move(r.queue));
    event happened;
    r.next = nullptr;
    {
      std::scoped_lock lock(queue->lock);
      if (queue->last) queue->last->next = &r;
      else queue->first = &r;
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

std::size_t completion_queue::pop(std::span<entry> out, std::source_location where) const {
  base::thread_context& context = caller("completion_queue::pop");
  if (!state_) {
    remote_queues& there = elsewhere(name_, event_cache::of(context), where);
    const std::vector<event> ended = there.pop(queues_by_name::node_of(name_), *this, out.size(), where);
    for (std::size_t i = 0; i < ended.size(); ++i) out[i] = {ended[i], ended[i].result()};
    return ended.size();
  }
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

std::vector<completion_queue::entry> completion_queue::pop(std::size_t at_most, std::source_location where) const {
  std::vector<entry> entries(std::min(at_most, size(where).ended));
  if (!entries.empty()) entries.resize(pop(std::span(entries), where));
  return entries;
}

event completion_queue::nonempty(std::source_location where) const {
  auto& context = caller("completion_queue::nonempty");
  if (!state_)
    return elsewhere(name_, event_cache::of(context), where).nonempty(queues_by_name::node_of(name_), *this, where);
  std::scoped_lock lock(state_->lock);
  if (state_->first) return {};
  if (state_->awaited == event()) state_->awaited = make_program_event(context, where);
  return state_->awaited;
}

completion_queue::sizes completion_queue::size(std::source_location where) const {
  if (!state_) {
    auto& cache = event_cache::of(caller("completion_queue::size"));
    const auto [ended, pending] = elsewhere(name_, cache, where).size(queues_by_name::node_of(name_), *this, where);
    return {ended, pending};
  }
  std::scoped_lock lock(state_->lock);
  return {state_->ended, state_->pending};
}

}  // namespace stretto

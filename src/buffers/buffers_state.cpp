#include "buffers/buffers_state.hpp"

namespace stretto::buffers {

std::string describe(const buffer_record& b) { return describe(b.id, b.name); }

task_outcome buffers_state::carry_out(std::span<const graph::command> of, std::span<const graph::instruction> all,
                                      const task_work& work, base::thread_context& context) {
  if (record) record->add(0, of, all);
  if (!dry) return executor.run(all, work, check, context);
  dry->count(of, all);
  return {};
}

std::optional<event> buffers_state::clear(buffers_state& s, place memory, base::thread_context& context) {
  const buffers_lock held(s);
  const std::optional<graph::memory_number> m = s.executor.memory_number_of(memory);
  if (!s.runtime || !m || s.dry) return std::nullopt;
  std::vector<graph::instruction> all;
  s.instructions.clear(*m, all);
  if (all.empty()) return std::nullopt;
  s.carry_out({}, all, {}, context);
  return s.executor.last(all.size(), std::source_location::current());
}

namespace {

sched::worker* worker_here() noexcept {
  const sched::thread_state* const t = sched::this_thread();
  return t ? t->as_worker : nullptr;
}

/// Released buffers that no pending launch names; the others stay in the list.
std::vector<graph::buffer_id> take_released(buffers_state& s) {
  std::vector<graph::buffer_id> now;
  const std::uint64_t taken = s.pending ? s.pending->popped_count() : 0;
  const std::scoped_lock lock(s.released_mutex);
  std::erase_if(s.released, [&](const buffers_state::released_buffer& g) {
    if (g.behind > taken) return false;
    now.push_back(g.is);
    return true;
  });
  if (s.released.empty()) s.has_released.store(false, std::memory_order_relaxed);
  return now;
}

}  // namespace

buffers_lock::buffers_lock(buffers_state& s) : s_(s), here_(worker_here()) {
  s_.mutex.lock();
  s_.holder.store(std::this_thread::get_id(), std::memory_order_relaxed);
  if (here_) ++here_->spawn_suspension_disabled;
}

buffers_lock::~buffers_lock() {
  base::thread_context* const context = base::current();
  for (;;) {
    std::vector<graph::buffer_id> released;
    // After the end of the runtime their memory is freed with it. A thread outside of the runtime leaves them to the
    // next holder.
    if (s_.has_released.load(std::memory_order_acquire) && (!s_.runtime || (context && context->runtime == s_.runtime)))
      released = take_released(s_);
    if (released.empty()) break;
    for (const graph::buffer_id b : released) {
      if (!s_.runtime) continue;
      std::vector<graph::instruction> last;
      s_.tasks.remove(b);
      s_.commands.remove(b);
      s_.instructions.remove(b, last);
      if (s_.dry) s_.dry->remove(b, s_.record.get());
      s_.carry_out({}, last, {}, *context);
      s_.executor.remove(b);
    }
  }
  if (here_) --here_->spawn_suspension_disabled;
  s_.holder.store({}, std::memory_order_relaxed);
  s_.mutex.unlock();
}

buffer_record::~buffer_record() {
  if (!state) return;
  {
    const std::scoped_lock lock(state->released_mutex);
    state->released.push_back({id, state->pending ? state->pending->pushed_count() : 0});
    state->has_released.store(true, std::memory_order_release);
  }
  // the holder removes it when it unlocks
  if (state->holder.load(std::memory_order_relaxed) == std::this_thread::get_id()) return;
  const buffers_lock held(*state);
}

}  // namespace stretto::buffers

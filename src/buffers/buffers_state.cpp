#include "buffers/buffers_state.hpp"

namespace stretto::buffers {

std::string describe(const buffer_record& b) { return describe(b.id, b.name); }

task_outcome buffers_state::carry_out(std::span<const graph::command> of, std::span<const graph::instruction> all, const task_work& work,
                                      base::thread_context& context) {
  if (record) record->add(0, of, all);
  if (!dry) return doing.run(all, work, check, context);
  dry->count(of, all);
  return {};
}

holding::holding(buffers_state& s) : s_(s) {
  s_.mutex.lock();
  s_.holder.store(std::this_thread::get_id(), std::memory_order_relaxed);
}

holding::~holding() {
  base::thread_context* const context = base::current();
  for (;;) {
    std::vector<graph::buffer_id> gone;
    // Without a runtime, their memory goes with it; a thread that it does not know leaves them to the next.
    if (s_.has_gone.load(std::memory_order_acquire) && (!s_.runtime || (context && context->runtime == s_.runtime))) {
      const std::scoped_lock lock(s_.gone_mutex);
      gone.swap(s_.gone);
      s_.has_gone.store(false, std::memory_order_relaxed);
    }
    if (gone.empty()) break;
    for (const graph::buffer_id b : gone) {
      if (!s_.runtime) continue;
      std::vector<graph::instruction> last;
      s_.tasks.remove(b);
      s_.commands.remove(b);
      s_.instructions.remove(b, last);
      if (s_.dry) s_.dry->remove(b, s_.record.get());
      s_.carry_out({}, last, {}, *context);
      s_.doing.remove(b);
    }
  }
  s_.holder.store({}, std::memory_order_relaxed);
  s_.mutex.unlock();
}

buffer_record::~buffer_record() {
  if (!state) return;
  {
    const std::scoped_lock lock(state->gone_mutex);
    state->gone.push_back(id);
    state->has_gone.store(true, std::memory_order_release);
  }
  if (state->holder.load(std::memory_order_relaxed) == std::this_thread::get_id()) return;  // who removes it
  const holding held(*state);
}

}  // namespace stretto::buffers

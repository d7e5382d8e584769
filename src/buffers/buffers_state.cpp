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

std::optional<event> buffers_state::clear(buffers_state& s, place memory, base::thread_context& context) {
  const holding held(s);
  const std::optional<graph::memory_number> m = s.doing.memory_number_of(memory);
  if (!s.runtime || !m || s.dry) return std::nullopt;
  std::vector<graph::instruction> all;
  s.instructions.clear(*m, all);
  if (all.empty()) return std::nullopt;
  s.carry_out({}, all, {}, context);
  return s.doing.last(all.size(), std::source_location::current());
}

namespace {

sched::worker* worker_here() noexcept {
  const sched::thread_state* const t = sched::this_thread();
  return t ? t->as_worker : nullptr;
}

/// Those that no launch names any more; the others stay in the list.
std::vector<graph::buffer_id> take_gone(buffers_state& s) {
  std::vector<graph::buffer_id> now;
  const std::uint64_t taken = s.later ? s.later->taken_so_far() : 0;
  const std::scoped_lock lock(s.gone_mutex);
  std::erase_if(s.gone, [&](const buffers_state::gone_buffer& g) {
    if (g.behind > taken) return false;
    now.push_back(g.is);
    return true;
  });
  if (s.gone.empty()) s.has_gone.store(false, std::memory_order_relaxed);
  return now;
}

}  // namespace

holding::holding(buffers_state& s) : s_(s), here_(worker_here()) {
  s_.mutex.lock();
  s_.holder.store(std::this_thread::get_id(), std::memory_order_relaxed);
  if (here_) ++here_->spawn_suspension_disabled;
}

holding::~holding() {
  base::thread_context* const context = base::current();
  for (;;) {
    std::vector<graph::buffer_id> gone;
    // Without a runtime, their memory goes with it; a thread that it does not know leaves them to the next.
    if (s_.has_gone.load(std::memory_order_acquire) && (!s_.runtime || (context && context->runtime == s_.runtime))) gone = take_gone(s_);
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
  if (here_) --here_->spawn_suspension_disabled;
  s_.holder.store({}, std::memory_order_relaxed);
  s_.mutex.unlock();
}

buffer_record::~buffer_record() {
  if (!state) return;
  {
    const std::scoped_lock lock(state->gone_mutex);
    state->gone.push_back({id, state->later ? state->later->added_so_far() : 0});
    state->has_gone.store(true, std::memory_order_release);
  }
  if (state->holder.load(std::memory_order_relaxed) == std::this_thread::get_id()) return;  // who removes it
  const holding held(*state);
}

}  // namespace stretto::buffers

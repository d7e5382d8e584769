#include "buffers/graph_generation.hpp"

#include <stretto/error.hpp>

#include <utility>

#include "base/clock.hpp"

namespace stretto::buffers {
namespace {

void warn_of_unwritten(buffers_state& s, const graph::task& t, const graph::unwritten_read& r,
                       const std::source_location& where) {
  const bool is_reduced = r.access >= t.accesses.size();
  const graph::buffer_id b =
      is_reduced ? t.reductions[r.access - t.accesses.size()].buffer : t.accesses[r.access].buffer;
  s.warnings.warn("\"" + t.name + "\"", b, s.commands.named(b), r.where, where);
}

/// A task without accesses: a horizon or an epoch.
graph::task order_alone(graph::task_kind kind) {
  graph::task t;
  t.kind = kind;
  return t;
}

/// Requires that the task is in the task graph and has passed the checks.
task_outcome run_task(buffers_state& s, const graph::ordered_task& order, const graph::task& t, const task_work& work,
                      base::thread_context& context) {
  const std::uint64_t since = s.dry ? base::nanoseconds_now() : 0;
  s.new_commands.clear();
  s.new_instructions.clear();
  s.commands.add(order.id, t, s.new_commands);
  std::vector<graph::unwritten_read> unwritten = s.commands.take_unwritten_reads();
  if (!s.learns)  // learn mode makes every access read the whole buffer
    for (const graph::unwritten_read& r : unwritten) warn_of_unwritten(s, t, r, work.range.where);
  s.instructions.add(order.id, t, s.new_commands, s.new_instructions);
  if (s.dry) s.dry->add_generation_time(base::nanoseconds_now() - since);
  if (s.record) s.record->add(order, t, std::move(unwritten));
  if (s.dry) s.dry->add(order, t, s.record.get());
  return s.carry_out(s.new_commands, s.new_instructions, work, context);
}

task_work nothing_at(const std::source_location& where) {
  task_work w;
  w.range.where = where;
  return w;
}

}  // namespace

task_outcome submit_task(buffers_state& s, const graph::task& t, const task_work& work, base::thread_context& context) {
  // All checks come first, so that a refused task changes nothing.
  try {
    s.commands.check(t);
    // in learn mode parts may use everything, one after the other
    if (!work.learns) s.instructions.check(t, s.commands.own_chunk(t));
    if (s.dry) s.dry->check(t);
  } catch (error& e) {
    throw error(e).fact("submitted", work.range.where);
  }
  const task_outcome out = run_task(s, s.tasks.add(t), t, work, context);
  const std::uint64_t since = s.horizons.is_measured ? base::nanoseconds_now() : 0;
  if (const auto h = s.tasks.add_horizon()) {
    run_task(s, *h, order_alone(graph::task_kind::horizon), nothing_at(work.range.where), context);
    if (s.horizons.is_measured) ++s.horizons.count, s.horizons.nanoseconds += base::nanoseconds_now() - since;
    const graph::chunk_weights weights = s.weights.passed_horizon(s.instructions.weights());
    if (!weights.are_none()) {
      s.instructions.set_weights(weights);
      s.invalidate_checks();
    }
  }
  s.submitted = s.tasks.next();
  s.back_pressure = s.executor.back_pressure(most_horizons_ahead);
  return out;
}

event pass_epoch(buffers_state& s, const std::source_location& where, base::thread_context& context) {
  run_task(s, s.tasks.add_epoch(), order_alone(graph::task_kind::epoch), nothing_at(where), context);
  s.submitted = s.tasks.next();
  return s.executor.last();
}

}  // namespace stretto::buffers

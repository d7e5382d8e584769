#include "dist/job_member.hpp"

#include <stretto/error.hpp>

#include "dist/build_ids.hpp"
#include "event/event_floor.hpp"
#include "sched/scope_counting.hpp"
#include "sched/work_search.hpp"

namespace stretto::dist {
namespace {

/// True if only the task that represents the job is left.
bool is_only_job_left(const sched::finish_scope& root, std::size_t workers) noexcept {
  std::uint64_t spawned = 0, ended = 0;
  const auto each = [&](auto&& count) {
    count(root.own), count(root.outside);
    if (const sched::scope_shard* const others = root.others.load(std::memory_order_acquire))
      for (std::size_t i = 0; i < workers; ++i) count(others[i]);
  };
  // In this order: a task that ends and spawns meanwhile then counts as spawned only, and too few are never counted.
  each([&](const sched::scope_shard& s) { ended += s.ended.load(std::memory_order_acquire); });
  each([&](const sched::scope_shard& s) { spawned += s.spawned.load(std::memory_order_acquire); });
  return spawned == ended + 1;
}

}  // namespace

job_member::job_member(endpoint& e, const std::function<void(job&, failure_codec&)>& add_more)
    : job_(e.first()),
      failures_(job_),
      events_(job_),
      reservations_(job_),
      barriers_(job_),
      queues_(job_),
      ordered_(job_),
      tasks_(&job_, &ordered_),
      instances_(job_, ordered_),
      termination_(job_),
      clock_(job_) {
  if (add_more) add_more(job_, failures_);
  e.add_protocols(job_);
  job_.must_agree("program", program_build());
  job_.must_agree("Stretto", library_build());
  job_.start([&](net::handlers& all) { return e.join(all); });
  add_pending();
}

void job_member::serve(base::runtime_context& runtime) {
  events_.serve(runtime);
  reservations_.serve(runtime);
  barriers_.serve(runtime);
  queues_.serve(runtime);
}

void job_member::add_wait_edges(base::wait_walk& walk) const {
  events_.add_wait_edges(walk);
  reservations_.add_wait_edges(walk);
  barriers_.add_wait_edges(walk);
  instances_.add_wait_edges(walk);
}

void job_member::leave(sched::scheduler& s, const stretto::detail::poll_station& all) {
  // The root scope counts the job as a task, so that the drain waits for it.
  s.root->outside.spawned.fetch_add(1, std::memory_order_acq_rel);
  const auto is_idle = [this, &s, &all] {
    if (has_incoming_data() || !sched::is_idle_in_poll(s)) return false;
    return all.is_only_pending(*this) ||
           (all.may_others_never_end(*this) && is_only_job_left(*s.root, s.shard_count()));
  };
  termination_.leave({.is_idle = is_idle, .poison_untriggered = [](base::thread_context& context) {
                        return detail::poison_untriggered(context);
                      }});
  scheduler_.store(&s, std::memory_order_seq_cst);
  // A poll has failed before: no poll will end the drain.
  if (has_failed_.load(std::memory_order_seq_cst) && scheduler_.exchange(nullptr, std::memory_order_acq_rel))
    s.root->outside.spawned.fetch_sub(1, std::memory_order_acq_rel);
}

bool job_member::end(base::thread_context& context) {
  sched::scheduler* const s = scheduler_.exchange(nullptr, std::memory_order_acq_rel);
  if (s) sched::count_ended(static_cast<sched::thread_state&>(context), s->root);
  return s != nullptr;
}

std::size_t job_member::poll() {
  auto& context = base::require_current("job_member::poll");
  std::size_t found = job_.poll();
  termination_.advance(context);
  if (termination_.is_over() && end(context)) {
    remove_pending();
    ++found;
  }
  job_.end_handling_messages();
  return found;
}

void job_member::fail(std::exception_ptr why) noexcept {
  auto& context = base::require_current("job_member::fail");
  has_failed_.store(true, std::memory_order_seq_cst);
  std::string reason = "polling the network failed";
  job_.transport().abandon(why);
  try {
    std::rethrow_exception(std::move(why));
  } catch (const error& e) {
    reason += ": " + e.why();
  } catch (...) {
  }
  job_.disconnect_from_all(reason);
  termination_.mark_over();
  end(context);
}

}  // namespace stretto::dist

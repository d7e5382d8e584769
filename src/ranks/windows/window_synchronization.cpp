#include "ranks/windows/window_synchronization.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <stretto/task.hpp>
#include <utility>

#include "ranks/call_error.hpp"
#include "ranks/collectives/collectives.hpp"
#include "ranks/messages/point_to_point.hpp"
#include "ranks/process/collective_request.hpp"

namespace stretto::ranks {
namespace {

/// The tags of the messages of a window.
enum class signal : int { posted, completed };

peer peer_of(rank_window& of, int rank) { return rank::current()->node().reach(of.comm().members().local[rank]); }

envelope envelope_of(rank_window& of, int source, signal what) {
  return {point_to_point_context(of.comm().members().number), source, static_cast<int>(what)};
}

void send_signal(rank_window& of, int to, signal what, const call_site& where) {
  send({peer_of(of, to), envelope_of(of, of.rank(), what), {}}, where);
}

void wait_for_signals(rank_window& of, const std::vector<int>& from, signal what, const call_site& where) {
  for (const int rank : from) receive({rank::current()->messages(), envelope_of(of, rank, what), {}}, where);
}

/// Goes on after a target has reported the error of an access, since other ranks wait; throws the first error at the
/// end.
class first_error {
 public:
  template <class Body>
  void attempt(const Body& body) {
    try {
      body();
    } catch (const call_error&) {
      if (!error_) error_ = std::current_exception();
    }
  }
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  std::exception_ptr error_;
};

/// Calls of targets that have begun, by `start(target)`: so their messages travel at once.
template <class Start>
void call_targets(rank_window& of, first_error& errors, const call_site& where, const Start& start) {
  std::vector<target_call_owner> begun;
  for (int rank = 0; rank < of.size(); ++rank)
    if (auto call = start(of.target(rank))) begun.push_back(std::move(call));
  for (const target_call_owner& call : begun) errors.attempt([&] { call->wait(where); });
}

void flush_targets(rank_window& of, first_error& errors, const call_site& where) {
  call_targets(of, errors, where, [&](window_target& target) { return target.start_flush(where); });
}

/// Ranks that lock several targets, all in the same order, must not wait for each other.
void acquire_in_order(rank_window& of, const call_site& where) {
  for (int rank = 0; rank < of.size(); ++rank)
    if (of.epochs.is_locked(rank)) of.target(rank).acquire(where);
}

/// A program that waits in a loop for what another rank of its worker writes lets that rank run.
void let_others_run(const call_site& where) {
  if (sched::this_thread()) yield(where);
}

}  // namespace

void wait_for_all_ranks(rank_window& of, const call_site& where) {
  collective_owner barrier = make_collective(of.comm());
  build_barrier(barrier->steps(), barrier->group());
  perform(std::move(barrier), where);
}

void fence(rank_window& of, int assertions, const call_site& where) {
  of.epochs.check_fence();
  first_error errors;
  flush_targets(of, errors, where);
  wait_for_all_ranks(of, where);
  const bool is_last = assertions & window_assertion::no_succeed;
  of.epochs.pass_fence(is_last ? access_epochs::succession::no_accesses : access_epochs::succession::more_accesses);
  errors.rethrow();
}

void post(rank_window& of, const std::vector<int>& origins, int assertions) {
  of.epochs.check_post();
  of.epochs.post();
  for (const int origin : origins)
    of.awaited.push_back(start_receive({rank::current()->messages(), envelope_of(of, origin, signal::completed), {}}));
  if (assertions & window_assertion::no_check) return;
  for (const int origin : origins) send_signal(of, origin, signal::posted, call_site::current());
}

void wait_for_accesses(rank_window& of, const call_site& where) {
  of.epochs.check_exposed();
  for (const request_owner& one : of.awaited) {
    wait_for(*one, where);
    one->deactivate();
  }
  of.awaited.clear();
  of.epochs.end_exposure();
}

bool test_accesses(rank_window& of, const call_site& where) {
  of.epochs.check_exposed();
  if (std::ranges::all_of(of.awaited, [](const request_owner& one) { return one->is_done(); })) {
    wait_for_accesses(of, where);
    return true;
  }
  let_others_run(where);
  return false;
}

void start(rank_window& of, const std::vector<int>& targets, int assertions, const call_site& where) {
  of.epochs.check_start();
  if (!(assertions & window_assertion::no_check)) wait_for_signals(of, targets, signal::posted, where);
  of.epochs.start(targets);
}

void complete(rank_window& of, const call_site& where) {
  const std::vector<int> targets = of.epochs.complete();
  std::vector<target_call_owner> flushes;
  for (const int target : targets) flushes.push_back(of.target(target).start_flush(where));
  first_error errors;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    if (flushes[i]) errors.attempt([&] { flushes[i]->wait(where); });
    send_signal(of, targets[i], signal::completed, where);
  }
  errors.rethrow();
}

void lock(rank_window& of, int target, lock_mode mode, const call_site& where) {
  of.epochs.check_lock(target);
  if (of.epochs.has_locks()) acquire_in_order(of, where);
  of.target(target).lock(mode, where);
  of.epochs.lock(target, mode);
}

void unlock(rank_window& of, int target, const call_site& where) {
  of.epochs.unlock(target);
  of.target(target).unlock(where);
  let_others_run(where);
}

void lock_all(rank_window& of, const call_site& where) {
  of.epochs.check_lock_all();
  for (int rank = 0; rank < of.size(); ++rank) of.target(rank).lock(lock_mode::shared, where);
  of.epochs.lock_all();
}

void unlock_all(rank_window& of, const call_site& where) {
  of.epochs.unlock_all();
  first_error errors;
  call_targets(of, errors, where, [&](window_target& target) { return target.start_unlock(where); });
  let_others_run(where);
  errors.rethrow();
}

void flush(rank_window& of, int target, const call_site& where) {
  of.epochs.check_locked(target);
  of.target(target).flush(where);
  let_others_run(where);
}

void flush_all(rank_window& of, const call_site& where) {
  of.epochs.check_any_locked();
  first_error errors;
  flush_targets(of, errors, where);
  let_others_run(where);
  errors.rethrow();
}

void synchronize_memory() {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  let_others_run(call_site::current());
}

}  // namespace stretto::ranks

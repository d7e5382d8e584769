// schedule_run.cpp - the loop over the steps of a schedule.
#include "ranks/collectives/schedule_run.hpp"

#include <algorithm>

namespace stretto::ranks {

bool schedule_run::start(const schedule& steps, int tag) {
  schedule_ = &steps;
  tag_ = tag;
  next_ = 0;
  is_in_wait_ = false;
  error_.store(static_cast<int>(error_class::success), std::memory_order_relaxed);
  has_ended_.store(false, std::memory_order_relaxed);
  reset_states(steps.transfers());
  return advance();
}

void schedule_run::reset_states(transfer_number transfers) {
  if (transfers > capacity_) {
    more_states_ = std::make_unique<std::atomic<std::uint8_t>[]>(transfers);
    capacity_ = transfers;
  }
  for (transfer_number i = 0; i < transfers; ++i) state(i).store(pending, std::memory_order_relaxed);
}

bool schedule_run::advance() {
  const auto& steps = schedule_->steps();
  for (; next_ < steps.size(); ++next_) {
    const schedule_step& step = steps[next_];
    if (const auto* transfer = std::get_if<transfer_step>(&step)) {
      execute(*transfer);
    } else if (const auto* wait = std::get_if<wait_step>(&step)) {
      if (!try_pass(*wait)) return false;
    } else if (const auto* copy = std::get_if<copy_step>(&step)) {
      copy_part(copy->to, copy->from);
    } else {
      const auto& combine = std::get<combine_step>(step);
      schedule_->operation_of_steps()(combine.in, combine.inout, combine.count);
    }
  }
  if (!try_pass({0, schedule_->transfers()})) return false;
  has_ended_.store(true, std::memory_order_release);
  return true;
}

void schedule_run::execute(const transfer_step& step) {
  const schedule_transfer transfer{step.peer, message_tag(tag_, step.peer.side), step.data, this, step.number};
  if (step.which == transfer_step::direction::send) port_->post_send(transfer);
  else port_->post_receive(transfer);
}

/// Passes the wait if its transfers have completed; else the run is suspended, and complete() reports the first one
/// that is missing.
bool schedule_run::try_pass(const wait_step& step) {
  if (!is_in_wait_) next_awaited_ = step.first;
  for (; next_awaited_ < step.last; ++next_awaited_) {
    std::atomic<std::uint8_t>& current = state(next_awaited_);
    if (current.load(std::memory_order_acquire) == completed) continue;
    std::uint8_t before = pending;
    is_in_wait_ = true;
    if (current.compare_exchange_strong(before, awaited, std::memory_order_acq_rel)) return false;
  }
  is_in_wait_ = false;
  return true;
}

bool schedule_run::complete(transfer_number number, error_class error) {
  if (error != error_class::success) {
    int none = static_cast<int>(error_class::success);
    error_.compare_exchange_strong(none, static_cast<int>(error), std::memory_order_acq_rel);
  }
  return state(number).exchange(completed, std::memory_order_acq_rel) == awaited;
}

}  // namespace stretto::ranks

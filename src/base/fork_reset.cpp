#include "base/fork_reset.hpp"

#include <pthread.h>

#include <atomic>

namespace stretto::base {
namespace {

constinit std::atomic<const fork_reset*> newest{nullptr};

}  // namespace

void fork_reset::reset_all() noexcept {
  for (const fork_reset* r = newest.load(std::memory_order_acquire); r; r = r->next_) r->function_(r->of_);
}

void fork_reset::add() noexcept {
  next_ = newest.load(std::memory_order_relaxed);
  while (!newest.compare_exchange_weak(next_, this, std::memory_order_acq_rel)) {
  }
  if (!next_) ::pthread_atfork(nullptr, nullptr, reset_all);
}

}  // namespace stretto::base

#include "demo/wave/interrupt.hpp"

#include <csignal>

namespace stretto::wave {
namespace {

std::atomic<bool> is_requested{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may not wait for a lock");

struct sigaction before;

void remember(int) { is_requested.store(true, std::memory_order_relaxed); }

}  // namespace

interrupt::interrupt() {
  is_requested.store(false);
  struct sigaction ours {};
  ours.sa_handler = remember;
  ours.sa_flags = SA_RESTART | SA_RESETHAND;
  sigemptyset(&ours.sa_mask);
  sigaction(SIGINT, nullptr, &before);
  // Where Ctrl-C is ignored, as for a job in the background, it stays so.
  if (before.sa_handler != SIG_IGN) sigaction(SIGINT, &ours, nullptr);
}

interrupt::~interrupt() { sigaction(SIGINT, &before, nullptr); }

const std::atomic<bool>& interrupt::wished() const { return is_requested; }

}  // namespace stretto::wave

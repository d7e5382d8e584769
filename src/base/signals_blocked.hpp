// signals_blocked.hpp - blocks all signals while a thread is started: the new thread inherits the mask, so the
// program's handlers never run on it.
//
// Threads     the calling thread's own mask.
#pragma once

#include <pthread.h>
#include <signal.h>

namespace stretto::base {

class signals_blocked {
 public:
  signals_blocked() noexcept {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  signals_blocked(const signals_blocked&) = delete;
  ~signals_blocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_;
};

}  // namespace stretto::base

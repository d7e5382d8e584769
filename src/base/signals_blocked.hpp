// signals_blocked.hpp - for the making of a thread that takes no signals: it inherits the mask, and the program's
// handlers run elsewhere.
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

#include "base/fork_delay.hpp"

#include <pthread.h>

#include <mutex>

namespace stretto::base {
namespace {

constinit std::mutex forking;

// The child's only thread is the one that forked, so it holds the lock there, too.
[[maybe_unused]] const int registered =
    ::pthread_atfork([] { forking.lock(); }, [] { forking.unlock(); }, [] { forking.unlock(); });

}  // namespace

fork_delay::fork_delay() { forking.lock(); }
fork_delay::~fork_delay() { forking.unlock(); }

}  // namespace stretto::base

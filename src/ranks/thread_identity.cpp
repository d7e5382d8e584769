#include "ranks/thread_identity.hpp"

#include <atomic>
#include <utility>

namespace stretto::ranks {
namespace {

[[gnu::tls_model("initial-exec")]] constinit thread_local const thread_identity* of_thread = nullptr;
constinit std::atomic<identity_search> search_for_task = nullptr;

[[gnu::noinline]] const thread_identity* identity_of_task() noexcept {
  const auto search = search_for_task.load(std::memory_order_relaxed);
  return search ? search() : nullptr;
}

}  // namespace

// Reads and writes of the variable are calls: its address differs after a suspension.
[[gnu::noinline]] const thread_identity* identity_of_thread() noexcept {
  if (!of_thread) [[unlikely]]
    return identity_of_task();
  return of_thread;
}

[[gnu::noinline]] const thread_identity* set_identity(const thread_identity* one) noexcept {
  return std::exchange(of_thread, one);
}

void set_identity_search(identity_search search) noexcept { search_for_task.store(search, std::memory_order_relaxed); }

}  // namespace stretto::ranks

#include "ranks/thread_identity.hpp"

#include <atomic>
#include <utility>

// A plain name, for the assembly in the header. Of a shared libstretto it is exported, for the functions of MPI.
extern "C" {
[[gnu::tls_model("initial-exec"),
  gnu::visibility("protected")]] constinit thread_local const stretto::ranks::thread_identity* stretto_thread_identity =
    nullptr;
}

namespace stretto::ranks {
namespace {

constinit std::atomic<identity_search> search_for_task = nullptr;

}  // namespace

const thread_identity* read_stored_identity() noexcept {
  asm volatile("");  // keeps callers from treating two calls as one
  return stretto_thread_identity;
}

const thread_identity* identity_of_task() noexcept {
  const auto search = search_for_task.load(std::memory_order_relaxed);
  return search ? search() : nullptr;
}

[[gnu::noinline]] const thread_identity* set_identity(const thread_identity* one) noexcept {
  return std::exchange(stretto_thread_identity, one);
}

void set_identity_search(identity_search search) noexcept { search_for_task.store(search, std::memory_order_relaxed); }

}  // namespace stretto::ranks

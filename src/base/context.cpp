#include "base/context.hpp"

#include <stretto/error.hpp>

// A plain name, for the assembly in config.hpp.
extern "C" {
[[gnu::tls_model("initial-exec"), gnu::visibility("protected")]] constinit thread_local void* stretto_thread_slot =
    nullptr;
}

namespace stretto::base {

void* read_thread_slot() noexcept {
  asm volatile("");  // keeps callers from treating two calls as one
  return stretto_thread_slot;
}

thread_context& require_current(const char* verb) {
  if (thread_context* context = current()) return *context;
  throw error("B20", std::string("\"") + verb + "\" was called on a thread that belongs to no runtime")
      .because("only a runtime's own threads and threads attached to it may use its handles")
      .remedy("call it inside runtime::run, or hold a stretto::attached_thread on this thread");
}

thread_context* set_current(thread_context* context) noexcept {
  thread_context* before = current();
  stretto_thread_slot = context;
  return before;
}

}  // namespace stretto::base

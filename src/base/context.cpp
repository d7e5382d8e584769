#include "base/context.hpp"

#include <stretto/error.hpp>

namespace stretto::base {
namespace {
thread_local thread_context* this_thread = nullptr;
}

thread_context* current() noexcept {
  asm volatile("");  // keeps callers from treating two calls as one
  return this_thread;
}

thread_context& require_current(const char* verb) {
  if (thread_context* context = current()) return *context;
  throw error("B20", std::string("\"") + verb + "\" was called on a thread that belongs to no runtime")
      .because("a runtime's own threads, and threads attached to it, may use its handles")
      .remedy("call it inside runtime::run, or hold a stretto::attachment on this thread");
}

thread_context* set_current(thread_context* context) noexcept {
  thread_context* before = this_thread;
  this_thread = context;
  return before;
}

}  // namespace stretto::base

#include "sched/debugger.hpp"

#include <memory>
#include <mutex>

#include "base/fork_reset.hpp"

using namespace stretto::sched;

debugged* stretto_debug_schedulers = nullptr;

namespace stretto::sched {
namespace {

constinit std::mutex changing;
const base::fork_reset debugged_in_child([]() noexcept { std::construct_at(&changing); });

}  // namespace

debugged::debugged(scheduler& s) noexcept : shown(&s) {
  const std::scoped_lock lock(changing);
  next = stretto_debug_schedulers;
  stretto_debug_schedulers = this;
  asm volatile("" : : "r"(stretto_debug_layout));  // keeps the table in the binary, although the program never reads it
}

debugged::~debugged() {
  const std::scoped_lock lock(changing);
  debugged** at = &stretto_debug_schedulers;
  while (*at != this) at = &(*at)->next;
  *at = next;
}

}  // namespace stretto::sched

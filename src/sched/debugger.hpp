// debugger.hpp - where tools/gdb/stretto_gdb.py finds schedulers and their stacks, also without debug information.
//
// Threads     debugged: any.
// Cost        two stores for each suspension and each continuation; a list node for each scheduler.
// Invariants  a stack that was left in the middle of a task names its suspension until that continues.
#pragma once

#include <cstddef>

namespace stretto::sched {

struct scheduler;

/// While it lives, a debugger finds the scheduler. One for each.
class debugged {
 public:
  explicit debugged(scheduler& s) noexcept;
  debugged(const debugged&) = delete;
  ~debugged();

  scheduler* const shown;
  debugged* next = nullptr;
};

/// The offset of a member, or a size, in bytes.
struct layout_entry {
  const char* name;
  std::size_t bytes;
};

}  // namespace stretto::sched

extern "C" {
extern stretto::sched::debugged* stretto_debug_schedulers;
/// Ends with a null name.
extern const stretto::sched::layout_entry stretto_debug_layout[];
}

// debugger.hpp - lets tools/gdb/stretto_gdb.py find schedulers and their stacks, also without debug information.
//
// Threads     debugged: any.
// Cost        two stores for each suspension and each resumption; a list node for each scheduler.
// Invariants  the stack of a suspended task points to its suspension until the task resumes.
#pragma once

#include <cstddef>

namespace stretto::sched {

struct scheduler;

/// Registers a scheduler with debuggers while it lives. One for each scheduler.
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

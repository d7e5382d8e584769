// process_wide.hpp - objects that all runtimes of a process share: made at their first use, never destroyed, reset in a
// forked child.
//
//     registry& of_process() {
//       static registry& one = base::make_process_wide<registry>();
//       return one;
//     }
//
// Each is an exception to the rule that state belongs to a runtime: an address, a thread, a driver or a file that the
// process has once.
//
// Threads     any; the compiler's guard of the static reference orders the construction before all uses, which
//             ThreadSanitizer does not see. The object's own lock orders the uses.
// Cost        two allocations, once; they are freed by the end of the process.
// Invariants  (1) threads and destructors of static objects may use the object after main has ended. (2) A forked child
//             finds it reset, with free locks, before fork() returns there; what it owned in the parent is leaked.
#pragma once

#include <type_traits>
#include <utility>

#include "base/fork_reset.hpp"
#include "base/tsan_ignore.hpp"

namespace stretto::base {

/// Makes an object that lives as long as the process, from `arguments`. `reset` gets its address in a forked child, on
/// the child's only thread, and neither waits nor allocates.
template <class T, class... Arguments>
T& make_process_wide(fork_reset::function reset, Arguments&&... arguments) {
  const tsan_ignore_scope here;
  T* const one = new T(std::forward<Arguments>(arguments)...);
  static_cast<void>(new fork_reset(reset, one));  // the list of resets holds it
  return *one;
}
/// The same with a default T, over which a forked child constructs a fresh one.
template <class T>
T& make_process_wide() {
  return make_process_wide<T>(construct_anew<T>);
}

/// The result of a function, constant and as long-lived: a forked child keeps it.
template <class Function>
const std::invoke_result_t<Function>& make_process_constant(const Function& make) {
  const tsan_ignore_scope here;
  return *new const std::invoke_result_t<Function>(make());
}

}  // namespace stretto::base

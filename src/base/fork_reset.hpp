// fork_reset.hpp - resets process-wide objects in a forked child.
//
// fork() copies only the calling thread. A lock that another thread held stays locked in the child, and data that the
// thread was changing stays inconsistent. The child therefore gets fresh objects before fork() returns there. A runtime
// of the child needs nothing of its parent (docs/guide/lifetime.md).
//
//     std::mutex changing;
//     const base::fork_reset in_child([]() noexcept { std::construct_at(&changing); });
//
// Threads     any. Resets run in the child, on its only thread. They neither wait nor allocate; the old objects are
//             leaked.
// Limits      a child that is forked while another thread makes the process's first runtime may find it half made.
#pragma once

#include <memory>

namespace stretto::base {

/// Lives as long as the process, or as the library that contains it.
class fork_reset {
 public:
  using function = void (*)(void* of) noexcept;

  fork_reset(function f, void* of) noexcept : function_(f), of_(of) { add(); }
  explicit fork_reset(void (*f)() noexcept) noexcept
      : fork_reset([](void* g) noexcept { reinterpret_cast<void (*)() noexcept>(g)(); }, reinterpret_cast<void*>(f)) {}
  fork_reset(const fork_reset&) = delete;

 private:
  void add() noexcept;
  static void reset_all() noexcept;

  const function function_;
  void* const of_;
  const fork_reset* next_ = nullptr;
};

/// Constructs a fresh T over one that is never destroyed: the usual reset of process_wide.hpp.
template <class T>
void construct_anew(void* of) noexcept {
  std::construct_at(static_cast<T*>(of));
}

}  // namespace stretto::base

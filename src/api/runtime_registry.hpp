// runtime_registry.hpp - the runtimes of this process to which threads can be attached. A thread may try to attach to a
// runtime that has just ended.
//
// Threads     any.
#pragma once

#include <functional>

namespace stretto {

class runtime;

namespace detail {

/// Threads may attach from now on.
void register_runtime(const runtime& r);
/// No thread can attach any more.
void unregister_runtime(const runtime& r) noexcept;
/// The same, unless `is_in_use` returns true; no thread can attach during that call. Returns whether it was removed.
bool unregister_runtime_unless(const runtime& r, const std::function<bool()>& is_in_use) noexcept;
/// Calls `attach` while `r` cannot be removed; returns false, without the call, if `r` is not registered.
bool with_registered(const runtime& r, const std::function<void()>& attach);

}  // namespace detail
}  // namespace stretto

// runtime_registry.hpp - which runtimes of this process can be attached to: a thread may try it when a runtime has just
// ended.
//
// Threads     any.
#pragma once

#include <functional>

namespace stretto {

class runtime;

namespace detail {

/// From its start on.
void register_runtime(const runtime& r);
/// No thread attaches any more.
void unregister_runtime(const runtime& r) noexcept;
/// The same, unless `is_in_use`, which is asked while no thread can attach. Whether it was forgotten.
bool unregister_runtime_unless(const runtime& r, const std::function<bool()>& is_in_use) noexcept;
/// Calls `attach` while `r` cannot be forgotten; false, and nothing is called, if it is not known.
bool with_registered(const runtime& r, const std::function<void()>& attach);

}  // namespace detail
}  // namespace stretto

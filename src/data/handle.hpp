// handle.hpp - finds the record of an instance handle, or throws an error that says why not.
//
// Threads     any thread of a runtime.
// Cost        three loads and two comparisons.
#pragma once

#include <source_location>

#include "base/context.hpp"
#include "data/instance_record.hpp"

namespace stretto::data {

/// The record of a valid handle. A handle is valid until the destruction of the instance has taken effect, since
/// operations that the destruction waits for may be submitted after it. Throws D01 or D13.
detail::instance_record& usable(const detail::instance_handle& h, const char* verb, base::thread_context& context,
                                const std::source_location& where);
[[noreturn]] void refuse_destroyed(const detail::instance_handle& h, const char* verb,
                                   const std::source_location& where);

[[noreturn]] void refuse_outside(const char* verb, const box& part, const detail::instance_record& r,
                                 const std::source_location& where);
/// Throws D06 unless the instance has all of `part`.
inline void require_inside(const char* verb, const box& part, const detail::instance_record& r,
                           const std::source_location& where) {
  if (!r.shape.box.contains(part)) [[unlikely]]
    refuse_outside(verb, part, r, where);
}

}  // namespace stretto::data

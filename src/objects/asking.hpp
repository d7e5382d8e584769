// asking.hpp - what a program asks of an object, checked.
//
// Threads     any thread of the runtime; no lock is needed.
#pragma once

#include <stretto/kernel_code.hpp>

#include "objects/task.hpp"

namespace stretto::objects {

/// Throws A02 for what names nothing here.
object_record& usable(const detail::object_handle& h, const char* verb, base::thread_context& context, const std::source_location& where);
/// Throws A05.
void require_inside(const object_record& o, const box& part, const char* verb, const std::source_location& where);

data::usage usage_of(access mode) noexcept;
data::usage usage_of(const kernel_parameter& p);

}  // namespace stretto::objects

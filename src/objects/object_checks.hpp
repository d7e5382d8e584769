// asking.hpp - what a program asks of an object, checked.
//
// Threads     any thread of the runtime; no lock is needed.
#pragma once

#include <stretto/kernel_code.hpp>

#include "objects/task.hpp"

namespace stretto::objects {

/// What has elements, in the words of an error: "A02", "an object", "object".
struct has_elements {
  const char *code, *one, *type;
};
/// `names`: a record of another runtime, or null.
[[noreturn]] void refuse_handle(const has_elements& what, const void* names, const char* verb, const std::source_location& where);
/// The record behind a handle of this runtime. Throws that code for what names nothing here.
template <class Record>
Record& record_of(Record* r, const has_elements& what, const char* verb, const base::thread_context& context, const std::source_location& where) {
  if (!r || r->state->runtime != context.runtime) [[unlikely]]
    refuse_handle(what, r, verb, where);
  return *r;
}

/// Throws A02 for what names nothing here.
object_record& usable(const detail::object_handle& h, const char* verb, base::thread_context& context, const std::source_location& where);
/// Throws A05.
void require_inside(const object_record& o, const box& part, const char* verb, const std::source_location& where);

data::usage usage_of(access mode) noexcept;
data::usage usage_of(const kernel_parameter& p);

}  // namespace stretto::objects

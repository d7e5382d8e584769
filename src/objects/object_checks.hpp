// object_checks.hpp - checks of the arguments that a program passes to calls on objects.
//
// Threads     any thread of the runtime; no lock is needed.
#pragma once

#include <stretto/kernel_code.hpp>

#include "objects/task.hpp"

namespace stretto::objects {

/// Names in errors of a thing that has elements: the error code, "an object", "object".
struct has_elements {
  const char *code, *one, *type;
};
/// Throws that error. `names`: a record of another runtime, or null.
[[noreturn]] void refuse_handle(const has_elements& what, const void* names, const char* verb,
                                const std::source_location& where);
/// Returns the record behind a handle of this runtime. Throws `what.code` for an empty handle or one of another
/// runtime.
template <class Record>
Record& record_of(Record* r, const has_elements& what, const char* verb, const base::thread_context& context,
                  const std::source_location& where) {
  if (!r || r->state->runtime != context.runtime) [[unlikely]]
    refuse_handle(what, r, verb, where);
  return *r;
}

/// Returns the record of an object. Throws A02 for an empty handle or one of another runtime.
object_record& usable(const detail::object_handle& h, const char* verb, base::thread_context& context,
                      const std::source_location& where);
/// Throws A05 unless the object has all elements of `part`.
void require_inside(const object_record& o, const box& part, const char* verb, const std::source_location& where);

data::usage usage_of(access mode) noexcept;
data::usage usage_of(const kernel_parameter& p);

}  // namespace stretto::objects

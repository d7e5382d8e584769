#include "objects/object_checks.hpp"

#include <stretto/error.hpp>

#include "data/fold_kernels.hpp"

namespace stretto::objects {

void refuse_handle(const has_elements& what, const void* names, const char* verb, const std::source_location& where) {
  const std::string one = what.one;
  throw error(what.code, verb + (" was given " + one) + (names ? " of another runtime" : " that is empty"))
      .fact("submitted", where)
      .because(names ? one + " must not outlive the runtime that created it"
                     : "it was default-constructed, or moved from by std::move")
      .remedy("create it inside the runtime that uses it: " + std::string(what.type) + "<float> u(box(0, 100))");
}

object_record& usable(const detail::object_handle& h, const char* verb, base::thread_context& context,
                      const std::source_location& where) {
  return record_of(h.get(), {"A02", "an object", "object"}, verb, context, where);
}

void require_inside(const object_record& o, const box& part, const char* verb, const std::source_location& where) {
  if (o.elements.contains(part)) return;
  throw error("A05", std::string(verb) + " uses elements outside of " + describe(o))
      .fact("submitted", where)
      .fact("part", part.text())
      .fact("object", o.elements.text())
      .remedy("use a part inside of it: intersection(part, u.elements())");
}

data::usage usage_of(access mode) noexcept {
  return mode == access::in ? data::in_use : mode == access::out ? data::out_use : data::inout_use;
}

data::usage usage_of(const kernel_parameter& p) {
  return p.mode == access::reduce ? data::reduce_use(data::reduction_of(p)) : usage_of(p.mode);
}

}  // namespace stretto::objects

#include "dist/remote_requests.hpp"

#include <stretto/error.hpp>

#include <algorithm>

#include "dist/program_constants.hpp"

namespace stretto::dist {

using verb = data::remote_operation_request::action;

namespace {

/// These actions have an operator, and two instances: a target and a source.
bool is_reduction(verb v) noexcept { return v == verb::reduce_held || v == verb::reduce_values || v == verb::fold; }

/// `self` is the name of this node.
error unknown_operator(const std::string& self, const std::source_location& where) {
  return error("N13", "node " + self + " cannot find a reduction operator that it must use")
      .fact("submitted", where)
      .because("the library that contains the operator is not loaded there, or has another version")
      .remedy("load the same libraries on every node before you use their operators");
}

}  // namespace

// Fields come from another node, which might name too few or too many instances.
bool operation_fields::is_sound() const noexcept {
  if (what == verb::gather || what == verb::scatter) return used.size() == 3;
  return used.size() == (what == verb::copy || is_reduction(what) ? 2 : 1);
}

owned_request::owned_request(const data::remote_operation_request& r)
    : is(r), boxes_(r.boxes.begin(), r.boxes.end()), value_(r.value.begin(), r.value.end()) {
  is.boxes = boxes_;
  is.value = value_;
}

operation_fields fields_of(const data::remote_operation_request& r) {
  return {.what = r.what,
          .used = {r.used.begin(), r.used.begin() + r.used_count},
          .is_whole = r.is_whole,
          .boxes = {r.boxes.begin(), r.boxes.end()},
          .shift = r.shift,
          .value = {r.value.begin(), r.value.end()},
          .reduction = {encode_kind(r.kind)},
          .contributor = r.contributor,
          .indices = r.indices};
}

// `r` points into `f`, which lives as long as the handler of its message; the result has copies.
owned_request request_of(const operation_fields& f, const std::string& self, const std::source_location& where) {
  data::remote_operation_request r{.what = f.what,
                                   .used_count = static_cast<unsigned>(f.used.size()),
                                   .is_whole = f.is_whole,
                                   .boxes = f.boxes,
                                   .shift = f.shift,
                                   .value = f.value,
                                   .kind = decode_kind(f.reduction.bits, self, where),
                                   .contributor = f.contributor,
                                   .indices = f.indices};
  if (is_reduction(f.what) && !r.kind) throw unknown_operator(self, where);
  std::ranges::copy(f.used, r.used.begin());
  return owned_request(r);
}

// An operator is a table of functions, a constant of the program: as such it has 64 bits that are valid on every node
// (program_constants.hpp).
std::uint64_t encode_kind(const detail::reduction_kind* kind) { return kind ? encode_constant(kind, sizeof *kind) : 0; }

const detail::reduction_kind* decode_kind(std::uint64_t bits, const std::string& self,
                                          const std::source_location& where) {
  if (!bits) return nullptr;
  if (const void* const found = decode_constant(bits, sizeof(detail::reduction_kind), alignof(detail::reduction_kind)))
    return static_cast<const detail::reduction_kind*>(found);
  throw unknown_operator(self, where);
}

}  // namespace stretto::dist

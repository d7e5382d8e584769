#include "dist/remote_requests.hpp"

#include <stretto/error.hpp>

#include "dist/program_constants.hpp"

namespace stretto::dist {

owned_request::owned_request(const data::remote_operation_request& r)
    : is(r), boxes_(r.boxes.begin(), r.boxes.end()), value_(r.value.begin(), r.value.end()) {
  is.boxes = boxes_;
  is.value = value_;
}

void put(writer& to, const point& p) {
  for (int a = 0; a < max_axes; ++a) to.put(p[a]);
}
void put(writer& to, const box& b) {
  put(to, b.min());
  put(to, b.max());
}
void put(writer& to, const detail::instance_handle& h) {
  to.put(static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(h.record)));
  to.put(h.key);
}

point get_point(reader& from) {
  point p;
  for (int a = 0; a < max_axes; ++a) p[a] = from.get<coordinate>();
  return p;
}
box get_box(reader& from) {
  const point min = get_point(from);
  return box::between(min, get_point(from));
}
detail::instance_handle get_handle(reader& from) {
  auto* const record =
      reinterpret_cast<detail::instance_record*>(static_cast<std::uintptr_t>(from.get<std::uint64_t>()));
  return {record, from.get<std::uint64_t>()};
}

void put(writer& to, const data::remote_operation_request& r) {
  to.put(r.what);
  to.put(static_cast<std::uint8_t>(r.used_count));
  for (unsigned i = 0; i < r.used_count; ++i) put(to, r.used[i]);
  to.put(static_cast<std::uint8_t>(r.is_whole));
  to.put(static_cast<std::uint32_t>(r.boxes.size()));
  for (const box& b : r.boxes) put(to, b);
  put(to, r.shift);
  to.put(static_cast<std::uint32_t>(r.value.size()));
  to.put_bytes(r.value);
  to.put(encode_kind(r.kind));
  to.put(r.contributor);
  to.put(r.indices);
}

owned_request get_request(reader& from, const std::string& self, const std::source_location& where) {
  data::remote_operation_request r;
  r.what = from.get<data::remote_operation_request::action>();
  r.used_count = from.get<std::uint8_t>();
  for (unsigned i = 0; i < r.used_count; ++i) r.used[i] = get_handle(from);
  r.is_whole = from.get<std::uint8_t>() != 0;
  std::vector<box> boxes(from.get<std::uint32_t>());
  for (box& b : boxes) b = get_box(from);
  r.boxes = boxes;
  r.shift = get_point(from);
  r.value = from.get_bytes(from.get<std::uint32_t>());
  r.kind = decode_kind(from.get<std::uint64_t>(), self, where);
  r.contributor = from.get<std::uint32_t>();
  r.indices = from.get<detail::index_kind>();
  return owned_request(r);
}

std::uint64_t encode_kind(const detail::reduction_kind* kind) { return kind ? encode_constant(kind, sizeof *kind) : 0; }

const detail::reduction_kind* decode_kind(std::uint64_t bits, const std::string& self,
                                          const std::source_location& where) {
  if (!bits) return nullptr;
  if (const void* const found = decode_constant(bits, sizeof(detail::reduction_kind), alignof(detail::reduction_kind)))
    return static_cast<const detail::reduction_kind*>(found);
  throw error("N13", "node " + self + " cannot find a reduction operator that it must use")
      .fact("submitted", where)
      .because("the library that contains the operator is not loaded there, or has another version")
      .remedy("load the same libraries on every node before you use their operators");
}

}  // namespace stretto::dist

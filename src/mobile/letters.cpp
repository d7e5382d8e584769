#include "mobile/letters.hpp"

#include "dist/where.hpp"

namespace stretto::mobiles {
void write_words(dist::writer& to, const far_letter& l, const passage& way, std::uint16_t node) {
  to.put(l.object);
  to.put(static_cast<std::uint64_t>(l.number));
  to.put(l.request);
  to.put(l.answered);
  to.put(l.function);
  to.put(dist::encode(l.where, node));
  to.put(l.what());
  to.put(l.from);
  to.put(l.target);
  to.put(l.priority);
  to.put(way.epoch);
  to.put(way.avoid);
  to.put(way.hops);
  to.put(static_cast<std::uint8_t>(way.is_pinned));
  to.put_text(l.name, longest_name);
  to.put(static_cast<std::uint64_t>(l.bytes().size()));
}

void write(dist::writer& to, const far_letter& l, const passage& way, std::uint16_t node) {
  write_words(to, l, way, node);
  to.put_bytes(l.bytes());
}

std::unique_ptr<far_letter> read_words(dist::reader& from, std::uint16_t node, std::uint64_t& written) {
  auto l = std::make_unique<far_letter>();
  l->object = from.get<object_id>();
  l->number = from.get<std::uint64_t>();
  l->request = from.get<std::uint64_t>();
  l->answered = from.get<std::uint64_t>();
  l->function = from.get<std::uint64_t>();
  l->where = dist::decode(from.get<std::uint64_t>(), node);
  l->kind = static_cast<std::uint64_t>(from.get<letter_kind>());
  l->from = from.get<rank>();
  l->target = from.get<rank>();
  l->priority = from.get<std::int8_t>();
  l->way.epoch = from.get<std::uint32_t>();
  l->way.avoid = from.get<rank>();
  l->way.hops = from.get<std::uint8_t>();
  l->way.is_pinned = from.get<std::uint8_t>() != 0;
  l->name = from.get_text();
  written = from.get<std::uint64_t>();
  return l;
}

std::unique_ptr<far_letter> read_letter(dist::reader& from, std::uint16_t node) {
  std::uint64_t written = 0;
  auto l = read_words(from, node, written);
  const auto bytes = from.get_bytes(written);
  l->arguments.bytes.assign(bytes.begin(), bytes.end());
  return l;
}

object_head::object_head(dist::reader& from)
    : is_kept(from.get<std::uint8_t>() == kept), is_made(from.get<std::uint8_t>() != 0), epoch(from.get<std::uint32_t>()),
      id(from.get<object_id>()), type(from.get<std::uint64_t>()), along(from.get<std::uint64_t>()),
      parts(from.get<std::uint64_t>()), name(from.get_text()) {}

void object_head::write(dist::writer& to) const {
  to.put(is_kept ? kept : unkept).put(static_cast<std::uint8_t>(is_made)).put(epoch).put(id).put(type).put(along).put(parts);
  to.put_text(name, longest_name);
}

detail::parcel arguments_of(const letter& near) {
  detail::parcel all;
  if (near.type && near.type->write_arguments) near.type->write_arguments(&near, all);
  return all;
}

std::unique_ptr<far_letter> far_copy(letter& near, object_id object, rank self, detail::parcel&& arguments) {
  auto l = std::make_unique<far_letter>();
  const sched::task_record& r = record_of(near);
  l->type = near.type;
  l->number = near.number;
  l->kind = near.kind;
  l->object = object;
  l->from = self;
  l->function = near.type ? dist::encode_constant(near.type, sizeof *near.type) : 0;
  if (kind_of(near) == letter_kind::migrate) l->target = static_cast<near_move&>(near).target;
  l->priority = r.priority;
  l->where = r.where;
  if (r.name) l->name = r.name;
  l->arguments = std::move(arguments);
  return l;
}

const detail::letter_type* letter_type_at(std::uint64_t bits) {
  const auto* const t =
      static_cast<const detail::letter_type*>(dist::decode_constant(bits, sizeof(detail::letter_type), alignof(detail::letter_type)));
  return t && t->mark == detail::letter_type_mark ? t : nullptr;
}

const detail::mobile_type* mobile_type_at(std::uint64_t bits) {
  const auto* const t =
      static_cast<const detail::mobile_type*>(dist::decode_constant(bits, sizeof(detail::mobile_type), alignof(detail::mobile_type)));
  return t && t->mark == detail::mobile_type_mark ? t : nullptr;
}

}  // namespace stretto::mobiles

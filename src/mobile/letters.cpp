#include "mobile/letters.hpp"

#include <string_view>
#include <utility>

#include "base/recycled.hpp"
#include "dist/program_constants.hpp"

namespace stretto::mobiles {
namespace {

/// What a letter begins with, but for its name.
struct letter_front {
  std::uint64_t object, number, request, answered, function, where, bytes;
  std::uint32_t epoch;
  rank from, target, avoid;
  std::uint16_t name_bytes;
  letter_kind kind;
  std::int8_t priority;
  std::uint8_t hops, is_pinned;
};

/// What few bytes are written into, before a letter takes them. Null while the thread ends. Not inlined: between two calls the task may
/// have changed its thread.
[[gnu::noinline]] std::vector<std::byte>* spare_bytes() {
  static constinit thread_local bool is_over = false;
  struct spare : std::vector<std::byte> {
    ~spare() { is_over = true; }
  };
  if (is_over) return nullptr;
  static thread_local spare bytes;
  return &bytes;
}

}  // namespace

void* far_letter::operator new(std::size_t) { return base::recycled<sizeof(far_letter)>::allocate(); }
void far_letter::operator delete(void* at) noexcept { base::recycled<sizeof(far_letter)>::free(at); }

std::shared_ptr<far_letter> new_letter() { return std::allocate_shared<far_letter>(base::recycling<far_letter>()); }

void far_letter::set_arguments(detail::parcel&& all) {
  came = nullptr;
  came_bytes = 0;
  if (all.bytes.size() <= most_few) {
    keep_few(all.bytes);
    std::vector<std::byte> written = std::exchange(all.bytes, {});
    if (auto* const spare = spare_bytes()) spare->swap(written);
  }
  const auto holds_any = [](const detail::parcel& p) { return !p.bytes.empty() || !p.along.empty(); };
  if (holds_any(all) || holds_any(arguments)) arguments = std::move(all);
}

void write_words(dist::writer& to, const far_letter& l, const passage& way, std::uint16_t node) {
  const std::string_view name = std::string_view(l.name).substr(0, longest_name);
  to.put_front(letter_front{.object = l.object,
                            .number = l.number,
                            .request = l.request,
                            .answered = l.answered,
                            .function = l.function,
                            .where = dist::encode(l.where, node),
                            .bytes = l.bytes().size(),
                            .epoch = way.epoch,
                            .from = l.from,
                            .target = l.target,
                            .avoid = way.avoid,
                            .name_bytes = static_cast<std::uint16_t>(name.size()),
                            .kind = l.what(),
                            .priority = l.priority,
                            .hops = way.hops,
                            .is_pinned = way.is_pinned});
  if (!name.empty()) to.put_bytes(std::as_bytes(std::span(name)));
}

void write(dist::writer& to, const far_letter& l, const passage& way, std::uint16_t node) {
  write_words(to, l, way, node);
  to.put_bytes(l.bytes());
}

std::unique_ptr<far_letter> read_words(dist::reader& from, std::uint16_t node, std::uint64_t& written) {
  auto l = std::make_unique<far_letter>();
  const auto f = from.get_front<letter_front>();
  l->object = f.object;
  l->number = f.number;
  l->request = f.request;
  l->answered = f.answered;
  l->function = f.function;
  l->where = dist::decode(f.where, node);
  l->kind = static_cast<std::uint64_t>(f.kind);
  l->from = f.from;
  l->target = f.target;
  l->priority = f.priority;
  l->way = {.epoch = f.epoch, .avoid = f.avoid, .hops = f.hops, .is_pinned = f.is_pinned != 0};
  if (f.name_bytes) l->name = from.get_text(f.name_bytes);
  written = f.bytes;
  return l;
}

std::unique_ptr<far_letter> read_letter(dist::reader& from, std::uint16_t node) {
  std::uint64_t written = 0;
  auto l = read_words(from, node, written);
  const auto bytes = from.get_bytes(written);
  if (bytes.size() <= far_letter::most_few) l->keep_few(bytes);
  else l->arguments.bytes.assign(bytes.begin(), bytes.end());
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
  if (auto* const spare = spare_bytes()) all.bytes.swap(*spare);
  all.bytes.clear();
  if (near.type && near.type->write_arguments) near.type->write_arguments(&near, all);
  return all;
}

std::shared_ptr<far_letter> far_copy(letter& near, object_id object, rank self, detail::parcel&& arguments) {
  std::shared_ptr<far_letter> l = new_letter();
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
  l->set_arguments(std::move(arguments));
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

#include "mobile/messages.hpp"

#include <string_view>
#include <utility>

#include "base/object_pool.hpp"
#include "dist/program_constants.hpp"

namespace stretto::mobiles {
namespace {

/// The header of a message, except for its name.
struct message_header {
  std::uint64_t object, number, request, answered_below, function, where, bytes;
  std::uint32_t epoch;
  rank from, target, avoid;
  std::uint16_t name_bytes;
  message_action action;
  std::int8_t priority;
  std::uint8_t hops, pins_object;
};

/// A buffer for short arguments before a message stores them inline. Null while the thread ends. Not inlined: the task
/// may have changed its thread between two calls.
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

void* remote_message::operator new(std::size_t) { return base::object_pool<sizeof(remote_message)>::allocate(); }
void remote_message::operator delete(void* at) noexcept { base::object_pool<sizeof(remote_message)>::free(at); }

std::shared_ptr<remote_message> make_remote_message() {
  return std::allocate_shared<remote_message>(base::pool_allocator<remote_message>());
}

void remote_message::set_arguments(detail::parcel&& all) {
  received = nullptr;
  received_bytes = 0;
  if (all.bytes.size() <= max_inline_bytes) {
    store_inline(all.bytes);
    std::vector<std::byte> written = std::exchange(all.bytes, {});
    if (auto* const spare = spare_bytes()) spare->swap(written);
  }
  const auto holds_any = [](const detail::parcel& p) { return !p.bytes.empty() || !p.along.empty(); };
  if (holds_any(all) || holds_any(arguments)) arguments = std::move(all);
}

void write_header(dist::writer& to, const remote_message& msg, const routing_state& routing, std::uint16_t node) {
  const std::string_view name = std::string_view(msg.name).substr(0, max_name_bytes);
  to.put_front(message_header{.object = msg.object,
                              .number = msg.number,
                              .request = msg.request,
                              .answered_below = msg.answered_below,
                              .function = msg.function,
                              .where = dist::encode(msg.where, node),
                              .bytes = msg.bytes().size(),
                              .epoch = routing.epoch,
                              .from = msg.from,
                              .target = msg.target,
                              .avoid = routing.avoid,
                              .name_bytes = static_cast<std::uint16_t>(name.size()),
                              .action = msg.action_taken(),
                              .priority = msg.priority,
                              .hops = routing.hops,
                              .pins_object = routing.pins_object});
  if (!name.empty()) to.put_bytes(std::as_bytes(std::span(name)));
}

void write(dist::writer& to, const remote_message& msg, const routing_state& routing, std::uint16_t node) {
  write_header(to, msg, routing, node);
  to.put_bytes(msg.bytes());
}

std::unique_ptr<remote_message> read_header(dist::reader& from, std::uint16_t node, std::uint64_t& written) {
  auto msg = std::make_unique<remote_message>();
  const auto f = from.get_front<message_header>();
  msg->object = f.object;
  msg->number = f.number;
  msg->request = f.request;
  msg->answered_below = f.answered_below;
  msg->function = f.function;
  msg->where = dist::decode(f.where, node);
  msg->action = static_cast<std::uint64_t>(f.action);
  msg->from = f.from;
  msg->target = f.target;
  msg->priority = f.priority;
  msg->routing = {.epoch = f.epoch, .avoid = f.avoid, .hops = f.hops, .pins_object = f.pins_object != 0};
  if (f.name_bytes) msg->name = from.get_text(f.name_bytes);
  written = f.bytes;
  return msg;
}

std::unique_ptr<remote_message> read_message(dist::reader& from, std::uint16_t node) {
  std::uint64_t written = 0;
  auto msg = read_header(from, node, written);
  const auto bytes = from.get_bytes(written);
  if (bytes.size() <= remote_message::max_inline_bytes) msg->store_inline(bytes);
  else msg->arguments.bytes.assign(bytes.begin(), bytes.end());
  return msg;
}

migration_header::migration_header(dist::reader& from)
    : is_retained(from.get<std::uint8_t>() == retained),
      is_constructed(from.get<std::uint8_t>() != 0),
      epoch(from.get<std::uint32_t>()),
      id(from.get<object_id>()),
      type(from.get<std::uint64_t>()),
      along(from.get<std::uint64_t>()),
      parts(from.get<std::uint64_t>()),
      name(from.get_text()) {}

void migration_header::write(dist::writer& to) const {
  to.put(is_retained ? retained : not_retained)
      .put(static_cast<std::uint8_t>(is_constructed))
      .put(epoch)
      .put(id)
      .put(type)
      .put(along)
      .put(parts);
  to.put_text(name, max_name_bytes);
}

detail::parcel arguments_of(const message& local) {
  detail::parcel all;
  if (auto* const spare = spare_bytes()) all.bytes.swap(*spare);
  all.bytes.clear();
  if (local.type && local.type->write_arguments) local.type->write_arguments(&local, all);
  return all;
}

std::shared_ptr<remote_message> to_remote(message& local, object_id object, rank self, detail::parcel&& arguments) {
  std::shared_ptr<remote_message> msg = make_remote_message();
  const sched::task_record& r = record_of(local);
  msg->type = local.type;
  msg->number = local.number;
  msg->action = local.action;
  msg->object = object;
  msg->from = self;
  msg->function = local.type ? dist::encode_constant(local.type, sizeof *local.type) : 0;
  if (action_of(local) == message_action::migrate) msg->target = static_cast<local_migration&>(local).target;
  msg->priority = r.priority;
  msg->where = r.where;
  if (r.name) msg->name = r.name;
  msg->set_arguments(std::move(arguments));
  return msg;
}

const detail::message_type* message_type_at(std::uint64_t bits) {
  const auto* const t = static_cast<const detail::message_type*>(
      dist::decode_constant(bits, sizeof(detail::message_type), alignof(detail::message_type)));
  return t && t->mark == detail::message_type_mark ? t : nullptr;
}

const detail::mobile_type* mobile_type_at(std::uint64_t bits) {
  const auto* const t = static_cast<const detail::mobile_type*>(
      dist::decode_constant(bits, sizeof(detail::mobile_type), alignof(detail::mobile_type)));
  return t && t->mark == detail::mobile_type_mark ? t : nullptr;
}

}  // namespace stretto::mobiles

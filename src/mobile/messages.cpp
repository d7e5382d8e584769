#include "mobile/messages.hpp"

#include <utility>

#include "base/object_pool.hpp"
#include "dist/program_constants.hpp"

namespace stretto::mobiles {
namespace {

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

message_header header_of(const remote_message& msg, const routing_state& routing, std::uint16_t node) {
  return {.object = msg.object,
          .number = msg.number,
          .request = msg.request,
          .answered_below = msg.answered_below,
          .function = msg.function,
          .where = dist::encode(msg.where, node),
          .epoch = routing.epoch,
          .from = msg.from,
          .target = msg.target,
          .avoid = routing.avoid,
          .action = msg.action_taken(),
          .priority = msg.priority,
          .hops = routing.hops,
          .pins_object = routing.pins_object};
}

std::unique_ptr<remote_message> from_header(const message_header& h, std::string_view name, std::uint16_t node) {
  auto msg = std::make_unique<remote_message>(h, dist::decode(h.where, node));
  if (!name.empty()) msg->name = name;
  return msg;
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

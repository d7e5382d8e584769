// buffer_messages.cpp - send_buffer: sends elements of an instance, of a span or of native memory to a function on
// another node.
#include <stretto/received_buffer.hpp>

#include <atomic>
#include <string_view>
#include <utility>

#include "data/data_state.hpp"
#include "data/handle.hpp"
#include "data/other_nodes.hpp"
#include "data/program_bytes.hpp"
#include "dist/dist_floor.hpp"
#include "event/when_ended.hpp"
#include "global/exported_span.hpp"
#include "objects/object_serialization.hpp"
#include "objects/objects_state.hpp"
#include "objects/shared_objects.hpp"

namespace stretto {

namespace global {
namespace {

using verb = objects::shared_objects::request_kind;

data::received_buffers& buffers_of(const base::thread_context& context) {
  return objects::state_of(*context.runtime)->shared->buffers;
}

/// An instance of this node, readable once the sender's preconditions have triggered.
class exported_instance final : public data::attached_array {
 public:
  exported_instance(const detail::instance_handle& in, std::shared_ptr<const void> owner, event behind) noexcept
      : in_(in), owner_(std::move(owner)), behind_(behind) {}
  void export_elements(const box&, const std::source_location&, on_exported then,
                       base::thread_context& context) override {
    detail::when_ended(
        behind_, context,
        [in = in_, owner = owner_, then = std::move(then)](const failure* cause, base::thread_context& on) {
          if (cause) then({}, {}, failure_ref::share(cause), on);
          else then(in, owner, {}, on);
        });
  }

 private:
  const detail::instance_handle in_;
  // of an instance made for this message; else null, and the program destroys the instance
  const std::shared_ptr<const void> owner_;
  const event behind_;
};

/// An instance over memory that the program got from a driver; it lives as long as the message needs it.
std::shared_ptr<const void> wrap_native_memory(detail::buffer_source& source, const std::source_location& where) {
  source.in = detail::create_instance({.memory = source.memory,
                                       .native = &*source.native,
                                       .box = box(0, static_cast<coordinate>(source.count)),
                                       .element_bytes = source.element_bytes,
                                       .alignment = source.alignment,
                                       .name = "native memory"},
                                      {}, where);
  return instance_owner(source.in, where);
}

bool has_completed(event e, base::thread_context& context) {
  return e == event() || (detail::has_ended(e, context) && !detail::cause_of(e, context));
}

/// The address of the elements in host memory if they are there now; else null.
const std::byte* content_now(const detail::buffer_source& from, event behind, base::thread_context& context,
                             const std::source_location& where) {
  if (!has_completed(behind, context)) return nullptr;
  if (!from.in.record) return static_cast<const std::byte*>(from.first);
  const detail::instance_record& r = data::usable(from.in, "send_buffer", context, where);
  return has_completed(r.ready, context) ? data::dense_bytes(from.in, r.shape.box, context) : nullptr;
}

}  // namespace
}  // namespace global

namespace detail {

using namespace global;

instance_handle received_elements(const buffer_name& is, const std::source_location& where) {
  return buffers_of(base::require_current("elements")).find({is.number, is.node}, where);
}

void keep_received(const buffer_name& is, event until, const std::source_location& where) {
  buffers_of(base::require_current("keep_until")).keep_until({is.number, is.node}, until, where);
}

void* address_of_received(const buffer_name& is, const std::source_location& where) {
  base::thread_context& context = base::require_current("address");
  const instance_record& r = data::usable(received_elements(is, where), "address", context, where);
  const bool has_address = data::is_on_host(r.space) || (r.space->of() && r.space->of()->about().backend == "cuda");
  return has_address ? r.first : nullptr;
}

buffer_name next_buffer() {
  static std::atomic<std::uint64_t> last{0};
  return {++last, base::require_current("send_buffer").runtime->node};
}

completion& send_elements(const buffer_request& request, const buffer_name& is, const buffer_source& from,
                          const remote_function_type& function, const parcel& arguments, std::size_t value_bytes,
                          const task_type& type, value_reader read, const std::source_location& where) {
  base::thread_context& context = base::require_current("send_buffer");
  buffer_source source = from;
  if (source.in.record) source.in = data::local_handle(source.in, "send_buffer", context, where);
  std::vector<dependency> all(request.after.begin(), request.after.end());
  for (const event e : request.after_events) all.emplace_back(e);
  const event behind = merge_dependencies(all, where);
  const std::uint64_t bytes = source.count * source.element_bytes;
  std::shared_ptr<const void> owner;
  if (source.native) owner = wrap_native_memory(source, where);
  const std::byte* const now =
      bytes <= objects::most_in_message ? content_now(source, behind, context, where) : nullptr;

  parcel message;
  field_writer w(message);
  w(now || !bytes ? verb::buffer_bytes : verb::buffer, is.number, is.node, request.memory.index, source.element_bytes,
    source.alignment, source.count);
  if (now && bytes) {
    w.bytes(now, bytes);
  } else if (bytes) {
    std::shared_ptr<data::attached_array> lent;
    if (source.in.record) {
      lent = std::make_shared<exported_instance>(source.in, std::move(owner), behind);
    } else {
      auto* const first = static_cast<std::byte*>(const_cast<void*>(source.first));
      lent = std::make_shared<exported_span>(first, box(0, static_cast<coordinate>(source.count)), std::uint8_t{1},
                                             source.element_bytes);
    }
    auto added = data::attachments_of(context)->add(std::move(lent));
    w(context.runtime->node, added.number, source.in.record ? shape_of(source.in, where).box.min() : point());
    message.along.push_back(std::move(added.held));
  }
  remote_request to;
  static_cast<task_request&>(to) = request;
  to.node = request.node;
  auto& tasks = *context.runtime->get<dist::dist_state>(base::floor_slot::dist)->tasks;
  return tasks.place(to, message, &function, arguments, value_bytes, type, read, where);
}

}  // namespace detail
}  // namespace stretto

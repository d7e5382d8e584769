// global_pointers.cpp - global pointers: creation, destruction, put and get.
#include <stretto/error.hpp>
#include <stretto/global_object.hpp>

#include <string>
#include <utility>

#include "base/node_numbers.hpp"
#include "data/data_state.hpp"
#include "data/other_nodes.hpp"
#include "data/program_bytes.hpp"
#include "dist/dist_floor.hpp"
#include "event/when_ended.hpp"
#include "global/exported_span.hpp"
#include "objects/object_checks.hpp"
#include "objects/object_serialization.hpp"
#include "objects/shared_objects.hpp"
#include "objects/task_lifecycle.hpp"

namespace stretto {

namespace global {
namespace {

using detail::far_end;
using detail::near_end;
using verb = objects::shared_objects::request_kind;

objects::objects_state& state_of(const base::thread_context& context) { return *objects::state_of(*context.runtime); }

/// Throws G07 if the pointer is null or belongs to another job.
void require_valid(const detail::shared_name& is, const base::thread_context& context,
                   const std::source_location& where) {
  const data::other_nodes* const others = data::state_of(context).others;
  if (is.number && (is.node == context.runtime->node || (others && others->reaches(is.node)))) return;
  throw error("G07", is.number ? "a global pointer of another job is invalid here" : "an empty global pointer was used")
      .fact("submitted", where)
      .because("global pointers are made by share, on the node that has the object")
      .remedy("wait for the message that contains the pointer, and check is_valid()");
}

/// Throws A05, A10.
void require_same_shape(const near_end& near, const far_end& far, const char* verb, base::thread_context& context,
                        const std::source_location& where) {
  require_valid(far.is, context, where);
  if (!far.whole.contains(far.part))
    throw error("A05", std::string(verb) + " uses elements outside of the object behind a global pointer")
        .fact("submitted", where)
        .fact("part", far.part.text())
        .fact("object", far.whole.text())
        .remedy("use a part inside of it: intersection(part, there.elements())");
  bool has_same_shape = near.object || near.count == far.part.volume();
  if (near.object) {
    objects::require_inside(objects::usable(*near.object, verb, context, where), near.part, verb, where);
    for (int a = 0; a < max_axes; ++a) has_same_shape = has_same_shape && near.part.length(a) == far.part.length(a);
  }
  if (has_same_shape) return;
  throw error("A10", std::string(verb) + " moves elements between parts of different shapes")
      .fact("submitted", where)
      .fact("local part", near.object ? near.part.text() : std::to_string(near.count) + " elements of a span")
      .fact("remote part", far.part.text())
      .because("each element of one part corresponds to one element of the other")
      .remedy("give both parts the same number of elements along each axis");
}

detail::remote_request to_node(const detail::send_request& request, const detail::shared_name& is,
                               const base::thread_context& context) {
  detail::remote_request r;
  static_cast<detail::task_request&>(r) = request;
  const data::other_nodes* const others = data::state_of(context).others;
  r.node = others ? others->index_of(is.node) : 0;
  return r;
}

dist::remote_tasks& tasks_of(const base::thread_context& context) {
  return *context.runtime->get<dist::dist_state>(base::floor_slot::dist)->tasks;
}

event merged(const detail::send_request& request, const std::source_location& where) {
  std::vector<dependency> all(request.after.begin(), request.after.end());
  for (const event e : request.after_events) all.emplace_back(e);
  return merge_dependencies(all, where);
}

/// Fetches elements into memory of the program.
event fetch_to_memory(const std::shared_ptr<objects::incoming_data>& incoming, std::byte* first, const far_end& from,
                      event gate, const std::source_location& where, base::thread_context& context) {
  detail::instance_request r;
  r.external = first;
  r.box = from.part;
  r.dimensions = from.dimensions;
  r.element_bytes = from.element_bytes;
  r.name = "span";
  const detail::instance_handle outside = detail::create_instance(r, {}, where);
  const data::destination to(outside, gate == event() ? std::span<const event>() : std::span(&gate, 1));
  const event done = incoming->fetch(from.part, to, where, context);
  // `incoming` keeps the exported array alive
  detail::when_ended(done, context, [incoming, outside, where](const failure*, base::thread_context& on) {
    const event ordered = data::ordered_unseen(on, where);
    detail::destroy_instance(outside, after_range{{&ordered, 1}}, where);
  });
  return done;
}

/// Encodes the put request: small data inline, else a reference by which the receiver fetches it.
detail::parcel encode_put(const near_end& from, const far_end& to, base::thread_context& context,
                          const std::source_location& where) {
  detail::parcel message;
  field_writer w(message);
  const std::uint64_t bytes = to.part.volume() * to.element_bytes;
  const bool is_inline = bytes <= objects::most_in_message;
  const std::byte* now = is_inline ? from.bytes : nullptr;
  const objects::objects_lock in(state_of(context), context);
  if (from.object && is_inline) now = objects::current_data(*from.object->get(), from.part);
  if (now || bytes == 0) {
    w(verb::put_bytes, to.is.number, to.part);
    if (bytes) w.bytes(now, bytes);
    return message;
  }
  std::string backend;
  std::uint32_t index = 0;
  std::shared_ptr<data::attached_array> lent;
  if (from.object) {
    objects::object_record& o = *from.object->get();
    const objects::execution_place& at = objects::main_execution_place(o, from.part);
    backend = at.view.kind, index = at.view.index;
    lent = objects::export_current(o, from.part, where, context);
  } else {
    lent = std::make_shared<exported_span>(from.bytes, to.part, to.dimensions, to.element_bytes);
  }
  auto added = data::attachments_of(context)->add(std::move(lent));
  const point shift = from.object ? from.part.min() - to.part.min() : point();
  w(verb::put, to.is.number, to.part, context.runtime->node, added.number, shift, backend, index);
  message.along.push_back(std::move(added.held));
  return message;
}

}  // namespace
}  // namespace global

namespace detail {

using namespace global;

shared_name share_object(const object_handle& h, const std::source_location& where) {
  base::thread_context& context = base::require_current("share");
  objects::usable(h, "share", context, where);
  return {state_of(context).shared->add(h), context.runtime->node};
}

completion& unshare_object(const shared_name& of, const task_type& type, const std::source_location& where) {
  base::thread_context& context = base::require_current("unshare");
  require_valid(of, context, where);
  parcel message;
  write_parcel(message, verb::unshare, of.number);
  return tasks_of(context).place(to_node({}, of, context), message, nullptr, {}, value_bytes<void>, type, nullptr,
                                 where);
}

object_handle shared_object(const shared_name& is, const std::source_location& where) {
  base::thread_context& context = base::require_current("local");
  require_valid(is, context, where);
  if (is.node == context.runtime->node) return state_of(context).shared->find(is.number, where);
  throw error("G08", "the object behind a global pointer is on another node")
      .fact("submitted", where)
      .fact("owner", "node " + base::node_name(is.node))
      .fact("called on", "node " + base::node_name(context.runtime->node))
      .because("an object belongs to one node; other nodes access its elements with put and get")
      .remedy("get(there, mine), or send a function there: async(at_node(there.node()), call<&f>(there))");
}

object_handle shared_object(std::uint64_t number) {
  return state_of(base::require_current("put")).shared->find(number, std::source_location());
}

std::uint32_t node_of(const shared_name& is, const std::source_location& where) {
  base::thread_context& context = base::require_current("node");
  require_valid(is, context, where);
  const data::other_nodes* const others = data::state_of(context).others;
  return others ? others->index_of(is.node) : 0;
}

completion& put_elements(const send_request& request, const near_end& from, const far_end& to,
                         const remote_function_type* function, parcel&& arguments, const answer_type& answer,
                         const std::source_location& where) {
  base::thread_context& context = base::require_current("put");
  require_same_shape(from, to, "put", context, where);
  return tasks_of(context).place(to_node(request, to.is, context), encode_put(from, to, context, where), function,
                                 arguments, answer.bytes, *answer.type, answer.read, where);
}

event get_elements(const send_request& request, const far_end& from, const near_end& to,
                   const std::source_location& where) {
  base::thread_context& context = base::require_current("get");
  require_same_shape(to, from, "get", context, where);
  objects::objects_state& s = state_of(context);
  const std::shared_ptr<data::attachments>& all = data::attachments_of(context);
  const event gate = merged(request, where);
  data::attachment_name name{context.runtime->node, {}};
  std::shared_ptr<const void> held;
  if (from.is.node == name.node) {
    auto added = all->add(s.shared->export_elements(from.is.number, from.part, where, context));
    name.number = added.number;
    held = std::move(added.held);
  } else {
    name = all->others->request(from.is.node, from.is.number, from.part, where);
  }
  const point shift = to.object ? from.part.min() - to.part.min() : point();
  const auto incoming = std::make_shared<objects::incoming_data>(s, *all, name, 1, shift, std::move(held));
  if (name.node != context.runtime->node) incoming->is_held();
  if (to.object) return objects::write_incoming(*to.object->get(), to.part, {incoming}, gate, where, context);
  if (from.part.is_empty()) return gate;
  return fetch_to_memory(incoming, to.bytes, from, gate, where, context);
}

}  // namespace detail
}  // namespace stretto

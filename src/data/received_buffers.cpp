#include "data/received_buffers.hpp"

#include <stretto/copy.hpp>
#include <stretto/error.hpp>

#include <cstring>

#include "data/data_state.hpp"
#include "data/exported_copy.hpp"
#include "data/handle.hpp"
#include "data/other_nodes.hpp"
#include "data/program_bytes.hpp"
#include "event/event_floor.hpp"

namespace stretto::data {

namespace {

bool has_passed(event e, base::thread_context& context) {
  return e == event() || (detail::has_ended(e, context) && !detail::cause_of(e, context));
}

}  // namespace

shared_arrays::placed received_buffers::place(field_reader& what, bool has_elements, event gate,
                                              const std::source_location& where, base::thread_context& context) {
  name is;
  std::uint32_t memory = place::none, element_bytes = 1, alignment = 1;
  std::uint64_t count = 0;
  what(is.number, is.node, memory, element_bytes, alignment, count);
  const box all(0, static_cast<coordinate>(count));
  data_state& s = state_of(context);
  detail::instance_request r;
  r.memory = stretto::place{memory};
  r.box = all;
  r.element_bytes = element_bytes;
  r.alignment = alignment;
  r.name = "received buffer";
  const detail::instance_handle made = detail::create_instance_at(s.others ? s.others->self() : 0, r, {}, where).made;
  // The destruction is submitted at once, so that later creations without memory can wait for it.
  const auto over = user_event::create(where);
  detail::destroy_instance(made, after(over), where);
  {
    const std::scoped_lock lock(lock_);
    all_.emplace(is, entry{made, over});
  }
  const std::shared_ptr<const void> kept(this, [this, is, where](const void*) { end(is, where); });
  if (count == 0) return {merge(gate, detail::ready_event(made, where), where), kept};
  if (has_elements) {
    const std::uint64_t bytes = count * element_bytes;
    what.expect(bytes, 1);
    // Fast path: the memory is of the host, and there is nothing to wait for.
    if (has_passed(gate, context) && has_passed(made.record->ready, context))
      if (std::byte* const there = dense_bytes(made, all, context)) {
        what.bytes(there, bytes);
        return {gate, kept};
      }
    struct with_bytes {
      std::shared_ptr<const void> kept;
      std::vector<std::byte> bytes;
    };
    const auto both = std::make_shared<with_bytes>(with_bytes{kept, std::vector<std::byte>(bytes)});
    what.bytes(both->bytes.data(), bytes);
    const detail::instance_handle outside = detail::create_instance(
        {.memory = {}, .external = both->bytes.data(), .box = all, .element_bytes = element_bytes, .name = r.name}, {},
        where);
    const event done = detail::copy_boxes(made, outside, {&all, 1}, {}, after_range{{&gate, 1}}, where);
    detail::destroy_instance(outside, after(done), where);
    return {done, both};
  }
  attachment_name from;
  point shift;
  what(from.node, from.number, shift);
  const std::shared_ptr<attachments>& all_attachments = attachments_of(context);
  const event ready = merge(gate, detail::ready_event(made, where), where);
  const destination to(made, {&ready, 1});
  if (from.node == context.runtime->node)
    return {copy_exported(*all_attachments, from.number, all, shift, to, where, context), kept};
  return {all_attachments->others->fetch(from, all, to, {.is_first = true, .is_last = true, .shift = shift}, where,
                                         context),
          kept};
}

detail::instance_handle received_buffers::find(const name& is, const std::source_location& where) const {
  const std::scoped_lock lock(lock_);
  const auto found = all_.find(is);
  if (found != all_.end()) return found->second.in;
  throw error("G09", "a buffer received with a message no longer exists")
      .fact("submitted", where)
      .because(
          "it exists until its handler, the work spawned by the handler, and the events given to keep_until have ended")
      .remedy("keep it until its users have ended: buffer.keep_until(event), or copy it");
}

void received_buffers::keep_until(const name& is, event e, const std::source_location& where) {
  find(is, where);
  const std::scoped_lock lock(lock_);
  const auto found = all_.find(is);
  if (found != all_.end()) found->second.kept_by.push_back(e);
}

void received_buffers::end(const name& is, const std::source_location& where) noexcept {
  entry ends;
  {
    const std::scoped_lock lock(lock_);
    const auto found = all_.find(is);
    if (found == all_.end()) return;
    ends = std::move(found->second);
    all_.erase(found);
  }
  base::thread_context* const here = base::current();
  if (!here) return;
  const event ordered = ordered_unseen(*here, where);
  if (ordered != event()) ends.kept_by.push_back(ordered);
  ends.over.trigger(ignore_failure(merge(ends.kept_by, where), where), where);
}

}  // namespace stretto::data

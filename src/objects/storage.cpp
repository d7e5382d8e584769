#include "objects/storage.hpp"

#include "data/block_allocator.hpp"
#include "data/data_state.hpp"
#include "data/order_check.hpp"
#include "objects/task_lifecycle.hpp"

namespace stretto::objects {

namespace {

/// The signal at the end of a replica's destruction.
struct leaving final : signal {
  leaving(objects_state& s, execution_place& at, std::uint64_t bytes) : signal(s, gone), from(at), bytes(bytes) {
    at.leaving += bytes;
  }
  static void gone(signal& self, failure_ref, base::thread_context&) {
    const std::unique_ptr<leaving> l(static_cast<leaving*>(&self));
    l->from.leaving -= l->bytes;
  }
  execution_place& from;
  const std::uint64_t bytes;
};

}  // namespace

std::uint64_t bytes_of(const object_record& o, const box& where) noexcept {
  return data::block_allocator::rounded(where.volume() * o.element_bytes);
}

void events_of(std::span<const data::token> tokens, std::vector<event>& events) {
  events.clear();
  for (const data::token t : tokens) events.push_back(event::from_raw(t));
}

void also_wait_for(std::vector<event>& waits, std::span<const event> order, const std::source_location& where) {
  for (const event& e : order)
    if (const event ended = ignore_failure(e, where); ended != event()) waits.push_back(ended);
}

detail::instance_request request_for(const object_record& o, const box& where, const execution_place& at) {
  detail::instance_request r;
  r.memory = at.memory;
  r.box = where;
  r.dimensions = o.dimensions;
  r.element_bytes = o.element_bytes;
  r.alignment = o.alignment;
  r.name = o.name;
  return r;
}

void release(const object_record& o, detail::instance_handle instance, const box& where, execution_place& at,
             const preconditions& behind, base::thread_context& context) {
  const event gone = detail::destroy_instance(instance, behind, o.created);
  if (gone.raw() != 0) post_when_ended(gone, *new leaving(*o.state, at, bytes_of(o, where)), context);
}

detail::instance_handle create(const detail::instance_request& r, const std::source_location& where) {
  const detail::instance_handle made = detail::create_instance(r, {}, where);
  if (data::order_check* const checks = data::state_of(base::require_current("objects")).checks; checks && made.record)
    checks->opened(made);
  return made;
}

detail::instance_handle external_instance(const object_record& o, const box& where, std::byte* first,
                                          const std::source_location& by) {
  detail::instance_request r;
  r.external = first;
  r.box = where;
  r.dimensions = o.dimensions;
  r.element_bytes = o.element_bytes;
  r.name = o.name;
  return create(r, by);
}

detail::instance_handle try_allocate(const object_record& o, const box& where, const execution_place& at) {
  detail::instance_request r = request_for(o, where, at);
  r.only_at_once = true;
  return create(r, o.created);
}

bool try_allocate(const object_record& o, const data::replica_set::plan& plan, execution_place& at,
                  std::vector<detail::instance_handle>& made) {
  const std::size_t before = made.size();
  for (const auto& a : plan.allocate) {
    const detail::instance_handle h = try_allocate(o, a.where, at);
    if (h.record) {
      made.push_back(h);
      continue;
    }
    for (; made.size() > before; made.pop_back()) detail::destroy_instance(made.back(), {}, o.created);
    return false;
  }
  return true;
}

namespace {

execution_place* allocate_all(std::span<const planned> all, std::vector<detail::instance_handle>& made) {
  made.clear();
  for (const planned& p : all) {
    if (try_allocate(*p.object, p.plan, *p.in, made)) continue;
    for (const detail::instance_handle& m : made) detail::destroy_instance(m, {}, p.object->created);
    return p.in;
  }
  return nullptr;
}

}  // namespace

execution_place* try_allocate(std::span<const planned> all, std::vector<detail::instance_handle>& made) {
  execution_place* const full = allocate_all(all, made);
  if (!full) return nullptr;
  std::uint64_t needed = 0;
  for (const planned& p : all)
    if (p.in == full)
      for (const auto& a : p.plan.allocate) needed += bytes_of(*p.object, a.where);
  if (needed > full->space->usage().free) return full;
  full->space->join_free();  // the first allocations may have split the free memory
  return allocate_all(all, made);
}

void add(object_record& o, const data::replica_set::storage& what, detail::instance_handle made) {
  o.replicas.add(what, 0);
  if (o.storage.size() <= what.id) o.storage.resize(what.id + 1);
  o.storage[what.id] = {made, bytes_of(o, what.where), 0, ++o.state->uses};
}

}  // namespace stretto::objects

#include <fmt/format.h>

#include "base/peek.hpp"
#include "event/event_wait_graph.hpp"
#include "mobile/mobile_objects.hpp"

namespace stretto::mobiles {

using base::wait_kind;

namespace {

std::string name_of_letter(rank from, std::uint64_t request) { return fmt::format("letter {}:{}", from, request); }

/// The node of a letter that waits here.
std::uint32_t node_of(letter& l, base::wait_walk& walk) {
  if (!l.is_far) return walk.at(wait_kind::task, detail::bits_of_record(&record_of(l)));
  const auto& far = static_cast<const far_letter&>(l);
  const std::uint32_t node = walk.at(wait_kind::unknown, reinterpret_cast<std::uintptr_t>(&l));
  walk[node].everywhere = name_of_letter(far.from, far.request);
  return node;
}

}  // namespace

void requests::tell_waits(rank self, base::wait_walk& walk) {
  const std::scoped_lock lock(lock_);
  all_.for_each([&](std::uint64_t number, const request& r) {
    if (walk.is_full()) return;
    // Once its value has come, nothing but its scope waits for what it has spawned.
    const std::uint32_t node = r.record ? walk.at(wait_kind::task, detail::bits_of_record(r.record))
                                        : walk.at(wait_kind::unknown, reinterpret_cast<std::uintptr_t>(&r));
    walk[node].everywhere = name_of_letter(self, number);
    if (!r.record) walk.link(walk.at(wait_kind::finish, reinterpret_cast<std::uintptr_t>(r.scope)), node);
  });
}

void multicasts::tell_waits(rank self, base::wait_walk& walk) {
  const std::scoped_lock lock(lock_);
  for (const auto& [first, m] : all_)
    for (const auto& e : m->elements) {
      if (walk.is_full()) return;
      if (e.is == multicast_under_way::element::over) continue;
      const std::uint32_t node = walk.at(wait_kind::unknown, reinterpret_cast<std::uintptr_t>(&e));
      walk[node].everywhere = name_of_letter(self, m->request(e));
      walk.link(e.is_open() ? walk.at(wait_kind::task, detail::bits_of_record(&m->record))
                            : walk.at(wait_kind::finish, reinterpret_cast<std::uintptr_t>(m->scope)), node);
    }
}

void mobile_objects::tell_waits(base::wait_walk& walk) {
  requests_.tell_waits(self_, walk);
  multicasts_.tell_waits(self_, walk);
  for (shard& s : shards_) {
    const std::scoped_lock lock(s.lock);
    for (auto& [id, e] : s.all) {
      if (walk.is_full()) return;
      if (!e.here && e.parked.empty()) continue;
      if (e.here && e.here->is_free() && e.here->waiting().is_empty() && e.here->moves().empty()) continue;
      const std::uint32_t object = walk.at(wait_kind::object, id);
      walk[object].everywhere = fmt::format("object {:x}", id);
      for (const auto& l : e.parked) walk.link(node_of(*l, walk), object);
      if (!e.here) continue;
      walk[object].kind = wait_kind::object;
      walk[object].name = "mobile object " + words_for(id, e.name);
      for (letter* l = e.here->waiting().first; l && !walk.is_full(); l = l->next) walk.link(node_of(*l, walk), object);
      for (letter* const l : e.here->moves()) walk.link(node_of(*l, walk), object);
    }
  }
}

/// The body is a near letter, or what begin() has spawned for a far one; whatever else lies there leads to no object that is here.
mobile_objects::handled_at mobile_objects::peek_at_handler(const void* body) const {
  handled_at is;
  if (const base::peeked<letter> near(body); near) is.near = near->at;
  const base::peeked<far_body> spawned(body);
  if (!spawned || spawned->all != this) return is;
  if (const base::peeked<far_letter> far(spawned->what); far) is.far = far->at, is.from = far->from, is.request = far->request;
  return is;
}

void mobile_objects::tell_handlers(base::wait_walk& walk) {
  std::map<const void*, object_id> residents;
  for (shard& s : shards_) {
    const std::scoped_lock lock(s.lock);
    for (const auto& [id, e] : s.all)
      if (e.here && walk.has(wait_kind::object, id)) residents.emplace(static_cast<const detail::mobile_here*>(e.here.get()), id);
  }
  const auto link = [&](const void* at, std::uint32_t task) {
    const auto found = residents.find(at);
    if (found != residents.end()) walk.link(walk.at(wait_kind::object, found->second), task);
    return found != residents.end();
  };
  for (const auto& [bits, node] : walk.all(wait_kind::task)) {
    if (walk[node].kind != wait_kind::task) continue;
    const handled_at is = peek_at_handler(static_cast<const std::byte*>(detail::record_in(bits)) + detail::storage_offset);
    if (!link(is.near, node) && link(is.far, node)) walk[node].everywhere = name_of_letter(is.from, is.request);
  }
}

}  // namespace stretto::mobiles

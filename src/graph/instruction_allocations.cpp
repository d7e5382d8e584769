// instruction_allocations.cpp - allocations of buffers: made at the first use, grown when more is used, and evicted to
// host memory when the memory of a device is full.
#include <algorithm>

#include "graph/instruction_graph.hpp"

namespace stretto::graph {

/// Adds the announced boxes that `where` meets, or with which it forms a box.
box instruction_graph::with_expected(buffer_id b, memory_number m, const box& where) const {
  const placement& is = at(b).is;
  box all = where;
  for (bool grown = true; grown;) {
    grown = false;
    for (const expected_allocation& e : expected_)
      if (e.of == b && e.where == m && !all.contains(e.elements) &&
          (e.elements.meets(all) || !joined(e.elements, all).is_empty())) {
        all = is.box_to_allocate(m, hull(all, e.elements));
        grown = true;
      }
  }
  return all;
}

/// In an unbounded memory.
placement::allocation& instruction_graph::require_allocation(task_id of, buffer_id b, memory_number m, const box& where,
                                                             std::vector<instruction>& out) {
  placement& is = at(b).is;
  if (placement::allocation* there = is.find(m, where)) return *there;
  return put(of, b, m, is.box_with_growth(m, with_expected(b, m, is.box_to_allocate(m, where))), {}, out);
}

/// Replaces the allocations within `all`, and copies their elements.
placement::allocation& instruction_graph::put(task_id of, buffer_id b, memory_number m, const box& all,
                                              std::optional<std::uint64_t> offset, std::vector<instruction>& out) {
  placement& is = at(b).is;
  std::vector<placement::allocation> old = is.remove_within(m, all);
  std::uint32_t grown = 0;
  for (const placement::allocation& a : old) grown = std::max(grown, a.growths + 1);
  const allocation_id id{++last_allocation_};
  dependencies behind;
  if (offset) maps_[m].take(id, *offset, bytes_of(b, all), behind, instructions_.applied());
  const bool is_behind = !behind.empty();
  const std::uint64_t made = append(of, std::move(behind), allocate{id, m, b, all, offset, is_behind}, out);
  placement::allocation& now = is.put({id, m, all, access_fronts(all, instructions_), grown});
  now.uses.write(all, made);
  for (placement::allocation& a : old) {
    copy c{b, a.is, id, {}};
    for (const auto& [part, has] : is.valid(a.elements))
      if (has & only(m)) c.parts.push_back(part);
    if (!c.parts.empty()) {
      dependencies follows;
      for (const box& part : c.parts) a.uses.before_reading(part, follows), now.uses.before_writing(part, follows);
      const std::vector<box> parts = c.parts;
      const std::uint64_t copied = append(of, std::move(follows), std::move(c), out);
      for (const box& part : parts) a.uses.read(part, copied, out.back().follows), now.uses.write(part, copied);
    }
    dependencies follows;
    a.uses.before_writing(a.elements, follows);
    release_at(of, m, a.is, std::move(follows), out);
  }
  return now;
}

std::uint64_t instruction_graph::release_at(task_id of, memory_number m, allocation_id a, dependencies&& follows,
                                            std::vector<instruction>& out) {
  const std::uint64_t n = append(of, std::move(follows), release{a}, out);
  if (is_bounded(m)) maps_[m].release(a, n, instructions_.applied());
  return n;
}

/// Evictable allocations, least recently used first; without those that meet `where` of buffer `but`.
std::vector<allocation_id> instruction_graph::least_recently_used(memory_number m, buffer_id but,
                                                                  const box& where) const {
  std::vector<std::pair<std::uint64_t, allocation_id>> found;  // by last use
  buffers_.each([&](buffer_id b, const buffer_state& s) {
    for (const placement::allocation& a : s.is.allocations())
      if (a.where == m && a.kept_for != keeps_ && !(b == but && a.elements.meets(where)))
        found.push_back({a.last_use, a.is});
  });
  std::ranges::sort(found);
  std::vector<allocation_id> all;
  for (const auto& [use, a] : found) all.push_back(a);
  return all;
}

/// Copies the elements that are valid only here to host memory, and releases the allocation.
void instruction_graph::evict(task_id of, buffer_id b, allocation_id evicted, std::vector<instruction>& out) {
  placement& is = at(b).is;
  const memory_number m = is.at(evicted).where;
  copy c{b, evicted, {}, {}};
  box there;
  for (const auto& [part, has] : is.valid(is.at(evicted).elements))
    if (has == only(m)) c.parts.push_back(part), there = hull(there, part);
  if (!c.parts.empty()) {
    c.to = require_allocation(of, b, 0, there, out).is;
    for (const box& part : c.parts) is.copied(part, 0);
    append_copy(of, std::move(c), out);
  }
  dependencies follows;
  is.at(evicted).uses.before_writing(is.at(evicted).elements, follows);
  is.drop(evicted);
  release_at(of, m, evicted, std::move(follows), out);
}

void instruction_graph::evict_all(task_id of, std::span<const allocation_id> all, std::vector<instruction>& out) {
  buffers_.each([&](buffer_id b, const buffer_state& s) {
    std::vector<allocation_id> its;
    for (const placement::allocation& a : s.is.allocations())
      if (std::ranges::find(all, a.is) != all.end()) its.push_back(a.is);
    for (const allocation_id a : its) evict(of, b, a, out);
  });
}

void instruction_graph::clear(memory_number m, std::vector<instruction>& out) {
  if (!is_bounded(m)) return;
  ++keeps_;  // nothing is kept
  evict_all({}, least_recently_used(m, {}, box()), out);
}

std::optional<memory_map::hole> instruction_graph::find_hole(buffer_id b, memory_number m, const box& all, others o,
                                                             sizes s, std::span<const allocation_id> must_leave) const {
  std::vector<allocation_id> evictable;
  if (o == others::leave) evictable = least_recently_used(m, b, all);
  // If sizes are exact, allocations are placed in order, whichever releases they have to follow.
  const std::uint64_t applied = s == sizes::exact ? instructions_.next() : instructions_.applied();
  return maps_[m].find(bytes_of(b, all), applied, must_leave, evictable);
}

/// Null: impossible in this way, and nothing has changed.
placement::allocation* instruction_graph::try_allocate(task_id of, buffer_id b, memory_number m, const box& all, way w,
                                                       others o, sizes s, std::vector<instruction>& out) {
  std::vector<allocation_id> must_leave;
  for (const placement::allocation& a : at(b).is.allocations()) {
    if (a.where != m || !a.elements.meets(all)) continue;
    const bool is_within = all.contains(a.elements);
    if (!is_within && a.kept_for == keeps_) return nullptr;
    if (!is_within || w == way::through_host) must_leave.push_back(a.is);
  }
  const auto found = find_hole(b, m, all, o, s, must_leave);
  if (!found) return nullptr;
  evict_all(of, found->evicted, out);
  return &put(of, b, m, all, found->offset, out);
}

/// In a bounded memory: with space for growth if there is some, else with the fewest evictions. Null: it does not fit
/// next to the allocations that must stay.
placement::allocation* instruction_graph::require_bounded_allocation(task_id of, buffer_id b, memory_number m,
                                                                     const box& where, sizes s,
                                                                     std::vector<instruction>& out) {
  placement& is = at(b).is;
  if (placement::allocation* const there = is.find(m, where)) return there;
  box least = where;  // includes kept allocations that it meets, as allocations are disjoint
  for (bool grown = true; grown;) {
    grown = false;
    for (const placement::allocation& a : is.allocations())
      if (a.where == m && a.kept_for == keeps_ && a.elements.meets(least) && !least.contains(a.elements))
        least = hull(least, a.elements), grown = true;
  }
  const box whole = is.box_to_allocate(m, where), more = is.box_with_growth(m, with_expected(b, m, whole));
  const struct {
    const box& all;
    way w;
    others o;
  } tries[] = {{more, way::direct, others::stay},         {whole, way::direct, others::stay},
               {whole, way::through_host, others::stay},  {whole, way::direct, others::leave},
               {whole, way::through_host, others::leave}, {least, way::direct, others::leave},
               {least, way::through_host, others::leave}};
  for (const auto& t : std::span(tries).subspan(s == sizes::exact ? 5 : 0))
    if (placement::allocation* const made = try_allocate(of, b, m, t.all, t.w, t.o, s, out)) return made;
  return nullptr;
}

/// Allocates everything that these parts need in a bounded memory, partial values included. False: other allocations
/// are in the way.
bool instruction_graph::allocate_bounded_parts(task_id id, const task& t, const plan& p, part_range which,
                                               memory_number m, sizes s, std::vector<instruction>& out) {
  const auto parts = p.all().subspan(which.first, which.last - which.first);
  for (const needed_allocation& r : allocations_needed(t, parts, m)) {
    placement::allocation* const made = require_bounded_allocation(id, r.of, m, r.elements, s, out);
    if (!made) return false;
    made->kept_for = keeps_;
    made->last_use = instructions_.next();
  }
  for (std::size_t n = which.first; n < which.last; ++n) {
    if (shape_.memory_of(p.parts[n].by) != m) continue;
    for (std::size_t r = 0; r < t.reductions.size(); ++r) {
      if (at(t.reductions[r].buffer).is.elements().is_empty()) continue;
      auto made = try_temporary(id, t.reductions[r].buffer, m, s, out);
      if (!made) return false;
      partial_values_of(t, n)[r] = std::move(*made);
    }
  }
  return true;
}

/// For these parts of a task, in all memories. Requires that they fit.
void instruction_graph::allocate_parts(task_id id, const task& t, const plan& p, part_range which,
                                       std::vector<instruction>& out) {
  const auto parts = p.all().subspan(which.first, which.last - which.first);
  ++keeps_;
  memory_set lacking = 0;
  each_needed_allocation(parts, [&](std::size_t i, memory_number m, const box& where) {
    const buffer_id b = t.accesses[i].buffer;
    if (!is_bounded(m)) {
      require_allocation(id, b, m, where, out);
    } else if (placement::allocation* const a = at(b).is.find(m, where)) {
      a->kept_for = keeps_;
      a->last_use = instructions_.next();
    } else {
      lacking |= only(m);
    }
  });
  if (!t.reductions.empty())
    for (const part_of_task& part : parts) lacking |= only(shape_.memory_of(part.by));
  for (memory_number m = 1; m < maps_.size(); ++m) {
    if (!(lacking & only(m)) || !is_bounded(m)) continue;
    if (allocate_bounded_parts(id, t, p, which, m, sizes::with_more, out)) continue;
    for (std::size_t n = which.first; n < which.last; ++n)
      for (temporary& value : partial_values_of(t, n))
        if (value.is.number && value.where == m) discard(id, std::exchange(value, {}), out);
    ++keeps_;  // nothing is kept: what fits together fits when all have left
    evict_all(id, least_recently_used(m, {}, box()), out);
    if (!allocate_bounded_parts(id, t, p, which, m, sizes::exact, out)) refuse(t, need_of(t, parts, m));
  }
}

}  // namespace stretto::graph

#include "graph/instruction_graph.hpp"

#include <algorithm>

namespace stretto::graph {

instruction_graph::instruction_graph(node_shape shape) : shape_(std::move(shape)) {
  for (std::size_t m = 0; m < shape_.bounds.size(); ++m)
    maps_.emplace_back(m == 0 ? memory_bounds() : shape_.bounds[m]);
}

std::uint64_t instruction_graph::append(task_id of, dependencies&& follows, decltype(instruction::what) what,
                                        std::vector<instruction>& out) {
  instruction& i = out.emplace_back(instruction{{instructions_.next()}, of, std::move(follows), std::move(what)});
  instructions_.append(i.follows);
  return i.id.number;
}

buffer_id instruction_graph::add(const buffer& b, std::vector<instruction>& out) {
  const buffer_id id = buffers_.add({b.name, placement(b.elements), b.element_bytes});
  if (b.initial == initial_data::replicated && !b.elements.is_empty()) {
    require_allocation({}, id, 0, b.elements, out);
    at(id).is.written(b.elements, 0);
  }
  return id;
}

void instruction_graph::remove(buffer_id b, std::vector<instruction>& out) {
  for (placement::allocation& a : at(b).is.allocations()) {
    dependencies follows;
    a.uses.before_writing(a.elements, follows);
    release_at({}, a.where, a.is, std::move(follows), out);
  }
  buffers_.remove(b);
  std::erase_if(expected_, [&](const expected_allocation& e) { return e.of == b; });
}

void instruction_graph::set_weights(const chunk_weights& weights) {
  if (weights == weights_) return;
  weights_ = weights;
  plans_.clear();
}

void instruction_graph::expect(const task& t, const box& own) {
  each_needed_allocation(plan_of(t, own).all(), [&](std::size_t i, memory_number m, const box& where) {
    const buffer_id b = t.accesses[i].buffer;
    if (at(b).is.find(m, where)) return;
    const bool is_known = std::ranges::any_of(expected_, [&](const expected_allocation& e) {
      return e.of == b && e.where == m && e.elements.contains(where);
    });
    if (!is_known) expected_.push_back({b, m, where});
  });
}

transfer_id instruction_graph::transfer_of(task_id id, const task& t, buffer_id b) {
  std::uint32_t slot = 0;
  while (slot < t.accesses.size() && t.accesses[slot].buffer != b) ++slot;
  if (slot == t.accesses.size())  // the value before a reduction
    while (t.reductions[slot - t.accesses.size()].buffer != b) ++slot;
  return {id, slot};
}

void instruction_graph::add_send(task_id id, const task& t, const push& p, std::vector<instruction>& out) {
  placement& is = at(p.buffer).is;
  std::vector<std::pair<placement::allocation*, std::vector<sent_part>>> from;
  for (const sent_part& s : p.parts)
    is.each_source(is.valid(s.where), [&](placement::allocation& a, const box& piece) {
      auto found = std::ranges::find(from, &a, [](const auto& f) { return f.first; });
      if (found == from.end()) found = from.insert(from.end(), {&a, {}});
      found->second.push_back({piece, s.to});
    });
  for (auto& [a, parts] : from) {
    dependencies follows;
    for (const sent_part& s : parts) a->uses.before_reading(s.where, follows);
    const std::uint64_t n =
        append(id, std::move(follows), send{p.buffer, a->is, transfer_of(id, t, p.buffer), parts}, out);
    for (const sent_part& s : parts) a->uses.read(s.where, n, out.back().follows);
  }
}

namespace {

/// Joins disjoint boxes that are adjacent along the last axis.
void join_neighbours(std::vector<box>& parts) {
  if (parts.size() > 1) std::ranges::sort(parts);
  std::size_t n = 0;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const box both = joined(parts[n], parts[i]);
    if (both.is_empty()) parts[++n] = parts[i];
    else parts[n] = both;
  }
  if (!parts.empty()) parts.resize(n + 1);
}

}  // namespace

void instruction_graph::append_copy(task_id of, copy&& c, std::vector<instruction>& out) {
  placement& is = at(c.of).is;
  placement::allocation &from = is.at(c.from), &to = is.at(c.to);
  join_neighbours(c.parts);  // their sets of valid memories differ, but one copy is enough
  dependencies follows;
  for (const box& b : c.parts) from.uses.before_reading(b, follows), to.uses.before_writing(b, follows);
  const std::vector<box> parts = c.parts;
  const std::uint64_t n = append(of, std::move(follows), std::move(c), out);
  for (const box& b : parts) from.uses.read(b, n, out.back().follows), to.uses.write(b, n);
}

memory_number instruction_graph::target_of(const task& t, const plan& p, const await_push& a) const {
  memory_set used = 0;
  for (const part_of_task& part : p.all())
    for (std::size_t i = 0; i < t.accesses.size(); ++i) {
      if (t.accesses[i].buffer != a.buffer) continue;
      for (const box& b : part.uses[i])
        if (std::ranges::any_of(a.parts, [&](const box& received) { return received.meets(b); }))
          used |= only(shape_.memory_of(part.by));
    }
  return std::has_single_bit(used) ? nearest_of(used) : memory_number{0};
}

void instruction_graph::add_receive(task_id id, const task& t, const plan& p, const await_push& a,
                                    std::vector<instruction>& out) {
  memory_number m = target_of(t, p, a);
  const box all = bounds_of(a.parts);
  if (is_bounded(m) && !at(a.buffer).is.find(m, all)) m = 0;  // not allocated there yet: receive into host memory
  placement::allocation& to = require_allocation(id, a.buffer, m, all, out);
  dependencies follows;
  for (const box& part : a.parts) to.uses.before_writing(part, follows);
  const std::uint64_t n =
      append(id, std::move(follows), receive{a.buffer, to.is, transfer_of(id, t, a.buffer), a.parts}, out);
  for (std::size_t i = 0; i < a.parts.size(); ++i) {
    const std::uint64_t received =
        a.parts.size() == 1 ? n : append(id, {n}, arrive{{n}, static_cast<std::uint32_t>(i)}, out);
    to.uses.write(a.parts[i], received);
    at(a.buffer).is.written(a.parts[i], m);
  }
}

void instruction_graph::make_available(task_id id, const task& t, const part_of_task& p,
                                       std::vector<instruction>& out) {
  const memory_number m = shape_.memory_of(p.by);
  std::vector<copy> all;
  for (std::size_t i = 0; i < t.accesses.size(); ++i) {
    if (!reads(t.accesses[i].how) || p.uses[i].empty()) continue;
    const buffer_id b = t.accesses[i].buffer;
    placement& is = at(b).is;
    const allocation_id to = is.find(m, p.bounds[i])->is;
    for (const box& used : p.uses[i])
      is.each_source(is.make_valid(used, m), [&](const placement::allocation& a, const box& piece) {
        auto found = std::ranges::find_if(all, [&](const copy& c) { return c.from == a.is && c.to == to; });
        if (found == all.end()) found = all.insert(all.end(), {b, a.is, to, {}});
        found->parts.push_back(piece);
      });
  }
  for (copy& c : all) append_copy(id, std::move(c), out);
}

void instruction_graph::add_compute(task_id id, const task& t, const part_of_task& p,
                                    std::span<temporary> partial_values, std::vector<instruction>& out) {
  const memory_number m = shape_.memory_of(p.by);
  compute c{p.by, p.chunk, std::vector<used_allocation>(t.accesses.size() + t.reductions.size())};
  std::vector<access_fronts*> fronts(t.accesses.size());
  dependencies follows;
  for (std::size_t i = 0; i < t.accesses.size(); ++i) {
    if (p.uses[i].empty()) continue;
    placement::allocation& a = *at(t.accesses[i].buffer).is.find(m, p.bounds[i]);
    c.uses[i] = {a.is, p.bounds[i]};
    fronts[i] = &a.uses;
    for (const box& b : p.uses[i])
      writes(t.accesses[i].how) ? a.uses.before_writing(b, follows) : a.uses.before_reading(b, follows);
  }
  for (std::size_t r = 0; r < partial_values.size(); ++r) {
    if (!partial_values[r].is.number) continue;
    c.uses[t.accesses.size() + r] = {partial_values[r].is, at(t.reductions[r].buffer).is.elements()};
    follows.push_back(partial_values[r].written);
  }
  effects_.before(t, instructions_, follows);
  const std::uint64_t n = append(id, std::move(follows), std::move(c), out);
  effects_.add(t, instructions_, n);
  for (temporary& v : partial_values) v.written = n;
  const dependencies& behind = out.back().follows;
  for (std::size_t i = 0; i < t.accesses.size(); ++i)
    if (fronts[i] && !writes(t.accesses[i].how))
      for (const box& b : p.uses[i]) fronts[i]->read(b, n, behind);
  for (std::size_t i = 0; i < t.accesses.size(); ++i)
    if (fronts[i] && writes(t.accesses[i].how))
      for (const box& b : p.uses[i]) {
        fronts[i]->write(b, n);
        at(t.accesses[i].buffer).is.written(b, m);
      }
}

void instruction_graph::add(task_id id, const task& t, std::span<const command> commands,
                            std::vector<instruction>& out) {
  if (t.kind == task_kind::horizon || t.kind == task_kind::epoch) {
    instruction i{{instructions_.next()}, id, {}, {}};
    if (t.kind == task_kind::horizon) instructions_.append_horizon(i.follows), i.what = pass_horizon{};
    else instructions_.append_epoch(i.follows), i.what = pass_epoch{};
    out.push_back(std::move(i));
    return;
  }
  box own;
  for (const command& c : commands)
    if (const auto* e = std::get_if<execute>(&c.what)) own = e->chunk;
  const plan& p = plan_of(t, own);
  const part_range whole{0, p.part_count};
  partial_values_.assign(p.part_count * t.reductions.size(), {});
  if (!p.is_sequential) allocate_parts(id, t, p, whole, out);
  for (const command& c : commands) {
    if (const auto* sent = std::get_if<push>(&c.what)) add_send(id, t, *sent, out);
    else if (const auto* awaited = std::get_if<await_push>(&c.what)) add_receive(id, t, p, *awaited, out);
  }
  if (!p.is_sequential) {
    gather(id, t, p, out);
    for (const part_of_task& part : p.all()) make_available(id, t, part, out);
    make_partial_values(id, t, p, whole, out);
  }
  for (std::size_t n = 0; n < p.part_count; ++n) {
    if (p.is_sequential) {
      allocate_parts(id, t, p, {n, n + 1}, out);
      make_available(id, t, p.parts[n], out);
      make_partial_values(id, t, p, {n, n + 1}, out);
    }
    add_compute(id, t, p.parts[n], partial_values_of(t, n), out);
    if (p.is_sequential)
      for (std::size_t r = 0; r < t.reductions.size(); ++r)
        take_to_host(id, t.reductions[r].buffer, partial_values_of(t, n)[r], out);
  }
  for (const command& c : commands)
    if (const auto* r = std::get_if<reduce>(&c.what)) add_reduce(id, t, p, *r, out);
}

}  // namespace stretto::graph

// instruction_reductions.cpp - the reductions of a task on one node: partial values of its parts, folded in host
// memory, exchanged with other nodes, and stored as the value of the buffer.
#include <algorithm>

#include "graph/instruction_graph.hpp"

namespace stretto::graph {

/// None: it does not fit into the bounded memory beside the allocations that stay.
std::optional<instruction_graph::temporary> instruction_graph::try_temporary(task_id id, buffer_id b, memory_number m,
                                                                             sizes s, std::vector<instruction>& out) {
  const box elements = at(b).is.elements();
  dependencies follows;
  std::optional<std::uint64_t> offset;
  allocation_id a{last_allocation_ + 1};
  if (is_bounded(m)) {
    const auto found = find_hole(b, m, elements, others::leave, s, {});
    if (!found) return {};
    evict_all(id, found->evicted, out);
    a = {last_allocation_ + 1};  // an evicted allocation may have taken a number in host memory
    offset = found->offset;
    maps_[m].take(a, *offset, bytes_of(b, elements), follows, instructions_.applied());
  }
  last_allocation_ = a.number;
  const bool is_behind = !follows.empty();
  temporary made{a, append(id, std::move(follows), allocate{a, m, b, elements, offset, is_behind}, out)};
  made.where = m;
  return made;
}

/// In an unbounded memory.
instruction_graph::temporary instruction_graph::make_temporary(task_id id, buffer_id b, memory_number m,
                                                               std::vector<instruction>& out) {
  return *try_temporary(id, b, m, sizes::exact, out);
}

void instruction_graph::set_identity(task_id id, const task& t, std::uint32_t reduction, temporary& made,
                                     std::vector<instruction>& out) {
  made.written = append(id, {made.written}, fill_identity{t.reductions[reduction].buffer, made.is, reduction}, out);
}

instruction_graph::temporary instruction_graph::make_identity(task_id id, const task& t, std::uint32_t reduction,
                                                              memory_number m, std::vector<instruction>& out) {
  temporary made = make_temporary(id, t.reductions[reduction].buffer, m, out);
  set_identity(id, t, reduction, made, out);
  return made;
}

void instruction_graph::discard(task_id id, temporary&& t, std::vector<instruction>& out) {
  t.read.push_back(t.written);
  release_at(id, t.where, t.is, std::move(t.read), out);
}

void instruction_graph::fold_into(task_id id, const task& t, std::uint32_t reduction, temporary&& from, temporary& to,
                                  std::vector<instruction>& out) {
  dependencies follows = std::exchange(to.read, {});
  follows.push_back(to.written);
  follows.push_back(from.written);
  to.written = append(id, std::move(follows), fold{t.reductions[reduction].buffer, from.is, to.is, reduction}, out);
  from.read.push_back(to.written);
  discard(id, std::move(from), out);
}

void instruction_graph::make_partial_values(task_id id, const task& t, const plan& p, part_range which,
                                            std::vector<instruction>& out) {
  for (std::size_t n = which.first; n < which.last; ++n)
    for (std::uint32_t r = 0; r < t.reductions.size(); ++r) {
      temporary& value = partial_values_of(t, n)[r];
      if (at(t.reductions[r].buffer).is.elements().is_empty()) continue;
      if (!value.is.number) value = make_temporary(id, t.reductions[r].buffer, shape_.memory_of(p.parts[n].by), out);
      set_identity(id, t, r, value, out);
    }
}

void instruction_graph::take_to_host(task_id id, buffer_id b, temporary& value, std::vector<instruction>& out) {
  if (!value.is.number || value.where == 0) return;
  temporary here = make_temporary(id, b, 0, out);
  here.written = append(id, {here.written, value.written}, copy{b, value.is, here.is, {at(b).is.elements()}}, out);
  value.read.push_back(here.written);
  discard(id, std::move(value), out);
  value = std::move(here);
}

/// A copy of the value in host memory, with the identity where nothing was written.
instruction_graph::temporary instruction_graph::current_content(task_id id, const task& t, std::uint32_t reduction,
                                                                std::vector<instruction>& out) {
  const buffer_id b = t.reductions[reduction].buffer;
  placement& is = at(b).is;
  temporary all = make_identity(id, t, reduction, 0, out);
  std::vector<std::pair<placement::allocation*, std::vector<box>>> from;
  is.each_source(is.valid(is.elements()), [&](placement::allocation& a, const box& piece) {
    auto found = std::ranges::find(from, &a, [](const auto& f) { return f.first; });
    if (found == from.end()) found = from.insert(from.end(), {&a, {}});
    found->second.push_back(piece);
  });
  for (auto& [a, parts] : from) {
    dependencies follows{all.written};
    for (const box& p : parts) a->uses.before_reading(p, follows);
    all.written = append(id, std::move(follows), copy{b, a->is, all.is, parts}, out);
    for (const box& p : parts) a->uses.read(p, all.written, out.back().follows);
  }
  return all;
}

/// The contribution of this node, in host memory; number 0: none.
instruction_graph::temporary instruction_graph::folded_here(task_id id, const task& t, const plan& p,
                                                            std::uint32_t reduction, const reduce& r,
                                                            std::vector<instruction>& out) {
  temporary all;
  if (r.includes_current && r.self == 0) all = current_content(id, t, reduction, out);
  for (std::size_t n = 0; n < p.part_count; ++n) {
    temporary part = std::move(partial_values_of(t, n)[reduction]);
    take_to_host(id, r.buffer, part, out);
    if (all.is.number) fold_into(id, t, reduction, std::move(part), all, out);
    else all = std::move(part);
  }
  return all;
}

void instruction_graph::add_reduce(task_id id, const task& t, const plan& p, const reduce& r,
                                   std::vector<instruction>& out) {
  placement& is = at(r.buffer).is;
  const box elements = is.elements();
  if (elements.is_empty()) return;
  const auto reduction = static_cast<std::uint32_t>(
      std::ranges::find(t.reductions, r.buffer, &graph::reduction::buffer) - t.reductions.begin());
  const auto slot = static_cast<std::uint32_t>(t.accesses.size() + t.reductions.size() + reduction);
  temporary all = folded_here(id, t, p, reduction, r, out);
  for (const exchange_step& s : r.exchange) {
    if (!s.to.is_empty())
      all.read.push_back(
          append(id, {all.written}, send{r.buffer, all.is, {id, slot, r.self}, {{elements, s.to}}}, out));
    if (!s.from) continue;
    temporary received = make_temporary(id, r.buffer, 0, out);
    received.written =
        append(id, {received.written}, receive{r.buffer, received.is, {id, slot, *s.from}, {elements}}, out);
    if (s.received == exchange_step::fold_order::behind) {
      fold_into(id, t, reduction, std::move(received), all, out);
      continue;
    }
    if (s.received == exchange_step::fold_order::before) fold_into(id, t, reduction, std::move(all), received, out);
    else if (all.is.number) discard(id, std::move(all), out);
    all = std::move(received);
  }
  if (!all.is.number) all = make_identity(id, t, reduction, 0, out);
  placement::allocation& to = require_allocation(id, r.buffer, 0, elements, out);
  dependencies follows{all.written};
  to.uses.before_writing(elements, follows);
  const std::uint64_t n = append(id, std::move(follows), copy{r.buffer, all.is, to.is, {elements}}, out);
  to.uses.write(elements, n);
  is.written(elements, 0);
  all.read.push_back(n);
  discard(id, std::move(all), out);
}

}  // namespace stretto::graph

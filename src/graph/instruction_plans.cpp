// instruction_plans.cpp - divides a node's chunk of a task among its processors, and checks that the parts fit.
#include <stretto/error.hpp>

#include <algorithm>

#include "graph/instruction_graph.hpp"
#include "graph/instruction_labels.hpp"

namespace stretto::graph {
namespace {

constexpr std::uint32_t max_pieces = 4096;  // pieces of a processor's part

std::string processor_text(processor_number p, const node_shape& shape) {
  return p == shape.host() ? "the host" : "D" + std::to_string(p);
}

std::string bytes_text(std::uint64_t bytes) {
  std::string digits = std::to_string(bytes);
  for (std::size_t at = digits.size(); at > 3; digits.insert(at, 1, ',')) at -= 3;
  return digits + " bytes";
}

}  // namespace

box instruction_graph::bounds_of(std::span<const box> all) {
  box b;
  for (const box& one : all) b = hull(b, one);
  return b;
}

instruction_graph::plan& instruction_graph::plan_of(const task& t, const box& own) {
  return plans_.find(t.shape, [&](plan& p) {
    divide(t, own, t.pieces, p);
    make_fit(t, own, p);
    find_shared(t, p);
  });
}

void instruction_graph::divide(const task& t, const box& own, std::uint32_t pieces, plan& made) const {
  made.part_count = 0;
  made.is_checked = false;
  if (own.is_empty()) return;
  const bool on_host = t.by == processors::host || shape_.devices.empty(), is_divided = t.kind == task_kind::kernel;
  const bool is_weighted = is_divided && !on_host && !weights_.are_none();
  const std::vector<processor_number> some = on_host ? std::vector<processor_number>() : devices_of(t);
  const auto sharing = static_cast<node_number>(!is_divided || on_host ? 1
                                                : !some.empty()        ? some.size()
                                                : is_weighted          ? weights_.size()
                                                                       : shape_.devices.size());
  const chunk_weights weights = !is_weighted ? chunk_weights() : some.empty() ? weights_ : weights_.of(some);
  const chunk_grid grid(own, is_divided ? sharing * pieces : 1, t.how, t.grain, weights.repeated(pieces));
  for (node_number n = 0; n < grid.chunks(); ++n) {
    if (made.part_count == made.parts.size()) made.parts.emplace_back();
    part_of_task& p = made.parts[made.part_count++];
    const auto share = static_cast<processor_number>(std::uint64_t{n} * sharing / grid.chunks());
    p.by = on_host ? shape_.host() : some.empty() ? share : some[share];
    p.chunk = grid.chunk(n);
    p.uses.resize(t.accesses.size());
    p.bounds.resize(t.accesses.size());
    for (std::size_t i = 0; i < t.accesses.size(); ++i) {
      const mapping& where = t.accesses[i].where;
      p.uses[i].clear();
      where.used_by(p.chunk, t.range, p.uses[i]);
      if (where.is_custom())
        for (box& b : p.uses[i]) b = intersection(b, where.elements());
      p.bounds[i] = bounds_of(p.uses[i]);
    }
  }
}

/// The allocations that the parts need in this memory: for each buffer, disjoint boxes of which no two form a box.
std::vector<instruction_graph::needed_allocation> instruction_graph::allocations_needed(
    const task& t, std::span<const part_of_task> parts, memory_number m) const {
  std::vector<needed_allocation> all;
  each_needed_allocation(parts, [&](std::size_t i, memory_number where, const box& elements) {
    if (where != m) return;
    needed_allocation needed{t.accesses[i].buffer, elements};
    for (std::size_t n = 0; n < all.size();) {
      needed_allocation& other = all[n];
      if (other.of != needed.of ||
          (!other.elements.meets(needed.elements) && joined(other.elements, needed.elements).is_empty())) {
        ++n;
        continue;
      }
      needed.elements = hull(needed.elements, other.elements);
      all.erase(all.begin() + static_cast<std::ptrdiff_t>(n));
      n = 0;
    }
    all.push_back(needed);
  });
  return all;
}

/// The bytes that the parts need in this memory, those for partial values of reductions included.
instruction_graph::need instruction_graph::need_of(const task& t, std::span<const part_of_task> parts,
                                                   memory_number m) const {
  need all;
  all.where = m;
  const auto add = [&](buffer_id b, const box& elements) {
    const std::uint64_t bytes = maps_[m].taken_by(bytes_of(b, elements));
    all.bytes += bytes;
    const auto known = std::ranges::find(all.of, b, &std::pair<buffer_id, std::uint64_t>::first);
    if (known == all.of.end()) all.of.push_back({b, bytes});
    else known->second += bytes;
  };
  for (const needed_allocation& r : allocations_needed(t, parts, m)) add(r.of, r.elements);
  for (const part_of_task& part : parts) {
    if (shape_.memory_of(part.by) != m) continue;
    if (all.chunk.is_empty()) all.chunk = part.chunk;
    for (const reduction& r : t.reductions)
      if (const box& elements = at(r.buffer).is.elements(); !elements.is_empty()) add(r.buffer, elements);
  }
  return all;
}

namespace {

/// True if no part uses elements that another part writes.
bool are_independent(const task& t, auto parts) {
  for (std::size_t w = 0; w < t.accesses.size(); ++w) {
    if (!writes(t.accesses[w].how)) continue;
    region_map<std::uint32_t> writers;  // parts
    const auto meets_another = [&](const box& b, std::size_t n) {
      return std::ranges::any_of(writers.query(b), [&](const auto& e) { return e.second != n; });
    };
    for (std::size_t n = 0; n < parts.size(); ++n)
      for (const box& b : parts[n].uses[w]) {
        if (meets_another(b, n)) return false;
        writers.update(b, static_cast<std::uint32_t>(n));
      }
    for (std::size_t i = 0; i < t.accesses.size(); ++i) {
      if (i == w || t.accesses[i].buffer != t.accesses[w].buffer) continue;
      for (std::size_t n = 0; n < parts.size(); ++n)
        for (const box& b : parts[n].uses[i])
          if (meets_another(b, n)) return false;
    }
  }
  return true;
}

}  // namespace

/// If all parts together do not fit into memory, makes the plan sequential: cuts the parts until two of them fit
/// together. If that is impossible, cuts until one fits, and as long as a cut saves more than a tenth.
void instruction_graph::make_fit(const task& t, const box& own, plan& made) const {
  made.is_sequential = false;
  made.unmet_need.reset();
  if (maps_.empty() || own.is_empty()) return;
  for (memory_number m = 1; m < maps_.size() && !made.unmet_need; ++m)
    if (is_bounded(m))
      if (need all = need_of(t, made.all(), m); all.bytes > maps_[m].capacity()) made.unmet_need = std::move(all);
  if (!made.unmet_need) return;
  plan cut;
  double best_share = 1;
  for (std::uint32_t pieces = t.pieces; pieces <= max_pieces; pieces *= 2) {
    const std::size_t parts = cut.part_count;
    divide(t, own, pieces, cut);
    if (cut.part_count <= parts) return;  // no further cut is possible
    if (!are_independent(t, cut.all())) {
      if (made.unmet_need) made.unmet_need->are_dependent = true;
      return;
    }
    double share = 0;
    std::optional<need> unmet_need;
    for (std::size_t n = 0; n < cut.part_count; ++n) {
      const memory_number m = shape_.memory_of(cut.parts[n].by);
      if (!is_bounded(m)) continue;
      need one = need_of(t, cut.all().subspan(n, 1), m);
      const double this_share = static_cast<double>(one.bytes) / static_cast<double>(maps_[m].capacity());
      if (this_share > 1 && this_share > share) unmet_need = std::move(one);
      share = std::max(share, this_share);
    }
    if (made.is_sequential && share > 0.9 * best_share) return;
    if (unmet_need) {
      made.unmet_need = std::move(unmet_need);
      continue;
    }
    made = cut;
    made.is_sequential = true;
    best_share = share;
    if (share <= 0.5) return;
  }
}

void instruction_graph::refuse(const task& t, const need& unmet_need) const {
  std::string of;
  for (const auto& [b, bytes] : unmet_need.of)
    of += (of.empty() ? "" : ", ") + bytes_text(bytes) + " of buffer B" + std::to_string(b.number) + " \"" +
          at(b).name + "\"";
  throw error("B24",
              "\"" + t.name + "\" needs more of the " + text_of_memory(unmet_need.where, shape_) + " than there is")
      .fact("needed", bytes_text(unmet_need.bytes) + " at once, for chunk " + unmet_need.chunk.text())
      .fact("memory", bytes_text(maps_[unmet_need.where].capacity()))
      .fact("buffers", of)
      .because(unmet_need.are_dependent
                   ? "it cannot be cut into pieces that fit: some pieces would use elements that others write"
                   : "it is already cut into the smallest pieces possible, or smaller pieces need as much memory")
      .remedy("map fewer elements, or use the memory of the host: launch(on(device_kind::host), ...)");
}

void instruction_graph::check(const task& t, const box& own) {
  plan& p = plan_of(t, own);
  if (p.is_checked) return;
  const auto parts = p.all();
  for (std::size_t i = 0; i < t.accesses.size() && parts.size() > 1; ++i) {
    if (!writes(t.accesses[i].how)) continue;
    region_map<std::uint32_t> writers;  // parts
    for (std::size_t n = 0; n < parts.size(); ++n)
      for (const box& b : parts[n].uses[i]) {
        for (const auto& [part, other] : writers.query(b)) {
          if (other == n) continue;
          const buffer_id id = t.accesses[i].buffer;
          throw error("B04", "two chunks of \"" + t.name + "\" write the same elements of buffer B" +
                                 std::to_string(id.number) + " \"" + at(id).name + "\"")
              .fact("overlap", part.text())
              .fact("writers", parts[other].chunk.text() + " on " + processor_text(parts[other].by, shape_) + ", " +
                                   parts[n].chunk.text() + " on " + processor_text(parts[n].by, shape_))
              .remedy("write with one_to_one, and read neighbouring elements from a second buffer");
        }
        writers.update(b, static_cast<std::uint32_t>(n));
      }
  }
  if (p.unmet_need) refuse(t, *p.unmet_need);
  p.is_checked = true;
}

}  // namespace stretto::graph

// replica_reductions.cpp - replica_set: accumulators, and when they are folded into replicas.
#include "data/replica_set.hpp"

#include <algorithm>

namespace stretto::data {

bool replica_set::has_accumulated(const box& where, std::optional<std::uint32_t> but) const {
  const auto has_some = [&](replica_id r) {
    return at(r).accumulates != but && at(r).where.meets(where) && has_valid_element(at(r), where);
  };
  return std::ranges::any_of(accumulators_, has_some);
}

// A reduction is done in place if the data is here, or nowhere, which the plan reports. Also if another need of the
// task uses the same elements, or if contributions by another operator must be folded first.
bool replica_set::goes_into_accumulator(memory_number in, std::span<const need> needs, std::size_t number) const {
  const need& n = needs[number];
  if (n.how.is != usage::mode::reduce || n.where.is_empty()) return false;
  for (std::size_t i = 0; i < needs.size(); ++i)
    if (i != number && needs[i].where.meets(n.where)) return false;
  if (valid_elements(in, n.where) == n.where.volume() || has_accumulated(n.where, n.how.reduction)) return false;
  return nowhere_valid(region(n.where)).is_empty();
}

void replica_set::find_accumulator(memory_number in, const need& n, replica_id& use, plan& out) const {
  const box all = hull(n.where, n.room);
  region empty(n.where);
  for (const replica_id r : accumulators_)
    if (at(r).memory == in && at(r).accumulates == n.how.reduction && at(r).where.contains(all)) {
      use = r;
      empty -= valid_in(at(r), n.where);
      break;
    }
  if (use == no_replica) {
    use = new_id(out.allocate.size());
    out.allocate.push_back({use, in, all, n.how.reduction});
  }
  for (const box& b : empty.boxes()) out.fills.push_back({use, b, n.how.reduction});
}

// Folds contributions by other operators than the need's own into the replica that serves the need.
void replica_set::plan_folds(const need& n, replica_id to, plan& out) const {
  for (const replica_id r : accumulators_) {
    if (n.how.is == usage::mode::reduce && at(r).accumulates == n.how.reduction) continue;
    region some = valid_in(at(r), n.where);
    for (const fold& f : out.folds)
      if (f.from == r && !some.is_empty()) some -= f.where;
    for (const box& b : some.boxes()) out.folds.push_back({r, to, b, *at(r).accumulates});
  }
}

bool replica_set::forget_accumulated(const box& where) {
  bool any = false;
  for (const replica_id r : accumulators_) any |= make_invalid(replicas_[r], where);
  return any;
}

void replica_set::waits_of(const fill& f, wait_list& out) const {
  wait_to_write(at(f.to), f.where, out.order, out.order);
}

void replica_set::filled(const fill& f, token done) {
  ++changes_;
  write(f.to, f.where, done);
}

void replica_set::waits_of(const fold& f, wait_list& out) const {
  wait_to_read(at(f.from), f.where, out.content);
  wait_to_write(at(f.to), f.where, out.content, out.order);
}

void replica_set::folded(const fold& f, token done) {
  ++changes_;
  replicas_[f.from].cells.visit(f.where, [&](const box&, cell& c) {
    add_reader(c, done);
    c.valid = false;
  });
  prune(replicas_[f.from]);
  invalidate(f.where, f.to);
  write(f.to, f.where, done);
}

}  // namespace stretto::data

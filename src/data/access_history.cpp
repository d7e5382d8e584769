#include "data/access_history.hpp"

#include <algorithm>

namespace stretto::data {

namespace {

bool may_conflict(const element_access& a, const element_access& b) noexcept {
  if (a.kind != b.kind || a.kind == access_kind::write) return true;
  return a.kind == access_kind::update && a.updated_by != b.updated_by;
}

}  // namespace

const element_access* access_history::conflict(const element_access& now, const happens_before& order) const {
  for (const element_access& e : kept_)
    if (may_conflict(e, now) && e.where.meets(now.where) && !order.is_before(e.when)) return &e;
  return nullptr;
}

// Drops the accesses that `now` stands for from now on: of its predecessors, all that it overwrites, or accesses of its
// own kind.
void access_history::retire(const element_access& now, const happens_before& order) {
  const bool overwrites = now.kind == access_kind::write;
  std::erase_if(kept_, [&](element_access& e) {
    if (!overwrites && (e.kind != now.kind || e.updated_by != now.updated_by)) return false;
    if (!e.where.meets(now.where) || !order.is_before(e.when)) return false;
    if (now.where.contains(e.where)) return true;
    if (!overwrites) return false;
    pieces_.clear();
    difference(e.where, now.where, pieces_);
    e.where = pieces_.front();
    for (std::size_t i = 1; i < pieces_.size(); ++i) {
      rest_.push_back(e);
      rest_.back().where = pieces_[i];
    }
    return false;
  });
  kept_.insert(kept_.end(), rest_.begin(), rest_.end());
  rest_.clear();
}

void access_history::add(const element_access& now, const happens_before& order) {
  retire(now, order);
  if (kept_.size() >= most_accesses) kept_.erase(kept_.begin(), kept_.begin() + most_accesses / 4);
  kept_.push_back(now);
}

void access_history::forget(const box& where) {
  std::erase_if(kept_, [&](const element_access& e) { return e.where.meets(where); });
}

region access_history::unwritten(const box& where) const {
  return unwritten_.is_empty() ? region() : unwritten_ & region(where);
}

void access_history::written(const box& where) {
  if (unwritten_.is_empty()) return;
  unwritten_ -= region(where);
  if (unwritten_.boxes().size() > most_unwritten) unwritten_ = {};
}

}  // namespace stretto::data

#include "objects/dependencies.hpp"

#include <algorithm>

namespace stretto::objects {

dependencies::group_ref dependencies::new_group(data::usage how, task_id task) {
  if (free_.empty()) {
    groups_.emplace_back().free = &free_;
    free_.reserve(groups_.size());  // so that returning a group cannot fail
    free_.push_back(&groups_.back());
  }
  group* const g = free_.back();
  free_.pop_back();
  g->how = how;
  g->prune_at = 16;
  g->members.clear();
  if (g->members.capacity() > 64) g->members = {};
  g->members.push_back(task);
  return group_ref(g);
}

void dependencies::drop_retired(group& g) const {
  std::erase_if(g.members, [&](task_id t) { return !tasks_.is_live(t); });
}

void dependencies::follow(const group_ref& g, task_id task, std::vector<task_id>& predecessors) {
  if (!g) return;
  // Removes retired tasks from the group at the same time.
  std::size_t kept = 0;
  for (const task_id m : g->members) {
    if (!tasks_.is_live(m)) continue;
    g->members[kept++] = m;
    if (m != task && tasks_.is_first_query(task, m)) predecessors.push_back(m);
  }
  g->members.resize(kept);
}

void dependencies::access(const box& where, data::usage how, task_id task, std::vector<task_id>& predecessors) {
  group_ref own;                    // the group that the task starts, one for all tiles
  const group* followed = nullptr;  // the group followed in the tile before: often the same
  // a shared group of which only some tiles are in this box, and the copy of it that the task joins there
  group_ref joined, joining;
  tiles_.visit(where, [&](const box&, history& h) {
    if (!h.last || !may_share(h.last->how, how)) {
      if (h.last.get() != followed) follow(h.last, task, predecessors);
      followed = h.last.get();
      if (!own) own = new_group(how, task);
      h.before = std::exchange(h.last, own);
      return;
    }
    if (h.before.get() != followed) follow(h.before, task, predecessors);
    followed = h.before.get();
    if (h.last == joined) {
      h.last = joining;
      return;
    }
    group_ref g = h.last;
    if (g->members.size() >= g->prune_at) {
      drop_retired(*g.get());
      g->prune_at = static_cast<std::uint32_t>(std::max<std::size_t>(16, 2 * g->members.size()));
    }
    if (!g->members.empty() && g->members.back() == task) return;
    if (g->uses == 2) {  // references: this tile's and g
      g->members.push_back(task);
      return;
    }
    joined = g;
    joining = new_group(how, task);
    joining->members.insert(joining->members.begin(), g->members.begin(), g->members.end());
    drop_retired(*joining.get());
    joining->prune_at = static_cast<std::uint32_t>(std::max<std::size_t>(16, 2 * joining->members.size()));
    h.last = joining;
  });
  if (tiles_.size() > limit_) {
    forget();
    // Repeated boxes should find their tiles again: the limit grows each time it is reached.
    limit_ = std::max(std::min<std::size_t>(2 * limit_, 16384), 2 * tiles_.size());
  }
}

void dependencies::forget() {
  tiles_.erase_if([&](const history& h) {
    return !h.last ||
           std::none_of(h.last->members.begin(), h.last->members.end(), [&](task_id t) { return tasks_.is_live(t); });
  });
}

std::size_t dependencies::remembered() const noexcept {
  std::size_t n = 0;
  for (const group& g : groups_) n += g.uses ? g.members.size() : 0;
  return n;
}

}  // namespace stretto::objects

#include "graph/replication.hpp"

namespace stretto::graph {

replication::replication(const box& elements, node_number self, node_number nodes)
    : others_(node_set(0, nodes) - node_set(self, self + 1)), states_(elements, state::held) {}

void replication::take(const box& where, std::vector<box>& lacking) {
  if (states_.is(where, state::held)) return;
  for (const auto& [part, is] : states_.query(where)) {
    if (is != state::elsewhere) continue;
    lacking.push_back(part);
    states_.update(part, state::held);
  }
}

void replication::unshared(const box& where, std::vector<box>& out) const {
  for (const auto& [part, has] : owned_.query(where)) out.push_back(part);
}

void replication::send(const box& where, const node_set& users, std::vector<sent_part>& sent) {
  for (const auto& [part, has] : owned_.query(where)) {
    node_set lack = (users & others_) - has;
    if (lack.is_empty()) continue;
    const node_set now = has | lack;
    if (now == others_) owned_.erase(part);
    else owned_.update(part, now);
    if (!sent.empty() && sent.back().to == lack)
      if (const box both = joined(sent.back().where, part); !both.is_empty()) {
        sent.back().where = both;
        continue;
      }
    sent.push_back({part, std::move(lack)});
  }
}

void replication::written(const std::vector<box>& all, const std::vector<box>& own) {
  if (others_.is_empty()) return;
  // What a program writes again and again is written by the same nodes each time.
  for (const box& b : all) {
    others_wrote_.assign(1, b);
    for (const box& mine : own) {
      rest_.clear();
      for (const box& part : others_wrote_) difference(part, mine, rest_);
      others_wrote_.swap(rest_);
    }
    for (const box& part : others_wrote_) {
      if (!states_.is(part, state::elsewhere)) states_.update(part, state::elsewhere);
      if (owned_.meets(part)) owned_.erase(part);
    }
  }
  for (const box& mine : own) {
    if (!states_.is(mine, state::held)) states_.update(mine, state::held);
    if (!owned_.is(mine, {})) owned_.update(mine, {});
  }
}

void replication::alike(const box& all) {
  states_.update(all, state::held);
  owned_.erase(all);
}

}  // namespace stretto::graph

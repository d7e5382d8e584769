#include "graph/replication.hpp"

namespace stretto::graph {

replication::replication(const box& elements, node_number self, node_number nodes)
    : others_(node_set(0, nodes) - node_set(self, self + 1)), states_(elements, state::held) {}

void replication::take(const box& where, std::vector<box>& lacking) {
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

void replication::written(const box& all) {
  if (others_.is_empty()) return states_.update(all, state::held);
  states_.update(all, state::elsewhere);
  owned_.erase(all);
}

void replication::alike(const box& all) {
  states_.update(all, state::held);
  owned_.erase(all);
}

void replication::written_here(const box& own) {
  states_.update(own, state::held);
  if (!others_.is_empty()) owned_.update(own, {});
}

}  // namespace stretto::graph

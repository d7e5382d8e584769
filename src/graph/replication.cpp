#include "graph/replication.hpp"

#include <algorithm>

namespace stretto::graph {

replication::replication(const box& elements, node_number self, node_number nodes)
    : elements_(elements), others_(node_set(0, nodes) - node_set(self, self + 1)), states_(elements, state::held) {}

std::vector<std::uint64_t> replication::key() const {
  std::vector<std::uint64_t> out;
  const auto append = [&](const box& b) {
    for (int a = 0; a < max_axes; ++a)
      out.push_back(static_cast<std::uint64_t>(b.min()[a])), out.push_back(static_cast<std::uint64_t>(b.max()[a]));
  };
  for (const auto& [part, is] : states_.query(elements_)) append(part), out.push_back(static_cast<std::uint64_t>(is));
  out.push_back(states_.size());
  for (const auto& [part, has] : owned_.query(elements_)) {
    append(part);
    out.push_back(has.intervals().size());
    for (const node_set::interval& i : has.intervals()) out.push_back(std::uint64_t{i.first} << 32 | i.last);
  }
  return out;
}

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

// True if that would change nothing.
bool replication::is_as_written(const std::vector<box>& all, const std::vector<box>& own) const {
  const auto is_own = [&](const box& part) {
    return std::ranges::any_of(own, [&](const box& b) { return b.contains(part); });
  };
  const auto meets_own = [&](const box& part) {
    return std::ranges::any_of(own, [&](const box& b) { return b.meets(part); });
  };
  bool same = true;
  for (const box& b : all)
    states_.look(b, [&](const box& part, state is) {
      return same = same && (is == state::held ? is_own(part) : !meets_own(part));
    });
  std::uint64_t lacking = 0;
  for (const box& b : own) lacking += b.volume();
  for (const box& b : all)
    owned_.look(b, [&](const box& part, const node_set& has) {
      return lacking -= part.volume(), same = same && has.is_empty() && is_own(part);
    });
  return same && lacking == 0;
}

void replication::written(const std::vector<box>& all, const std::vector<box>& own) {
  // Programs that write elements repeatedly mostly do so on the same nodes.
  if (others_.is_empty() || is_as_written(all, own)) return;
  for (const box& b : all) {
    states_.update(b, state::elsewhere);
    owned_.erase(b);
  }
  for (const box& mine : own) {
    states_.update(mine, state::held);
    owned_.update(mine, {});
  }
}

void replication::written_everywhere(const box& all) {
  states_.update(all, state::held);
  owned_.erase(all);
}

}  // namespace stretto::graph

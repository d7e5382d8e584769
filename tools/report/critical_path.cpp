#include "report/critical_path.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "report/name_totals.hpp"

namespace stretto::report {

const char* name(piece_kind k) noexcept {
  return k == piece_kind::work ? "work" : k == piece_kind::delay ? "delay" : "unknown";
}

namespace {

// For each record the one before it on its lane that ended last among those that began earlier; the one around it wins.
std::vector<std::uint32_t> lane_predecessors(const run& r) {
  std::vector<std::uint32_t> before(r.records.size(), no_record), latest(r.lanes.size(), no_record);
  for (std::uint32_t i = 0; i < r.records.size(); ++i) {
    if (!is_work(r.records[i].kind)) continue;
    std::uint32_t& last = latest[r.records[i].lane];
    before[i] = last;
    if (last == no_record || r.records[i].end >= r.records[last].end) last = i;
  }
  return before;
}

struct step {
  std::uint32_t record = no_record;
  nanoseconds at = -1;  // when it let the next one go on
  reached_by how = reached_by::start;
};

step step_before(const run& r, std::uint32_t i, const std::vector<std::uint32_t>& on_lane) {
  const nanoseconds start = r.records[i].start;
  step best;
  for (const edge& e : r.into(i)) {
    if (!is_work(r.records[e.from].kind)) continue;
    const nanoseconds at = std::min(r.records[e.from].end, start);
    if (at > best.at) best = {e.from, at, reached_by::dependency};
  }
  if (on_lane[i] != no_record) {
    const nanoseconds at = std::min(r.records[on_lane[i]].end, start);
    if (at > best.at) best = {on_lane[i], at, reached_by::lane};
  }
  return best;
}

// Tasks, copies, ..., and waits.
std::vector<path_share> by_kind(const std::vector<path_share>& shares) {
  std::map<std::pair<piece_kind, kind>, path_share> found;
  for (const path_share& s : shares) {
    const kind k = s.piece == piece_kind::work ? s.kind : kind::wait;
    auto& share = found.try_emplace({s.piece, k}, path_share{k, s.piece, ""}).first->second;
    share.count += s.count;
    share.time += s.time;
  }
  std::vector<path_share> all;
  for (auto& [key, share] : found) all.push_back(std::move(share));
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.time > b.time; });
  return all;
}

std::vector<path_share> by_name(const run& r, const std::vector<path_piece>& pieces) {
  std::map<std::tuple<piece_kind, kind, std::string>, path_share> found;
  std::vector<std::string> families;
  for (const label& l : r.labels) families.push_back(family_of(l.name));
  for (const path_piece& p : pieces) {
    const label& l = r.label_of(p.record);
    const std::string& family = families[r.records[p.record].label];
    auto& share = found.try_emplace({p.kind, l.kind, family}, path_share{l.kind, p.kind, family}).first->second;
    ++share.count;
    share.time += p.end - p.start;
  }
  std::vector<path_share> shares;
  for (auto& [key, share] : found) shares.push_back(std::move(share));
  std::stable_sort(shares.begin(), shares.end(), [](const auto& a, const auto& b) { return a.time > b.time; });
  return shares;
}

nanoseconds longest_chain(const run& r) {
  std::vector<nanoseconds> begin(r.records.size(), 0);
  nanoseconds longest = 0;
  for (std::uint32_t i = 0; i < r.records.size(); ++i) {
    if (!is_work(r.records[i].kind)) continue;
    for (const edge& e : r.into(i)) {
      const record& cause = r.records[e.from];
      if (!is_work(cause.kind)) continue;
      // What was made ready by a record that went on running began no earlier than that far into it.
      const nanoseconds until = std::min(cause.self, r.records[i].start - cause.start);
      begin[i] = std::max(begin[i], begin[e.from] + until);
    }
    longest = std::max(longest, begin[i] + r.records[i].self);
  }
  return longest;
}

// Where the path ends: at the record of work that ended last, of a rank if there are any.
std::uint32_t last_work(const run& r) {
  std::vector<bool> is_rank;
  for (const std::string& track : r.tracks) is_rank.push_back(is_rank_track(track));
  const bool has_ranks = std::find(is_rank.begin(), is_rank.end(), true) != is_rank.end();
  std::uint32_t last = no_record;
  for (std::uint32_t i = 0; i < r.records.size(); ++i) {
    if (!is_work(r.records[i].kind) || (has_ranks && !is_rank[r.track_of(i)])) continue;
    if (last == no_record || r.records[i].end > r.records[last].end) last = i;
  }
  return last;
}

}  // namespace

critical_path find_critical_path(const run& r) {
  critical_path path;
  for (const record& one : r.records)
    if (is_work(one.kind)) path.work += one.self;
  std::uint32_t last = last_work(r);
  if (last == no_record) return path;
  path.longest_chain = longest_chain(r);

  const auto on_lane = lane_predecessors(r);
  nanoseconds until = r.records[last].end;
  while (last != no_record) {
    const nanoseconds start = r.records[last].start;
    const step before = step_before(r, last, on_lane);
    path.pieces.push_back({start, until, last, piece_kind::work, before.how});
    const nanoseconds from = std::max<nanoseconds>(before.at, 0);
    if (from < start)
      path.pieces.push_back(
          {from, start, last, before.record == no_record ? piece_kind::unknown : piece_kind::delay, before.how});
    until = from;
    last = before.record;
  }
  std::reverse(path.pieces.begin(), path.pieces.end());
  std::erase_if(path.pieces, [](const path_piece& p) { return p.start == p.end; });
  path.shares = by_name(r, path.pieces);
  path.kinds = by_kind(path.shares);
  return path;
}

}  // namespace stretto::report

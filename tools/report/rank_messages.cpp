#include "report/rank_messages.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "report/span_index.hpp"

namespace stretto::report {
namespace {

using lane_and_cause = std::pair<std::uint32_t, std::uint64_t>;

// When each lane goes on after waits, by the id that ended the wait.
std::map<lane_and_cause, nanoseconds> resumptions(const run& r) {
  std::map<lane_and_cause, nanoseconds> found;
  for (const record& one : r.records)
    if (one.cause != 0 && is_work(one.kind)) found.try_emplace({one.lane, one.cause}, one.start);
  return found;
}

void add_edges_of_receives(run& r) {
  if (r.deliveries.empty()) return;
  const span_index spans(r);
  std::unordered_map<std::uint64_t, std::uint32_t> receive_of;
  for (const delivery& one : r.deliveries)
    if (const auto receive = spans.find(one.received); receive != no_record) receive_of[one.sent] = receive;
  for (std::uint32_t i = 0; i < r.records.size(); ++i) {
    const record& one = r.records[i];
    if (one.cause == 0 || !is_work(one.kind)) continue;
    const std::uint32_t message = spans.find(one.cause);
    if (message == no_record || r.records[message].lane != one.lane) continue;
    if (const auto found = receive_of.find(one.cause); found != receive_of.end()) r.edges.push_back({found->second, i});
  }
}

void add_edges_of_lanes(run& r) {
  std::vector<std::vector<std::uint32_t>> spans(r.lanes.size());
  for (std::uint32_t i = 0; i < r.records.size(); ++i)
    if (is_work(r.records[i].kind)) spans[r.records[i].lane].push_back(i);
  for (std::size_t k = 0; k < spans.size(); ++k) {
    if (!is_rank_track(r.tracks[r.lanes[k].track])) continue;
    std::stable_sort(spans[k].begin(), spans[k].end(),
                     [&](std::uint32_t a, std::uint32_t b) { return r.records[a].end < r.records[b].end; });
    for (std::size_t i = 1; i < spans[k].size(); ++i) r.edges.push_back({spans[k][i - 1], spans[k][i]});
  }
}

}  // namespace

void add_rank_edges(run& r) {
  add_edges_of_receives(r);
  add_edges_of_lanes(r);
}

std::vector<rank_message> find_rank_messages(const run& r) {
  std::vector<rank_message> all;
  if (r.deliveries.empty()) return all;
  const span_index spans(r);
  const auto resumed = resumptions(r);
  for (const delivery& one : r.deliveries) {
    const std::uint32_t send = spans.find(one.sent);
    if (send == no_record) continue;
    const auto found = resumed.find({one.lane, one.sent});
    const nanoseconds sent = r.records[send].end, taken = found == resumed.end() ? one.at : found->second;
    all.push_back({r.records[send].lane, one.lane, sent, std::max(sent, taken), one.bytes, one.label});
  }
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.sent < b.sent; });
  return all;
}

}  // namespace stretto::report

#include "report/late_ranks.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

#include "report/span_index.hpp"

namespace stretto::report {

const char* name(lateness l) noexcept {
  return l == lateness::sender ? "late sender" : l == lateness::receiver ? "late receiver" : "late at a collective";
}

namespace {

// "MPI_Recv" of "until MPI_Recv(from rank 0, ...)".
std::string call_of(std::string_view name) {
  if (name.starts_with("until ")) name.remove_prefix(6);
  return std::string(name.substr(0, name.find('(')));
}

class lateness_search {
 public:
  explicit lateness_search(const run& r) : r_(r), spans_(r) {
    for (const delivery& one : r.deliveries) receive_of_.emplace(one.sent, one.received);
  }

  std::vector<late_total> late() {
    for (std::uint32_t i = 0; i < r_.records.size(); ++i) {
      const kind k = r_.records[i].kind;
      if (k == kind::message_wait) add_wait(i, lateness::sender);
      if (k == kind::receive_wait) add_wait(i, lateness::receiver);
      if (k == kind::collective_wait) add_wait(i, lateness::collective);
    }
    std::vector<late_total> all;
    for (auto& [key, total] : late_) all.push_back(std::move(total));
    std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.time > b.time; });
    return all;
  }

 private:
  const std::string& track(std::uint32_t i) const { return r_.tracks[r_.track_of(i)]; }

  // The record that ended with the call for which a wait waited. A rank that waits for a receive on another node names
  // its own send.
  std::uint32_t awaited(std::uint32_t wait) const {
    const std::uint32_t named = spans_.find(r_.records[wait].cause);
    if (named == no_record || r_.track_of(named) != r_.track_of(wait)) return named;
    const auto receive = receive_of_.find(r_.records[wait].cause);
    return receive == receive_of_.end() ? no_record : spans_.find(receive->second);
  }

  void add_wait(std::uint32_t i, lateness kind) {
    const std::uint32_t by = awaited(i);
    if (by == no_record || r_.track_of(by) == r_.track_of(i)) return;
    const nanoseconds time = std::min(r_.records[by].end, r_.records[i].end) - r_.records[i].start;
    if (time <= 0) return;
    const label& l = r_.label_of(i);
    const late_total made{kind, track(by), track(i), call_of(l.name), l.at};
    late_total& total = late_.try_emplace({kind, made.late, made.waiting, made.call, made.at}, made).first->second;
    ++total.count;
    total.time += time;
  }

  const run& r_;
  const span_index spans_;
  std::unordered_map<std::uint64_t, std::uint64_t> receive_of_;  // ids, by that of the send
  std::map<std::tuple<lateness, std::string, std::string, std::string, std::string>, late_total> late_;
};

std::vector<rank_time> times_of_ranks(const run& r, const critical_path& path) {
  std::vector<rank_time> of_track(r.tracks.size());
  for (std::uint32_t i = 0; i < r.records.size(); ++i) {
    rank_time& t = of_track[r.track_of(i)];
    const record& one = r.records[i];
    switch (one.kind) {
      case kind::message_wait: t.message_waits += one.self; break;
      case kind::receive_wait: t.receive_waits += one.self; break;
      case kind::collective_wait: t.collective_waits += one.self; break;
      case kind::wait: t.other_waits += one.self; break;
      case kind::copy: t.accesses += one.self; break;
      default:
        if (is_work(one.kind)) t.computing += one.self;
    }
  }
  for (const path_piece& p : path.pieces) of_track[r.track_of(p.record)].on_path += p.end - p.start;
  std::vector<rank_time> ranks;
  for (std::size_t t = 0; t < of_track.size(); ++t) {
    if (!is_rank_track(r.tracks[t])) continue;
    of_track[t].rank = r.tracks[t];
    ranks.push_back(std::move(of_track[t]));
  }
  return ranks;
}

std::vector<path_step> steps_of_path(const run& r, const critical_path& path) {
  std::vector<path_step> all;
  for (const path_piece& p : path.pieces) {
    const std::string& rank = r.tracks[r.track_of(p.record)];
    if (all.empty() || all.back().rank != rank) all.push_back({rank, p.start, p.end});
    all.back().end = p.end;
  }
  return all;
}

// For each record of work the wait before it on its lane.
std::vector<std::uint32_t> waits_before(const run& r) {
  std::vector<std::uint32_t> before(r.records.size(), no_record), latest(r.lanes.size(), no_record);
  for (std::uint32_t i = 0; i < r.records.size(); ++i) {
    std::uint32_t& wait = latest[r.records[i].lane];
    if (is_wait(r.records[i].kind)) wait = i;
    else if (is_work(r.records[i].kind)) before[i] = wait;
  }
  return before;
}

std::vector<path_call> calls_of_path(const run& r, const critical_path& path) {
  const auto before = waits_before(r);
  std::map<std::tuple<bool, std::string, std::string>, path_call> found;
  for (const path_piece& p : path.pieces) {
    const bool is_delay = p.kind != piece_kind::work && before[p.record] != no_record;
    const label& l = r.label_of(is_delay ? before[p.record] : p.record);
    const path_call made{is_delay, call_of(l.name), l.at};
    path_call& one = found.try_emplace({is_delay, made.call, made.at}, made).first->second;
    ++one.count;
    one.time += p.end - p.start;
  }
  std::vector<path_call> all;
  for (auto& [key, one] : found) all.push_back(std::move(one));
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.time > b.time; });
  return all;
}

}  // namespace

rank_findings find_late_ranks(const run& r, const critical_path& path) {
  rank_findings found;
  if (std::none_of(r.tracks.begin(), r.tracks.end(), [](const auto& name) { return is_rank_track(name); }))
    return found;
  found.ranks = times_of_ranks(r, path);
  found.late = lateness_search(r).late();
  found.steps = steps_of_path(r, path);
  found.calls = calls_of_path(r, path);
  found.messages = find_rank_messages(r);
  return found;
}

}  // namespace stretto::report

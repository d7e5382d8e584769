// small_runs.hpp - builds small recorded runs for tests.
#pragma once

#include <initializer_list>
#include <string>

#include "report/recorded_run.hpp"

namespace stretto::report {

struct made {
  std::uint32_t lane;
  nanoseconds start, end;
  std::string name;
  report::kind kind = report::kind::task;
};

/// Records in the order given, which must be by start; lane i is track "worker i".
inline run make_run(std::initializer_list<made> records, std::vector<edge> edges = {}) {
  run r;
  for (const made& m : records) {
    while (r.lanes.size() <= m.lane) {
      r.tracks.push_back("worker " + std::to_string(r.lanes.size()));
      r.lanes.push_back({r.tracks.back(), static_cast<std::uint32_t>(r.lanes.size()), 0});
    }
    std::uint32_t label = 0;
    while (label < r.labels.size() && (r.labels[label].name != m.name || r.labels[label].kind != m.kind)) ++label;
    if (label == r.labels.size()) r.labels.push_back({m.name, "", m.kind});
    record one;
    one.start = m.start;
    one.end = m.end;
    one.label = label;
    one.lane = m.lane;
    one.kind = m.kind;
    r.records.push_back(one);
  }
  r.edges = std::move(edges);
  put_in_order(r);
  return r;
}

}  // namespace stretto::report

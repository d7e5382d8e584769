#include "report/node_merge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "report/arrows.hpp"
#include "report/rank_messages.hpp"

namespace stretto::report {
namespace {

/// Gives what two runs call alike one number.
template <class Value, class Key>
class numbering {
 public:
  explicit numbering(std::vector<Value>& all) : all_(all) {}

  std::vector<std::uint32_t> add(std::vector<Value>&& more, auto&& key_of) {
    std::vector<std::uint32_t> now;
    for (Value& v : more) {
      const auto [found, is_new] = known_.try_emplace(key_of(v), static_cast<std::uint32_t>(all_.size()));
      if (is_new) all_.push_back(std::move(v));
      now.push_back(found->second);
    }
    return now;
  }

 private:
  std::vector<Value>& all_;
  std::map<Key, std::uint32_t> known_;
};

constexpr auto itself = [](const std::string& s) { return s; };

std::uint16_t renumbered(std::uint16_t place, const std::vector<std::uint32_t>& now) {
  return place < now.size() && now[place] < no_place ? static_cast<std::uint16_t>(now[place]) : no_place;
}

}  // namespace

run merge_nodes(std::vector<run> of_nodes) {
  run all;
  all.modules.clear();
  all.title = of_nodes.front().title;
  all.level = of_nodes.front().level;
  all.node = of_nodes.front().node;
  all.job_nodes = of_nodes.front().job_nodes;
  all.begin_ns = of_nodes.front().begin_ns;
  for (const run& r : of_nodes) all.begin_ns = std::min(all.begin_ns, r.begin_ns);
  numbering<label, std::tuple<std::string, std::string, kind>> labels(all.labels);
  numbering<std::string, std::string> places(all.places), modules(all.modules);
  for (run& r : of_nodes) {
    const auto label_now =
        labels.add(std::move(r.labels), [](const label& l) { return std::tuple(l.name, l.at, l.kind); });
    for (std::string& p : r.places) p = fmt::format("node {} {}", r.node, p);
    const auto place_now = places.add(std::move(r.places), itself),
               module_now = modules.add(std::move(r.modules), itself);
    const auto first_track = static_cast<std::uint32_t>(all.tracks.size()),
               first_lane = static_cast<std::uint32_t>(all.lanes.size()),
               first_record = static_cast<std::uint32_t>(all.records.size());
    for (const std::string& t : r.tracks) all.tracks.push_back(fmt::format("node {} {}", r.node, t));
    for (const lane& l : r.lanes)
      all.lanes.push_back({fmt::format("node {} {}", r.node, l.name), first_track + l.track, l.node});
    const nanoseconds later = r.begin_ns - all.begin_ns;
    for (record one : r.records) {
      one.start += later;
      one.end += later;
      one.label = label_now[one.label];
      one.lane += first_lane;
      one.place = renumbered(one.place, place_now);
      one.from = renumbered(one.from, place_now);
      one.module = static_cast<std::uint16_t>(module_now[one.module]);
      all.records.push_back(one);
    }
    for (delivery one : r.deliveries) {
      one.at += later;
      one.label = label_now[one.label];
      one.lane += first_lane;
      all.deliveries.push_back(one);
    }
    for (const edge& e : r.edges) all.edges.push_back({first_record + e.from, first_record + e.to});
    all.dropped += r.dropped;
    if (!r.damage.empty()) all.damage += fmt::format("{}node {}: {}", all.damage.empty() ? "" : "; ", r.node, r.damage);
    r = {};
  }
  // Those within a node are there already.
  for (const edge& e : edges_of_causes(all))
    if (all.lanes[all.records[e.from].lane].node != all.lanes[all.records[e.to].lane].node) all.edges.push_back(e);
  add_rank_edges(all);
  put_in_order(all);
  return all;
}

}  // namespace stretto::report

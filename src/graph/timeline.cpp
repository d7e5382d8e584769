#include "graph/timeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <queue>
#include <tuple>
#include <utility>

#include <stretto/error.hpp>

#include "geometry/region.hpp"
#include "graph/instruction_labels.hpp"
#include "graph/json_tree.hpp"
#include "graph/work_counts.hpp"

namespace stretto::graph {
namespace {

struct cost_name {
  std::string_view name;
  double cost_model::*is;
  bool is_rate;
};
constexpr cost_name cost_names[] = {{"task", &cost_model::task, false},
                                    {"launch", &cost_model::launch, false},
                                    {"items", &cost_model::items, true},
                                    {"copy_latency", &cost_model::copy_latency, false},
                                    {"copy_bytes", &cost_model::copy_bytes, true},
                                    {"message_latency", &cost_model::message_latency, false},
                                    {"message_bytes", &cost_model::message_bytes, true}};

/// Numbers of the lanes of a node, by kind, in this order.
class lane_numbers {
 public:
  explicit lane_numbers(const node_shape& shape) : processors_(shape.host() + 1), memories_(shape.memories()) {
    for (processor_number p = 0; p < processors_; ++p) names.push_back(text_of_processor(p, shape));
    for (std::size_t m = 0; m < memories_; ++m)
      names.push_back("copies, " + text_of_memory(static_cast<memory_number>(m), shape));
    names.insert(names.end(), {"sends", "receives"});
  }
  std::int32_t processor(processor_number p) const { return static_cast<std::int32_t>(p); }
  std::int32_t copies(memory_number m) const { return static_cast<std::int32_t>(processors_ + m); }
  std::int32_t sends() const { return static_cast<std::int32_t>(processors_ + memories_); }
  std::int32_t receives() const { return sends() + 1; }
  std::vector<std::string> names;

 private:
  std::size_t processors_, memories_;
};

struct work {
  std::int32_t lane = -1;
  double seconds = 0;
};

std::uint64_t volume_of(const std::vector<box>& parts) {
  std::uint64_t n = 0;
  for (const box& b : parts) n += b.volume();
  return n;
}

class prediction {
 public:
  prediction(const program_record& program, std::span<const node_record> nodes, const cost_model& costs)
      : program_(program), nodes_(nodes), costs_(costs) {
    for (const node_record& n : nodes) {
      first_.push_back(steps_.size());
      labels_.emplace_back(program, n);
      lanes_.emplace_back(n.shape);
      when_.nodes.push_back({lanes_.back().names, std::vector<time_span>(n.instructions.size())});
      free_.emplace_back(lanes_.back().names.size());
      steps_.resize(steps_.size() + n.instructions.size());
    }
    for (std::size_t n = 0; n < nodes.size(); ++n)
      for (std::size_t i = 0; i < nodes[n].instructions.size(); ++i) look_at(n, i);
    for (std::size_t n = 0; n < nodes.size(); ++n)
      for (std::size_t i = 0; i < nodes[n].instructions.size(); ++i)
        if (const auto* r = std::get_if<receive>(&nodes[n].instructions[i].what)) await_sends(n, i, *r);
  }

  timeline run() {
    for (std::size_t n = 0; n < nodes_.size(); ++n)
      for (std::size_t i = 0; i < nodes_[n].instructions.size(); ++i)
        if (step& s = steps_[first_[n] + i]; s.left == 0) ready_.push({s.ready, n, i});
    while (!ready_.empty()) {
      const auto [at, n, i] = ready_.top();
      ready_.pop();
      begin(n, i);
    }
    return std::move(when_);
  }

 private:
  struct follower {
    std::size_t node, index;
    double later;  // delay after the end of the predecessor
  };
  struct step {
    work of;
    double ready = 0;
    std::size_t left = 0;
    std::vector<follower> followers;
  };
  using place_in_line = std::tuple<double, std::size_t, std::size_t>;

  double bytes_of(buffer_id b) const {
    return b.number < program_.element_bytes.size() ? program_.element_bytes[b.number] : 1;
  }

  memory_number memory_of(std::size_t n, allocation_id a) const {
    const allocate* const made = labels_[n].find(a);
    return made ? made->where : memory_number{0};
  }

  double rate_of(task_id id) const {
    const task* const t = program_.find(id);
    const auto own = t ? costs_.items_of.find(t->name) : costs_.items_of.end();
    return own == costs_.items_of.end() ? costs_.items : own->second;
  }

  work work_of(std::size_t n, const instruction& i) const {
    const lane_numbers& lane = lanes_[n];
    const auto copied = [&](memory_number m, double bytes) {
      return work{lane.copies(m), costs_.copy_latency + bytes / costs_.copy_bytes};
    };
    const auto elements = [&](allocation_id a) {
      const allocate* const made = labels_[n].find(a);
      return made ? static_cast<double>(made->elements.volume()) : 0.0;
    };
    return std::visit(
        overloaded{
            [](const allocate&) { return work{}; }, [](const release&) { return work{}; },
            [&](const copy& c) {
              const memory_number to = memory_of(n, c.to);
              return copied(to ? to : memory_of(n, c.from), static_cast<double>(volume_of(c.parts)) * bytes_of(c.of));
            },
            [&](const fill_identity& f) { return copied(memory_of(n, f.is), elements(f.is) * bytes_of(f.of)); },
            [&](const fold& f) {
              return work{lane.processor(nodes_[n].shape.host()), costs_.launch + elements(f.to) / costs_.items};
            },
            [&](const compute& c) {
              return work{lane.processor(c.by), costs_.launch + static_cast<double>(c.chunk.volume()) / rate_of(i.of)};
            },
            [&](const send& s) {
              double sent = 0;
              for (const sent_part& p : s.parts)
                sent += static_cast<double>(p.where.volume()) * static_cast<double>(p.to.size());
              return work{lane.sends(), sent * bytes_of(s.of) / costs_.message_bytes};
            },
            [&](const receive& r) {
              return work{lane.receives(),
                          static_cast<double>(volume_of(r.parts)) * bytes_of(r.of) / costs_.message_bytes};
            },
            [](const arrive&) { return work{}; }, [](const pass_horizon&) { return work{}; },
            [](const pass_epoch&) { return work{}; }},
        i.what);
  }

  void follow(std::size_t n, std::size_t i, std::size_t before_node, std::size_t before, double later) {
    steps_[first_[before_node] + before].followers.push_back({n, i, later});
    ++steps_[first_[n] + i].left;
  }

  void look_at(std::size_t n, std::size_t i) {
    const instruction& is = nodes_[n].instructions[i];
    steps_[first_[n] + i].of = work_of(n, is);
    steps_[first_[n] + i].ready = static_cast<double>(is.of.number) * costs_.task;
    for (const std::uint64_t f : is.follows)
      if (const instruction* const before = labels_[n].find(instruction_id{f}))
        follow(n, i, n, static_cast<std::size_t>(before - nodes_[n].instructions.data()), 0);
    if (const auto* s = std::get_if<send>(&is.what)) sends_[{s->by.of.number, s->by.slot}].push_back({n, i, s});
  }

  // Received elements arrive one latency after the send, and occupy the receiving link until then.
  void await_sends(std::size_t n, std::size_t i, const receive& r) {
    const double later = costs_.message_latency - steps_[first_[n] + i].of.seconds;
    region elsewhere{std::span<const box>(r.parts)};
    const auto found = sends_.find({r.by.of.number, r.by.slot});
    if (found == sends_.end()) return;
    for (const auto& [from, index, s] : found->second) {
      if (from == n || s->by != r.by) continue;
      bool is_part = false;
      for (const sent_part& p : s->parts) {
        if (!p.to.contains(nodes_[n].node) || !region(std::span<const box>(r.parts)).meets(p.where)) continue;
        elsewhere -= region(p.where);
        is_part = true;
      }
      if (is_part) follow(n, i, from, index, later);
    }
    if (elsewhere.is_empty()) return;
    for (const auto& [from, index, s] : found->second)
      if (from == n && index < i) follow(n, i, n, index, later);
  }

  void begin(std::size_t n, std::size_t i) {
    step& s = steps_[first_[n] + i];
    time_span& span = when_.nodes[n].spans[i];
    span = {s.ready, s.ready + s.of.seconds, s.of.lane};
    if (s.of.lane >= 0) {
      double& free = free_[n][static_cast<std::size_t>(s.of.lane)];
      span.begin = std::max(s.ready, free);
      span.end = free = span.begin + s.of.seconds;
    }
    when_.seconds = std::max(when_.seconds, span.end);
    for (const follower& f : s.followers) {
      step& next = steps_[first_[f.node] + f.index];
      next.ready = std::max(next.ready, span.end + f.later);
      if (--next.left == 0) ready_.push({next.ready, f.node, f.index});
    }
  }

  struct sent {
    std::size_t node, index;
    const send* is;
  };

  const program_record& program_;
  const std::span<const node_record> nodes_;
  const cost_model costs_;
  std::vector<std::size_t> first_;  // index of each node's first step
  std::vector<instruction_labels> labels_;
  std::vector<lane_numbers> lanes_;
  std::vector<std::vector<double>> free_;  // by node and lane: free since
  std::vector<step> steps_;
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::vector<sent>> sends_;  // by task and number within the task
  std::priority_queue<place_in_line, std::vector<place_in_line>, std::greater<>> ready_;
  timeline when_;
};

std::string seconds_text(double seconds) {
  if (seconds >= 1) return fmt::format("{:.3f} s", seconds);
  if (seconds >= 1e-3) return fmt::format("{:.3f} ms", seconds * 1e3);
  return fmt::format("{:.3f} us", seconds * 1e6);
}

struct busy_lane {
  double seconds;
  std::string name;
};

/// The three busiest lanes.
std::vector<busy_lane> busy_lanes(const timeline& when, std::span<const node_record> nodes) {
  std::vector<busy_lane> busy;
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    std::vector<double> of_lane(when.nodes[n].lanes.size());
    for (const time_span& s : when.nodes[n].spans)
      if (s.lane >= 0) of_lane[static_cast<std::size_t>(s.lane)] += s.end - s.begin;
    for (std::size_t l = 0; l < of_lane.size(); ++l)
      if (of_lane[l] > 0)
        busy.push_back({of_lane[l], when.nodes[n].lanes[l] + " of N" + std::to_string(nodes[n].node)});
  }
  std::ranges::stable_sort(busy, std::ranges::greater(), &busy_lane::seconds);
  busy.resize(std::min<std::size_t>(3, busy.size()));
  return busy;
}

}  // namespace

cost_model costs_of(std::string_view list) {
  cost_model costs;
  while (!list.empty()) {
    const std::string_view one = list.substr(0, list.find(','));
    list.remove_prefix(std::min(list.size(), one.size() + 1));
    const std::string_view name = one.substr(0, one.find('=')),
                           text = one.substr(std::min(one.size(), name.size() + 1));
    const auto known = std::ranges::find(cost_names, name, &cost_name::name);
    double value = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
    const std::string_view of = name.starts_with("items.") ? name.substr(6) : std::string_view();
    const bool is_number = fault == std::errc() && end == text.data() + text.size() && value >= 0 && value <= 1e18;
    if (!of.empty() && is_number && value > 0) {
      costs.items_of[std::string(of)] = value;
      continue;
    }
    if (known == std::end(cost_names) || !is_number || (known->is_rate && value == 0)) {
      std::string names;
      for (const cost_name& c : cost_names) names += (names.empty() ? "" : ", ") + std::string(c.name);
      throw error("B19", fmt::format("\"{}\" is not a cost of a predicted timeline", one))
          .fact("allowed", names +
                               ", items.NAME for launches of that name: times in seconds, 0 or more; items and bytes "
                               "per second, above 0")
          .remedy("STRETTO_GRAPH_COSTS=items=1e9,message_latency=2e-6");
    }
    costs.*known->is = value;
  }
  return costs;
}

timeline predict(const program_record& program, std::span<const node_record> nodes, const cost_model& costs) {
  return prediction(program, nodes, costs).run();
}

std::string timeline_as_json(const program_record& program, std::span<const node_record> nodes, const timeline& when) {
  tree events = tree::array();
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    const instruction_labels labels(program, nodes[n]);
    const auto& of = when.nodes[n];
    events.push_back({{"ph", "M"},
                      {"name", "process_name"},
                      {"pid", nodes[n].node},
                      {"args", {{"name", "N" + std::to_string(nodes[n].node)}}}});
    for (std::size_t l = 0; l < of.lanes.size(); ++l)
      events.push_back({{"ph", "M"},
                        {"name", "thread_name"},
                        {"pid", nodes[n].node},
                        {"tid", l},
                        {"args", {{"name", of.lanes[l]}}}});
    for (std::size_t i = 0; i < of.spans.size(); ++i) {
      if (of.spans[i].lane < 0) continue;
      const instruction& is = nodes[n].instructions[i];
      const task* const t = program.find(is.of);
      const bool is_compute = std::holds_alternative<compute>(is.what) && t && !t->name.empty();
      events.push_back({{"ph", "X"},
                        {"name", is_compute ? t->name : std::string(kind_of(is))},
                        {"pid", nodes[n].node},
                        {"tid", of.spans[i].lane},
                        {"ts", of.spans[i].begin * 1e6},
                        {"dur", (of.spans[i].end - of.spans[i].begin) * 1e6},
                        {"args", {{"id", text_of(is.id)}, {"is", labels.label_of(is)}}}});
    }
  }
  return graph_text(
      tree{{"traceEvents", std::move(events)}, {"displayTimeUnit", "ns"}, {"predicted_seconds", when.seconds}},
      program);
}

std::string prediction_as_json(const program_record& program, std::span<const node_record> nodes, const timeline& when,
                               double seconds_per_task) {
  tree of_nodes = tree::array(), busiest = tree::array();
  for (const node_record& n : nodes) {
    work_counts counted;
    counted.add(n.instructions, program.element_bytes);
    of_nodes.push_back({{"node", "N" + std::to_string(n.node)},
                        {"sent_bytes", counted.sent_bytes},
                        {"received_bytes", counted.received_bytes},
                        {"instructions", n.instructions.size()}});
  }
  for (const busy_lane& b : busy_lanes(when, nodes)) busiest.push_back({{"lane", b.name}, {"seconds", b.seconds}});
  return graph_text(tree{{"predicted_seconds", when.seconds},
                         {"tasks", program.tasks.size()},
                         {"seconds_to_find_a_task", seconds_per_task},
                         {"nodes", std::move(of_nodes)},
                         {"busiest", std::move(busiest)}},
                    program);
}

std::string summary_of(const timeline& when, std::span<const node_record> nodes) {
  std::string s =
      fmt::format("{} on {} node{}", seconds_text(when.seconds), nodes.size(), nodes.size() == 1 ? "" : "s");
  const char* before = "; busiest: ";
  for (const busy_lane& b : busy_lanes(when, nodes))
    s += fmt::format("{}{} {:.0f} %", std::exchange(before, "; "), b.name, 100 * b.seconds / when.seconds);
  return s;
}

}  // namespace stretto::graph

// The recording half of recorded_graph.
#include <stretto/error.hpp>

#include "sched/graph_record.hpp"

namespace stretto {

using sched::graph_operation;
using sched::part_kind;

namespace {

std::atomic<std::uint32_t> next_graph{1};

sched::scheduler& current_scheduler(const char* verb) {
  return *static_cast<sched::thread_state&>(base::require_current(verb)).owner;
}

std::string called(const graph_operation& o) { return o.describe() + ", " + short_location(o.where); }

/// Operations may be added and ordered only while no replay is in progress.
void require_recording(const detail::graph_core& g, const char* verb, const std::source_location& where) {
  std::scoped_lock lock(g.mutex);
  if (!g.under_way) return;
  throw error("S21", std::string("\"") + verb + "\" was called while " + std::to_string(g.under_way) +
                         (g.under_way == 1 ? " replay of " : " replays of ") + g.describe() +
                         (g.under_way == 1 ? " is under way" : " are under way"))
      .fact("called", where)
      .because("a replay follows the operations as they were recorded")
      .remedy("wait for the event that replay returned before you change the graph");
}

std::uint32_t index_in(const detail::graph_core& g, recorded_operation o, const char* verb,
                       const std::source_location& where) {
  if (o.graph == g.number) return o.index;
  throw error("S22", std::string(o.graph ? "an operation of another graph" : "an empty handle") + " was given to \"" +
                         verb + "\" of " + g.describe())
      .fact("called", where)
      .because("a handle belongs to the graph whose add returned it")
      .remedy(
          "to order whole graphs, replay one after the other's event; or call replay in a body, and return its "
          "event");
}

}  // namespace

std::string graph_operation::describe() const {
  return verb + (name.empty() ? " at " + short_location(where) : " \"" + name + "\"");
}

namespace detail {

graph_core::graph_core(sched::scheduler& s, std::string_view n, replays o, const arguments_type& a)
    : number(next_graph.fetch_add(1, std::memory_order_relaxed)),
      runtime(s.number),
      name(n),
      overlap(o),
      arguments(a) {}

graph_core::~graph_core() = default;

std::string graph_core::describe() const { return name.empty() ? "a graph" : "graph \"" + name + "\""; }

graph_base::graph_base(std::string_view name, replays overlap, const arguments_type& arguments,
                       const std::source_location&)
    : core_(new graph_core(current_scheduler("recorded_graph"), name, overlap, arguments)) {}

graph_base::~graph_base() { core_->release(); }

recorded_operation graph_base::record(runs how, const char* verb, recorded_body body, const recorded_request& request,
                                      const std::source_location& where) {
  graph_core& g = *core_;
  sched::scheduler& s = current_scheduler("add");
  require_recording(g, "add", where);
  auto o = std::make_unique<graph_operation>();
  o->kind = how == runs::as_task ? part_kind::task : part_kind::at_once;
  o->verb = verb;
  o->body = std::move(body);
  o->name = request.name;
  o->where = where;
  const auto to = s.destination_of(request.at, request.on, request.worker, where);
  o->place = to.place;
  o->bound = to.bound;
  o->priority = sched::checked_priority(request.priority, where);
  std::vector<std::uint32_t> after;
  after.reserve(request.after.size());
  for (const recorded_operation a : request.after) after.push_back(index_in(g, a, "add", where));

  g.predecessors.resize(g.operations.size());  // longer only if the last call ran out of memory
  g.predecessors.push_back(std::move(after));
  g.operations.push_back(std::move(o));
  g.edges += request.after.size();
  g.tasks += how == runs::as_task;
  g.is_planned = false;
  return {g.number, static_cast<std::uint32_t>(g.operations.size() - 1)};
}

external_precondition graph_base::add_precondition(task_name name, std::source_location where) {
  recorded_request request;
  request.apply(name);
  const recorded_operation made = record(runs::at_once, "external precondition", {}, request, where);
  graph_operation& o = *core_->operations.back();
  o.kind = part_kind::precondition;
  o.port = core_->ports++;
  return {made};
}

external_postcondition graph_base::postcondition(const recorded_request& request, const std::source_location& where) {
  const recorded_operation made = record(runs::at_once, "external postcondition", {}, request, where);
  graph_operation& o = *core_->operations.back();
  o.kind = part_kind::postcondition;
  o.port = core_->ports++;
  return {made};
}

void graph_base::make_edge(recorded_operation first, recorded_operation then, std::source_location where) {
  graph_core& g = *core_;
  require_recording(g, "make_edge", where);
  const std::uint32_t from = index_in(g, first, "make_edge", where), to = index_in(g, then, "make_edge", where);
  // As long as all edges lead to later operations there can be no cycle, so no search is needed.
  const bool leads_on = from < to;
  if (!leads_on || !g.is_in_order) {
    const std::vector<std::uint32_t> path = sched::find_path(g.predecessors, to, from);
    if (!path.empty()) {
      error e("S20", "an edge would close a cycle of " + std::to_string(path.size()) +
                         (path.size() == 1 ? " operation in " : " operations in ") + g.describe());
      e.fact("called", where);
      for (std::size_t i = 0; i < path.size(); ++i) e.fact(i == 0 ? "first" : "then", called(*g.operations[path[i]]));
      throw std::move(e)
          .fact("and again", called(*g.operations[path[0]]))
          .because("each operation would wait for itself")
          .remedy("omit one of these edges, or put the later step into the next replay");
    }
  }
  g.predecessors[to].push_back(from);
  ++g.edges;
  g.is_in_order = g.is_in_order && leads_on;
  g.is_planned = false;
}

graph_statistics graph_base::statistics() const {
  const graph_core& g = *core_;
  std::scoped_lock lock(g.mutex);
  return {g.operations.size(), g.edges, g.replays_begun, g.under_way, g.states.size()};
}

}  // namespace detail
}  // namespace stretto

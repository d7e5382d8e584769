#include "diagnose/hang_report.hpp"

#include <fmt/format.h>

#include <map>

#include "diagnose/rank_hang_report.hpp"

namespace stretto::diagnose {
namespace {

using base::wait_kind;
using base::wait_node;
using base::wait_snapshot;

constexpr std::size_t most_causes = 5, most_links = 8, most_waiting = 4, most_frames = 12;

std::string name_of(const wait_node& n) { return n.on.empty() ? n.name : n.name + " on " + n.on; }

/// The line where an event, a reservation or a barrier was made, and the node.
std::string made_on(const wait_node& n) {
  return n.on.empty() || n.created_at.empty() ? n.created_at : n.created_at + ", by " + n.on;
}

std::string held_by(const wait_node& n) { return n.on.empty() ? n.held_by : n.held_by + ", on " + n.on; }

std::string title(const wait_node& n) {
  // A request was submitted on one node and is carried out on another.
  if (n.kind == wait_kind::request)
    return fmt::format("{} (submitted {}{})", n.name, n.created_at, n.on.empty() ? "" : " on " + n.on);
  std::string text = name_of(n);
  if (!n.created_at.empty()) {
    const char* const verb = n.kind == wait_kind::task        ? "spawned"
                             : n.kind == wait_kind::thread    ? "attached"
                             : n.kind == wait_kind::operation ? "submitted"
                                                              : "created";
    text += fmt::format(" ({} {})", verb, n.created_at);
  }
  return text;
}

std::string describe_step(const wait_node& n) {
  return title(n) + (n.waits_at.empty() ? "" : ", which waits at " + n.waits_at) +
         (n.pending_on.empty() ? "" : ", which waits for " + n.pending_on);
}

std::string counted(std::uint64_t n, std::string_view what) {
  return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
}

/// The lines of the arrivals at a barrier; equal lines are counted.
std::string arrival_places(const wait_node& barrier) {
  std::map<std::string, std::size_t> counts;
  for (const auto& at : barrier.arrived_at) ++counts[at];
  std::string text;
  for (const auto& [at, count] : counts)
    text += (text.empty() ? ", at " : ", ") + at + (count > 1 ? fmt::format(" ({} times)", count) : "");
  if (text.empty() || barrier.arrived <= barrier.arrived_at.size()) return text;
  return text + fmt::format(" and {} earlier", barrier.arrived - barrier.arrived_at.size());
}

std::string all_asleep(const wait_snapshot& s) {
  return s.of_nodes > 1 ? fmt::format("all threads of all {} nodes sleep, no message is in flight", s.of_nodes)
                        : "all threads of this process sleep";
}

error headline(const wait_snapshot& s, const hang_cause& cause) {
  const wait_node& root = s.nodes[cause.nodes.front()];
  const std::string asleep = all_asleep(s);
  switch (cause.kind) {
    case cause_kind::event:
      if (!root.held_by.empty())
        return std::move(error("H01", "work waits for " + name_of(root) + ", which is never released")
                             .fact("held by", held_by(root)))
            .because(asleep + ", and nothing in progress can release it")
            .remedy("release it on every path, and before waiting for work that needs it");
      return std::move(error("H01", "work waits for an event that nothing will trigger").fact("created", made_on(root)))
          .because(asleep + ", and nothing in progress can trigger it")
          .remedy("trigger or poison it on every path");
    case cause_kind::cycle:
      return error("H02", cause.nodes.size() == 1
                              ? name_of(root) + " waits for itself"
                              : "work waits for itself in a cycle of " + std::to_string(cause.nodes.size()))
          .because("each waits for the next and the last for the first, so none can continue")
          .remedy("remove one of these waits, or let it wait for something earlier");
    case cause_kind::reservation:
      return std::move(error("H03", root.name + " is never released")
                           .fact("created", root.created_at)
                           .fact("held by", held_by(root)))
          .because(asleep + ", and no release in progress can take effect")
          .remedy("release it on every path, or make the release wait for the work: release(after(work))");
    case cause_kind::barrier:
      return std::move(
                 error("H04", fmt::format("{} lacks {}", name_of(root),
                                          counted(root.expected - std::min(root.expected, root.arrived), "arrival")))
                     .fact("created", made_on(root))
                     .fact("arrived", fmt::format("{} of {}", root.arrived, root.expected) + arrival_places(root) +
                                          (root.announced ? fmt::format(", {} more announced", root.announced) : "")))
          .because(asleep + ", and nothing in progress can arrive")
          .remedy("let it expect as many arrivals as occur, or lower the count with alter_arrival_count");
    case cause_kind::promise:
      return std::move(error("H05", "work waits for a promise that nothing will fulfil").fact("created", made_on(root)))
          .because(asleep + ", and the promise still exists, so it was not destroyed either")
          .remedy("set or poison it on every path, or let it go out of scope");
    case cause_kind::place:
      return error("H07", "work is ready at " + name_of(root) + ", and no thread takes work from there")
          .because("no worker with a thread has it on its paths; worker 0 has a thread only inside run")
          .remedy("call run, create the runtime with more workers, or spawn at another place");
    case cause_kind::unknown: break;
  }
  return error("H06", "nothing can make progress any more")
      .fact("last known", describe_step(root))
      .because(asleep + ", and nothing is in progress");
}

error report_of_cause(const wait_snapshot& s, const hang_cause& cause) {
  error e = headline(s, cause);
  // The last node of the chain is the cause, which the headline has named.
  const std::size_t links = cause.chain.size() - 1;
  for (std::size_t i = 0; i < links; ++i) {
    if (links > most_links && i == most_links / 2) {
      e.fact("", fmt::format("... {} more ...", links - most_links));
      i = links - most_links / 2;
    }
    e.fact(i == 0 ? "waiting" : "for", describe_step(s.nodes[cause.chain[i]]));
  }
  if (cause.kind == cause_kind::cycle) {
    for (std::size_t i = 0; i < cause.nodes.size() && i < 2 * most_links; ++i)
      e.fact(i == 0 ? "cycle" : "for", describe_step(s.nodes[cause.nodes[i]]));
    e.fact("for", "the first again");
  }
  if (const auto more = cause.waiting - std::min<std::size_t>(cause.waiting, 1); more > 0)
    e.fact("blocked", fmt::format("{} tasks, scopes or threads", cause.waiting));
  return e;
}

void add_worker(error& e, const base::worker_state& w) {
  e.fact(fmt::format("{}worker {}", w.on.empty() ? "" : w.on + " ", w.index),
         fmt::format("runs {}, seen for {:.1f} s", w.runs, w.seconds));
  for (std::size_t i = 0; i < w.stack.size() && i < most_frames; ++i) e.fact(i ? "" : "in", w.stack[i]);
}

/// The first described node that `n` waits for, or null.
const wait_node* awaited_by(const wait_snapshot& s, const wait_node& n) {
  for (const auto to : n.waits_for)
    if (to < s.nodes.size() && s.nodes[to].kind != wait_kind::unknown && s.nodes[to].kind != wait_kind::finish)
      return &s.nodes[to];
  return nullptr;
}

error no_progress(const wait_snapshot& s) {
  error e("H10", fmt::format("no progress for {:.1f} s", s.seconds));
  for (const auto& w : s.workers)
    if (!w.is_idle && !w.runs.empty()) add_worker(e, w);
  for (const auto& n : s.nodes)
    if (n.kind == wait_kind::thread && n.is_running) e.fact("outside", title(n) + " runs code of its own");
  std::size_t waiting = 0;
  for (const auto& n : s.nodes) {
    if (n.waits_for.empty() || n.kind == wait_kind::event || n.kind == wait_kind::barrier ||
        n.kind == wait_kind::reservation || n.kind == wait_kind::object || n.kind == wait_kind::operation ||
        n.kind == wait_kind::request || n.kind == wait_kind::unknown)
      continue;
    if (++waiting > most_waiting) continue;
    std::string what = describe_step(n);
    const wait_node* next = awaited_by(s, n);
    if (next) what += ", for " + title(*next);
    for (std::size_t steps = 0; next && next->held_by.empty() && steps < most_links; ++steps)
      next = awaited_by(s, *next);
    if (next && !next->held_by.empty()) what += ", held by " + next->held_by;
    e.fact("waiting", what);
  }
  if (waiting > most_waiting) e.fact("", fmt::format("and {} more", waiting - most_waiting));
  std::string why;
  for (const auto& reason : s.unproven) why += (why.empty() ? "" : "; ") + reason;
  e.because("it may still make progress: " + (why.empty() ? "something ran while this was written" : why));
  return e;
}

}  // namespace

std::vector<error> report_of(const wait_snapshot& s) {
  if (!s.is_proven) return {no_progress(s)};
  std::vector<error> all;
  const auto causes = causes_of(s);
  if (auto of_ranks = rank_report_of(s, causes)) all.push_back(*std::move(of_ranks));
  const bool has_rank_report = !all.empty();
  for (const auto& cause : causes) {
    if (all.size() == most_causes) break;
    if (has_rank_report && (concerns_ranks(s, cause) || cause.kind == cause_kind::unknown)) continue;
    all.push_back(report_of_cause(s, cause));
  }
  if (all.empty()) all.emplace_back("H06", "nothing can make progress any more");
  return all;
}

std::string report_text(const wait_snapshot& s) {
  std::string text;
  for (const auto& e : report_of(s)) text += (text.empty() ? "" : "\n") + std::string(e.what());
  if (const auto causes = s.is_proven ? causes_of(s).size() : 0; causes > most_causes)
    text += fmt::format("\n... and {} more causes", causes - most_causes);
  return text;
}

std::string graphviz_text(std::span<const wait_snapshot> runtimes) {
  std::string text =
      "digraph waits {\n  rankdir=LR;\n  node [shape=box, fontname=\"sans-serif\", style=filled, fillcolor=white];\n";
  const auto quoted = [](const std::string& s) {
    std::string out = "\"";
    for (const char c : s) {
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
    return out + '"';
  };
  for (std::size_t r = 0; r < runtimes.size(); ++r) {
    const wait_snapshot& s = runtimes[r];
    std::vector<bool> is_cause(s.nodes.size());
    if (s.is_proven)
      for (const auto& cause : causes_of(s))
        for (const auto n : cause.nodes) is_cause[n] = true;
    for (std::uint32_t n = 0; n < s.nodes.size(); ++n) {
      if (s.nodes[n].kind == wait_kind::unknown) continue;
      text += fmt::format("  n{}_{} [label={}{}];\n", r, n, quoted(describe_step(s.nodes[n])),
                          is_cause[n]             ? ", fillcolor=\"#f4a582\""
                          : s.nodes[n].is_running ? ", fillcolor=\"#a6dba0\""
                                                  : "");
      for (const auto to : s.nodes[n].waits_for)
        if (to < s.nodes.size() && s.nodes[to].kind != wait_kind::unknown)
          text += fmt::format("  n{}_{} -> n{}_{};\n", r, n, r, to);
    }
  }
  return text + "}\n";
}

}  // namespace stretto::diagnose

#include "diagnose/rank_hang_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

namespace stretto::diagnose {
namespace {

using base::wait_kind;
using base::wait_node;
using base::wait_snapshot;

constexpr std::size_t most_lines = 40, most_of_cycle = 8;

bool is_rank(const wait_node& n) { return n.kind == wait_kind::rank; }
bool is_waiting_rank(const wait_node& n) { return is_rank(n) && !n.is_end && !n.waits_at.empty(); }

int number_of(const wait_node& n) { return std::stoi(n.name.substr(n.name.find(' ') + 1)); }

/// Ranks that wait in the same call, or have ended: one line of the report.
struct rank_line {
  std::vector<int> ranks;
  std::string text;

  /// "rank 3", "ranks 3-5,7".
  std::string name() const {
    std::string list;
    for (std::size_t i = 0, end = 0; i < ranks.size(); i = end) {
      for (end = i + 1; end < ranks.size() && ranks[end] == ranks[end - 1] + 1;) ++end;
      list += (i ? "," : "") + std::to_string(ranks[i]);
      if (end > i + 1) list += "-" + std::to_string(ranks[end - 1]);
    }
    return (ranks.size() == 1 ? "rank " : "ranks ") + list;
  }
};

std::vector<rank_line> lines_of(const wait_snapshot& s) {
  std::vector<std::pair<int, const wait_node*>> all;
  for (const wait_node& n : s.nodes)
    if (is_rank(n)) all.emplace_back(number_of(n), &n);
  std::ranges::sort(all);
  std::vector<rank_line> lines;
  for (const auto& [number, n] : all) {
    const std::string text = n->is_end             ? "has ended"
                             : n->waits_at.empty() ? "does not wait"
                                                   : "waits at " + n->waits_at;
    auto found = std::ranges::find(lines, text, &rank_line::text);
    if (found == lines.end()) found = lines.insert(lines.end(), {{}, text});
    found->ranks.push_back(number);
  }
  for (rank_line& one : lines)
    if (one.ranks.size() > 1) one.text = (one.text[0] == 'h' ? "have" : "wait") + one.text.substr(one.text.find(' '));
  return lines;
}

/// "rank 0 waits for rank 1, which waits for rank 0", from the lowest rank on.
std::string cycle_text(const wait_snapshot& s, const hang_cause& cycle) {
  std::vector<std::string> names;
  for (const auto n : cycle.nodes) names.push_back(s.nodes[n].name);
  const auto number = [&](std::uint32_t n) { return is_rank(s.nodes[n]) ? number_of(s.nodes[n]) : 0; };
  const auto first = std::ranges::min_element(cycle.nodes, {}, number);
  std::ranges::rotate(names, names.begin() + (first - cycle.nodes.begin()));
  std::string text = names.front();
  for (std::size_t i = 1; i <= names.size(); ++i) {
    if (i == most_of_cycle && names.size() > most_of_cycle)
      return text + fmt::format(" and so on: {} ranks", names.size());
    text += (i > 1 ? ", which waits for " : " waits for ") + names[i % names.size()];
  }
  return text;
}

const hang_cause* first_of_ranks(const wait_snapshot& s, const std::vector<hang_cause>& causes) {
  const auto found = std::ranges::find_if(causes, [&](const hang_cause& c) { return concerns_ranks(s, c); });
  return found == causes.end() ? nullptr : &*found;
}

std::string sentence_of(const wait_snapshot& s, const hang_cause* cause) {
  if (!cause) return "no rank can go on";
  const wait_node& first = s.nodes[cause->nodes.front()];
  if (cause->kind == cause_kind::cycle && cause->nodes.size() == 1) return first.name + " waits for itself";
  if (cause->kind == cause_kind::cycle) return fmt::format("{} ranks wait for each other", cause->nodes.size());
  return first.is_end ? "ranks wait for " + first.name + ", which has ended" : "no rank can go on";
}

}  // namespace

bool concerns_ranks(const wait_snapshot& s, const hang_cause& cause) {
  return std::ranges::any_of(cause.nodes, [&](std::uint32_t n) { return is_rank(s.nodes[n]); });
}

bool has_waiting_rank(const wait_snapshot& s) { return std::ranges::any_of(s.nodes, is_waiting_rank); }

std::optional<error> rank_report_of(const wait_snapshot& s, const std::vector<hang_cause>& causes) {
  if (!has_waiting_rank(s)) return std::nullopt;
  const hang_cause* const cause = first_of_ranks(s, causes);
  error e("R10", sentence_of(s, cause));
  const auto lines = lines_of(s);
  for (std::size_t i = 0; i < lines.size() && i < most_lines; ++i) e.fact(lines[i].name(), lines[i].text);
  if (lines.size() > most_lines) e.fact("", fmt::format("and {} more", lines.size() - most_lines));
  if (cause && cause->kind == cause_kind::cycle && cause->nodes.size() > 1) e.fact("cycle", cycle_text(s, *cause));
  e.because(s.of_nodes > 1 ? fmt::format("all threads of all {} nodes sleep, and no message is in flight", s.of_nodes)
                           : "all threads of this process sleep, and no rank has a message that another waits for");
  const bool has_lines =
      std::ranges::none_of(lines, [](const rank_line& l) { return l.text.find('+') != std::string::npos; });
  if (has_lines) e.remedy("look for the send, the receive or the collective that has no partner");
  else e.remedy("compile the program with -g: then the report names the lines");
  return e;
}

}  // namespace stretto::diagnose

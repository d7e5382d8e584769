#include "buffers/divergence_report.hpp"

#include <algorithm>
#include <tuple>

namespace stretto::buffers {
namespace {

constexpr std::size_t most_shown_groups = 4;     // groups shown
constexpr std::size_t most_shown_intervals = 6;  // intervals of nodes shown

}  // namespace

divergence_report divergence_report_of(std::uint64_t number, bool is_first, std::span<const call_of_node> calls) {
  divergence_report d{.number = number, .is_first = is_first, .groups = {}};
  for (const call_of_node& c : calls) {
    const auto same =
        std::ranges::find_if(d.groups, [&](const divergence_report::group& g) { return g.after == c.after; });
    divergence_report::group& g =
        same != d.groups.end() ? *same : d.groups.emplace_back(divergence_report::group{{}, c.what, c.where, c.after});
    g.nodes.push_back(c.node);
  }
  for (divergence_report::group& g : d.groups) std::ranges::sort(g.nodes);
  std::ranges::sort(d.groups, [](const divergence_report::group& a, const divergence_report::group& b) {
    return a.nodes.size() != b.nodes.size() ? a.nodes.size() > b.nodes.size() : a.nodes.front() < b.nodes.front();
  });
  return d;
}

std::string text_of_nodes(std::span<const std::uint32_t> nodes) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < nodes.size();) {
    std::size_t last = i;
    while (last + 1 < nodes.size() && nodes[last + 1] == nodes[last] + 1) ++last;
    if (parts.size() == most_shown_intervals) {
      parts.push_back(std::to_string(nodes.size() - i) + " more");
      break;
    }
    if (last < i + 2) last = i;  // an interval of two is written as two numbers
    parts.push_back(std::to_string(nodes[i]) + (last > i ? " to " + std::to_string(nodes[last]) : ""));
    i = last + 1;
  }
  std::string text = nodes.size() == 1 ? "node " : "nodes ";
  for (std::size_t i = 0; i < parts.size(); ++i)
    text += (i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ") + parts[i];
  return text;
}

error error_of(const divergence_report& d) {
  std::vector<std::uint32_t> few;
  for (std::size_t i = 1; i < d.groups.size(); ++i)
    few.insert(few.end(), d.groups[i].nodes.begin(), d.groups[i].nodes.end());
  std::ranges::sort(few);
  const std::string call = std::to_string(d.number + 1);
  error e("B23", text_of_nodes(few) + (few.size() == 1 ? " makes" : " make") + " a different buffer call than " +
                     text_of_nodes(d.groups.front().nodes));
  e.fact("where", (d.is_first ? "buffer call " : "before buffer call ") + call);
  for (std::size_t i = 0; i < std::min(d.groups.size(), most_shown_groups); ++i) {
    const divergence_report::group& g = d.groups[i];
    e.fact(text_of_nodes(g.nodes), g.what + (g.where.empty() ? "" : " (" + g.where + ")"));
  }
  e.because(
       "all nodes must make the same calls on buffers in the same order; a node took another path because of its "
       "number, random numbers, the time, or data that it alone has")
      .remedy(
          "decide by values that are equal on all nodes: elements that are read, arguments, one seed; put the work of "
          "a single node into host_task(on_one_node, ...)");
  return e;
}

}  // namespace stretto::buffers

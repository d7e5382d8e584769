#include <map>

#include "graph/dot_text.hpp"
#include "graph/instruction_labels.hpp"

namespace stretto::graph {
namespace {

struct style {
  const char* shape;
  const char* more = "";
};

style style_of(const instruction& i) {
  return std::visit(
      overloaded{[](const allocate&) { return style{"cylinder"}; },
                 [](const release&) { return style{"cylinder", ", style=dashed"}; },
                 [](const copy&) { return style{"box", ", style=rounded"}; },
                 [](const fill_identity&) { return style{"trapezium"}; },
                 [](const fold&) { return style{"invtrapezium"}; },
                 [](const compute&) { return style{"box", ", style=filled, fillcolor=lightgrey"}; },
                 [](const send&) { return style{"invhouse"}; }, [](const receive&) { return style{"house"}; },
                 [](const arrive&) { return style{"house", ", style=dashed"}; },
                 [](const pass_horizon&) { return style{"hexagon"}; },
                 [](const pass_epoch&) { return style{"doubleoctagon"}; }},
      i.what);
}

std::string instruction_node(node_number node, std::uint64_t number) {
  return "N" + std::to_string(node) + "_I" + std::to_string(number);
}

bool do_meet(const send& from, const receive& at, node_number to) {
  for (const sent_part& sent : from.parts)
    for (const box& part : at.parts)
      if (sent.to.contains(to) && sent.where.meets(part)) return true;
  return false;
}

// Connects each receive to its send, if both are recorded.
std::string messages(std::span<const node_record> nodes) {
  std::map<transfer_id, std::vector<std::pair<node_number, const instruction*>>> sends;
  for (const node_record& n : nodes)
    for (const instruction& i : n.instructions)
      if (const auto* s = std::get_if<send>(&i.what)) sends[s->by].emplace_back(n.node, &i);
  std::string text;
  for (const node_record& n : nodes)
    for (const instruction& i : n.instructions)
      if (const auto* r = std::get_if<receive>(&i.what))
        for (const auto& [from, s] : sends[r->by])
          if (do_meet(std::get<send>(s->what), *r, n.node))
            text += "  " + instruction_node(from, s->id.number) + " -> " + instruction_node(n.node, i.id.number) +
                    " [style=dashed];\n";
  return text;
}

}  // namespace

std::string instructions_as_dot(const program_record& program, std::span<const node_record> nodes) {
  std::string s = "digraph instructions {\n";
  for (const node_record& n : nodes) {
    const instruction_labels labels(program, n);
    const std::string name = "N" + std::to_string(n.node);
    s += "  subgraph cluster_" + name + " {\n  label=" + name + ";\n" +
         node_line(instruction_node(n.node, 0), name + " I0 epoch T0", "doubleoctagon");
    for (const instruction& i : n.instructions) {
      const style as = style_of(i);
      s += node_line(instruction_node(n.node, i.id.number), name + " " + text_of(i.id) + " " + labels.label_of(i),
                     as.shape, as.more);
      for (const std::uint64_t before : i.follows)
        s += "  " + instruction_node(n.node, before) + " -> " + instruction_node(n.node, i.id.number) + ";\n";
    }
    s += "  }\n";
  }
  return s + messages(nodes) + dot_footer(program);
}

}  // namespace stretto::graph

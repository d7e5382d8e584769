#include <map>

#include "graph/dot_text.hpp"
#include "graph/labels.hpp"

namespace stretto::graph {
namespace {

const char* shape_of(std::string_view kind) {
  if (kind == "horizon") return "hexagon";
  if (kind == "epoch") return "doubleoctagon";
  if (kind == "push") return "invhouse";
  if (kind == "await push") return "house";
  if (kind == "reduce") return "invtrapezium";
  return kind == "fence" ? "note" : "box";
}

std::string label_of(const ordered_task& order, const task& t, const program_record& program) {
  std::string s = text_of(order.id);
  if (t.kind != task_kind::kernel) s += " " + std::string(text_of(t.kind));
  if (t.kind == task_kind::horizon || t.kind == task_kind::epoch) return s;
  if (!t.name.empty()) s += " \"" + t.name + "\"";
  s += " " + t.range.text();
  if (t.kind == task_kind::kernel && t.by == processors::host) s += " on the host";
  for (const processor_number d : devices_of(t)) s += " on D" + std::to_string(d);
  if (t.kind == task_kind::collective) s += " in group " + std::to_string(t.group);
  for (const access& a : t.accesses)
    s += "\n" + std::string(text_of(a.how)) + " " + named(program, a.buffer) + " " + used_by_all(a, t).text();
  for (const reduction& r : t.reductions)
    s += std::string("\nreduce into ") + named(program, r.buffer) + (r.includes_current ? ", which is included" : "");
  for (const effect_use& e : t.effects) s += std::string(e.is_affected ? "\naffects " : "\nuses ") + named(e);
  for (const unwritten_read& u : unwritten_reads_of(order.id, program))
    s += "\nnobody has written " + named(program, buffer_of(u, t)) + " " + u.where.text();
  return s;
}

std::string label_of(const command& c, node_number node, const program_record& program) {
  const std::string_view kind = kind_of(c, program);
  std::string s = "N" + std::to_string(node) + " " + text_of(c.id) + " " + std::string(kind);
  const std::string name = named(program, c.of);
  if (const auto* x = std::get_if<execute>(&c.what)) return s + " " + name + " " + x->chunk.text();
  if (const auto* p = std::get_if<push>(&c.what)) {
    s += " " + named(program, p->buffer) + " for " + name;
    for (const sent_part& part : p->parts) s += "\n" + part.where.text() + " -> " + part.to.text();
    return s;
  }
  if (const auto* a = std::get_if<await_push>(&c.what)) {
    s += " " + named(program, a->buffer) + " for " + name;
    for (const box& part : a->parts) s += "\n" + part.text();
    return s;
  }
  if (const auto* r = std::get_if<reduce>(&c.what))
    return s + " " + named(program, r->buffer) + " of " + name + "\nfrom " + node_set(0, r->contributors).text() +
           (r->includes_current ? " and before" : "");
  return s + " " + text_of(c.of);
}

std::string id_of(node_number node, std::uint64_t number) {
  return "N" + std::to_string(node) + "_C" + std::to_string(number);
}

bool meet(const push& from, const await_push& at, node_number to) {
  for (const sent_part& sent : from.parts)
    for (const box& part : at.parts)
      if (sent.to.contains(to) && sent.where.meets(part)) return true;
  return false;
}

// Connects each await push to its push, if both are recorded.
std::string transfers(std::span<const node_record> nodes) {
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::vector<std::pair<node_number, const command*>>>
      pushes;  // by task and buffer
  for (const node_record& n : nodes)
    for (const command& c : n.commands)
      if (const auto* p = std::get_if<push>(&c.what)) pushes[{c.of.number, p->buffer.number}].emplace_back(n.node, &c);
  std::string s;
  for (const node_record& n : nodes)
    for (const command& c : n.commands)
      if (const auto* a = std::get_if<await_push>(&c.what))
        for (const auto& [from, sends] : pushes[{c.of.number, a->buffer.number}])
          if (meet(std::get<push>(sends->what), *a, n.node))
            s += "  " + id_of(from, sends->id.number) + " -> " + id_of(n.node, c.id.number) + " [style=dashed];\n";
  return s;
}

}  // namespace

std::string tasks_as_dot(const program_record& program) {
  std::string s = "digraph tasks {\n" + node_line("T0", "T0 epoch", shape_of("epoch"));
  for (const auto& [order, t] : program.tasks) {
    s += node_line(text_of(order.id), label_of(order, t, program), shape_of(text_of(t.kind)));
    for (const std::uint64_t before : order.follows)
      s += "  T" + std::to_string(before) + " -> " + text_of(order.id) + ";\n";
  }
  return s + dot_footer(program);
}

std::string commands_as_dot(const program_record& program, std::span<const node_record> nodes) {
  std::string s = "digraph commands {\n";
  for (const node_record& n : nodes) {
    const std::string name = "N" + std::to_string(n.node);
    s += "  subgraph cluster_" + name + " {\n  label=" + name + ";\n" +
         node_line(id_of(n.node, 0), name + " C0 epoch T0", shape_of("epoch"));
    for (const command& c : n.commands) {
      s += node_line(id_of(n.node, c.id.number), label_of(c, n.node, program), shape_of(kind_of(c, program)));
      for (const std::uint64_t before : c.follows)
        s += "  " + id_of(n.node, before) + " -> " + id_of(n.node, c.id.number) + ";\n";
    }
    s += "  }\n";
  }
  return s + transfers(nodes) + dot_footer(program);
}

}  // namespace stretto::graph

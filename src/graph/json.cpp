#include "graph/json_tree.hpp"
#include "graph/labels.hpp"

namespace stretto::graph {
namespace {

tree tree_of(const task& t) {
  tree made{{"kind", text_of(t.kind)}};
  if (t.kind == task_kind::horizon || t.kind == task_kind::epoch) return made;
  made["name"] = t.name;
  made["range"] = t.range.text();
  if (t.kind == task_kind::kernel) made["by"] = t.by == processors::host ? "host" : "devices";
  if (t.devices) made["devices"] = devices_of(t);
  if (t.kind == task_kind::collective) made["group"] = t.group;
  if (!t.effects.empty()) made["effects"] = tree::array();
  for (const effect_use& e : t.effects)
    made["effects"].push_back(
        {{"effect", "E" + std::to_string(e.effect)}, {"name", e.name}, {"mode", e.is_affected ? "affect" : "use"}});
  made["accesses"] = tree::array();
  for (const access& a : t.accesses)
    made["accesses"].push_back(
        {{"buffer", text_of(a.buffer)}, {"mode", text_of(a.how)}, {"elements", boxes_of(used_by_all(a, t).boxes())}});
  made["reductions"] = tree::array();
  for (const reduction& r : t.reductions)
    made["reductions"].push_back({{"buffer", text_of(r.buffer)}, {"includes_current", r.includes_current}});
  return made;
}

tree tree_of(const command& c, const program_record& program) {
  tree made{{"id", text_of(c.id)}, {"kind", kind_of(c, program)}, {"task", text_of(c.of)}};
  if (const auto* x = std::get_if<execute>(&c.what)) made["chunk"] = x->chunk.text();
  if (const auto* p = std::get_if<push>(&c.what)) {
    made["buffer"] = text_of(p->buffer);
    made["parts"] = parts_of(p->parts);
  }
  if (const auto* a = std::get_if<await_push>(&c.what)) {
    made["buffer"] = text_of(a->buffer);
    made["parts"] = boxes_of(a->parts);
  }
  if (const auto* r = std::get_if<reduce>(&c.what)) {
    made["buffer"] = text_of(r->buffer);
    made["includes_current"] = r->includes_current;
    made["contributors"] = r->contributors;
  }
  made["follows"] = numbered('C', c.follows);
  return made;
}

}  // namespace

std::string tasks_as_json(const program_record& program) {
  tree all{{"buffers", buffers_of(program)}, {"tasks", tree::array()}};
  for (const auto& [order, t] : program.tasks) {
    tree made{{"id", text_of(order.id)}};
    made.update(tree_of(t));
    for (const unwritten_read& u : unwritten_reads_of(order.id, program))
      made["unwritten"].push_back({{"buffer", text_of(buffer_of(u, t))}, {"elements", boxes_of(u.where.boxes())}});
    made["follows"] = numbered('T', order.follows);
    all["tasks"].push_back(std::move(made));
  }
  return graph_text(std::move(all), program);
}

std::string commands_as_json(const program_record& program, std::span<const node_record> nodes) {
  tree all{{"buffers", buffers_of(program)}, {"nodes", tree::array()}};
  for (const node_record& n : nodes) {
    tree made{{"node", "N" + std::to_string(n.node)}, {"commands", tree::array()}};
    for (const command& c : n.commands) made["commands"].push_back(tree_of(c, program));
    all["nodes"].push_back(std::move(made));
  }
  return graph_text(std::move(all), program);
}

}  // namespace stretto::graph

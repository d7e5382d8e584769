#include "graph/instruction_labels.hpp"
#include "graph/json_tree.hpp"

namespace stretto::graph {
namespace {

// The caller writes the members that all kinds have.
tree details_of(const instruction& i, const node_record& n) {
  return std::visit(
      overloaded{
          [&](const allocate& a) {
            tree made{{"allocation", text_of(a.is)},
                      {"memory", text_of_memory(a.where, n.shape)},
                      {"buffer", text_of(a.of)},
                      {"elements", a.elements.text()}};
            if (a.offset) made["offset"] = *a.offset;
            return made;
          },
          [](const release& r) { return tree{{"allocation", text_of(r.is)}}; },
          [](const copy& c) {
            return tree{{"buffer", text_of(c.of)},
                        {"from", text_of(c.from)},
                        {"to", text_of(c.to)},
                        {"parts", boxes_of(c.parts)}};
          },
          [](const fill_identity& f) {
            return tree{{"buffer", text_of(f.of)}, {"allocation", text_of(f.is)}, {"reduction", f.reduction}};
          },
          [](const fold& f) {
            return tree{{"buffer", text_of(f.of)},
                        {"from", text_of(f.from)},
                        {"to", text_of(f.to)},
                        {"reduction", f.reduction}};
          },
          [&](const compute& c) {
            tree uses = tree::array();
            for (const used_allocation& u : c.uses)
              uses.push_back(u.is.number ? tree{{"allocation", text_of(u.is)}, {"elements", u.part.text()}} : tree());
            return tree{{"processor", text_of_processor(c.by, n.shape)}, {"chunk", c.chunk.text()}, {"uses", uses}};
          },
          [](const send& s) {
            return tree{{"buffer", text_of(s.of)},
                        {"from", text_of(s.from)},
                        {"channel", s.by.slot},
                        {"parts", parts_of(s.parts)}};
          },
          [](const receive& r) {
            return tree{
                {"buffer", text_of(r.of)}, {"to", text_of(r.to)}, {"channel", r.by.slot}, {"parts", boxes_of(r.parts)}};
          },
          [](const arrive& a) { return tree{{"receive", text_of(a.of)}, {"part", a.part}}; },
          [](const pass_horizon&) { return tree::object(); }, [](const pass_epoch&) { return tree::object(); }},
      i.what);
}

}  // namespace

std::string instructions_as_json(const program_record& program, std::span<const node_record> nodes) {
  tree all{{"buffers", buffers_of(program)}, {"nodes", tree::array()}};
  for (const node_record& n : nodes) {
    tree made{{"node", "N" + std::to_string(n.node)}, {"instructions", tree::array()}};
    for (const instruction& i : n.instructions) {
      tree one{{"id", text_of(i.id)}, {"kind", kind_of(i)}, {"task", text_of(i.of)}};
      one.update(details_of(i, n));
      one["follows"] = numbered('I', i.follows);
      made["instructions"].push_back(std::move(one));
    }
    all["nodes"].push_back(std::move(made));
  }
  return graph_text(std::move(all), program);
}

}  // namespace stretto::graph

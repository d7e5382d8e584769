#include "graph/instruction_labels.hpp"

#include <algorithm>

namespace stretto::graph {
namespace {

std::string lines_of(const std::vector<box>& parts) {
  std::string s;
  for (const box& b : parts) s += "\n" + b.text();
  return s;
}

}  // namespace

std::string text_of(instruction_id i) { return "I" + std::to_string(i.number); }
std::string text_of(allocation_id a) { return "A" + std::to_string(a.number); }

const char* kind_of(const instruction& i) {
  return std::visit(overloaded{[](const allocate&) { return "allocate"; }, [](const release&) { return "release"; },
                               [](const copy&) { return "copy"; }, [](const fill_identity&) { return "fill identity"; },
                               [](const fold&) { return "fold"; }, [](const compute&) { return "compute"; },
                               [](const send&) { return "send"; }, [](const receive&) { return "receive"; },
                               [](const arrive&) { return "arrive"; }, [](const pass_horizon&) { return "horizon"; },
                               [](const pass_epoch&) { return "epoch"; }},
                    i.what);
}

std::string text_of_processor(processor_number p, const node_shape& shape) {
  return p == shape.host() ? "the host" : "D" + std::to_string(p);
}

std::string text_of_memory(memory_number m, const node_shape& shape) {
  if (m == 0) return "host memory";
  std::string s;
  for (processor_number p = 0; p < shape.devices.size(); ++p)
    if (shape.devices[p] == m) s += (s.empty() ? "memory of D" : " and D") + std::to_string(p);
  return s;
}

instruction_labels::instruction_labels(const program_record& program, const node_record& node)
    : program_(program), node_(node) {
  for (const instruction& i : node.instructions)
    if (const auto* a = std::get_if<allocate>(&i.what)) allocations_[a->is.number] = a;
}

const allocate* instruction_labels::find(allocation_id a) const {
  const auto found = allocations_.find(a.number);
  return found == allocations_.end() ? nullptr : found->second;
}

const instruction* instruction_labels::find(instruction_id i) const {
  const auto found = std::ranges::lower_bound(node_.instructions, i, {}, &instruction::id);
  return found == node_.instructions.end() || found->id != i ? nullptr : &*found;
}

std::string instruction_labels::text_of(allocation_id a) const {
  const allocate* const made = find(a);
  return graph::text_of(a) + (made ? " in " + text_of_memory(made->where, node_.shape) : "");
}

std::string instruction_labels::used_by(const task& t, const compute& c) const {
  std::string s;
  for (std::size_t n = 0; n < c.uses.size(); ++n) {
    if (c.uses[n].is.number == 0) continue;
    const bool is_reduced = n >= t.accesses.size();
    const std::size_t r = n - t.accesses.size();
    if (is_reduced && r >= t.reductions.size()) break;
    s += "\n" + (is_reduced
                     ? "reduce into " + named(program_, t.reductions[r].buffer)
                     : std::string(graph::text_of(t.accesses[n].how)) + " " + named(program_, t.accesses[n].buffer));
    s += " " + c.uses[n].part.text() + " (" + graph::text_of(c.uses[n].is) + ")";
  }
  return s;
}

std::string instruction_labels::label_of(const instruction& i, const compute& c) const {
  const task* const t = program_.find(i.of);
  const std::string by = c.by == node_.shape.host() ? " on the host" : " on D" + std::to_string(c.by);
  return named(program_, i.of) + " " + c.chunk.text() + by + (t ? used_by(*t, c) : "");
}

std::string instruction_labels::label_of(const instruction& i) const {
  const std::string kind = kind_of(i);
  const auto for_task = [&] { return i.of.number ? " for " + named(program_, i.of) : std::string(); };
  return std::visit(
      overloaded{
          [&](const allocate& a) {
            return kind + " " + text_of(a.is) + "\n" + named(program_, a.of) + " " + a.elements.text();
          },
          [&](const release& r) {
            const allocate* const made = find(r.is);
            return kind + " " + text_of(r.is) +
                   (made ? "\n" + named(program_, made->of) + " " + made->elements.text() : "");
          },
          [&](const copy& c) {
            return kind + " " + named(program_, c.of) + for_task() + "\n" + text_of(c.from) + "\nto " + text_of(c.to) +
                   lines_of(c.parts);
          },
          [&](const fill_identity& f) {
            return kind + " " + named(program_, f.of) + for_task() + "\n" + text_of(f.is);
          },
          [&](const fold& f) {
            return kind + " " + named(program_, f.of) + for_task() + "\n" + text_of(f.from) + "\ninto " + text_of(f.to);
          },
          [&](const compute& c) { return kind + " " + label_of(i, c); },
          [&](const send& s) {
            std::string text = kind + " " + named(program_, s.of) + for_task() + "\nfrom " + text_of(s.from);
            for (const sent_part& p : s.parts) text += "\n" + p.where.text() + " -> " + p.to.text();
            return text;
          },
          [&](const receive& r) {
            return kind + " " + named(program_, r.of) + for_task() + "\ninto " + text_of(r.to) + lines_of(r.parts);
          },
          [&](const arrive& a) {
            const instruction* const of = find(a.of);
            const auto* const r = of ? std::get_if<receive>(&of->what) : nullptr;
            return kind +
                   (r && a.part < r->parts.size() ? " " + named(program_, r->of) + " " + r->parts[a.part].text() : "") +
                   "\npart of " + graph::text_of(a.of);
          },
          [&](const pass_horizon&) { return kind + " " + graph::text_of(i.of); },
          [&](const pass_epoch&) { return kind + " " + graph::text_of(i.of); }},
      i.what);
}

}  // namespace stretto::graph

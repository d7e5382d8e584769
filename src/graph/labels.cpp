#include "graph/labels.hpp"

namespace stretto::graph {

std::string text_of(task_id t) { return "T" + std::to_string(t.number); }
std::string text_of(command_id c) { return "C" + std::to_string(c.number); }
std::string text_of(buffer_id b) { return "B" + std::to_string(b.number); }

std::string named(const program_record& program, buffer_id b) {
  const std::string name = b.number < program.buffers.size() ? program.buffers[b.number].name : std::string();
  return name.empty() ? text_of(b) : text_of(b) + " \"" + name + "\"";
}

std::string named(const program_record& program, task_id t) {
  const task* const of = program.find(t);
  return !of || of->name.empty() ? text_of(t) : text_of(t) + " \"" + of->name + "\"";
}

std::string named(const effect_use& e) {
  return "E" + std::to_string(e.effect) + (e.name.empty() ? "" : " \"" + e.name + "\"");
}

const char* text_of(task_kind k) {
  switch (k) {
    case task_kind::kernel: return "kernel";
    case task_kind::one: return "one";
    case task_kind::each: return "each";
    case task_kind::collective: return "collective";
    case task_kind::fence: return "fence";
    case task_kind::horizon: return "horizon";
    case task_kind::epoch: return "epoch";
  }
  return "";
}

const char* text_of(mode m) { return m == mode::read ? "read" : m == mode::write ? "write" : "read-write"; }

const char* kind_of(const command& c, const program_record& program) {
  return std::visit(overloaded{[&](const execute&) {
                                 const task* t = program.find(c.of);
                                 return t && t->kind == task_kind::fence ? "fence" : "execute";
                               },
                               [](const push&) { return "push"; }, [](const await_push&) { return "await push"; },
                               [](const reduce&) { return "reduce"; }, [](const horizon&) { return "horizon"; },
                               [](const epoch&) { return "epoch"; }},
                    c.what);
}

region used_by_all(const access& a, const task& t) {
  used_boxes used;
  a.where.used_by(t.range, t.range, used);
  return region(std::span<const box>(used)) & region(a.where.elements());
}

buffer_id buffer_of(const unwritten_read& u, const task& t) {
  return u.access < t.accesses.size() ? t.accesses[u.access].buffer : t.reductions[u.access - t.accesses.size()].buffer;
}

const std::vector<unwritten_read>& unwritten_reads_of(task_id id, const program_record& program) {
  static const std::vector<unwritten_read>& none = *new const std::vector<unwritten_read>;
  const auto found = program.unwritten.find(id.number);
  return found == program.unwritten.end() ? none : found->second;
}

}  // namespace stretto::graph

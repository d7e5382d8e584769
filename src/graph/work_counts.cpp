#include "graph/work_counts.hpp"

#include "graph/instruction_labels.hpp"

namespace stretto::graph {

void work_counts::add(std::span<const command> all) {
  static const program_record& nothing_known = *new const program_record;
  for (const command& c : all) ++commands[kind_of(c, nothing_known)];
}

void work_counts::add(std::span<const instruction> all, std::span<const std::uint32_t> element_bytes) {
  for (const instruction& i : all) {
    ++instructions[kind_of(i)];
    if (const auto* s = std::get_if<send>(&i.what))
      for (const sent_part& p : s->parts) sent_bytes += p.where.volume() * p.to.size() * element_bytes[s->of.number];
    else if (const auto* r = std::get_if<receive>(&i.what))
      for (const box& b : r->parts) received_bytes += b.volume() * element_bytes[r->of.number];
  }
}

void work_counts::add(const work_counts& other) {
  for (const auto& [kind, n] : other.commands) commands[kind] += n;
  for (const auto& [kind, n] : other.instructions) instructions[kind] += n;
  sent_bytes += other.sent_bytes;
  received_bytes += other.received_bytes;
}

std::string text_of(const std::map<std::string_view, std::uint64_t>& counted) {
  std::uint64_t all = 0;
  std::string kinds;
  for (const auto& [kind, n] : counted) {
    all += n;
    kinds += (kinds.empty() ? "" : ", ") + std::to_string(n) + " " + std::string(kind);
  }
  return all ? std::to_string(all) + " (" + kinds + ")" : "none";
}

}  // namespace stretto::graph

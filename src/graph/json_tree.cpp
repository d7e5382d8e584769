#include "graph/json_tree.hpp"

#include "graph/labels.hpp"

namespace stretto::graph {

tree numbered(char letter, const dependencies& numbers) {
  tree all = tree::array();
  for (const std::uint64_t n : numbers) all.push_back(letter + std::to_string(n));
  return all;
}

tree parts_of(const std::vector<sent_part>& parts) {
  tree all = tree::array();
  for (const sent_part& part : parts) all.push_back({{"elements", part.where.text()}, {"to", part.to.text()}});
  return all;
}

tree buffers_of(const program_record& program) {
  tree all = tree::array();
  for (std::uint32_t n = 0; n < program.buffers.size(); ++n)
    all.push_back({{"id", text_of(buffer_id{n})},
                   {"name", program.buffers[n].name},
                   {"elements", program.buffers[n].elements.text()}});
  return all;
}

std::string graph_text(tree&& all, const program_record& program) {
  if (program.is_truncated) all["goes_on_behind"] = text_of(task_id{program.tasks.size()});
  return all.dump(1, ' ', false, tree::error_handler_t::replace) + "\n";
}

}  // namespace stretto::graph

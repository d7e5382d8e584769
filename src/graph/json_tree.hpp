// json_tree.hpp - building blocks of graphs written as JSON.
//
// Threads     pure functions.
#pragma once

#include <nlohmann/json.hpp>

#include <string>

#include "graph/printing.hpp"

namespace stretto::graph {

using tree = nlohmann::ordered_json;

tree boxes_of(const auto& boxes) {
  tree all = tree::array();
  for (const box& b : boxes) all.push_back(b.text());
  return all;
}
/// ["C1","C4"].
tree numbered(char letter, const dependencies& numbers);
tree parts_of(const std::vector<sent_part>& parts);
tree buffers_of(const program_record& program);
/// The text of the graph, with a note if the recording was truncated.
std::string graph_text(tree&& all, const program_record& program);

}  // namespace stretto::graph

// locality_reader.hpp - reads the text of a locality graph file, resolves its names, and locates its faults.
//
// Threads     pure.
// Cost        linear in the text and in the path entries of all workers.
// Source      the format of the public HiPER/hclib locality graphs, with the optional properties that
//             docs/guide/platform.md lists; their files load unchanged.
#pragma once

#include <memory>
#include <string_view>

#include "platform/graph.hpp"

namespace stretto::places {

/// The graph that the text describes.
///
///   throws   P01 malformed   P02 wrong type    P03 unknown place   P04 given twice   P05 bad expression
///            P06 workers     P07 out of reach  P08 unknown key     P09 missing       P10 too much   P12 bad value
std::shared_ptr<const graph> read_locality_graph(std::string_view text, std::string_view file_name);

}  // namespace stretto::places

// dot_text.hpp - quoting and statements of the Graphviz DOT language.
//
// Threads     pure functions.
#pragma once

#include <string>

#include "graph/printing.hpp"

namespace stretto::graph {

/// A quoted string; \n separates lines.
std::string quoted(const std::string& text);
/// A node statement. `more`: further attributes, as in ", style=dashed".
std::string node_line(const std::string& id, const std::string& label, const char* shape, const char* more = "");
/// The end of a graph, with a note if the recording was truncated.
std::string dot_footer(const program_record& program);

}  // namespace stretto::graph

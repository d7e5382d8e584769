// dot_text.hpp - pieces of the language of Graphviz.
//
// Threads     functions of values.
#pragma once

#include <string>

#include "graph/printing.hpp"

namespace stretto::graph {

/// A text between quotes; lines are parted by \n.
std::string quoted(const std::string& text);
/// A node of the picture. `more`: further attributes, as in ", style=dashed".
std::string node_line(const std::string& id, const std::string& label, const char* shape, const char* more = "");
/// How the picture of a program ends: with a word where the program went on.
std::string dot_footer(const program_record& program);

}  // namespace stretto::graph

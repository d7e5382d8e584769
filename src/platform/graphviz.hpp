// graphviz.hpp - runs the program `dot`, which draws graphs, where it is installed.
//
// Threads     may be called from any thread. The calling thread blocks until dot ends.
#pragma once

#include <string>

namespace stretto::places {

/// The SVG picture that `dot` makes of a graph in its language. Throws P14 if dot is absent or fails.
std::string svg_of(const std::string& dot_text, const char* program = "dot");

}  // namespace stretto::places

// divided_loops.hpp - loops that are divided among gangs together, as text of C: their iterations are one range.
//
// Threads     pure.
// Invariants  no iteration divides: the numbers of the loops are stepped like the wheels of a counter.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace stretto::cc::acc {

/// One of the loops, outermost first.
struct divided_loop {
  std::string declaration;     // of its variable: "int i"
  std::string name;            // of the variable
  std::string first;           // its first value, as an operand of a sum
  std::string step;            // "1"
  std::string trips;           // how many iterations it has
  bool goes_down = false;      // the step is subtracted
  bool sets_variable = false;  // the variable of the host has its value behind the loops
};
using divided_loops = std::vector<divided_loop>;

/// An iteration, for its depth in the text. `stretto_k` is its number, of `stretto_count`.
using iteration_text = std::function<std::string(unsigned depth)>;

/// The constants that the others need: stretto_n0 and so on, and stretto_count.
std::string counts_text(const divided_loops& loops, unsigned depth);
/// The gang runs iterations that follow one another: that of cores.
std::string contiguous_text(const divided_loops& loops, const iteration_text& body, unsigned depth);
/// Gang k runs iterations k, k + gangs, k + 2 * gangs, ...: neighbours of a device use neighbouring memory.
std::string strided_text(const divided_loops& loops, const iteration_text& body, unsigned depth);
/// Sets variables of the host, an inner one if the loops around it run.
std::string values_behind_text(const divided_loops& loops, unsigned depth);

}  // namespace stretto::cc::acc

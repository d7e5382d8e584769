// compiler_call.hpp - what a call of a compiler asks for, found in its arguments.
//
// Threads     any.
#pragma once

#include <string>
#include <vector>

namespace stretto::cc {

enum class product { objects, program, library };

struct compiler_call {
  cc::product product = product::objects;  // objects: also text, assembly or nothing
  std::vector<std::string> arguments;      // those to pass on
  std::vector<std::string> inputs;         // files, in order, those of libraries given by path included
  std::string output = "a.out";
};

/// Reads the arguments, those in response files too. Options that would make another kind of program are left out of
/// `arguments` (-pie, -no-pie). Throws W61 for -static.
compiler_call read_call(const std::vector<std::string>& arguments);

}  // namespace stretto::cc

// compiler_call.hpp - the arguments of `stretto cc` and `stretto c++`, which call a compiler: what it is to make.
//
// Threads     any.
#pragma once

#include <string>
#include <vector>

namespace stretto::cc {

enum class product { objects, program, library };

struct compiler_call {
  cc::product product = product::objects;  // objects: also assembly, preprocessed text or nothing
  std::vector<std::string> arguments;      // those to pass on
  std::vector<std::string> inputs;         // sources, objects and libraries given by path, in order
  std::string output = "a.out";
  bool has_output = false;  // an argument names it
  bool makes_text = false;  // preprocessed text, or a list of headers
};

/// Reads the arguments, those in response files too. A program is linked as a shared object, so `arguments` leave out
/// -pie and -no-pie. Throws W61 if a program is to be linked with -static or -static-pie.
compiler_call read_call(const std::vector<std::string>& arguments);

}  // namespace stretto::cc

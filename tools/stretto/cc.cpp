// cc.cpp - `stretto cc` and `stretto c++`: compile and link MPI programs whose ranks are threads of one process.
#include "cc/compiler_command.hpp"

#include "stretto/command.hpp"

namespace stretto::tools {

int run_cc(const invocation& call) { return cc::compile(cc::language::c, call.arguments); }
int run_cxx(const invocation& call) { return cc::compile(cc::language::cxx, call.arguments); }

}  // namespace stretto::tools

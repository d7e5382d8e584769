// compiler_main.cpp - the programs stretto-cc and stretto-c++, which differ by their names.
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "base/error_output.hpp"
#include "cc/compiler_command.hpp"

int main(int argc, char** argv) {
  const bool is_cxx = std::string_view(argc > 0 ? argv[0] : "").ends_with("++");
  try {
    return stretto::cc::compile(is_cxx ? stretto::cc::language::cxx : stretto::cc::language::c,
                                {argv + (argc > 0 ? 1 : 0), argv + argc});
  } catch (const std::exception& e) {
    stretto::base::print_error(e, stretto::base::error_form_of(stretto::base::stretto_environment(), {}));
    return 1;
  }
}

// main.cpp - what `./stretto demo` runs before the command is built: the wave alone, which needs half as long to build.
#include <cstdio>
#include <exception>
#include <stretto/error.hpp>

#include "base/error_output.hpp"
#include "base/options.hpp"
#include "stretto/wave_request.hpp"

using namespace stretto;

int main() {
  const auto form = base::error_form_of(base::stretto_environment(), {});
  try {
    const auto options = base::parse_options(base::stretto_environment(), {}, base::foreign_arguments::keep);
    for (const error& e : options.misspelt) base::print_warning(e, options.values.errors);
    const int code = wave::demonstrate(tools::wave_request(options.values, {}));
    return std::fflush(stdout) == 0 ? code : 1;
  } catch (const std::exception& e) {
    base::print_error(e, form);
    return 1;
  }
}

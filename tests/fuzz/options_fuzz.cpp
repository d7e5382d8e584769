// Any words whatever as variable and arguments: a value, or an error of the B codes, nothing else.
#include <cstdint>
#include <cstdlib>
#include <stretto/error.hpp>

#include "base/options.hpp"

using namespace stretto::base;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // First line: variable=value. The others: arguments.
  std::vector<std::string> lines(1);
  for (std::size_t i = 0; i < size; ++i)
    if (data[i] == '\n') lines.emplace_back();
    else lines.back() += static_cast<char>(data[i]);
  environment variables;
  const auto equals = lines[0].find('=');
  variables[lines[0].substr(0, equals)] = equals == std::string::npos ? "" : lines[0].substr(equals + 1);
  const std::span arguments(lines.data() + 1, lines.size() - 1);
  try {
    const auto parsed = parse_options(variables, arguments, foreign_arguments::keep);
    for (const auto& row : option_table()) {
      // An accepted value is accepted again as it is spelt back.
      const environment again{{variable_of(row), spelt(row, parsed.values)}};
      if (spelt(row, parse_options(again, {}).values) != spelt(row, parsed.values)) std::abort();
    }
  } catch (const stretto::error& e) {
    if (e.code()[0] != 'B') std::abort();
  }
  return 0;
}

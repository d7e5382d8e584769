#include "device/array_names.hpp"

#include <stretto/kernel_scope.hpp>

#include <fmt/format.h>

#include <algorithm>

#include "device/kernel_signature.hpp"
#include "device/kernel_tokens.hpp"

namespace stretto::device {

namespace {

/// `auto tile = local_array<double, 16, 16>();`: a group declares them in the order of the text.
array_name name_of_local(const kernel_code& code, unsigned number) {
  const tokens body = tokens_of(code.body_text);
  unsigned left = number;
  for (std::size_t i = 2; i + 1 < body.size(); ++i) {
    if (!(body[i] == "local_array") || left-- != 0) continue;
    int lengths = 0, depth = 0;
    for (std::size_t at = i + 1; at < body.size(); ++at) {
      if (body[at] == "<" || body[at] == "(") ++depth;
      if (body[at] == "," && depth == 1) ++lengths;
      if ((body[at] == ">" || body[at] == ")") && --depth == 0) break;
    }
    return {body[i - 2].spelling, std::clamp(lengths, 1, 3)};
  }
  return {fmt::format("local_array {}", number), 1};
}

}  // namespace

array_name name_of_array(const kernel_code& code, unsigned number) {
  if (number & index_out_of_range::is_local_array)
    return name_of_local(code, number & ~index_out_of_range::is_local_array);
  return {parameters_of(tokens_of(code.parameter_text))[number].name, code.parameters[number].dimensions};
}

}  // namespace stretto::device

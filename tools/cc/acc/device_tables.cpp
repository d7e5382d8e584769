#include "cc/acc/device_tables.hpp"

#include <fmt/format.h>

namespace stretto::cc::acc {
namespace {

/// The index in the arguments of the launch, where extents stand ahead of their argument.
std::size_t index_in_launch(const region_plan& plan, const device_parameter& one) {
  std::size_t index = 0;
  for (std::size_t i = 0; i < one.argument; ++i) index += 1 + plan.arguments[i].sized.extents.size();
  return index + one.extent.value_or(plan.arguments[one.argument].sized.extents.size());
}

}  // namespace

std::string literal_text(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '\n') {
      result += "\\n\"\n\"";
      continue;
    }
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + '"';
}

std::string device_tables(const std::string& name, const region_plan& plan, const device_translation& opencl) {
  if (!opencl.kernel)
    return fmt::format("static const struct stretto_acc_device_kernel {0}_device = {{\"{0}\", 0, {1}, 0, 0}};\n", name,
                       literal_text(opencl.reason));
  std::string parameters;
  for (const device_parameter& one : opencl.kernel->parameters)
    parameters += fmt::format("{{{}, {}, {}}}, ", static_cast<int>(one.is), index_in_launch(plan, one), one.bytes);
  return fmt::format(
      "static const struct stretto_acc_parameter {0}_parameters[] = {{{1}{{0}}}};\n"
      "static const struct stretto_acc_device_kernel {0}_device = {{\"{0}\", {2}, 0, {0}_parameters, {3}}};\n",
      name, parameters, literal_text(opencl.kernel->text), opencl.kernel->parameters.size());
}

}  // namespace stretto::cc::acc

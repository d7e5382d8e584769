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

/// Two fields of the table.
std::string text_and_reason(const device_translation& of) {
  return of.kernel ? literal_text(of.kernel->text) + ", 0" : "0, " + literal_text(of.reason);
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

std::string device_tables(const std::string& name, const region_plan& plan, const device_translations& of) {
  const std::optional<device_kernel>& any = of.opencl.kernel ? of.opencl.kernel : of.cuda.kernel;
  std::string parameters;
  for (const device_parameter& one : any ? any->parameters : std::vector<device_parameter>())
    parameters += fmt::format("{{{}, {}, {}}}, ", static_cast<int>(one.is), index_in_launch(plan, one), one.bytes);
  const std::string table =
      any ? fmt::format("static const struct stretto_acc_parameter {}_parameters[] = {{{}{{0, 0, 0}}}};\n", name,
                        parameters)
          : "";
  return table +
         fmt::format("static const struct stretto_acc_device_kernel {0}_device = {{\"{0}\", {1}, {2}, {3}, {4}}};\n",
                     name, text_and_reason(of.opencl), text_and_reason(of.cuda), any ? name + "_parameters" : "0",
                     any ? any->parameters.size() : 0);
}

}  // namespace stretto::cc::acc

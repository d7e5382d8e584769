#include "cc/acc/device_kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stretto/error.hpp>

#include "cc/acc/device_region.hpp"

namespace stretto::cc::acc {
namespace {

/// A program's text: all that the kernel needs stands ahead of it.
std::string program_text(const device_text_parts& parts, const std::string& kernel, const device_kernel& facts) {
  std::string text = parts.dialect.prelude(facts.uses_double, facts.uses_long_atomics) + parts.types.record_texts();
  for (const auto& [name, one] : parts.atomics) text += atomic_functions(parts.dialect, one.text, name, one.bytes);
  for (const std::string& function : parts.function_texts) text += function;
  return text + kernel;
}

}  // namespace

device_translation translate_for_device(device_language language, const std::string& name, const region_plan& plan,
                                        const statement& region, const preprocessed_text& source,
                                        const called_functions& functions) {
  try {
    device_text_parts parts(language, source, functions);
    pointer_spaces spaces(plan, functions, parts.dialect);
    spaces.infer(region);
    device_region printer(parts, plan, std::move(spaces));
    const std::string text = printer.kernel_text(name, region);
    device_kernel result{.text = {}, .parameters = printer.parameters()};
    result.uses_double = parts.types.uses_double();
    result.uses_long_atomics =
        std::ranges::any_of(parts.atomics, [](const auto& one) { return one.second.bytes == 8; });
    result.text = program_text(parts, text, result);
    return {std::move(result), ""};
  } catch (const inexpressible_code& e) {
    return {std::nullopt, e.reason};
  } catch (const error&) {
    return {std::nullopt, "a function that it calls has code that no device runs"};
  }
}

}  // namespace stretto::cc::acc

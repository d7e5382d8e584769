#include "cc/acc/library_functions.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "cc/acc/c_types.hpp"
#include "cc/is_in.hpp"

namespace stretto::cc::acc {
namespace {

// With double, or float if the name ends in f; of the same name in all languages.
constexpr std::array floating_functions{
    "acos", "acosh", "asin",  "asinh", "atan",   "atan2",  "atanh",     "cbrt",  "ceil",      "copysign", "cos",
    "cosh", "erf",   "erfc",  "exp",   "exp2",   "expm1",  "fabs",      "fdim",  "floor",     "fma",      "fmax",
    "fmin", "fmod",  "hypot", "log",   "log10",  "log1p",  "log2",      "pow",   "rint",      "round",    "sin",
    "sinh", "sqrt",  "tan",   "tanh",  "tgamma", "lgamma", "nextafter", "trunc", "remainder", "exp10"};
constexpr std::array tests{"isnan", "isinf", "isfinite", "signbit"};
constexpr std::array infinities{"inf", "inff", "huge_val", "huge_valf"};

std::string converted(const argument_text& one, std::string_view type) {
  const bool is_same = one.type && number_type(type)->spelling == one.type->spelling;
  return is_same ? one.text : fmt::format("({})({})", type, one.text);
}

std::string call_text(std::string_view name, std::span<const argument_text> arguments, std::string_view type) {
  std::string text;
  for (const argument_text& one : arguments) text += (text.empty() ? "" : ", ") + converted(one, type);
  return fmt::format("{}({})", name, text);
}

/// sqrt, and sqrtf, which OpenCL calls sqrt, too.
std::optional<std::string> floating_call(const device_dialect& dialect, const std::string& name,
                                         std::span<const argument_text> arguments) {
  const bool is_double = is_in(floating_functions, name);
  const std::string base = is_double || !name.ends_with('f') ? name : name.substr(0, name.size() - 1);
  if (!is_in(floating_functions, base)) return std::nullopt;
  return call_text(dialect.is_opencl() ? base : name, arguments, is_double ? "double" : "float");
}

/// abs of OpenCL returns an unsigned number.
std::optional<std::string> integer_call(const std::string& name, std::span<const argument_text> arguments) {
  if (arguments.size() != 1) return std::nullopt;
  if (name == "abs") return fmt::format("(int){}", call_text("abs", arguments, "int"));
  if (name == "labs" || name == "llabs") return fmt::format("(long){}", call_text("abs", arguments, "long"));
  const bool is_float = name.ends_with('f');
  const std::string base = is_float ? name.substr(0, name.size() - 1) : name;
  const std::string_view type = is_float ? "float" : "double";
  if (base == "lround" || base == "llround") return fmt::format("(long){}", call_text("round", arguments, type));
  if (base == "lrint" || base == "llrint") return fmt::format("(long){}", call_text("rint", arguments, type));
  return std::nullopt;
}

/// isnan, __isnanf and __builtin_isnan, which headers make of each other.
std::optional<std::string> test_call(std::string name, std::span<const argument_text> arguments) {
  if (name == "__finite" || name == "__finitef" || name == "finite") name = "isfinite";
  if (name.starts_with("__")) name.erase(0, 2);
  if (name == "isinf_sign") name = "isinf";
  if (name.ends_with('f') && is_in(tests, name.substr(0, name.size() - 1))) name.pop_back();
  if (!is_in(tests, name) || arguments.size() != 1) return std::nullopt;
  return fmt::format("{}({})", name, arguments[0].text);
}

/// std::max and std::min, which OpenCL has for all types.
std::optional<std::string> extreme_call(const device_dialect& dialect, const std::string& name,
                                        std::span<const argument_text> arguments) {
  if ((name != "std::max" && name != "std::min") || arguments.size() != 2) return std::nullopt;
  const type_ref& type = arguments[0].type;
  if (!type || !type->is_number()) return std::nullopt;
  const std::string number = dialect.number(*type);
  return fmt::format("{4}{0}(({1})({2}), ({1})({3}))", name.substr(5), number, arguments[0].text, arguments[1].text,
                     dialect.is_opencl() ? "" : "stretto_acc_");
}

}  // namespace

/// Functions of C++ have one name for several types.
std::string library_name(const expression& function) {
  if (!function.of) return function.spelling;
  const std::string& name = function.of->name;
  if (!function.of->path.starts_with("std::")) return name;
  if (name == "max" || name == "min") return "std::" + name;
  const c_type* const result = function.of->type.element.get();
  if (!result) return name;
  if (result->is != type_form::floating) return name == "abs" && result->bytes == 8 ? "labs" : name;
  const std::string base = name == "abs" ? "fabs" : name;
  return result->bytes == 4 && is_in(floating_functions, base) ? base + "f" : base;
}

std::optional<std::string> library_call(const device_dialect& dialect, const std::string& name,
                                        std::span<const argument_text> arguments) {
  static constexpr std::string_view builtin = "__builtin_";
  const bool is_builtin = name.starts_with(builtin);
  const std::string base = is_builtin ? name.substr(builtin.size()) : name;
  if (is_builtin && is_in(infinities, base)) return "stretto_acc_infinity()";
  if (is_builtin && base == "expect" && arguments.size() == 2) return fmt::format("({})", arguments[0].text);
  const bool is_scaled = base == "ldexp" || base == "ldexpf" || base == "scalbn" || base == "scalbnf";
  if (is_scaled && arguments.size() == 2)
    return fmt::format("ldexp({}, {})", converted(arguments[0], base.ends_with('f') ? "float" : "double"),
                       converted(arguments[1], "int"));
  if (auto found = extreme_call(dialect, base, arguments)) return found;
  if (auto found = floating_call(dialect, base, arguments)) return found;
  if (auto found = integer_call(base, arguments)) return found;
  // Headers hand the sign of infinity to callers of isinf; no standard asks for it.
  if (auto found = test_call(base, arguments)) return found;
  if (base == "acc_on_device" && arguments.size() == 1)
    return fmt::format("stretto_acc_on_device({})", converted(arguments[0], "int"));
  return std::nullopt;
}

}  // namespace stretto::cc::acc

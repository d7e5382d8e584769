// library_functions.hpp - functions of C's library that devices have, and how their languages call them.
//
// Threads     pure.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "cc/acc/device_dialect.hpp"
#include "cc/acc/region_code.hpp"

namespace stretto::cc::acc {

/// An argument of a call: its text, and its type if that is known.
struct argument_text {
  std::string text;
  type_ref type;
};

/// The name in C of a function that is called: "fabsf" of std::abs(float), but "std::max".
std::string library_name(const expression& function);

/// The call in the language of the device; nothing if it has no such function.
std::optional<std::string> library_call(const device_dialect& dialect, const std::string& name,
                                        std::span<const argument_text> arguments);

}  // namespace stretto::cc::acc

// template_text.hpp - the text of one kernel of a template: what is written, with what the
// template's parameters stand for.
//
// Threads     pure.
// Cost        linear in the text.
#pragma once

#include <stretto/kernel_code.hpp>

#include <span>
#include <string>
#include <string_view>

#include "device/kernel_tokens.hpp"

namespace stretto::device {

/// Puts what each parameter of a template stands for in its place: the type's name, or the number.
/// Names of members stay.
void substitute_arguments(tokens& all, std::span<const template_argument> arguments);

/// stretto::float4 is float4 to devices.
void remove_own_namespace(tokens& all);

/// The body and the parameters of a kernel as devices see them, without lines.
tokens body_tokens_of(const kernel_code& code);
tokens parameter_tokens_of(const kernel_code& code);

/// As the kernel is called in its source.
std::string_view source_name(const kernel_code& code) noexcept;

/// "scale_float_4" of "scale<float, 4>": part of the name of a function of the device. Of another
/// kernel it is another one.
std::string identifier_of(std::string_view kernel_name);

}  // namespace stretto::device

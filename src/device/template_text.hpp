// template_text.hpp - instantiates the text of a kernel template: replaces the template parameters by their
// arguments.
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

/// Replaces each template parameter by its argument: the type's name, or the number. Names of members stay.
void substitute_arguments(tokens& all, std::span<const template_argument> arguments);

/// Devices know stretto::float4 as float4.
void remove_own_namespace(tokens& all);

/// The body and the parameters of a kernel as devices see them, without line numbers.
tokens body_tokens_of(const kernel_code& code);
tokens parameter_tokens_of(const kernel_code& code);

/// The name of the kernel in its source.
std::string_view source_name(const kernel_code& code) noexcept;

/// An identifier for a kernel, as part of the device function's name: "scale_float_4" for "scale<float, 4>".
/// Different kernels get different identifiers.
std::string identifier_of(std::string_view kernel_name);

}  // namespace stretto::device

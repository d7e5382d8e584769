// kernel_names.hpp - the names in a body that no device knows: the host's compiler took them, and said nothing.
//
// Threads     pure.
// Cost        linear in the body.
#pragma once

#include <stretto/kernel_code.hpp>

#include <functional>

#include "device/kernel_tokens.hpp"

namespace stretto::device {

/// The first name in `body` that is no word of C or of kernels, no parameter, nothing that the body declares, and no device text;
/// null if there is none. Scopes are not told apart: what is declared anywhere in the body is known in all of it.
const token* unknown_name(const tokens& parameters, const tokens& body,
                          const std::function<const device_text*(const token&)>& text_named);

}  // namespace stretto::device

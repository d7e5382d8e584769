// kernel_names.hpp - finds names in a kernel body that no device knows, though the host's compiler accepted them.
//
// Threads     pure.
// Cost        linear in the body.
#pragma once

#include <stretto/kernel_code.hpp>

#include <functional>

#include "device/kernel_tokens.hpp"

namespace stretto::device {

/// The first name in `body` that is no keyword of C or of kernels, no parameter, no declaration of the body, and no
/// device text. Null if there is none. Scopes are ignored: a name that is declared anywhere in the body is known in
/// all of it.
const token* unknown_name(const tokens& parameters, const tokens& body,
                          const std::function<const device_text*(const token&)>& text_named);

}  // namespace stretto::device

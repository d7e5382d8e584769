// device_texts.hpp - the functions, structures and constants that kernels use, by their names.
//
// Threads     the list grows before main and when a library is loaded; it is read at any time.
#pragma once

#include <stretto/kernel_code.hpp>

#include <string_view>

namespace stretto::device {

/// What `user` means by a name, or null: of several, the one of its own file. Throws K11 if that does not decide.
const device_text* text_named(std::string_view name, const kernel_code& user);

}  // namespace stretto::device

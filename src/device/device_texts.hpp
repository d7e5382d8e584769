// device_texts.hpp - looks up the functions, structures and constants that kernels use, by name.
//
// Threads     the list grows before main and when a library is loaded; any thread may read it at any time.
#pragma once

#include <stretto/kernel_code.hpp>

#include <string_view>

namespace stretto::device {

/// The text that `user` means by a name, or null. If several have the name, the one of the same file. Throws K11 if
/// that leaves several.
const device_text* text_named(std::string_view name, const kernel_code& user);

}  // namespace stretto::device

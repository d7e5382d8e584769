// kernel_preludes.hpp - what stands before every kernel's text: the names of kernel_scope.hpp as a device spells them.
//
// Threads     constants.
#pragma once

#include <string>

#include "device/dialect.hpp"

namespace stretto::device {

const std::string& prelude(dialect d);

}  // namespace stretto::device

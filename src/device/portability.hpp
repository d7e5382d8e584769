// portability.hpp - what keeps a kernel from devices though the host computes it.
//
// Threads     any.
// Cost        the text for devices is made once per kernel and process; after that a lock and a look-up.
#pragma once

#include <stretto/error.hpp>
#include <stretto/kernel_code.hpp>

#include <functional>
#include <optional>
#include <string>

namespace stretto::device {

/// K10 or K11 as the text for devices says them; K12 with the first name that no device knows. Nothing for code of the program's own.
std::optional<error> device_refusal(const kernel_code& code);

/// The same for whoever looks for mistakes on the host, as one line and once per kernel and process.
void warn_of_device_refusal(const kernel_code& code, const std::function<void(const std::string&)>& warn);

}  // namespace stretto::device

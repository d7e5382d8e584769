// portability.hpp - reports why devices cannot run a kernel that the host can.
//
// Threads     any.
// Cost        the device text is generated once per kernel and process; then a lock and a lookup.
#pragma once

#include <stretto/error.hpp>
#include <stretto/kernel_code.hpp>

#include <functional>
#include <optional>
#include <string>

namespace stretto::device {

/// K10 or K11 from generating the device text, or K12 with the first name that no device knows. Nothing for native
/// kernels.
std::optional<error> device_refusal(const kernel_code& code);

/// Passes the same error to `warn` as one line, once per kernel and process; for checked runs on the host.
void warn_of_device_refusal(const kernel_code& code, const std::function<void(const std::string&)>& warn);

}  // namespace stretto::device

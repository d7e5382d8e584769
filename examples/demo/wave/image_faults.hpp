// image_faults.hpp - what is wrong with a picture, whatever its format.
//
// Threads     pure.
#pragma once

#include <stretto/error.hpp>

#include <string>

#include "demo/wave/grey_image.hpp"

namespace stretto::wave {

/// A header's size as an extent, or W23 for nothing and W24 for too much.
extent checked_size(std::uint64_t width, std::uint64_t height, const std::string& name);

/// W22 and W26 with the reason, a sentence without a full stop.
error truncated(const std::string& name, const std::string& reason);
error damaged(const std::string& name, const std::string& reason);

}  // namespace stretto::wave

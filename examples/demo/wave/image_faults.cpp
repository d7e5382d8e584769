#include "demo/wave/image_faults.hpp"

#include <fmt/format.h>

namespace stretto::wave {

error truncated(const std::string& name, const std::string& reason) {
  return error("W22", fmt::format("the image \"{}\" ends too early", name))
      .because(reason)
      .remedy("copy or download the file again");
}

error damaged(const std::string& name, const std::string& reason) {
  return error("W26", fmt::format("the image \"{}\" is damaged", name))
      .because(reason)
      .remedy("copy or download the file again");
}

extent checked_size(std::uint64_t width, std::uint64_t height, const std::string& name) {
  const auto size = fmt::format("{} x {} pixels", width, height);
  if (width == 0 || height == 0)
    throw error("W23", fmt::format("the image \"{}\" has no pixels", name))
        .fact("size", size)
        .remedy("use an image of at least 1 x 1 pixels");
  const auto side = std::uint64_t(longest_side);
  if (width > side || height > side || width * height > std::uint64_t(largest_image))
    throw error("W24", fmt::format("the image \"{}\" is too large", name))
        .fact("size", size)
        .fact("limit", fmt::format("{} pixels, {} along a side", largest_image, longest_side))
        .remedy("scale it down; --size enlarges the field again");
  return {int(height), int(width)};
}

}  // namespace stretto::wave

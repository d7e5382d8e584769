#include "device/opencl/opencl_backend.hpp"

#include <stretto/error.hpp>

#include <fmt/format.h>

#include <charconv>

#include "device/opencl/opencl_device.hpp"
#include "device/opencl/opencl_discovery.hpp"

namespace stretto::device {

namespace {

unsigned parts_of(const open_options& how) {
  unsigned parts = 1;
  for (const setting& s : how.settings) {
    const char* const end = s.value.data() + s.value.size();
    const auto [read_to, fault] = std::from_chars(s.value.data(), end, parts);
    if (fault != std::errc() || read_to != end || parts < 1 || parts > 64)
      throw wrong_setting("opencl", fmt::format("setting {} of OpenCL devices cannot be \"{}\"", s.name, s.value))
          .fact("allowed", "1 to 64 parts of each, with as many compute units");
  }
  return parts;
}

opencl::options all_of(const open_options& how) {
  auto o = options_of<opencl::options>(how);
  o.parts = parts_of(how);
  return o;
}

}  // namespace

backend opencl_backend() {
  return {.name = "opencl",
          .find = +[](const open_options& how) { return opencl::find(all_of(how)); },
          .settings = {"parts"},
          .list_visible = +[](const open_options& how) { return opencl::list_visible(all_of(how)); }};
}

}  // namespace stretto::device

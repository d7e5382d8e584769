#include "device/opencl/opencl_backend.hpp"

#include <stretto/error.hpp>

#include <fmt/format.h>

#include <charconv>

#include "device/opencl/opencl_device.hpp"
#include "device/opencl/opencl_look.hpp"

namespace stretto::device {

namespace {

unsigned parts_of(const search& how) {
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

opencl::options options_of(const search& how) {
  return {.memory_bytes = how.memory_bytes,
          .host_memory_bytes = how.host_memory_bytes,
          .check = how.check,
          .pool = how.pool,
          .cache = how.cache,
          .at_most = how.at_most,
          .parts = parts_of(how),
          .only = how.only};
}

}  // namespace

backend opencl_backend() {
  return {.name = "opencl",
          .find = +[](const search& how) { return opencl::find(options_of(how)); },
          .settings = {"parts"},
          .look = +[](const search& how) { return opencl::look(options_of(how)); }};
}

}  // namespace stretto::device

#include "demo/wave/shipped_medium.hpp"

#include <system_error>

namespace stretto::wave {

namespace fs = std::filesystem;

fs::path shipped_medium(const fs::path& program) {
  constexpr auto picture = "layered_earth.png";
  const auto installed = program.parent_path().parent_path() / "share/stretto/media" / picture;
  const auto in_source = fs::path(STRETTO_SOURCE_MEDIA) / picture;
  std::error_code failure;
  if (!fs::exists(installed, failure) && fs::exists(in_source, failure)) return in_source;
  return installed;
}

fs::path running_program() {
  std::error_code failure;
  return fs::read_symlink("/proc/self/exe", failure);
}

}  // namespace stretto::wave

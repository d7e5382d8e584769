#include "base/config.hpp"

#include <string>

#include "base/debug_build.hpp"

namespace stretto::base {

std::string_view version() { return STRETTO_VERSION; }

std::string_view built_with() {
  static const std::string& text = *new const std::string([] {
    std::string made_by(compiler);
    made_by += x86_64 ? ", x86_64" : ", portable";
    if constexpr (address_sanitizer) made_by += ", address sanitizer";
    if constexpr (thread_sanitizer) made_by += ", thread sanitizer";
    if (is_debug_build()) made_by += ", debug build";
    return made_by;
  }());
  return text;
}

}  // namespace stretto::base

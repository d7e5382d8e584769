#include "base/debug_build.hpp"

namespace stretto::base {

bool is_debug_build() noexcept { return STRETTO_DEBUG_BUILD; }  // 0 or 1, by CMakeLists.txt

}  // namespace stretto::base

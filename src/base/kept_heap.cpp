#include "base/kept_heap.hpp"

#include <malloc.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <string_view>

namespace stretto::base {

namespace {

constexpr std::uint64_t most_mapped_apart = 32u << 20;  // the largest threshold that the C library accepts

bool is_set_by_the_user() noexcept {
  const char* const tunables = std::getenv("GLIBC_TUNABLES");
  return std::getenv("MALLOC_TRIM_THRESHOLD_") || std::getenv("MALLOC_MMAP_THRESHOLD_") ||
         (tunables && std::string_view(tunables).find("glibc.malloc.") != std::string_view::npos);
}

}  // namespace

bool keep_heap(std::uint64_t bytes) noexcept {
  if (bytes == 0 || is_set_by_the_user()) return false;
  const auto as_int = [](std::uint64_t n) {
    return static_cast<int>(std::min<std::uint64_t>(n, std::numeric_limits<int>::max()));
  };
  return mallopt(M_TRIM_THRESHOLD, as_int(bytes)) == 1 &&
         mallopt(M_MMAP_THRESHOLD, as_int(std::min(bytes, most_mapped_apart))) == 1;
}

}  // namespace stretto::base

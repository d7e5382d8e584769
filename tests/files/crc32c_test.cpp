#include "files/crc32c.hpp"

#include <doctest/doctest.h>

#include <random>
#include <string_view>
#include <vector>

namespace stretto::files {
namespace {

std::uint32_t of(std::string_view text) { return crc32c(std::as_bytes(std::span(text))); }

/// A bit at a time.
std::uint32_t slowly(std::span<const std::byte> bytes) {
  std::uint32_t c = ~0u;
  for (const std::byte b : bytes) {
    c ^= std::to_integer<std::uint32_t>(b);
    for (int bit = 0; bit < 8; ++bit) c = c & 1 ? c >> 1 ^ 0x82f63b78u : c >> 1;
  }
  return ~c;
}

TEST_CASE("checksums are those that RFC 3720 prints, and of nothing 0") {
  CHECK(of("123456789") == 0xe3069283);
  CHECK(of(std::string(32, '\0')) == 0x8a9136aa);
  CHECK(of(std::string(32, '\xff')) == 0x62a8ab43);
  std::string up;
  for (char c = 0; c < 32; ++c) up += c;
  CHECK(of(up) == 0x46dd794e);
  CHECK(of("") == 0);
  CHECK(checksum_text(0x0e3) == "000000e3");
}

TEST_CASE("a checksum is that of the definition, whatever the length, and goes on from where another ended") {
  std::mt19937 random(7);
  for (std::size_t n = 0; n < 100; ++n) {
    std::vector<std::byte> bytes(n);
    for (std::byte& b : bytes) b = static_cast<std::byte>(random());
    CHECK(crc32c(bytes) == slowly(bytes));
    const std::size_t cut = n ? random() % n : 0;
    CHECK(crc32c(std::span(bytes).subspan(cut), crc32c(std::span(bytes).first(cut))) == slowly(bytes));
  }
}

}  // namespace
}  // namespace stretto::files

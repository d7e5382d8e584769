#include "files/crc32c.hpp"

#include <fmt/format.h>

#include <array>
#include <cstring>

namespace stretto::files {
namespace {

using tables = std::array<std::array<std::uint32_t, 256>, 8>;

constexpr tables table = [] {
  tables t{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t c = i;
    for (int bit = 0; bit < 8; ++bit) c = c & 1 ? c >> 1 ^ 0x82f63b78u : c >> 1;
    t[0][i] = c;
  }
  for (std::size_t n = 1; n < t.size(); ++n)
    for (std::size_t i = 0; i < 256; ++i) t[n][i] = t[n - 1][i] >> 8 ^ t[0][t[n - 1][i] & 0xff];
  return t;
}();

}  // namespace

std::uint32_t crc32c(std::span<const std::byte> bytes, std::uint32_t before) noexcept {
  std::uint32_t c = ~before;
  for (; bytes.size() >= 8; bytes = bytes.subspan(8)) {
    std::uint32_t low, high;
    std::memcpy(&low, bytes.data(), 4);
    std::memcpy(&high, bytes.data() + 4, 4);
    low ^= c;
    c = table[7][low & 0xff] ^ table[6][low >> 8 & 0xff] ^ table[5][low >> 16 & 0xff] ^ table[4][low >> 24] ^
        table[3][high & 0xff] ^ table[2][high >> 8 & 0xff] ^ table[1][high >> 16 & 0xff] ^ table[0][high >> 24];
  }
  for (const std::byte b : bytes) c = c >> 8 ^ table[0][(c ^ std::to_integer<std::uint32_t>(b)) & 0xff];
  return ~c;
}

std::uint32_t checksum_at_end(std::span<const std::byte> bytes) noexcept {
  if (bytes.size() < checksum_bytes) return 0;
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < checksum_bytes; ++i)
    sum |= std::to_integer<std::uint32_t>(bytes[bytes.size() - checksum_bytes + i]) << 8 * i;
  return sum;
}

std::string checksum_text(std::uint32_t checksum) { return fmt::format("{:08x}", checksum); }

}  // namespace stretto::files

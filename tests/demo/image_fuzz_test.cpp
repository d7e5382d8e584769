#include <doctest/doctest.h>
#include <rapidcheck.h>
#include <zlib.h>

#include <random>

#include <stretto/error.hpp>

#include "demo/wave/image.hpp"
#include "sample_images.hpp"

using namespace stretto::wave;

namespace {

std::vector<std::vector<std::byte>> seeds() {
  std::vector<std::vector<std::uint8_t>> colours(9, std::vector<std::uint8_t>(3 * 17));
  for (std::size_t i = 0; i < colours.size(); ++i)
    for (std::size_t j = 0; j < colours[i].size(); ++j) colours[i][j] = std::uint8_t(i * 29 + j * j);
  return {png_by_libpng(6, 5, {}, ramp()),
          png_by_libpng(6, 5, {PNG_COLOR_TYPE_GRAY, 8, PNG_INTERLACE_ADAM7}, ramp()),
          png_by_libpng(17, 9, {PNG_COLOR_TYPE_RGB}, colours),
          png_by_libpng(8, 8, {PNG_COLOR_TYPE_GRAY, 16}, {8, std::vector<std::uint8_t>(16, 77)}),
          png_by_libpng(3, 1, {PNG_COLOR_TYPE_PALETTE, 2}, {{0b01100100}}, {{0, 0, 0}, {51, 51, 51}, {255, 0, 0}}),
          bytes_of("P2\n# plain\n4 3\n100\n0 1 2 3 4 50 60 70 80 90 100 99\n"),
          bytes_of("P5 4 3 255\nabcdefghijkl"),
          bytes_of("P5 2 3 65535\nabcdefghijkl")};
}

enum class outcome { picture, refusal };

/// A picture that is in order, or an error of ours; anything else fails the test or crashes it.
outcome decode(const std::vector<std::byte>& bytes) {
  try {
    const auto image = decode_image(bytes, "fuzz");
    REQUIRE(image.size.rows > 0);
    REQUIRE(std::ptrdiff_t(image.grey.size()) == image.size.cells());
    for (const float g : image.grey) REQUIRE((g >= 0 && g <= 1));
    return outcome::picture;
  } catch (const stretto::error& e) {
    REQUIRE(e.code()[0] == 'W');
    return outcome::refusal;
  }
}

/// Makes the checksums of a PNG's chunks right again, so that damage gets past them.
void mend_checksums(std::vector<std::byte>& png) {
  const auto number = [&](std::size_t at) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < 4; ++i) value = value << 8 | std::to_integer<std::uint32_t>(png[at + i]);
    return value;
  };
  for (std::size_t at = 8; at + 12 <= png.size();) {
    const auto end = at + 8 + number(at);
    if (end + 4 > png.size()) return;
    const auto sum = crc32(0, reinterpret_cast<const Bytef*>(&png[at + 4]), uInt(end - at - 4));
    for (std::size_t i = 0; i < 4; ++i) png[end + i] = std::byte(sum >> (24 - 8 * i) & 0xff);
    at = end + 4;
  }
}

}  // namespace

TEST_CASE("the samples to be broken are whole at first") {
  for (const auto& seed : seeds()) CHECK(decode(seed) == outcome::picture);
}

TEST_CASE("every truncation of a picture is refused or, behind its pixels, harmless") {
  for (const auto& seed : seeds())
    for (std::size_t n = 0; n < seed.size(); ++n) decode({seed.begin(), seed.begin() + std::ptrdiff_t(n)});
}

TEST_CASE("flipping any one bit of a picture never does worse than an error") {
  int refused = 0;
  for (const auto& seed : seeds())
    for (std::size_t i = 0; i < seed.size(); ++i)
      for (int bit = 0; bit < 8; ++bit) {
        auto broken = seed;
        broken[i] ^= std::byte(1 << bit);
        refused += decode(broken) == outcome::refusal;
      }
  CHECK(refused > 1000);
}

TEST_CASE("flipped bits under right checksums never do worse than an error") {
  int pictures = 0;
  for (const auto& seed : seeds()) {
    if (std::to_integer<char>(seed[0]) == 'P') continue;
    for (std::size_t i = 8; i < seed.size(); ++i)
      for (int bit = 0; bit < 8; ++bit) {
        auto broken = seed;
        broken[i] ^= std::byte(1 << bit);
        mend_checksums(broken);
        pictures += decode(broken) == outcome::picture;
      }
  }
  CHECK(pictures > 100);  // else the checksums were not mended
}

TEST_CASE("many changed, lost and repeated bytes never do worse than an error") {
  const auto all = seeds();
  std::mt19937 random(20240229);
  const auto below = [&](std::size_t n) { return std::size_t(random() % n); };
  for (int round = 0; round < 20000; ++round) {
    auto bytes = all[below(all.size())];
    for (std::size_t changes = 1 + below(6); changes > 0 && !bytes.empty(); --changes) {
      const auto at = bytes.begin() + std::ptrdiff_t(below(bytes.size()));
      switch (below(4)) {
        case 0: *at = std::byte(random()); break;
        case 1: bytes.erase(at); break;
        case 2: bytes.insert(at, std::byte(random())); break;
        case 3: bytes.insert(at, bytes.begin(), bytes.begin() + std::ptrdiff_t(below(bytes.size()))); break;
      }
    }
    decode(bytes);
  }
}

TEST_CASE("bytes of no meaning behind a magic number never do worse than an error") {
  CHECK(rc::check([] {
    auto bytes = bytes_of(*rc::gen::element(std::string("\x89PNG\r\n\x1a\n"), std::string("P2 "), std::string("P5 ")));
    const auto rest = *rc::gen::container<std::vector<std::uint8_t>>(rc::gen::arbitrary<std::uint8_t>());
    for (const auto b : rest) bytes.push_back(std::byte(b));
    decode(bytes);
  }));
}

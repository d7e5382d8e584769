#include "demo/wave/png_writer.hpp"

#include <doctest/doctest.h>
#include <png.h>
#include <zlib.h>

#include <string>

#include "demo/wave/image.hpp"

using namespace stretto::wave;

namespace {

/// The picture as libpng's own reader sees it, in 8-bit RGB.
rgb_image by_libpng(const std::vector<std::byte>& file) {
  png_image control{};
  control.version = PNG_IMAGE_VERSION;
  REQUIRE(png_image_begin_read_from_memory(&control, file.data(), file.size()));
  control.format = PNG_FORMAT_RGB;
  rgb_image image{{int(control.height), int(control.width)}, {}};
  image.pixels.resize(std::size_t(image.size.cells()));
  REQUIRE(png_image_finish_read(&control, nullptr, image.pixels.data(), 0, nullptr));
  return image;
}

struct chunk {
  std::string type;
  std::vector<std::byte> data;
};

std::uint32_t number(const std::vector<std::byte>& bytes, std::size_t at, int size = 4) {
  std::uint32_t value = 0;
  for (int i = 0; i < size; ++i) value = value << 8 | std::to_integer<std::uint32_t>(bytes[at + std::size_t(i)]);
  return value;
}

/// All chunks of a file, with their checksums verified.
std::vector<chunk> chunks_of(const std::vector<std::byte>& file) {
  std::vector<chunk> chunks;
  std::size_t at = 8;
  while (at < file.size()) {
    const auto length = number(file, at);
    chunk c;
    c.type.assign(reinterpret_cast<const char*>(&file[at + 4]), 4);
    c.data.assign(file.begin() + std::ptrdiff_t(at + 8), file.begin() + std::ptrdiff_t(at + 8 + length));
    REQUIRE(crc32(0, reinterpret_cast<const Bytef*>(&file[at + 4]), length + 4) == number(file, at + 8 + length));
    chunks.push_back(std::move(c));
    at += 12 + length;
  }
  REQUIRE(at == file.size());
  return chunks;
}

rgb_image colourful(extent size) {
  rgb_image image{size, {}};
  for (int r = 0; r < size.rows; ++r)
    for (int c = 0; c < size.columns; ++c)
      image.pixels.push_back({std::uint8_t(r * 7), std::uint8_t(c * 5 + r), std::uint8_t(r * c)});
  return image;
}

}  // namespace

TEST_CASE("libpng reads back the colours that we wrote") {
  for (const extent size : {extent{1, 1}, {1, 9}, {40, 3}, {33, 65}}) {
    const auto image = colourful(size);
    const auto seen = by_libpng(encode_png(image));
    CHECK(seen.size == size);
    CHECK(seen.pixels == image.pixels);
  }
}

TEST_CASE("our reader reads back the greys that we wrote") {
  byte_image image{{20, 30}, {}};
  for (int i = 0; i < 600; ++i) image.pixels.push_back(std::uint8_t(i * i / 7));
  const auto seen = decode_image(encode_grey_png(image), "x");
  REQUIRE(seen.size == image.size);
  for (std::size_t i = 0; i < 600; ++i) CHECK(seen.grey[i] == doctest::Approx(image.pixels[i] / 255.0));
}

TEST_CASE("smooth pictures are filtered into a fraction of their bytes") {
  rgb_image image{{200, 200}, {}};
  for (int r = 0; r < 200; ++r)
    for (int c = 0; c < 200; ++c) image.pixels.push_back({std::uint8_t(r), std::uint8_t(c), std::uint8_t((r + c) / 2)});
  CHECK(encode_png(image).size() < 200 * 200 * 3 / 50);
}

TEST_CASE("an animation is a valid PNG of its first frame, and its chunks number all frames in order") {
  const std::vector<rgb> palette{{0, 0, 0}, {200, 10, 30}, {9, 8, 7}};
  animated_png animation({2, 3}, palette, 20);
  const std::vector<std::vector<std::uint8_t>> frames{{0, 1, 2, 2, 1, 0}, {1, 1, 1, 1, 1, 1}, {2, 0, 2, 0, 2, 0}};
  for (const auto& pixels : frames) animation.add({{2, 3}, pixels});
  CHECK(animation.frames() == 3);
  const auto file = animation.finish();

  const auto first = by_libpng(file);
  for (std::size_t i = 0; i < 6; ++i) CHECK(first.pixels[i] == palette[frames[0][i]]);

  const auto chunks = chunks_of(file);
  std::string order;
  for (const auto& c : chunks) order += c.type + " ";
  CHECK(order == "IHDR acTL PLTE fcTL IDAT fcTL fdAT fcTL fdAT IEND ");
  CHECK(number(chunks[1].data, 0) == 3);
  std::uint32_t sequence = 0;
  std::size_t frame = 0;
  for (const auto& c : chunks) {
    if (c.type == "fcTL") {
      CHECK(c.data.size() == 26);
      CHECK(number(c.data, 0) == sequence++);
      CHECK(number(c.data, 4) == 3);
      CHECK(number(c.data, 8) == 2);
      CHECK(number(c.data, 20, 2) == 1);
      CHECK(number(c.data, 22, 2) == 20);
    }
    if (c.type == "fdAT") CHECK(number(c.data, 0) == sequence++);
    if (c.type == "IDAT" || c.type == "fdAT") {
      const std::size_t start = c.type == "fdAT" ? 4 : 0;
      std::vector<std::uint8_t> rows(8);
      uLongf length = rows.size();
      REQUIRE(uncompress(rows.data(), &length, reinterpret_cast<const Bytef*>(&c.data[start]),
                         uLong(c.data.size() - start)) == Z_OK);
      REQUIRE(length == 8);
      const auto& p = frames[frame++];
      CHECK(rows == std::vector<std::uint8_t>{0, p[0], p[1], p[2], 0, p[3], p[4], p[5]});
    }
  }
  CHECK(frame == 3);
}

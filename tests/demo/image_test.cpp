#include "demo/wave/image.hpp"

#include <doctest/doctest.h>
#include <unistd.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>

#include <stretto/error.hpp>

#include "sample_images.hpp"

using namespace stretto::wave;
using stretto::error;

namespace stretto::wave {
std::vector<std::byte> png_header_only(std::uint32_t width, std::uint32_t height) {
  std::string chunk = "IHDR";
  for (const auto value : {width, height})
    for (int shift = 24; shift >= 0; shift -= 8) chunk += char(value >> shift & 0xff);
  chunk += std::string("\x08\0\0\0\0", 5);
  const auto sum = crc32(0, reinterpret_cast<const Bytef*>(chunk.data()), uInt(chunk.size()));
  std::string file = std::string("\x89PNG\r\n\x1a\n\0\0\0\x0d", 12) + chunk;
  for (int shift = 24; shift >= 0; shift -= 8) file += char(sum >> shift & 0xff);
  return bytes_of(file);
}
}  // namespace stretto::wave

namespace {

std::string message_of(const std::vector<std::byte>& bytes) {
  try {
    decode_image(bytes, "ground.png");
  } catch (const error& e) {
    return e.what();
  }
  return "";
}
std::string message_of(const std::string& text) { return message_of(bytes_of(text)); }

float grey(const grey_image& image, int r, int c) { return image.grey[std::size_t(r * image.size.columns + c)]; }

}  // namespace

TEST_CASE("grey PNG pictures of every depth are read as shares of white, interlaced or not") {
  for (const int interlace : {PNG_INTERLACE_NONE, PNG_INTERLACE_ADAM7}) {
    const auto eight = decode_image(png_by_libpng(6, 5, {PNG_COLOR_TYPE_GRAY, 8, interlace}, ramp()), "x");
    CHECK(eight.size == extent{5, 6});
    for (int r = 0; r < 5; ++r)
      for (int c = 0; c < 6; ++c) CHECK(grey(eight, r, c) == doctest::Approx((10 * r + 40 * c) / 255.0));
  }
  const auto sixteen = decode_image(png_by_libpng(2, 1, {PNG_COLOR_TYPE_GRAY, 16}, {{0x12, 0x34, 0xff, 0xff}}), "x");
  CHECK(grey(sixteen, 0, 0) == doctest::Approx(0x1234 / 65535.0));
  CHECK(grey(sixteen, 0, 1) == 1);
  const auto one = decode_image(png_by_libpng(8, 1, {PNG_COLOR_TYPE_GRAY, 1}, {{0b10110001}}), "x");
  CHECK(one.grey == std::vector<float>{1, 0, 1, 1, 0, 0, 0, 1});
  const auto two = decode_image(png_by_libpng(4, 1, {PNG_COLOR_TYPE_GRAY, 2}, {{0b00011011}}), "x");
  for (int c = 0; c < 4; ++c) CHECK(grey(two, 0, c) == doctest::Approx(c / 3.0));
}

TEST_CASE("colours become luminance, with alpha and palettes too") {
  const std::vector<std::uint8_t> rgb_row{255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 255};
  const auto colours = decode_image(png_by_libpng(4, 1, {PNG_COLOR_TYPE_RGB}, {rgb_row}), "x");
  CHECK(grey(colours, 0, 0) == doctest::Approx(0.2126));
  CHECK(grey(colours, 0, 1) == doctest::Approx(0.7152));
  CHECK(grey(colours, 0, 2) == doctest::Approx(0.0722));
  CHECK(grey(colours, 0, 3) == doctest::Approx(1));
  const auto alpha = decode_image(png_by_libpng(2, 1, {PNG_COLOR_TYPE_RGBA}, {{255, 0, 0, 7, 0, 0, 0, 255}}), "x");
  CHECK(grey(alpha, 0, 0) == doctest::Approx(0.2126));
  CHECK(grey(alpha, 0, 1) == 0);
  const auto grey_alpha = decode_image(png_by_libpng(1, 1, {PNG_COLOR_TYPE_GRAY_ALPHA, 16}, {{0x80, 0, 0, 0}}), "x");
  CHECK(grey(grey_alpha, 0, 0) == doctest::Approx(0x8000 / 65535.0));
  const auto palette = decode_image(
      png_by_libpng(3, 1, {PNG_COLOR_TYPE_PALETTE, 8}, {{1, 0, 2}}, {{0, 0, 0}, {51, 51, 51}, {255, 0, 0}}), "x");
  CHECK(grey(palette, 0, 0) == doctest::Approx(0.2));
  CHECK(grey(palette, 0, 1) == 0);
  CHECK(grey(palette, 0, 2) == doctest::Approx(0.2126));
}

TEST_CASE("PGM pictures are read plain and raw, with 8 and 16 bits, with comments") {
  const auto plain = decode_image(bytes_of("P2\n# made by hand\n3 2 # wide, high\n10\n0 5 10\n1 2 3\n"), "x");
  CHECK(plain.size == extent{2, 3});
  CHECK(grey(plain, 0, 1) == 0.5f);
  CHECK(grey(plain, 1, 2) == 0.3f);
  const auto raw = decode_image(bytes_of(std::string("P5 2 2 255\n\x00\x33\xff\x80", 15)), "x");
  CHECK(raw.grey == std::vector<float>{0, 0.2f, 1, float(128 / 255.0)});
  const auto wide = decode_image(bytes_of(std::string("P5\n1 2\n1000\n\x01\xf4\x03\xe8", 16)), "x");
  CHECK(wide.grey == std::vector<float>{0.5f, 1});
  const auto newline_pixel = decode_image(bytes_of("P5 1 1 255\n\n"), "x");  // one white space, then pixels
  CHECK(newline_pixel.grey == std::vector<float>{float(10 / 255.0)});
}

TEST_CASE("what is not an image says so") {
  CHECK(message_of("hello, world") ==
        "error W21: \"ground.png\" is not an image\n"
        "  because     it does not begin like a PNG or PGM file\n"
        "  try         convert it to an 8 or 16 bit grey PNG or PGM");
  CHECK(message_of("") ==
        "error W21: \"ground.png\" is not an image\n"
        "  because     the file is empty\n"
        "  try         convert it to an 8 or 16 bit grey PNG or PGM");
}

TEST_CASE("images of other kinds are named") {
  CHECK(message_of("\xff\xd8\xff\xe0 and so on") ==
        "error W25: the image \"ground.png\" is a JPEG file\n"
        "  because     the demonstration reads PNG and PGM files only\n"
        "  try         convert it to an 8 or 16 bit grey PNG or PGM");
  CHECK(message_of("P6 1 1 255\nabc").find("is a PPM file") != std::string::npos);
  CHECK(message_of(std::string("II*\0", 4)).find("is a TIFF file") != std::string::npos);
  CHECK(message_of(std::string("MM\0*", 4)).find("is a TIFF file") != std::string::npos);
  CHECK(message_of("MMXXV").find("is not an image") != std::string::npos);
}

TEST_CASE("a picture without pixels is refused") {
  const std::string expected =
      "error W23: the image \"ground.png\" has no pixels\n"
      "  size        0 x 7 pixels\n"
      "  try         use an image of at least 1 x 1 pixels";
  CHECK(message_of("P5 0 7 255\n") == expected);
  CHECK(message_of(png_header_only(0, 7)) == expected);
}

TEST_CASE("a huge picture is refused by its header") {
  const std::string expected =
      "error W24: the image \"ground.png\" is too large\n"
      "  size        20000 x 20000 pixels\n"
      "  limit       33554432 pixels, 32768 along a side\n"
      "  try         scale it down; --size enlarges the field again";
  CHECK(message_of("P5 20000 20000 255\n") == expected);
  CHECK(message_of("P2 20000 20000 255\n") == expected);
  CHECK(message_of(png_header_only(20000, 20000)) == expected);
  CHECK(message_of("P5 99999999999999999999999 1 255\n").find("W24") != std::string::npos);
  CHECK(message_of(png_header_only(0xffffffff, 0xffffffff)).find("W24") != std::string::npos);
}

TEST_CASE("a small file that claims a large picture is called truncated before memory is taken") {
  CHECK(message_of("P5 5000 5000 255\nabc") ==
        "error W22: the image \"ground.png\" ends too early\n"
        "  because     5000 x 5000 pixels need at least 25000017 bytes, the file has 20\n"
        "  try         copy or download the file again");
  CHECK(message_of("P2 5000 5000 255\n1 2 3").find("W22") != std::string::npos);
}

TEST_CASE("every beginning of a valid file is truncated, not an image, or empty, and never a picture") {
  const auto png = png_by_libpng(6, 5, {}, ramp());
  for (std::size_t n = 0; n < png.size(); ++n) {
    const auto message = message_of(std::vector(png.begin(), png.begin() + std::ptrdiff_t(n)));
    CHECK(message.substr(0, 9) == (n < 8 ? "error W21" : "error W22"));
  }
  CHECK(message_of(png).empty());
  const std::string plain = "P2 3 2 10 0 5 10 1 2 3";
  for (std::size_t n = 2; n < plain.size(); ++n) CHECK(message_of(plain.substr(0, n)).substr(0, 9) == "error W22");
  CHECK(message_of(plain).empty());
}

TEST_CASE("a truncated PNG says where it stopped") {
  const auto png = png_by_libpng(6, 5, {}, ramp());
  CHECK(message_of(std::vector(png.begin(), png.begin() + 50)) ==
        "error W22: the image \"ground.png\" ends too early\n"
        "  because     its data ends before its last chunk\n"
        "  try         copy or download the file again");
}

TEST_CASE("damage is told from truncation") {
  auto png = png_by_libpng(6, 5, {}, ramp());
  png[45] ^= std::byte(0x10);
  CHECK(message_of(png).substr(0, 49) == "error W26: the image \"ground.png\" is damaged\n  be");
  CHECK(message_of("P2 2 2 10\n1 2 x 4") ==
        "error W26: the image \"ground.png\" is damaged\n"
        "  because     byte 14 is not part of pixel 2 of 4\n"
        "  try         copy or download the file again");
  CHECK(message_of("P2 2 1 10\n1 11").find("pixel 1 has the value 11, above the maximum 10") != std::string::npos);
  CHECK(message_of("P5 1 1 70000\nab").find("its maximum is 70000, where 1 to 65535 are possible") !=
        std::string::npos);
  CHECK(message_of("P5 wide 1 70000\nab").find("byte 3 is not part of width") != std::string::npos);
}

TEST_CASE("files that cannot be read are told apart") {
  const auto message = [](const std::filesystem::path& file) -> std::string {
    try {
      read_image(file);
    } catch (const error& e) {
      return e.what();
    }
    return "";
  };
  CHECK(message("no/such.png") ==
        "error W20: the image \"no/such.png\" cannot be read\n"
        "  because     there is no such file\n"
        "  try         name an existing PNG or PGM file");
  CHECK(message("/") ==
        "error W20: the image \"/\" cannot be read\n"
        "  because     it is not a regular file\n"
        "  try         name an existing PNG or PGM file");
  const auto file = std::filesystem::temp_directory_path() / ("stretto-image-" + std::to_string(getpid()) + ".pgm");
  std::ofstream(file) << "P2 1 1 4 3";
  CHECK(read_image(file).grey == std::vector<float>{0.75f});
  std::filesystem::resize_file(file, largest_file + 1);  // sparse
  CHECK(message(file).find("is too large\n  size        268435457 bytes\n") != std::string::npos);
  std::filesystem::remove(file);
}

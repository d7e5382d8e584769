#include "demo/wave/image.hpp"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <stretto/error.hpp>
#include <string_view>

#include "demo/wave/image_formats.hpp"

namespace stretto::wave {
namespace {

constexpr auto convert_remedy = "convert it to an 8 or 16 bit grey PNG or PGM";

struct foreign_format {
  std::string_view magic, name;
};
// clang-format off
using namespace std::string_view_literals;  // some of these hold a zero byte
constexpr std::array foreign_formats{
    foreign_format{"\xff\xd8\xff"sv, "JPEG"}, foreign_format{"GIF8"sv, "GIF"}, foreign_format{"BM"sv, "BMP"},
    foreign_format{"II*\0"sv, "TIFF"}, foreign_format{"MM\0*"sv, "TIFF"}, foreign_format{"RIFF"sv, "WebP"},
    foreign_format{"P1"sv, "PBM"}, foreign_format{"P4"sv, "PBM"}, foreign_format{"P3"sv, "PPM"},
    foreign_format{"P6"sv, "PPM"}, foreign_format{"P7"sv, "PAM"}, foreign_format{"PF"sv, "PFM"},
    foreign_format{"Pf"sv, "PFM"}};
// clang-format on

error unreadable(const std::filesystem::path& file, const std::string& reason) {
  return error("W20", fmt::format("the image \"{}\" cannot be read", file.string()))
      .because(reason)
      .remedy("name an existing PNG or PGM file");
}

}  // namespace

grey_image decode_image(std::span<const std::byte> bytes, const std::string& name) {
  const std::string_view start(reinterpret_cast<const char*>(bytes.data()), std::min<std::size_t>(bytes.size(), 16));
  if (start.starts_with("\x89PNG\r\n\x1a\n")) return decode_png(bytes, name);
  if (start.starts_with("P2") || start.starts_with("P5")) return decode_pgm(bytes, name);
  for (const auto& foreign : foreign_formats)
    if (start.starts_with(foreign.magic))
      throw error("W25", fmt::format("the image \"{}\" is a {} file", name, foreign.name))
          .because("the demonstration reads PNG and PGM files only")
          .remedy(convert_remedy);
  throw error("W21", fmt::format("\"{}\" is not an image", name))
      .because(bytes.empty() ? "the file is empty" : "it does not begin like a PNG or PGM file")
      .remedy(convert_remedy);
}

grey_image read_image(const std::filesystem::path& file) {
  std::error_code failure;
  const auto status = std::filesystem::status(file, failure);
  if (!std::filesystem::exists(status)) throw unreadable(file, "there is no such file");
  if (!std::filesystem::is_regular_file(status)) throw unreadable(file, "it is not a regular file");
  const auto size = std::filesystem::file_size(file, failure);
  if (failure) throw unreadable(file, failure.message());
  if (size > largest_file)
    throw error("W24", fmt::format("the image \"{}\" is too large", file.string()))
        .fact("size", fmt::format("{} bytes", size))
        .fact("limit", fmt::format("{} bytes", largest_file))
        .remedy("scale it down; --size enlarges the field again");
  errno = 0;
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw unreadable(file, errno ? std::strerror(errno) : "it cannot be opened");
  std::vector<std::byte> bytes(size);
  stream.read(reinterpret_cast<char*>(bytes.data()), std::streamsize(size));
  bytes.resize(std::size_t(stream.gcount()));  // the file may have shrunk since
  return decode_image(bytes, file.string());
}

}  // namespace stretto::wave

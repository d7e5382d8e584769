#include "demo/wave/output_folder.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>

#include <stretto/error.hpp>

namespace stretto::wave {
namespace {

namespace fs = std::filesystem;

/// An empty text, or why not.
std::string write_beside(const fs::path& file, std::span<const std::byte> bytes) {
  errno = 0;
  std::ofstream stream(file, std::ios::binary | std::ios::trunc);
  stream.write(reinterpret_cast<const char*>(bytes.data()), std::streamsize(bytes.size()));
  stream.close();
  if (stream) return {};
  return errno ? std::strerror(errno) : "the disk did not take it";
}

fs::path part_of(const fs::path& file) {
  auto part = file;
  part += ".part";
  return part;
}

error unusable(const fs::path& folder, const std::string& reason) {
  return error("W15", fmt::format("the output folder \"{}\" cannot be written to", folder.string()))
      .because(reason)
      .remedy("name another folder with --out");
}

}  // namespace

void prepare_output(const fs::path& folder) {
  std::error_code failure;
  if (fs::exists(folder, failure) && !fs::is_directory(folder, failure)) throw unusable(folder, "it is a file");
  fs::create_directories(folder, failure);
  if (failure) throw unusable(folder, failure.message());
  const auto probe = folder / "stretto-can-write.part";
  const auto reason = write_beside(probe, {});
  fs::remove(probe, failure);
  if (!reason.empty()) throw unusable(folder, reason);
}

void write_file(const fs::path& file, std::span<const std::byte> bytes) {
  const auto part = part_of(file);
  auto reason = write_beside(part, bytes);
  std::error_code failure;
  if (reason.empty()) {
    fs::rename(part, file, failure);
    if (!failure) return;
    reason = failure.message();
  }
  fs::remove(part, failure);
  throw error("W17", fmt::format("the file \"{}\" cannot be written", file.string()))
      .fact("size", fmt::format("{} bytes", bytes.size()))
      .because(reason)
      .remedy("free space on the disk, or name another folder with --out");
}

}  // namespace stretto::wave

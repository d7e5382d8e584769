#include "cc/linked_program.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stretto/error.hpp>
#include <string>

#include "base/file_descriptor.hpp"
#include "ranks/program/program_image.hpp"

namespace stretto::cc {
namespace {

namespace fs = std::filesystem;

// Where in the file the path is, and how much space it has.
struct path_place {
  std::uint64_t offset, size;
  std::string current;
};

path_place place_of_path(const ranks::elf_file& file) {
  const auto found = std::ranges::find(file.segments(), PT_INTERP, [](const auto& one) { return int(one.p_type); });
  if (found == file.segments().end())
    throw error("W63", fmt::format("the linker left the start of \"{}\" out", file.path().string()))
        .remedy("link without options that choose sections, or with another linker: -fuse-ld=bfd");
  const auto* const text = reinterpret_cast<const char*>(file.bytes().data()) + found->p_offset;
  return {found->p_offset, found->p_filesz, {text, ::strnlen(text, found->p_filesz)}};
}

void set_path(const fs::path& program, const path_place& place, std::string path) {
  if (path.size() >= place.size)
    throw error("W63", "stretto is installed under a path that is too long: " + path).remedy("install it elsewhere");
  path.resize(place.size);
  const base::file_descriptor file(::open(program.c_str(), O_WRONLY | O_CLOEXEC));
  const bool is_written = file && ::pwrite(file.number(), path.data(), path.size(), static_cast<off_t>(place.offset)) ==
                                      static_cast<ssize_t>(path.size());
  if (!is_written) throw error("W63", "cannot write " + program.string()).because(std::strerror(errno));
}

void check_and_set_path(const fs::path& program, const installation& tree) {
  const ranks::program_image image(program);
  const auto place = place_of_path(image.program().file());
  if (place.current != tree.start_file()) set_path(program, place, tree.start_file().string());
}

}  // namespace

void finish_program(const fs::path& program, const installation& tree) {
  std::error_code none;
  if (!fs::is_regular_file(program, none)) return;  // such as /dev/null
  try {
    check_and_set_path(program, tree);
  } catch (...) {
    fs::remove(program, none);
    throw;
  }
}

}  // namespace stretto::cc

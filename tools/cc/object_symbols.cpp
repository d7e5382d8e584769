#include "cc/object_symbols.hpp"

#include <ar.h>
#include <elf.h>
#include <fmt/format.h>

#include <charconv>
#include <cstring>
#include <stretto/error.hpp>

#include "base/whole_file.hpp"
#include "ranks/program/library_search.hpp"

namespace stretto::cc {
namespace {

using bytes = std::span<const std::byte>;
using visitor = std::function<void(std::string_view)>;

constexpr std::uint64_t largest_input = std::uint64_t{1} << 30;

bytes part(bytes file, std::uint64_t offset, std::uint64_t size) {
  if (offset > file.size() || size > file.size() - offset) return {};
  return file.subspan(offset, size);
}

template <class T>
bool read(bytes file, std::uint64_t offset, T& value) {
  const auto from = part(file, offset, sizeof value);
  if (from.empty()) return false;
  std::memcpy(&value, from.data(), sizeof value);
  return true;
}

std::string_view name_at(bytes strings, std::uint64_t offset) {
  if (offset >= strings.size()) return {};
  const auto* const text = reinterpret_cast<const char*>(strings.data()) + offset;
  return {text, ::strnlen(text, strings.size() - offset)};
}

void visit_table(bytes file, const Elf64_Ehdr& header, const Elf64_Shdr& table, const visitor& visit) {
  Elf64_Shdr names;
  if (!read(file, header.e_shoff + std::uint64_t{table.sh_link} * sizeof names, names)) return;
  const auto strings = part(file, names.sh_offset, names.sh_size);
  const auto symbols = part(file, table.sh_offset, table.sh_size);
  Elf64_Sym one;
  for (std::uint64_t at = 0; read(symbols, at, one); at += sizeof one)
    if (one.st_shndx == SHN_UNDEF && one.st_name != 0) visit(name_at(strings, one.st_name));
}

void visit_object(bytes file, const visitor& visit) {
  Elf64_Ehdr header;
  if (!read(file, 0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return;
  for (unsigned i = 0; i < header.e_shnum; ++i)
    if (Elf64_Shdr section; read(file, header.e_shoff + i * sizeof section, section) &&
                            (section.sh_type == SHT_SYMTAB || section.sh_type == SHT_DYNSYM))
      visit_table(file, header, section, visit);
}

void visit_archive(bytes file, const visitor& visit) {
  ar_hdr header;
  for (std::uint64_t at = SARMAG; read(file, at, header);) {
    std::uint64_t size = 0;
    std::from_chars(header.ar_size, header.ar_size + sizeof header.ar_size, size);
    visit_object(part(file, at + sizeof header, size), visit);
    at += sizeof header + size + size % 2;
  }
}

}  // namespace

void for_each_undefined(bytes file, const visitor& visit) {
  if (file.size() > SARMAG && std::memcmp(file.data(), ARMAG, SARMAG) == 0) visit_archive(file, visit);
  else visit_object(file, visit);
}

void check_input(const std::string& file) {
  if (!file.ends_with(".o") && !file.ends_with(".a") && file.find(".so") == file.npos) return;
  const auto content = base::read_whole(file, largest_input);
  if (!content) return;
  for_each_undefined(std::as_bytes(std::span(content.text)), [&](std::string_view name) {
    const auto mpi = ranks::mpi_with_symbol(name);
    if (mpi.empty()) return;
    throw error("R82", fmt::format("\"{}\" was built for another MPI", file))
        .fact("uses", fmt::format("{} of {}", name, mpi))
        .because("handles of one MPI mean nothing to another")
        .remedy("compile it again with stretto cc or stretto c++");
  });
}

}  // namespace stretto::cc

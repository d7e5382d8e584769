// linked_kernels.hpp - the kernels that are linked into a program, found by the symbols of its file: nothing else lists
// them.
//
// Threads     any.
// Cost        reads the file. A program without symbols has no kernels here.
#pragma once

#include <stretto/kernel_code.hpp>

#include <elf.h>
#include <link.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace stretto::test {

/// The symbols of this program, with the addresses that they have in it.
class program_symbols {
 public:
  program_symbols() {
    std::ifstream in("/proc/self/exe", std::ios::binary | std::ios::ate);
    file_.resize(static_cast<std::size_t>(std::max<std::streamoff>(in.tellg(), 0)));
    in.seekg(0).read(file_.data(), static_cast<std::streamsize>(file_.size()));
    const auto header = at<Elf64_Ehdr>(0);
    for (std::size_t i = 0; i < header.e_shnum; ++i) {
      const auto section = at<Elf64_Shdr>(header.e_shoff + i * header.e_shentsize);
      if (section.sh_type == SHT_SYMTAB)
        read(section, at<Elf64_Shdr>(header.e_shoff + section.sh_link * header.e_shentsize));
    }
  }

  struct symbol {
    std::string_view name;  // mangled
    std::uintptr_t address;
  };
  const std::vector<symbol>& all() const { return all_; }

 private:
  template <class T>
  T at(std::size_t offset) const {
    T value{};
    if (offset + sizeof value <= file_.size()) std::memcpy(&value, file_.data() + offset, sizeof value);
    return value;
  }
  void read(const Elf64_Shdr& symbols, const Elf64_Shdr& names) {
    // The first of what is loaded is the program.
    std::uintptr_t base = 0;
    dl_iterate_phdr([](dl_phdr_info* program, std::size_t,
                       void* to) { return *static_cast<std::uintptr_t*>(to) = program->dlpi_addr, 1; },
                    &base);
    for (std::size_t i = 0; i < symbols.sh_size / sizeof(Elf64_Sym); ++i) {
      const auto one = at<Elf64_Sym>(symbols.sh_offset + i * sizeof(Elf64_Sym));
      if (one.st_shndx != SHN_UNDEF && one.st_name)
        all_.push_back({file_.data() + names.sh_offset + one.st_name, base + one.st_value});
    }
  }

  std::string file_;
  std::vector<symbol> all_;
};

/// Those of all namespaces, in the order of their names. Each stands once.
inline std::vector<const kernel_code*> linked_kernels(const program_symbols& program) {
  std::vector<const kernel_code*> all;
  for (const program_symbols::symbol& s : program.all())
    if (s.name.ends_with("E4codeE") &&
        (s.name.find("_kernelILm") != s.name.npos || s.name.find("14defined_kernelI") != s.name.npos))
      all.push_back(reinterpret_cast<const kernel_code*>(s.address));
  std::ranges::sort(all);
  const auto repeated = std::ranges::unique(all);
  all.erase(repeated.begin(), repeated.end());
  std::ranges::stable_sort(all, {}, [](const kernel_code* k) { return k->name; });
  return all;
}

/// Of what a program is compiled with: the axes of its largest array.
inline int axes_of(const kernel_code& code) {
  int most = 1;
  for (const kernel_parameter& p : code.parameters) most = std::max<int>(most, p.dimensions);
  return most;
}

}  // namespace stretto::test
